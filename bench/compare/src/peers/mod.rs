//! Runs the same cases on Tuffet and other TFTP servers, side by side.

mod args;
mod cases;
mod cold;
mod measure;
mod metric;
mod report;
mod results;
mod run;
mod scale;
mod target;

pub(crate) use args::{Args, execute};
