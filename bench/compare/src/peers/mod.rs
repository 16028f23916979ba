//! Tuffet and other TFTP servers, the same cases in one run, side by side.

mod args;
mod cases;
mod cold;
mod limit;
mod measure;
mod metric;
mod report;
mod results;
mod run;
mod scale;
mod target;

pub(crate) use args::{Args, obey};
