//! The rows that a view asks for: their order, and a filter.
//!
//! A snapshot has few of the running transfers, so the server sorts and filters before it cuts. A query is bounded: the
//! filter has at most [`MAX_FILTER`] characters, and each transfer is looked at once.

use super::snapshot::{Active, Fact, Finished, RequestInfo, Snapshot};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::net::SocketAddr;
use tuffet_request::events::{Outcome, resolved_file};

/// The longest filter in characters.
pub const MAX_FILTER: usize = 200;

/// After this many seconds without a byte, a transfer is `stuck`.
const STUCK_SECONDS: u64 = 3;

/// The states of a transfer, for `state:`.
const STATES: [&str; 2] = ["moving", "stuck"];

/// A column to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKey {
    /// The recent rate, the fastest first. Of equal ones, the one that is still longest comes last.
    Rate,
    /// The part of the file that has arrived, the largest first.
    Progress,
    /// Retransmitted packets, the most first.
    Resent,
    /// The time since the request, the longest first.
    Age,
    /// The address of the client, the lowest first.
    Client,
    /// The path, in alphabetical order.
    File,
}

impl SortKey {
    /// All keys.
    pub const ALL: [SortKey; 6] =
        [SortKey::Rate, SortKey::Progress, SortKey::Resent, SortKey::Age, SortKey::Client, SortKey::File];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            SortKey::Rate => "rate",
            SortKey::Progress => "progress",
            SortKey::Resent => "resent",
            SortKey::Age => "age",
            SortKey::Client => "client",
            SortKey::File => "file",
        }
    }
}

/// An order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// The column.
    pub key: SortKey,
    /// Whether the order of [`SortKey`] is reversed.
    pub reversed: bool,
}

/// The order and the filter of a view.
///
/// Without an order, the rows are sorted by rate, and a list that is cut keeps both of its ends: the fastest transfers,
/// and the slowest and stuck ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenQuery", into = "WrittenQuery")]
pub struct RowQuery {
    sort: Option<Sort>,
    words: Vec<Word>,
    filter: String,
}

/// A query as commands and URLs have it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenQuery {
    #[serde(default)]
    sort: String,
    #[serde(default)]
    filter: String,
}

/// A word of the filter, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Text(String),
    Client(String),
    File(String),
    Root(String),
    State(&'static str),
    Outcome(Outcome),
}

/// What a filter looks at.
pub(super) struct Facts<'a> {
    /// The address, and the MAC address if it is known.
    pub(super) client: &'a str,
    pub(super) path: &'a str,
    pub(super) resolved: Option<&'a str>,
    /// Other texts that a word without a key may match.
    pub(super) others: &'a [&'a str],
    /// Of a running transfer.
    pub(super) state: Option<&'static str>,
    /// Of an ended request.
    pub(super) outcome: Option<Outcome>,
}

/// A running transfer that can be sorted.
pub(super) trait Row {
    fn rate(&self) -> u64;
    fn idle_seconds(&self) -> u64;
    fn bytes(&self) -> u64;
    fn size(&self) -> Option<u64>;
    fn resent(&self) -> u32;
    /// The age in any unit.
    fn age(&self) -> u64;
    fn client(&self) -> Option<SocketAddr>;
    fn path(&self) -> &str;
    fn compare_ids(&self, other: &Self) -> Ordering;
}

impl RowQuery {
    /// Parses an order such as `rate` or `-rate` (reversed; empty for none), and a filter of words.
    ///
    /// # Errors
    /// The order or a word of the filter is unknown, or the filter is too long; the text says what to write.
    pub fn parse(sort: &str, filter: &str) -> Result<RowQuery, String> {
        let order = (!sort.is_empty()).then(|| {
            let (reversed, key) = sort.strip_prefix('-').map_or((false, sort), |key| (true, key));
            let found = SortKey::ALL.into_iter().find(|known| known.as_str() == key);
            found.map(|key| Sort { key, reversed }).ok_or_else(|| {
                let keys = SortKey::ALL.map(SortKey::as_str).join(", ");
                format!("unknown order `{sort}`; give one of {keys}, with - before it to reverse it")
            })
        });
        if filter.chars().count() > MAX_FILTER {
            return Err(format!("the filter is longer than {MAX_FILTER} characters; shorten it"));
        }
        let words = filter.split_whitespace().map(Word::parse).collect::<Result<_, _>>()?;
        Ok(RowQuery { sort: order.transpose()?, words, filter: filter.to_owned() })
    }

    /// Returns the order as it is written; empty for none.
    pub fn sort(&self) -> String {
        self.sort.map_or(String::new(), |sort| {
            format!("{}{}", if sort.reversed { "-" } else { "" }, sort.key.as_str())
        })
    }

    /// Returns the order, if there is one.
    pub fn order(&self) -> Option<Sort> {
        self.sort
    }

    /// Returns the filter as it was written.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// Returns whether it has neither an order nor a filter.
    pub fn is_default(&self) -> bool {
        self.sort.is_none() && self.words.is_empty()
    }

    /// Returns whether a running transfer matches the filter.
    pub fn matches_active(&self, row: &Active) -> bool {
        self.fits(&row.who, row.resolved.as_deref(), &[row.verdict_by.as_deref()], Some(row.state()), None)
    }

    /// Returns whether an ended request matches the filter.
    pub fn matches_finished(&self, row: &Finished) -> bool {
        let mut more = vec![row.verdict_by.as_deref(), row.detail.as_deref(), Some(row.outcome.as_str())];
        more.extend(row.tried.iter().map(|place| Some(&**place)));
        if let Some(Fact::Text(labels)) = row.facts.get("labels") {
            more.push(Some(labels));
        }
        self.fits(&row.who, row.resolved.as_deref(), &more, None, Some(row.outcome))
    }

    /// Returns the rows that match the filter, in order.
    pub fn rows<'a>(&self, all: &'a [Active]) -> Vec<&'a Active> {
        let mut rows: Vec<&Active> = all.iter().filter(|row| self.matches_active(row)).collect();
        self.arrange_rows(&mut rows, usize::MAX);
        rows
    }

    /// Sorts the rows, and cuts them to at most `most`.
    pub fn arrange(&self, rows: &mut Vec<Active>, most: usize) {
        let mut sorted: Vec<&Active> = rows.iter().collect();
        self.arrange_rows(&mut sorted, most);
        *rows = sorted.into_iter().cloned().collect();
    }

    /// Applies the query to a snapshot that was taken without one.
    pub fn apply(&self, snapshot: &mut Snapshot) {
        snapshot.active.retain(|row| self.matches_active(row));
        snapshot.finished.retain(|row| self.matches_finished(row));
        if !self.words.is_empty() {
            snapshot.matching = snapshot.active.len() as u64;
        }
        snapshot.filter.clone_from(&self.filter);
        self.arrange(&mut snapshot.active, usize::MAX);
    }

    pub(super) fn has_filter(&self) -> bool {
        !self.words.is_empty()
    }

    pub(super) fn matches(&self, facts: &Facts<'_>) -> bool {
        self.words.iter().all(|word| word.fits(facts))
    }

    pub(super) fn arrange_rows<R: Row>(&self, rows: &mut Vec<R>, most: usize) {
        let Some(sort) = self.sort else {
            rows.sort_unstable_by(|a, b| by(SortKey::Rate, a, b).then_with(|| a.compare_ids(b)));
            return keep_ends(rows, most);
        };
        rows.sort_unstable_by(|a, b| {
            let order = by(sort.key, a, b);
            let order = if sort.reversed { order.reverse() } else { order };
            order.then_with(|| a.compare_ids(b))
        });
        rows.truncate(most);
    }

    fn fits(
        &self,
        who: &RequestInfo,
        resolved: Option<&str>,
        more: &[Option<&str>],
        state: Option<&'static str>,
        outcome: Option<Outcome>,
    ) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let client = format!("{} {}", who.client, who.mac.as_deref().unwrap_or_default());
        let mut others = vec![&*who.class, &*who.listener, &*who.operation, &*who.server, &*who.id];
        others.extend(more.iter().copied().flatten());
        self.matches(&Facts { client: &client, path: &who.path, resolved, others: &others, state, outcome })
    }
}

impl TryFrom<WrittenQuery> for RowQuery {
    type Error = String;

    fn try_from(written: WrittenQuery) -> Result<RowQuery, String> {
        RowQuery::parse(&written.sort, &written.filter)
    }
}

impl From<RowQuery> for WrittenQuery {
    fn from(query: RowQuery) -> WrittenQuery {
        WrittenQuery { sort: query.sort(), filter: query.filter }
    }
}

impl Word {
    fn parse(word: &str) -> Result<Word, String> {
        let word = word.to_lowercase();
        let Some((key, value)) = word.split_once(':') else { return Ok(Word::Text(word)) };
        Ok(match key {
            "client" => Word::Client(value.to_owned()),
            "file" => Word::File(value.to_owned()),
            "root" => Word::Root(value.to_owned()),
            "state" => match STATES.into_iter().find(|state| *state == value) {
                Some(state) => Word::State(state),
                None => {
                    return Err(format!(
                        "unknown state in `{word}`; give state:{}",
                        STATES.join(" or state:")
                    ));
                }
            },
            "outcome" => match Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == value) {
                Some(outcome) => Word::Outcome(outcome),
                None => {
                    let known = Outcome::ALL.map(Outcome::as_str).join(", ");
                    return Err(format!("unknown outcome in `{word}`; give outcome: and one of {known}"));
                }
            },
            // A MAC address, an IPv6 address, or ROOT:PATH.
            _ => Word::Text(word),
        })
    }

    fn fits(&self, facts: &Facts<'_>) -> bool {
        let in_file = |word: &str| {
            contains(facts.path, word) || facts.resolved.is_some_and(|resolved| contains(resolved, word))
        };
        match self {
            Word::Text(word) => {
                contains(facts.client, word)
                    || in_file(word)
                    || facts.others.iter().any(|text| contains(text, word))
            }
            Word::Client(word) => contains(facts.client, word),
            Word::File(word) => in_file(word),
            Word::Root(word) => {
                facts.resolved.and_then(resolved_file).is_some_and(|(root, _)| root.to_lowercase() == *word)
            }
            // Each of these concerns one of the two tables, and leaves the other as it is.
            Word::State(word) => facts.state.is_none_or(|state| state == *word),
            Word::Outcome(word) => facts.outcome.is_none_or(|outcome| outcome == *word),
        }
    }
}

impl Active {
    /// Returns `stuck` if nothing has moved for three seconds, else `moving`.
    pub fn state(&self) -> &'static str {
        state(self.idle_seconds)
    }
}

impl Row for &Active {
    fn rate(&self) -> u64 {
        self.bytes_per_second
    }

    fn idle_seconds(&self) -> u64 {
        self.idle_seconds
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn size(&self) -> Option<u64> {
        self.size
    }

    fn resent(&self) -> u32 {
        self.retransmissions
    }

    fn age(&self) -> u64 {
        self.running_us
    }

    fn client(&self) -> Option<SocketAddr> {
        self.who.client.parse().ok()
    }

    fn path(&self) -> &str {
        &self.who.path
    }

    fn compare_ids(&self, other: &&Active) -> Ordering {
        self.who.id.cmp(&other.who.id)
    }
}

pub(super) fn state(idle_seconds: u64) -> &'static str {
    if idle_seconds >= STUCK_SECONDS { STATES[1] } else { STATES[0] }
}

/// Keeps the first and the last rows of a sorted list, `most` in all.
pub fn keep_ends<T>(rows: &mut Vec<T>, most: usize) {
    if rows.len() > most {
        let first = most / 2;
        rows.drain(first..rows.len() - (most - first));
    }
}

fn by<R: Row>(key: SortKey, a: &R, b: &R) -> Ordering {
    match key {
        SortKey::Rate => b.rate().cmp(&a.rate()).then(a.idle_seconds().cmp(&b.idle_seconds())),
        SortKey::Progress => part(b).cmp(&part(a)),
        SortKey::Resent => b.resent().cmp(&a.resent()),
        SortKey::Age => b.age().cmp(&a.age()),
        SortKey::Client => a.client().cmp(&b.client()),
        SortKey::File => a.path().cmp(b.path()),
    }
}

/// Returns the arrived part of the file in thousandths; 0 without a known size.
fn part<R: Row>(row: &R) -> u64 {
    row.size().map_or(0, |size| row.bytes().saturating_mul(1000) / size.max(1))
}

/// Returns whether `text` contains `word`, which is in lower case. Nothing is allocated for text in ASCII, because each
/// transfer is looked at once a second.
fn contains(text: &str, word: &str) -> bool {
    if word.is_empty() {
        return true;
    }
    if !text.is_ascii() {
        return text.to_lowercase().contains(word);
    }
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts<'a>(client: &'a str, resolved: &'a str, state: &'static str) -> Facts<'a> {
        Facts {
            client,
            path: "A/Boot.img",
            resolved: Some(resolved),
            others: &["pxe", "lan"],
            state: Some(state),
            outcome: None,
        }
    }

    #[test]
    fn all_words_must_match_each_where_its_key_says() {
        let row = facts("192.0.2.1:2000 02:00:5e:10:00:01", "images:A/Boot.img", "stuck");
        let fits = |filter: &str| RowQuery::parse("", filter).map(|query| query.matches(&row));
        for filter in [
            "",
            "BOOT lan",
            "client:192.0.2.",
            "client:02:00:5e",
            "02:00:5E:10",
            "file:boot.IMG root:images",
            "state:stuck",
            "images:a/",
            "outcome:failed",
        ] {
            assert_eq!(fits(filter), Ok(true), "{filter}");
        }
        for filter in ["boot wan", "client:boot", "file:192", "root:image", "state:moving", "ü"] {
            assert_eq!(fits(filter), Ok(false), "{filter}");
        }
        let umlaut = Facts { path: "Ü/x", ..facts("", "", "moving") };
        assert!(RowQuery::parse("", "ü/X").is_ok_and(|query| query.matches(&umlaut)));
    }

    #[test]
    fn what_is_unknown_is_named() {
        let error = |sort: &str, filter: &str| RowQuery::parse(sort, filter).err().unwrap_or_default();
        assert!(error("speed", "").contains("rate, progress"));
        assert!(error("--rate", "").contains("`--rate`"));
        assert!(error("", "state:dead").contains("state:moving or state:stuck"));
        assert!(error("", "outcome:bad").contains("not-found"));
        assert!(error("", &"x".repeat(MAX_FILTER + 1)).contains("shorten"));
    }

    #[test]
    fn a_cut_list_keeps_both_ends() {
        let kept = |most: usize| {
            let mut rows: Vec<u32> = (0..7).collect();
            keep_ends(&mut rows, most);
            rows
        };
        assert_eq!((kept(7).len(), kept(5), kept(1), kept(0)), (7, vec![0, 1, 4, 5, 6], vec![6], vec![]));
    }
}
