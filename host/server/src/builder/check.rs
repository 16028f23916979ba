//! Checks what a program asks for.

use super::{BuildError, Builder, Parts};
use crate::known_listeners::known_listeners;
use std::net::UdpSocket;
use tuffet_request::RootSpec;
use tuffet_request::settings::Settings;

/// The longest name of a root or hook, in bytes.
const MAX_NAME: usize = 128;

impl Builder {
    /// Returns the first contradiction. `listens`: whether it needs a listener.
    pub(crate) fn check(&self, listens: bool) -> Result<(), BuildError> {
        let listeners = &self.settings.listeners;
        if listens && listeners.is_empty() {
            return wrong("the server has no listener: add one with `listener`");
        }
        if let Some(name) = repeated(listeners.iter().map(|its| its.name.as_str())) {
            return wrong(format!(
                "two listeners have the name `{name}`: give one another with `Listener::name`"
            ));
        }
        if let Some(number) = self.sockets.iter().position(|given| given.sockets.iter().any(is_dual_stack)) {
            let name = listeners.get(number).map_or("", |its| &its.name);
            return wrong(format!(
                "the socket of listener `{name}` is dual-stack, so IPv4 clients would have mapped addresses: set \
                 IPV6_V6ONLY on it, and add a listener for IPv4"
            ));
        }
        self.parts.check(&self.settings)
    }
}

impl Parts {
    /// Returns the first contradiction in these parts and the settings of their server.
    pub(crate) fn check(&self, settings: &Settings) -> Result<(), BuildError> {
        if self.roots.is_empty()
            && self.opened.is_none()
            && self.hooks.resolve.is_empty()
            && self.policy.is_none()
        {
            return wrong("the server has no content: add a `folder`, a `root`, or a hook with `resolve`");
        }
        if self.opened.is_some() && !(self.roots.is_empty() && self.supplied.is_empty()) {
            return wrong(
                "`open_roots` supplies all roots: remove the calls of `folder` and `root`, or that of `open_roots`",
            );
        }
        if let Some(name) = repeated(self.roots.iter().map(|root: &RootSpec| root.name.as_str())) {
            return wrong(format!("two roots have the name `{name}`: give one another"));
        }
        let roots = self.roots.iter().map(|root| ("root", root.name.as_str()));
        for (what, name) in roots.chain(self.hooks.names().map(|name| ("hook", name))) {
            if let Some(problem) = problem_of_name(name, what == "root") {
                return wrong(format!("the name {name:?} of a {what} {problem}"));
            }
        }
        if self.hooks.time_limit.is_zero() {
            return wrong("`time_limit` is 0, so every call of a hook would time out: set a longer limit");
        }
        self.check_listeners(settings)?;
        settings.check().or_else(|problem| wrong(problem.to_string()))
    }

    /// Returns the first name of a listener or of a root that nothing has.
    fn check_listeners(&self, settings: &Settings) -> Result<(), BuildError> {
        let names = || settings.rules().map(|(name, _)| name);
        let ruled = settings.service.listeners.iter().map(|(name, _)| ("`listener_rules`", name.as_str()));
        let chains = self.policy.iter().flat_map(|policy| policy.listeners());
        for (what, name) in ruled.chain(chains.map(|name| ("the policy", name))) {
            if !names().any(|known| known == name) {
                let known = known_listeners(names());
                return wrong(format!(
                    "{what} is about the listener `{name}`, which does not exist: {known}"
                ));
            }
        }
        if let Some(name) = repeated(settings.service.listeners.iter().map(|(name, _)| name.as_str())) {
            return wrong(format!(
                "`listener_rules` is called twice for the listener `{name}`: once is enough"
            ));
        }
        let exists = |name: &str| match &self.opened {
            Some(roots) => roots.disk(name).is_some(),
            None => self.roots.iter().any(|root| root.name == name),
        };
        for (its, rules) in settings.rules() {
            if let Some(name) = rules.roots.iter().flatten().find(|name| !exists(name)) {
                return wrong(format!(
                    "listener `{its}` serves the root `{name}`, which does not exist: add it"
                ));
            }
        }
        Ok(())
    }
}

fn wrong(why: impl Into<String>) -> Result<(), BuildError> {
    Err(BuildError::Usage(why.into()))
}

/// Whether it is a socket of IPv6 that carries IPv4, too (RFC 3493, section 5.3).
fn is_dual_stack(socket: &UdpSocket) -> bool {
    let is_any_v6 = socket.local_addr().is_ok_and(|its| its.is_ipv6() && its.ip().is_unspecified());
    is_any_v6 && rustix::net::sockopt::ipv6_v6only(socket).is_ok_and(|only| !only)
}

/// Returns why a name cannot stand in logs, metrics and, for a root, in `ROOT:PATH`.
fn problem_of_name(name: &str, is_root: bool) -> Option<String> {
    if name.is_empty() {
        return Some("is empty: give it one".into());
    }
    if name.len() > MAX_NAME {
        return Some(format!("is longer than {MAX_NAME} bytes: shorten it"));
    }
    let is_bad = |its: &char| its.is_control() || is_root && matches!(its, ':' | '/' | '\\');
    let bad = name.chars().find(is_bad)?;
    Some(format!("contains {bad:?}: leave it out"))
}

fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.array_windows().find(|[one, other]| one == other).map(|[name, _]| *name)
}
