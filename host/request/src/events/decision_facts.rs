//! The facts of a decision that do not depend on the client: equal decisions share them.

use super::{DecisionRecord, Tried};
use crate::class::ClientClass;
use crate::protocol::Protocol;
use crate::request::{Mode, Operation};
use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;
use tuffet_core::PackedOptions;

/// The part of a [`DecisionRecord`] that it has in common with other requests for the same file.
#[derive(Debug)]
pub struct DecisionFacts {
    pub(super) listener: Arc<str>,
    pub(super) verdict_by: Option<Arc<str>>,
    pub(super) class: ClientClass,
    pub(super) requested_options: PackedOptions,
    pub(super) size: Option<u64>,
    pub(super) rate: Option<u32>,
    pub(super) plugin_calls: u32,
    pub(super) texts: Texts,
    pub(super) protocol: Protocol,
    pub(super) operation: Operation,
    pub(super) mode: Mode,
    pub(super) any_case: bool,
    pub(super) rare: Option<Box<RareFacts>>,
}

/// Facts of few requests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RareFacts {
    pub(super) raw_name: Option<Box<str>>,
    pub(super) prefix: Option<Arc<str>>,
    pub(super) shim_folder: Option<Arc<str>>,
    pub(super) stored_in: Option<Arc<str>>,
    pub(super) local_address: Option<IpAddr>,
    pub(super) interface: Option<Arc<str>>,
    pub(super) vlan: Option<u16>,
    pub(super) tried: Option<Arc<Tried>>,
}

impl DecisionFacts {
    /// Returns whether these are the facts of `record`.
    pub(super) fn are_of(&self, record: &DecisionRecord) -> bool {
        let request = &*record.request;
        self.listener == request.listener
            && self.verdict_by == record.verdict_by
            && self.class == request.class
            && self.requested_options == record.requested_options.into()
            && self.size == record.size
            && self.rate == record.rate
            && self.plugin_calls == record.plugin_calls
            && self.protocol == request.protocol
            && self.operation == request.operation
            && self.mode == request.mode
            && self.any_case == request.any_case
            && self.texts.are_of(record)
            && self.rare == RareFacts::of(record)
    }
}

impl From<&DecisionRecord> for DecisionFacts {
    fn from(record: &DecisionRecord) -> DecisionFacts {
        let request = &*record.request;
        DecisionFacts {
            listener: Arc::clone(&request.listener),
            verdict_by: record.verdict_by.clone(),
            class: request.class,
            requested_options: record.requested_options.into(),
            size: record.size,
            rate: record.rate,
            plugin_calls: record.plugin_calls,
            texts: Texts::of(record),
            protocol: request.protocol,
            operation: request.operation,
            mode: request.mode,
            any_case: request.any_case,
            rare: RareFacts::of(record),
        }
    }
}

impl RareFacts {
    fn of(record: &DecisionRecord) -> Option<Box<RareFacts>> {
        let request = &*record.request;
        let facts = RareFacts {
            raw_name: request.raw_name.clone(),
            prefix: request.prefix.clone(),
            shim_folder: request.shim_folder.clone(),
            stored_in: request.stored_in.clone(),
            local_address: request.local_address,
            interface: request.interface.clone(),
            vlan: request.vlan,
            tried: record.tried.clone(),
        };
        (facts != RareFacts::default()).then(|| Box::new(facts))
    }
}

/// The resolved file, the path, the name as sent, and the options, in this order. A text that the previous one ends
/// with is not repeated: the resolved file usually ends with the path, and the path with the requested name.
#[derive(Debug)]
pub(super) struct Texts {
    all: Box<str>,
    path: Range<u32>,
    requested: Range<u32>,
    /// The end of the resolved file; 0 if there is none, because it is never empty.
    resolved: u32,
}

impl Texts {
    fn of(record: &DecisionRecord) -> Texts {
        let request = &*record.request;
        let resolved = record.resolved.as_deref().unwrap_or_default();
        let options: usize = request.options.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        let most = resolved.len() + request.path.len() + request.requested.len() + options;
        let mut all = String::with_capacity(most);
        all.push_str(resolved);
        let path = add(&mut all, &request.path);
        let requested = add(&mut all, &request.requested);
        // As in a request, a NUL ends each text, and no text contains one.
        for text in options_of(record) {
            all.push_str(text);
            all.push('\0');
        }
        Texts { all: all.into(), path, requested, resolved: resolved.len() as u32 }
    }

    fn are_of(&self, record: &DecisionRecord) -> bool {
        self.resolved() == record.resolved.as_deref()
            && self.path() == record.request.path
            && self.requested() == record.request.requested
            && self.option_texts().eq(options_of(record))
    }

    pub(super) fn resolved(&self) -> Option<&str> {
        Some(&self.all[..self.resolved as usize]).filter(|resolved| !resolved.is_empty())
    }

    pub(super) fn path(&self) -> &str {
        self.get(&self.path)
    }

    pub(super) fn requested(&self) -> &str {
        self.get(&self.requested)
    }

    pub(super) fn options(&self) -> Vec<(String, String)> {
        let mut texts = self.option_texts();
        let count = self.option_texts().count() / 2;
        let mut options = Vec::with_capacity(count);
        while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
            options.push((name.to_owned(), value.to_owned()));
        }
        options
    }

    /// The names and values of the options in turn.
    fn option_texts(&self) -> impl Iterator<Item = &str> {
        self.all[self.requested.end as usize..].split_terminator('\0')
    }

    fn get(&self, range: &Range<u32>) -> &str {
        &self.all[range.start as usize..range.end as usize]
    }
}

fn options_of(record: &DecisionRecord) -> impl Iterator<Item = &str> {
    record.request.options.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()])
}

/// Returns the range of `text` at the end of `all`; appends it if `all` does not end with it.
fn add(all: &mut String, text: &str) -> Range<u32> {
    if !all.ends_with(text) {
        all.push_str(text);
    }
    // A request has at most 2,048 bytes, and paths from plugins are bounded, too.
    let end = all.len() as u32;
    end - text.len() as u32..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use std::time::Instant;

    #[test]
    fn each_text_is_kept_once() {
        let kept = |requested: &str, path: &str, resolved: Option<&str>| {
            let request = Request { path: path.into(), requested: requested.into(), ..Request::sample("") };
            let new = DecisionRecord::new(Arc::new(request), Instant::now());
            let texts = Texts::of(&DecisionRecord { resolved: resolved.map(Into::into), ..new });
            assert_eq!((texts.requested(), texts.path(), texts.resolved()), (requested, path, resolved));
            assert_eq!(texts.options(), []);
            texts.all
        };
        assert_eq!(&*kept("a/b", "a/b", Some("boot:a/b")), "boot:a/b");
        assert_eq!(&*kept("/a/b", "a/b", Some("boot:a/b")), "boot:a/b/a/b");
        assert_eq!(&*kept("b", "a/b", Some("boot:c")), "boot:ca/b");
        assert_eq!(&*kept("", "", None), "");
        assert_eq!(&*kept("ü", "ü", Some("content")), "contentü");
    }
}
