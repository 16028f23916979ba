//! Clients and sites as they are: what boot ROMs, devices, monitors and trees do, as public reports tell, each reduced to a
//! small scripted client. Where the servers that people come from are installed, the same clients run beside them.

mod absent;
mod broadcasts;
mod clients;
mod dhcp;
mod duplicates;
mod fragments;
mod import;
mod links;
mod maps;
mod metadata;
mod names;
mod options;
mod patience;
mod servers;
