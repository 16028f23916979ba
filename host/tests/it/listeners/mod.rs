//! What a listener has of its own: its TID ports, its interface, what its clients may negotiate, its roots and chains.

mod interface;
mod negotiation;
mod nonstandard;
mod policy;
mod tid_ports;
