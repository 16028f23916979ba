//! The command line: what it says when something is wrong, and with which exit code it ends.

mod check;
mod check_user;
mod plugin;
mod plugin_project;
mod serve;
