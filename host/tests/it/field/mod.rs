//! Clients and networks as they are: each test has one that was met in the field, as small as it can be.

mod broadcasts;
mod fragments;
mod servers;
