//! Flags of the command line that override the file.

use std::path::PathBuf;

use super::address;
use super::config::Written;
use super::listeners::WrittenListener;
use super::log::{LogFormat, WrittenTarget};
use super::privileges::UserOrGroup;
use super::roots::WrittenRoot;
use super::source::{Finding, Source};
use tuffet_request::settings::MAX_WORKERS;

/// Where `--root DIR` alone is served: the port of TFTP, at all addresses.
const EVERYWHERE: &str = "[::]:69";

/// Flags of `serve` that override keys of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--root DIR`: the only root, named `root`. Relative to the current folder.
    pub root: Option<PathBuf>,
    /// `--listen ADDR`, repeatable: the only listeners.
    pub listen: Vec<String>,
    /// `--workers N`.
    pub workers: Option<usize>,
    /// `--single-port`: every listener is in single-port mode.
    pub single_port: bool,
    /// `--writable`: every root that clients may read takes uploads.
    pub writable: bool,
    /// `--user USER`: the user that a server started by root switches to.
    pub user: Option<String>,
    /// `--log FILTER`: what to log.
    pub log: Option<String>,
    /// `--log-format FORMAT`: the format of log lines.
    pub log_format: Option<LogFormat>,
    /// `--log-to TARGET`: where the log goes. A file is relative to the current folder.
    pub log_to: Option<String>,
}

impl Overrides {
    pub(super) fn apply(&self, written: &mut Written, source: &mut Source) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Some(root) = &self.root {
            source.replace("/roots", "--root");
            match std::path::absolute(root) {
                Ok(path) => written.roots = vec![WrittenRoot::alone(path)],
                Err(error) => {
                    findings
                        .push(Finding::value("/roots", format!("{error}; name a folder, `.` for this one")));
                }
            }
        }
        if !self.listen.is_empty() {
            source.replace("/listeners", "--listen");
            written.listeners = self.listen.iter().map(|address| WrittenListener::at(address)).collect();
            let complaints = self.listen.iter().filter_map(|text| address::parse_address(text).err());
            findings.extend(complaints.map(|message| Finding::value("/listeners", message)));
        }
        if self.root.is_some() && written.listeners.is_empty() && source.file().is_none() {
            source.replace("/listeners", "--root");
            written.listeners = vec![WrittenListener::at(EVERYWHERE)];
        }
        if let Some(workers) = self.workers {
            source.replace("/workers", "--workers");
            written.workers = Some(workers);
            if !(1..=MAX_WORKERS).contains(&workers) {
                let message =
                    format!("{workers} is out of range; give a whole number from 1 to {MAX_WORKERS}");
                findings.push(Finding::value("/workers", message));
            }
        }
        if let Some(user) = &self.user {
            source.replace("/privileges/user", "--user");
            written.privileges.user = Some(UserOrGroup::of(user));
        }
        if let Some(level) = &self.log {
            source.replace("/log/level", "--log");
            written.log.level.clone_from(level);
        }
        if let Some(format) = self.log_format {
            source.replace("/log/format", "--log-format");
            written.log.format = format;
        }
        if let Some(to) = &self.log_to {
            source.replace("/log/to", "--log-to");
            match WrittenTarget::of_flag(to) {
                Ok(target) => written.log.to = target,
                Err(complaint) => findings.push(Finding::value("/log/to", complaint)),
            }
        }
        for listener in &mut written.listeners {
            listener.single_port |= self.single_port;
        }
        for root in &mut written.roots {
            root.spec.writable |= self.writable && !root.spec.private;
        }
        findings
    }
}
