//! The configuration that an import writes, section by section.

use crate::location::Location;
use crate::report::Report;
use crate::yaml::{Map, Value, write_comments};
use std::thread;

/// A name in `policy` and `plugins` for the plugin that rewrites names.
const REMAP: &str = "remap";
const ACL: &str = "acl";

/// The plugin `remap`; without settings it is left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remap {
    pub(crate) settings: Map,
    /// The grants that these settings require.
    pub(crate) grants: Vec<String>,
    /// The file of the rules among them, and its text.
    pub(crate) map: Option<(Location, String)>,
}

impl Remap {
    fn plugin(self) -> Value {
        let mut plugin = Map::default();
        plugin.put("component", Value::text("builtin:remap"), []);
        if !self.grants.is_empty() {
            plugin.put("grants", Value::texts(&self.grants), []);
        }
        plugin.put("settings", Value::Map(self.settings), []);
        Value::Map(plugin)
    }
}

/// The sections of the configuration, and the differences.
#[derive(Debug, Default)]
pub(crate) struct Target {
    /// Comments that belong to no key.
    pub(crate) head: Vec<String>,
    pub(crate) listeners: Vec<Map>,
    /// Comments of the listeners as a whole.
    pub(crate) listening: Vec<String>,
    pub(crate) roots: Vec<Map>,
    /// The plugin that rewrites names, for all listeners.
    pub(crate) remap: Remap,
    /// The same plugin for single listeners, by the name of each instance.
    pub(crate) remaps: Vec<(String, Remap)>,
    pub(crate) transfer: Map,
    pub(crate) multicast: Map,
    pub(crate) limits: Map,
    /// Settings of the plugin that restricts clients; without settings it is left out.
    pub(crate) acl: Map,
    /// The number of workers, where the default would be too many.
    workers: Option<usize>,
    pub(crate) privileges: Map,
    pub(crate) log: Map,
    pub(crate) report: Report,
}

/// The original server, as the head of the file describes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    /// The program that the configuration replaces.
    pub(crate) program: &'static str,
    /// Its page in the documentation.
    pub(crate) guide: &'static str,
    /// The format of the log that has the lines of this program, for tools that read them.
    pub(crate) log_format: Option<&'static str>,
}

impl Target {
    /// Reports a difference that belongs to no key.
    pub(crate) fn differs(&mut self, location: &Location, text: impl Into<String>) {
        let comment = self.report.differs(location, text);
        self.head.push(comment);
    }

    /// Reports something without a counterpart, which belongs to no key.
    pub(crate) fn missing(&mut self, location: &Location, text: impl Into<String>) {
        let comment = self.report.missing(location, text);
        self.head.push(comment);
    }

    /// Each worker needs a TID port: a short range allows few workers.
    pub(crate) fn limit_workers(&mut self, first: u16, last: u16) {
        let ports = usize::from(last - first) + 1;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        self.workers = (ports < cores).then_some(ports);
    }

    /// Returns a configuration with the plugin `remap` alone. The paths of its roots are replaced, since their folders may
    /// be missing here, and a map file by its text.
    pub(crate) fn remap_alone(&self) -> String {
        let mut remap_alone = Target { remap: self.remap.clone(), ..Target::default() };
        if let Some((_, text)) = &self.remap.map {
            let settings = &mut remap_alone.remap.settings;
            *settings = settings.without("map-file");
            settings.put("map", Value::Lines(text.clone()), []);
        }
        let mut listener = Map::default();
        listener.put("address", Value::text("127.0.0.1:0"), []);
        remap_alone.listeners.push(listener);
        for root in &self.roots {
            let mut root = root.only("name");
            root.put("path", Value::text("/"), []);
            remap_alone.roots.push(root);
        }
        remap_alone.sections().document()
    }

    /// Returns the text of the file.
    pub(crate) fn written(mut self, origin: Origin) -> String {
        if let Some(format) = origin.log_format {
            let why = format!(
                "The lines of {} about requests, for tools that read them; `text` says more, and `json` has fields.",
                origin.program
            );
            self.log.put("format", Value::text(format), [why]);
        }
        let mut text = String::new();
        let lead = [
            format!("The configuration of {}, imported by `tuffet import`.", origin.program),
            "Check it:  tuffet check FILE".to_owned(),
            "Serve it:  tuffet serve --config FILE".to_owned(),
            "Machines that boot through shim, GRUB or Windows: `netboot: { preset: true }` helps them."
                .to_owned(),
            format!("What always differs, and how to go back: docs/migrate/{}", origin.guide),
        ];
        write_comments(&mut text, &lead, "");
        if !self.head.is_empty() {
            text += "#\n";
            write_comments(&mut text, &self.head, "");
        }
        text + &self.sections().document()
    }

    fn sections(self) -> Map {
        let mut map = Map::default();
        map.put("listeners", Value::List(self.listeners), self.listening);
        map.put("roots", Value::List(self.roots), []);
        if !self.remap.settings.is_empty() {
            map.below("policy").put("resolve", Value::texts([REMAP]), []);
            map.below("plugins").put(REMAP, self.remap.plugin(), []);
        }
        if !self.acl.is_empty() {
            let mut plugin = Map::default();
            plugin.put("component", Value::text("builtin:acl"), []);
            plugin.put("settings", Value::Map(self.acl), []);
            map.below("policy").put("authorize", Value::texts([ACL]), []);
            map.below("plugins").put(ACL, Value::Map(plugin), []);
        }
        for (name, remap) in self.remaps {
            map.below("plugins").put(&name, remap.plugin(), []);
        }
        if let Some(workers) = self.workers {
            let why = "Each worker needs a port of `tid-ports`.".to_owned();
            map.put("workers", Value::plain(workers), [why]);
        }
        let rest = [
            ("transfer", self.transfer),
            ("multicast", self.multicast),
            ("limits", self.limits),
            ("privileges", self.privileges),
            ("log", self.log),
        ];
        for (key, section) in rest.into_iter().filter(|(_, section)| !section.is_empty()) {
            map.put(key, Value::Map(section), []);
        }
        map
    }
}

/// The most ports of a range, and how many of a larger one are used: the default number.
const MAX_PORTS: u16 = 16_384;
const SOME_PORTS: u16 = 512;

/// Sets the TID ports of a listener. Of a range that is too large for a server that opens all of them at its start, some
/// are enough, because transfers share ports.
pub(crate) fn put_tid_ports(listener: &mut Map, (first, last): (u16, u16), origin: String) {
    let mut comments = vec![origin];
    let mut range = format!("{first}-{last}");
    if last - first >= MAX_PORTS {
        range = format!("{}-{last}", last - SOME_PORTS + 1);
        comments.push(format!(
            "{SOME_PORTS} of these ports: the server opens all of them, and transfers share them."
        ));
    }
    listener.put("tid-ports", Value::plain(range), comments);
}

/// The patience of a server whose configuration says nothing about it, in milliseconds: at least that.
const PATIENCE: u64 = 60_000;

/// The longest patience, in milliseconds.
const MAX_PATIENCE: u64 = 3_600_000;

/// Sets the retransmission time-out, keeps the times in their order, and gives up as late as the original does: after
/// `times` the time-out.
pub(crate) fn put_retransmit(transfer: &mut Map, milliseconds: u64, times: u64, origin: String) {
    let retransmit = transfer.below("retransmit");
    let time = |milliseconds: u64| Value::plain(format!("{milliseconds}ms"));
    retransmit.put("initial", time(milliseconds), [origin]);
    // The bounds of the keys have defaults: below it 20 ms for clients that are not known, above it 4 s and the patience.
    if milliseconds < 20 {
        retransmit.put("floor", time(milliseconds), []);
    }
    if milliseconds > 4_000 {
        retransmit.put("cap", time(milliseconds), []);
    }
    let patience = milliseconds.saturating_mul(times).min(MAX_PATIENCE);
    if patience > PATIENCE {
        retransmit.put("give-up", time(patience.max(milliseconds)), []);
    }
}

/// Removes the bounds on slow and long transfers, which the original does not have.
pub(crate) fn put_endless(transfer: &mut Map, server: &str) {
    let why = format!("{server} ends no transfer because it is slow, or long.");
    transfer.put("least-rate", Value::plain(0), [why]);
    transfer.put("max-duration", Value::plain("0s"), []);
}
