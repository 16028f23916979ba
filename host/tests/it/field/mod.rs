//! Clients and sites as they are: each topic has scripted clients that behave as machines in the field do.

mod absent;
