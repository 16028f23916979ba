//! The protocol between two real endpoints over a simulated network: every file here is one family of
//! behaviours, `simulator` is what they run on.

mod amplification;
mod duplication;
mod efficiency;
mod endings;
mod faults;
mod gaps;
mod huge;
mod lossless;
mod lost_packets;
mod recovery;
mod seeds;
mod simulator;
mod strays;
