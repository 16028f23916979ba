//! Clients and sites as they are: what boot ROMs, devices, monitors and trees do, as public reports tell, each reduced to a
//! small scripted client. Where the servers that people come from are installed, the same clients run beside them.

mod absent;
mod broadcasts;
mod clients;
mod duplicates;
mod fragments;
mod maps;
mod names;
mod options;
mod patience;
mod servers;
//! Clients and sites as they are: each module has what one kind of them does, as small scripted clients.

mod links;
mod metadata;
//! Clients and sites as they are: behaviour that was seen in the field, each as one small scripted client, beside the
//! servers that these clients used before.

mod import;
