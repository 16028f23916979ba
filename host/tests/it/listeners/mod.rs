//! What a listener has of its own: its TID ports, its interface, what its clients may negotiate.

mod interface;
mod negotiation;
mod nonstandard;
mod tid_ports;
