//! Lines about the server that operators read most, as sentences. The message stays in front, so that a search for it
//! finds the line in each format; its fields become words. JSON has message and fields as they are.

use std::fmt::{Debug, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level};
use tuffet_observe::word::{is_plain, is_single_word, quoted_unless};

/// The target of lines that plugins write: none of them may pass for a sentence of the server.
const PLUGIN_TARGET: &str = "tuffet::plugin";

/// A message, the sentence for it, and the fields that people need not read.
///
/// A message that ends with `…` is the beginning of one. In a sentence, `{NAME}` is a field and `{*}` the rest of the
/// message; `{NAME:NOUN}` is a number of things; `{?NAME}` stands for nothing, but requires a field that is true. What is
/// in brackets is left out if a field in it is missing, empty, zero, false, `none`, or in the sentence already.
const SENTENCES: &[(&str, &str, &[&str])] = &[
    // Start, reload, stop.
    (
        "dropped privileges",
        "dropped privileges: user {user}[, capabilities {capabilities}][, seccomp {seccomp}][, Landlock {landlock_abi}]",
        &["uid", "gid", "groups", "no_new_privs", "landlock_rules"],
    ),
    (
        "the installed configuration is not read",
        "the installed configuration is not read: the server has {config}, not {installed}",
        &[],
    ),
    (
        "plugins loaded",
        "plugins loaded: {versions}, in {took_ms} ms[, {compiled} compiled]",
        &["plugins", "kept"],
    ),
    ("component pulled", "component pulled: {component}, {bytes} bytes in {took_ms} ms, {manifest}", &[]),
    (
        "listening",
        "listening on {address}[ ({listener})][, interface {interface}][, single-port{?single_port}]",
        &[],
    ),
    ("using inherited sockets", "using inherited sockets: {sockets} for the listener {listener}", &[]),
    (
        "the admin listener is serving",
        "the admin listener is serving on {address}[, with a token{?token}]",
        &[],
    ),
    ("exporting", "exporting {signal} to {endpoint}", &[]),
    ("serving", "serving with {workers:worker}", &[]),
    ("reloaded", "reloaded: generation {generation}[, {plugins:plugin}], in {took_ms} ms", &[]),
    (
        "the reload was refused; the previous configuration stays in force",
        "the reload was refused; generation {generation} stays in force: {reasons}",
        &[],
    ),
    (
        "the configuration has changed; reloading",
        "the configuration has changed[ to revision {revision}]; reloading",
        &[],
    ),
    (
        "the source of the configuration does not answer; the running one stays in force",
        "the source of the configuration does not answer; the running one stays in force: {error}",
        &[],
    ),
    (
        "configuration unavailable or invalid; using the last good copy",
        "configuration unavailable or invalid; using the last good copy: {source} in {kept}: {reasons}",
        &[],
    ),
    (
        "stopping after a delay; requests are still answered",
        "stopping after a delay of {seconds} s; requests are still answered",
        &[],
    ),
    (
        "stopping; waiting for running transfers",
        "stopping; waiting for running transfers, for at most {seconds} s",
        &[],
    ),
    // What was counted until the end.
    (
        "totals",
        "totals: {admitted:request}[, {served} served][, {stored} stored][, {probed} probed][, {aborted} aborted][, {denied} \
         denied][, {not_found} not found][, {timed_out} timed out][ ({unanswered} never answered)][, {failed} failed]",
        &[],
    ),
    (
        "plugin totals",
        "plugin totals: {plugin}, {calls:call}[, failures {failures}][, {cache_hits} answered from the cache]",
        &["cache_misses"],
    ),
    (
        "sink totals",
        "sink totals: {sink} ({kind}), {delivered:line} delivered[, {refused} refused][, {dropped} dropped][, {retried} \
         tried again][, {waiting} waiting][, {spooled_bytes} bytes in the spool]",
        &["queued"],
    ),
    // Plugins.
    ("a plugin cannot be loaded: …", "a plugin cannot be loaded: {plugin}: {*}", &["failure"]),
    ("a plugin failed: …", "a plugin failed: {plugin} in {hook}[ for {client}], {cause}: {*}", &["failure"]),
    (
        "a plugin failed, and its events are …",
        "a plugin failed, and its events are {*} ({plugin}, {events:event}, {cause})",
        &["hook"],
    ),
    (
        "a plugin failed for too many clients in a row: …",
        "a plugin failed for too many clients in a row: {plugin} in {hook}, on-error {on_error}: {*}",
        &["failure"],
    ),
    (
        "a plugin works again and is called as before",
        "a plugin works again and is called as before: {plugin} in {hook}",
        &[],
    ),
    (
        "a plugin is overloaded; the request gets no answer, so that its client asks again: …",
        "a plugin is overloaded; the request gets no answer, so that its client asks again: {plugin} in {hook}: {*}",
        &["cause"],
    ),
    (
        "a plugin is overloaded; more requests got no answer",
        "a plugin is overloaded; more requests got no answer: {plugin}, {calls:call} in {within_ms} ms",
        &["cause"],
    ),
    (
        "monitored",
        "monitored: {plugin} in {hook} for {client}, {path}: would {would}; the chain: {did}[ by {did_by}]",
        &[],
    ),
    // Roots and origins.
    (
        "an origin does not answer; its root is served from the cache as far as `stale-if-error` allows, and other requests \
         for it get no answer",
        "an origin does not answer: {origin} of the root {root}: {error}; the root is served from the cache as far as \
         `stale-if-error` allows, and other requests for it get no answer",
        &[],
    ),
    ("the origin answers again", "the origin answers again: {origin} of the root {root}", &[]),
    (
        "a root does not answer; requests for it are dropped until it does, others go on",
        "a root does not answer: {root}[ ({origin})], for {seconds} s; requests for it are dropped until it does, others go \
         on",
        &["operation"],
    ),
    ("the root answers again", "the root answers again: {root}[ ({origin})], after {seconds} s", &[]),
    ("the lease file is read", "the lease file is read: {file}", &[]),
    ("there is no lease file", "there is no lease file {file}", &[]),
    (
        "removed unfinished uploads of an earlier server",
        "removed unfinished uploads of an earlier server: {removed} in the root {root}[, {in_use} in use][, {uncertain} \
         uncertain]",
        &[],
    ),
    (
        "counted the contents of a root",
        "counted the contents of a root: {root}, {bytes} bytes in {files:file} and {folders:folder}",
        &["duration_us"],
    ),
    // Outputs.
    (
        "a sink is broken; its lines are queued, and plugins get an error when the queue is full",
        "a sink is broken: {sink}: {error}; its lines are queued, and plugins get an error when the queue is full",
        &[],
    ),
    ("the sink works again", "the sink works again: {sink}", &[]),
    (
        "the collector does not accept data; it is dropped and counted until it does",
        "the collector does not accept data: {signal} at {endpoint}: {error}; it is dropped and counted until it does",
        &[],
    ),
    ("the collector works again", "the collector works again: {signal} at {endpoint}", &[]),
    // Floods and limits.
    (
        "requests were dropped because …",
        "requests were dropped because {*}: {requests}[, {client_requests} of them of {client}]",
        &["worker", "reason"],
    ),
    (
        "started",
        "started: {client}[ {mac}] {operation} {path}[ as {resolved}][ by {verdict_by}][, {size} bytes]",
        &["id", "class", "listener"],
    ),
    (
        "more transfers have started; they are not logged one by one",
        "more transfers have started: {transfers}; they are not logged one by one",
        &[],
    ),
    (
        "a transfer is slow, and goes on",
        "a transfer is slow, and goes on: {client} {operation} {path}, {bytes} bytes[ of {size}] in {running_seconds} s[, \
         nothing for {idle_seconds} s][: {hint}]",
        &["id", "class", "resolved", "listener"],
    ),
    (
        "more transfers are slow; they are not logged one by one",
        "more transfers are slow: {transfers}; they are not logged one by one",
        &[],
    ),
    (
        "half-open transfers timed out because their clients never answered; they are not logged one by one",
        "half-open transfers timed out because their clients never answered: {ended} in {within_ms} ms[, {gave_way} of them \
         for others][, {asked_again} of them of clients that ask again: answers do not reach these, see the `hint` of single \
         lines]; they are not logged one by one",
        &[],
    ),
    (
        "refused and aborted requests, summed up",
        "refused and aborted requests, summed up over {within_ms} ms:[ {denied} denied][ {not_found} not found][ {aborted} \
         aborted][ {failed} failed][, {asked_again} of them of clients that ask again: answers do not reach these, see the `hint` of \
         single lines], such as {examples}",
        &[],
    ),
];

/// Returns the sentence of a line, with the fields that are not in it; `None` if it has none.
pub(super) fn sentence(event: &Event<'_>) -> Option<String> {
    let about = event.metadata();
    if about.target() == PLUGIN_TARGET || *about.level() > Level::INFO {
        return None;
    }
    let mut facts = Facts::default();
    event.record(&mut facts);
    facts.sentence()
}

/// The message and the fields of an event.
#[derive(Default)]
struct Facts {
    message: String,
    fields: Vec<(&'static str, String)>,
}

impl Visit for Facts {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.to_owned());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.to_string());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}"));
    }
}

impl Facts {
    fn put(&mut self, field: &Field, value: String) {
        match field.name() {
            "message" => self.message = value,
            // The crate `log` adds the origin of the line.
            name if name.starts_with("log.") => {}
            name => self.fields.push((name, value)),
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.as_str())
    }

    fn sentence(&self) -> Option<String> {
        let (rest, template, silent) = SENTENCES.iter().find_map(|(message, template, silent)| {
            let rest = match message.strip_suffix('…') {
                Some(beginning) => self.message.strip_prefix(beginning)?,
                None => self.message.strip_prefix(message).filter(|rest| rest.is_empty())?,
            };
            Some((rest, template, silent))
        })?;
        let mut line = Filled { facts: self, rest, said: Vec::new(), text: String::new() };
        line.fill(template)?;
        let mut text = line.text;
        for (name, value) in &self.fields {
            let is_said = template.contains(&format!("{{{name}}}"))
                || template.contains(&format!("{{{name}:"))
                || template.contains(&format!("{{?{name}}}"));
            if !is_said && !silent.contains(name) && !is_nothing(value) {
                let _ = write!(text, " {name}=");
                let _ = quoted_unless(is_single_word(value), value, &mut text);
            }
        }
        Some(text)
    }
}

/// Whether the value says only that something did not happen. Such a field is left out.
fn is_nothing(value: &str) -> bool {
    matches!(value, "" | "0" | "false" | "none")
}

/// A sentence that is being filled.
struct Filled<'a> {
    facts: &'a Facts,
    /// The end of the message, behind its known beginning.
    rest: &'a str,
    /// The values in it so far.
    said: Vec<&'a str>,
    text: String,
}

impl Filled<'_> {
    /// Appends the template; `None` if a field is missing.
    fn fill(&mut self, template: &str) -> Option<()> {
        let mut left = template;
        while let Some(at) = left.find(['[', '{']) {
            self.text += &left[..at];
            let inner = &left[at + 1..];
            let (inside, after) =
                if left[at..].starts_with('[') { inner.split_once(']')? } else { inner.split_once('}')? };
            if left[at..].starts_with('{') {
                self.put(inside)?;
            } else if self.is_worth_saying(inside) {
                self.fill(inside)?;
            }
            left = after;
        }
        self.text += left;
        Some(())
    }

    fn is_worth_saying(&self, group: &str) -> bool {
        let mut fields = group.split('{').skip(1).filter_map(|field| field.split('}').next());
        fields.all(|field| {
            let name = field.trim_start_matches('?').split(':').next().unwrap_or_default();
            let value = self.facts.get(name).unwrap_or_default();
            // Two numbers may be equal.
            let is_number = value.parse::<f64>().is_ok();
            !is_nothing(value) && (is_number || !self.said.contains(&value))
        })
    }

    fn put(&mut self, field: &str) -> Option<()> {
        if field == "*" {
            let is_bare = is_plain(self.rest) && !self.rest.contains('=');
            return quoted_unless(is_bare, self.rest, &mut self.text).ok();
        }
        if let Some(flag) = field.strip_prefix('?') {
            return self.facts.get(flag).map(|_| ());
        }
        let (name, noun) = field.split_once(':').map_or((field, None), |(name, noun)| (name, Some(noun)));
        let value = self.facts.get(name)?;
        self.said.push(value);
        quoted_unless(is_single_word(value), value, &mut self.text).ok()?;
        if let Some(noun) = noun {
            let plural = if value == "1" { "" } else { "s" };
            write!(self.text, " {noun}{plural}").ok()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str, fields: &[(&'static str, &str)]) -> Option<String> {
        let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Facts { message: message.to_owned(), fields }.sentence()
    }

    #[test]
    fn fields_become_words() {
        let listening = [
            ("address", "127.0.0.1:69"),
            ("listener", "lan"),
            ("interface", "eth0"),
            ("single_port", "true"),
        ];
        let all = said("listening", &listening).unwrap();
        assert_eq!(all, "listening on 127.0.0.1:69 (lan), interface eth0, single-port");
        let unnamed = [("address", "127.0.0.1:69"), ("listener", "127.0.0.1:69"), ("single_port", "false")];
        assert_eq!(said("listening", &unnamed).unwrap(), "listening on 127.0.0.1:69", "said once");
        assert_eq!(said("serving", &[("workers", "1")]).unwrap(), "serving with 1 worker");
        assert_eq!(said("serving", &[("workers", "4")]).unwrap(), "serving with 4 workers");
        let totals = [("admitted", "3"), ("served", "2"), ("not_found", "1"), ("failed", "0")];
        assert_eq!(said("totals", &totals).unwrap(), "totals: 3 requests, 2 served, 1 not found");
        let failed = [
            ("plugin", "acl"),
            ("hook", "authorize"),
            ("request", "8f"),
            ("client", "10.0.0.5:2000"),
            ("failure", "call"),
            ("cause", "trap"),
        ];
        assert_eq!(
            said("a plugin failed: unreachable", &failed).unwrap(),
            "a plugin failed: acl in authorize for 10.0.0.5:2000, trap: unreachable request=8f"
        );
    }

    #[test]
    fn no_value_passes_for_words_of_the_server() {
        let text = said("the lease file is read", &[("file", "/a: the root answers again")]).unwrap();
        assert_eq!(text, "the lease file is read: \"/a: the root answers again\"");
        let failed = [("plugin", "p"), ("hook", "h"), ("client", "c"), ("cause", "trap")];
        let text = said("a plugin failed: x\n outcome=served", &failed).unwrap();
        assert!(text.ends_with("trap: \"x\\n outcome=served\""), "{text}");
        let more = [("workers", "2"), ("unknown", "a b")];
        assert_eq!(said("serving", &more).unwrap(), "serving with 2 workers unknown=\"a b\"");
    }

    /// Then the line has fields, as before.
    #[test]
    fn what_does_not_fit_has_no_sentence() {
        assert_eq!(said("serving", &[]), None);
        assert_eq!(said("serving now", &[("workers", "2")]), None);
        assert_eq!(said("stopped", &[]), None);
    }

    #[test]
    fn each_sentence_begins_as_its_message_and_is_well_formed() {
        for (message, template, silent) in SENTENCES {
            let first = message.split([';', ':', '…']).next().unwrap().trim_end();
            assert!(template.starts_with(first), "{message}: {template}");
            let names = template.split('{').skip(1).map(|field| field.split('}').next().unwrap());
            let names: Vec<&'static str> = names
                .map(|field| field.trim_start_matches('?').split(':').next().unwrap())
                .filter(|name| *name != "*")
                .collect();
            let fields = names.iter().chain(*silent).map(|name| (*name, format!("<{name}>"))).collect();
            let text = Facts { message: message.replace('…', "the rest"), fields }.sentence().unwrap();
            assert!(!text.contains(['{', '}', '[', ']']), "{text}");
            let flags: Vec<&str> =
                template.split("{?").skip(1).filter_map(|flag| flag.split('}').next()).collect();
            for name in names.iter().filter(|name| !flags.contains(name)) {
                assert!(text.contains(&format!("<{name}>")), "{name} is missing in {text}");
            }
            assert!(silent.iter().all(|name| !text.contains(&format!("<{name}>"))), "{text}");
        }
    }
}
