//! What a listener has of its own: its TID ports and its interface.

mod interface;
mod tid_ports;
