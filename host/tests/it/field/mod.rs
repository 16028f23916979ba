//! Clients and sites as they are: what boot ROMs, devices, monitors and trees do, as public reports tell, each reduced to a
//! small scripted client. Where the servers that people come from are installed, the same clients run beside them.

mod clients;
mod duplicates;
mod patience;
//! Clients and networks as they are: each test has one that was met in the field, as small as it can be.

mod broadcasts;
mod fragments;
mod servers;
//! Clients and sites as they are: each module has what one kind of them does, as small scripted clients.

mod maps;
mod names;
mod options;
//! Clients and sites as they are: each topic has scripted clients that behave as machines in the field do.

mod absent;
