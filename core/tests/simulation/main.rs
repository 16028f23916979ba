//! The protocol between two real endpoints over a simulated network: each file here covers one family of
//! behaviours, on top of `simulator`.

mod acknowledging;
mod amplification;
mod careful;
mod duplication;
mod efficiency;
mod endings;
mod extensions;
mod faults;
mod gaps;
mod huge;
mod lossless;
mod lost_packets;
mod multicast;
mod rate;
mod recovery;
mod seeds;
mod simulator;
mod strays;
