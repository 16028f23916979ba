//! Sinks, and the grants that name sinks and roots.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::address::{check_name, parse_address};
use super::super::grant::Grant;
use super::super::source::Finding;
use super::super::suggest::{closest, unknown};
use super::super::tree::join;
use super::super::written;
use super::Resolver;
use crate::sinks::{SinkSpec, SinkTarget};
use crate::store::RootSpec;

impl Resolver<'_> {
    /// Each root and sink that is granted must be there.
    pub(super) fn grants(&mut self, plugin: &str, grants: &[Grant], roots: &[RootSpec], sinks: &[SinkSpec]) {
        let roots = || roots.iter().map(|root| root.name.as_str());
        let sinks = || sinks.iter().map(|sink| sink.name.as_str());
        for (index, grant) in grants.iter().enumerate() {
            let message = match grant {
                Grant::Files(name) if !roots().any(|root| root == name) => {
                    unknown("root", name, closest(name, roots()), roots())
                }
                Grant::Sinks(name) if !sinks().any(|sink| sink == name) => match closest(name, sinks()) {
                    Some(like) => unknown("sink", name, Some(like), sinks()),
                    None => format!(
                        "unknown sink `{name}`; add it below `sinks`, such as `{name}: {{ file: {name}.jsonl }}`"
                    ),
                },
                _ => continue,
            };
            self.wrong(format!("{}/grants/{index}", join("/plugins", plugin)), message);
        }
    }

    pub(super) fn sinks(&mut self, written: BTreeMap<String, written::Sink>) -> Vec<SinkSpec> {
        let mut sinks = Vec::new();
        for (name, sink) in written {
            let pointer = join("/sinks", &name);
            if let Err(complaint) = check_name(&name) {
                self.findings.push(Finding::key(&pointer, complaint));
            }
            let target = match (sink.file, sink.udp) {
                (Some(file), None) => self.sink_file(&join(&pointer, "file"), &file),
                (None, Some(address)) => match parse_address(&address) {
                    Ok(address) => SinkTarget::Udp(address),
                    Err(complaint) => {
                        self.wrong(join(&pointer, "udp"), complaint);
                        continue;
                    }
                },
                (None, None) => {
                    let message =
                        format!("the sink `{name}` leads nowhere; add `file: PATH` or `udp: IP:PORT`");
                    self.wrong(pointer, message);
                    continue;
                }
                (Some(_), Some(_)) => {
                    let message =
                        format!("the sink `{name}` has both `file` and `udp`; make two sinks of it");
                    self.wrong(join(&pointer, "udp"), message);
                    continue;
                }
            };
            sinks.push(SinkSpec { name, target, queue: sink.queue });
        }
        sinks
    }

    /// The file itself is made when the server starts.
    fn sink_file(&mut self, pointer: &str, file: &Path) -> SinkTarget {
        let path = self.absolute(file);
        let complaint = if path.is_dir() {
            Some(format!("{} is a folder; name a file in it", path.display()))
        } else {
            path.parent().filter(|folder| !folder.is_dir()).map(|folder| {
                format!("there is no folder {}; create it or correct the path", folder.display())
            })
        };
        if let Some(complaint) = complaint {
            self.wrong(pointer, complaint);
        }
        SinkTarget::File(path)
    }
}
