//! The command line: its error messages and exit codes.

mod check;
mod check_mistakes;
mod check_user;
pub mod generate;
mod plugin;
mod plugin_dev;
mod plugin_project;
mod plugin_project_c;
mod schema;
mod serve;
mod servers;
