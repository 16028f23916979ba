//! The text form of an explanation.

use super::{
    Call, Candidate, DroppedRequests, ExplainedOutcome, ExplainedRequest, Explanation, LastRequest, Lease,
    Limit, Options, Retransmission, SERVED_IN_ANY_CASE, STORED_AS_LATIN_1,
};
use std::fmt::{self, Display, Write};
use std::time::Duration;
use tuffet_request::Protocol;

/// Describes the request from its arrival to its end.
pub fn text(explained: &Explanation) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, explained);
    text
}

fn write(to: &mut String, explained: &Explanation) -> fmt::Result {
    write_request(to, &explained.request)?;
    match explained.generation {
        Some(generation) => {
            writeln!(to, "server     running, generation {generation}, user {}", explained.user)?
        }
        None => writeln!(to, "server     none; checked as the user {}", explained.user)?,
    }
    for reason in &explained.reasons {
        writeln!(to, "not ready  {}", Printable(&reason.detail))?;
    }
    for limit in &explained.limits {
        writeln!(to, "limit      {limit}")?;
    }
    for (number, last) in explained.last_requests.iter().enumerate() {
        writeln!(to, "{:<10} {last}", if number == 0 { "last" } else { "" })?;
    }
    for call in &explained.policy {
        writeln!(to, "{call}")?;
    }
    if explained
        .policy
        .iter()
        .all(|call| call.hook != "authorize" || call.verdict == "abstain" || call.monitored)
    {
        writeln!(to, "authorize  no plugin decides: policy.default is {}", explained.default)?;
    }
    for candidate in &explained.candidates {
        writeln!(to, "{candidate}")?;
    }
    if let Some(options) = &explained.options {
        write_options(to, options)?;
    }
    write_outcome(to, &explained.outcome)
}

fn write_request(to: &mut String, request: &ExplainedRequest) -> fmt::Result {
    let how = match request.protocol {
        Protocol::Tftp => &*request.mode,
        other => other.as_str(),
    };
    writeln!(to, "request    {} {:?} ({how})", request.operation, request.requested)?;
    if request.path != request.requested {
        write!(to, "           path {:?}", request.path)?;
        if let Some(prefix) = &request.prefix {
            write!(to, " below {} (also-at)", Printable(prefix))?;
        }
        if let Some(root) = &request.stored_in {
            write!(to, " as stored in {} (case: insensitive)", Printable(root))?;
        }
        writeln!(to)?;
    }
    if let Some(folder) = &request.shim_folder {
        writeln!(to, "           last folder of the client {} (netboot.shim-folder)", Printable(folder))?;
    }
    if let Some(why) = &request.unsafe_name {
        writeln!(to, "           not safe as sent: {why}; only a plugin of resolve can name a file for it")?;
    }
    if let Some(raw) = &request.raw_name {
        writeln!(to, "           bytes {raw}, which are not UTF-8")?;
    }
    writeln!(to, "           from {} at listener {}", request.client, Printable(&request.listener))?;
    if request.local_address.is_some() || request.interface.is_some() {
        let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".into());
        let (address, interface) = (or_unknown(&request.local_address), or_unknown(&request.interface));
        write!(to, "           to address {}, interface {}", Printable(&address), Printable(&interface))?;
        if let Some(vlan) = request.vlan {
            write!(to, ", VLAN {vlan}")?;
        }
        writeln!(to)?;
    }
    let options: Vec<String> = request
        .options
        .iter()
        .map(|(name, value)| format!("{}={}", Printable(name), Printable(value)))
        .collect();
    writeln!(to, "           options {}", or_none(&options.join(" ")))?;
    writeln!(to, "class      {}", request.class)?;
    let macs: Vec<String> =
        request.macs.iter().map(|mac| format!("{} ({})", mac.address, mac.source)).collect();
    writeln!(to, "mac        {}", or_none(&macs.join(", ")))?;
    if let Some(lease) = &request.lease {
        writeln!(to, "lease      {lease}")?;
    }
    Ok(())
}

fn write_options(to: &mut String, options: &Options) -> fmt::Result {
    write!(to, "options    blksize={} windowsize={}", options.blksize, options.windowsize)?;
    if let Some(timeout) = options.timeout {
        write!(to, " timeout={timeout}")?;
    }
    if let Some(tsize) = options.tsize {
        write!(to, " tsize={tsize}")?;
    }
    for (name, value) in &options.others {
        write!(to, " {name}={value}")?;
    }
    writeln!(to)?;
    write!(to, "           at most blksize={} by {}", options.most_blksize, Printable(&options.blksize_by))?;
    match (options.route_mtu, options.no_route) {
        (Some(mtu), _) => write!(to, " (auto: the route to the client has an MTU of {mtu} bytes)")?,
        (None, true) => write!(to, " (auto: the kernel knows no route to the client)")?,
        (None, false) => {}
    }
    writeln!(to, ", windowsize={} by {}", options.most_windowsize, Printable(&options.windowsize_by))?;
    if let Some((rate, by)) = options.rate.zip(options.rate_by.as_ref()) {
        writeln!(to, "           at most {rate} bytes per second, by {}", Printable(by))?;
    }
    if let Some((rate, profile)) = options.total_rate.zip(options.total_rate_of.as_ref()) {
        let profile = Printable(profile);
        writeln!(
            to,
            "           together with all clients of profile {profile} at most {rate} bytes per second"
        )?;
    }
    if let Some(times) = &options.retransmit {
        let Retransmission { floor, initial, cap, give_up, lockstep_floor, by } = times;
        let times = format!("after {initial} at first, then {floor} to {cap}; gives up after {give_up}");
        writeln!(to, "           retransmits {}, by {}", Printable(&times), Printable(by))?;
        if let Some(least) = lockstep_floor {
            let why = "the client is not known to bear duplicates";
            writeln!(to, "           no sooner than after {}: {why}", Printable(least))?;
        }
    }
    if !options.refused.is_empty() {
        writeln!(to, "           refused: {}", Printable(&options.refused.join(" ")))?;
    }
    match options.multicast {
        Some(true) => writeln!(to, "           multicast: it joins a group, if one has a place")?,
        Some(false) => writeln!(to, "           multicast: refused; the client is served alone")?,
        None => {}
    }
    let from = if options.single_port { "the listening port (single-port)" } else { "a TID port" };
    writeln!(to, "           answered from {from}")
}

fn write_outcome(to: &mut String, outcome: &ExplainedOutcome) -> fmt::Result {
    write!(to, "outcome    {}", outcome.decision)?;
    if let Some(resolved) = &outcome.resolved {
        write!(to, ": {}", Printable(resolved))?;
    }
    if let Some(size) = outcome.size {
        write!(to, ", {size} bytes")?;
    }
    if let (Some(code), Some(message)) = (outcome.code, &outcome.message) {
        write!(to, ": ERROR {code} {message:?}")?;
    }
    if let Some(word) = &outcome.outcome {
        write!(to, ", logged as {word}")?;
    }
    if let Some(by) = &outcome.verdict_by {
        write!(to, ", by {}", Printable(by))?;
    }
    writeln!(to)?;
    match &outcome.detail {
        Some(detail) => writeln!(to, "           {}", Printable(detail)),
        None => Ok(()),
    }
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

/// Text on one line, without control characters.
struct Printable<'a>(&'a str);

impl Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |letter: char| matches!(letter, '"' | '\'' | '\\');
        self.0.chars().try_for_each(|letter| {
            if quoted(letter) { f.write_char(letter) } else { write!(f, "{}", letter.escape_debug()) }
        })
    }
}

/// A duration in a suitable unit.
struct Took(Option<u64>);

impl Display for Lease {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = [
            ("", &self.hostname),
            ("", &self.mac),
            ("client id ", &self.client_id),
            ("vendor class ", &self.vendor_class),
            ("UUID ", &self.uuid),
        ];
        let named =
            |(name, text): (&str, &Option<String>)| Some(format!("{name}{}", Printable(text.as_deref()?)));
        let mut parts: Vec<String> = texts.into_iter().filter_map(named).collect();
        parts.extend(self.architecture.map(|number| format!("architecture {number}")));
        parts.push(self.expires.map_or_else(|| "never ends".into(), |seconds| format!("ends at @{seconds}")));
        write!(to, "{} (seen {} s ago)", parts.join(", "), self.age_ms / 1000)
    }
}

impl Display for Took {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(us) => write!(f, ", {:.1?}", Duration::from_micros(us)),
            None => Ok(()),
        }
    }
}

impl Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.limit)?;
        match (self.taken, self.most) {
            (Some(taken), Some(most)) => match self.burst {
                Some(burst) => write!(f, ": {most} a second, {taken} of a burst of {burst} taken")?,
                None => write!(f, ": {taken} of {most} taken")?,
            },
            (None, Some(most)) if self.burst.is_some() => write!(f, ": {most} a second")?,
            (None, Some(most)) => write!(f, ": {most}")?,
            (_, None) if self.dropped.is_none() => write!(f, ": no limit")?,
            (_, None) => {}
        }
        if let Some(DroppedRequests { requests, seconds_ago }) = self.dropped {
            let were =
                if requests == 1 { "request of this client was" } else { "requests of this client were" };
            write!(f, "; {requests} {were} dropped, the last one {seconds_ago} s ago")?;
        }
        if self.reached { f.write_str("; REACHED: the request would be dropped") } else { Ok(()) }
    }
}

impl Display for LastRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LastRequest { seconds_ago, operation, path, outcome, detail, hint } = self;
        write!(f, "{outcome} {seconds_ago} s ago: {operation} {}", Printable(path))?;
        for text in [detail, hint].into_iter().flatten() {
            write!(f, "; {}", Printable(text))?;
        }
        Ok(())
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<10} {}: {}", self.hook, Printable(&self.plugin), self.verdict)?;
        if let Some(detail) = self.detail.as_deref().filter(|detail| !detail.is_empty()) {
            write!(f, " ({})", Printable(detail))?;
        }
        if let Some(label) = &self.label {
            write!(f, ", label {}", Printable(label))?;
        }
        if let Some(failure) = &self.failure {
            write!(f, "; it failed: {}", Printable(failure))?;
        }
        write!(f, "{}", Took(self.took_us))?;
        if self.remembered {
            f.write_str(", from the decision cache")?;
        }
        if self.monitored {
            f.write_str(", only monitored")?;
        }
        self.log.iter().try_for_each(|line| write!(f, "\n           {}", Printable(line)))
    }
}

impl Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file       {}:{}", Printable(&self.root), Printable(&self.path))?;
        if let Some(by) = &self.by {
            write!(f, " (by {})", Printable(by))?;
        }
        write!(f, ": {}{}", Printable(&self.answer), Took(self.took_us))?;
        if let Some(folder) = &self.link_folder {
            write!(f, "\n           a link leads into {} (roots[].links)", Printable(folder))?;
        }
        if let Some(folder) = &self.missing_folder {
            write!(
                f,
                "\n           the folder {}:{} does not exist",
                Printable(&self.root),
                Printable(folder)
            )?;
        }
        if let Some(other) = &self.other_case {
            write!(
                f,
                "\n           {}:{} differs in upper and lower case alone{SERVED_IN_ANY_CASE}",
                Printable(&self.root),
                Printable(other)
            )?;
        }
        if let Some(near) = &self.nearest {
            write!(f, "\n           did you mean {}:{}?", Printable(&self.root), Printable(near))?;
        }
        if let Some(prefix) = &self.without_prefix {
            write!(f, "\n           the file is there without {}/ in front", Printable(prefix))?;
        }
        if let Some(stored) = &self.latin_1 {
            write!(f, "\n           {}:{} {STORED_AS_LATIN_1}", Printable(&self.root), Printable(stored))?;
        }
        Ok(())
    }
}
