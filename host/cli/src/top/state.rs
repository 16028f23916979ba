//! The state of the view, and its keys.

use super::text::plain;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tuffet_request::events::resolved_file;
use tuffet_server::watch::{Active, Finished, MAX_FILTER, RequestInfo, RowQuery, Snapshot, Sort};

/// The number of samples; the server keeps the same number.
const SAMPLES: usize = 600;

/// The last two are shown only with origins, and in a view of many servers.
pub(super) const TABS: [&str; 6] = ["Running", "Ended", "Plugins", "Queues", "Origins", "Servers"];
pub(super) const RUNNING: usize = 0;
pub(super) const QUEUES: usize = 3;
pub(super) const ORIGINS: usize = 4;
pub(super) const SERVERS: usize = 5;
/// The orders that `s` goes through. The first shows the fastest and the slowest, the second begins with the stuck ones.
const SORTS: [&str; 7] = ["", "-rate", "resent", "progress", "age", "client", "file"];

#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyResult {
    Stay,
    Quit,
}

pub(super) struct State {
    pub(super) snapshot: Snapshot,
    /// The newest snapshot, while the screen is held.
    held: Option<Box<Snapshot>>,
    pub(super) paused: bool,
    pub(super) lost: Option<String>,
    pub(super) tab: usize,
    /// The order and the filter in effect, which the server applies, too.
    pub(super) query: RowQuery,
    /// The order as it is written.
    sort: String,
    pub(super) filter: String,
    /// Why the filter as it is written cannot be applied.
    pub(super) wrong_filter: Option<String>,
    /// Whether keys go into the filter.
    pub(super) typing: bool,
    /// The selected row, maybe beyond the last.
    pub(super) row: usize,
    /// The ID of the request with open details.
    pub(super) details: Option<String>,
}

impl State {
    pub(super) fn new(snapshot: Snapshot, query: RowQuery) -> State {
        State {
            snapshot,
            held: None,
            paused: false,
            lost: None,
            tab: 0,
            sort: query.sort(),
            filter: query.filter().to_owned(),
            query,
            wrong_filter: None,
            typing: false,
            row: 0,
            details: None,
        }
    }

    /// Shows a snapshot. The first snapshot of a connection has all samples, the others the newest.
    pub(super) fn show(&mut self, mut next: Snapshot) {
        self.lost = None;
        let stays = self.paused && self.held.is_none();
        let before = self.held.as_deref_mut().unwrap_or(&mut self.snapshot);
        if before.started_unix_ms == next.started_unix_ms {
            let newest = before.samples.last().map_or(0, |sample| sample.unix_ms);
            let mut samples =
                if stays { before.samples.clone() } else { std::mem::take(&mut before.samples) };
            samples.extend(next.samples.drain(..).filter(|sample| sample.unix_ms > newest));
            samples.drain(..samples.len().saturating_sub(SAMPLES));
            next.samples = samples;
        }
        if self.paused {
            self.held = Some(Box::new(next));
        } else {
            self.snapshot = next;
        }
    }

    pub(super) fn lost(&mut self, reason: String) {
        self.lost = Some(reason);
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> KeyResult {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return if key.code == KeyCode::Char('c') { KeyResult::Quit } else { KeyResult::Stay };
        }
        if self.typing {
            self.type_filter(key.code);
            return KeyResult::Stay;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Enter if self.details.is_some() => self.details = None,
            KeyCode::Char('q') | KeyCode::Esc => return KeyResult::Quit,
            KeyCode::Enter if self.tab == SERVERS => self.choose_server(),
            KeyCode::Enter => self.details = self.selected(),
            KeyCode::Char('/') => self.typing = true,
            KeyCode::Char('p' | ' ') => self.pause(),
            KeyCode::Char('s') => self.sort_by_next(),
            KeyCode::Char('S') => self.reverse(),
            KeyCode::Tab | KeyCode::Right => self.turn_by(1),
            KeyCode::BackTab | KeyCode::Left => self.turn_by(-1),
            KeyCode::Char(digit @ '1'..='6') => {
                if let Some(tab) = self.tabs().get(digit as usize - '1' as usize) {
                    self.turn_to(*tab);
                }
            }
            KeyCode::Down | KeyCode::Char('j') => self.select(1),
            KeyCode::Up | KeyCode::Char('k') => self.select(-1),
            KeyCode::PageDown => self.select(10),
            KeyCode::PageUp => self.select(-10),
            KeyCode::Home => self.row = 0,
            _ => {}
        }
        KeyResult::Stay
    }

    fn type_filter(&mut self, key: KeyCode) {
        match key {
            KeyCode::Enter => self.typing = false,
            KeyCode::Esc => {
                self.typing = false;
                self.filter.clear();
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(c) if self.filter.chars().count() < MAX_FILTER => self.filter.push(c),
            _ => {}
        }
        self.row = 0;
        self.ask();
    }

    fn sort_by_next(&mut self) {
        let now = SORTS.iter().position(|sort| *sort == self.sort);
        self.sort = SORTS[now.map_or(0, |now| (now + 1) % SORTS.len())].to_owned();
        self.ask();
    }

    fn reverse(&mut self) {
        self.sort = match &*self.sort {
            "" | "rate" => "-rate".into(),
            "-rate" => String::new(),
            sort => sort.strip_prefix('-').map_or_else(|| format!("-{sort}"), str::to_owned),
        };
        self.ask();
    }

    /// Puts the order and the filter into effect; a filter that is not complete leaves the last one in effect.
    fn ask(&mut self) {
        match RowQuery::parse(&self.sort, &self.filter) {
            Ok(query) => (self.query, self.wrong_filter) = (query, None),
            Err(why) => self.wrong_filter = Some(why),
        }
    }

    /// Moves the selection by this many rows, within the existing rows.
    fn select(&mut self, by: isize) {
        let rows = match self.tab {
            0 => self.running().len(),
            1 => self.ended().len(),
            2 => self.snapshot.totals.plugins.len(),
            SERVERS => self.snapshot.servers.len(),
            // Drawing limits the selection to the last row.
            _ => usize::MAX,
        };
        self.row = self.row.saturating_add_signed(by).min(rows.saturating_sub(1));
        if self.details.is_some() {
            self.details = self.selected();
        }
    }

    /// Returns the ID of the selected request.
    fn selected(&self) -> Option<String> {
        match self.tab {
            0 => self.running().get(self.row).map(|row| row.who.id.clone()),
            1 => self.ended().get(self.row).map(|row| row.who.id.clone()),
            _ => None,
        }
    }

    /// Shows only the rows of the selected server, or again of all.
    fn choose_server(&mut self) {
        let Some(server) = self.snapshot.servers.get(self.row) else { return };
        let name: String = server.server.chars().take(MAX_FILTER).collect();
        self.filter = if self.filter == name { String::new() } else { name };
        self.ask();
        self.turn_to(0);
    }

    /// Returns the visible tabs in order.
    pub(super) fn tabs(&self) -> Vec<usize> {
        let is_there = |tab: &usize| match *tab {
            ORIGINS => !self.snapshot.origins.is_empty(),
            SERVERS => !self.snapshot.servers.is_empty(),
            _ => true,
        };
        (0..TABS.len()).filter(is_there).collect()
    }

    fn turn_by(&mut self, by: isize) {
        let tabs = self.tabs();
        let now = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let next = (now as isize + by).rem_euclid(tabs.len() as isize) as usize;
        self.turn_to(tabs.get(next).copied().unwrap_or(0));
    }

    fn turn_to(&mut self, tab: usize) {
        (self.tab, self.row, self.details) = (tab, 0, None);
    }

    fn pause(&mut self) {
        self.paused = !self.paused;
        if !self.paused
            && let Some(held) = self.held.take()
        {
            self.snapshot = *held;
        }
    }

    /// Returns the sort key of this tab; without a choice, the newest row is first.
    pub(super) fn sorted_by(&self) -> &str {
        match &*self.sort {
            _ if self.tab != 0 => "newest",
            "" => "rate",
            "-rate" => "slowest",
            sort => sort,
        }
    }

    /// Returns the order of the running transfers, if one was chosen.
    pub(super) fn order(&self) -> Option<Sort> {
        self.query.order()
    }

    /// Returns how many running transfers match the filter; `None` without one, and where that is not known: until the
    /// server has answered, and in a view of many servers, which has only some of their rows.
    pub(super) fn matching(&self) -> Option<u64> {
        let filter = self.query.filter();
        let is_known = filter == self.snapshot.filter && self.snapshot.servers.is_empty();
        (is_known && !filter.trim().is_empty()).then_some(self.snapshot.matching)
    }

    pub(super) fn running(&self) -> Vec<&Active> {
        self.query.rows(&self.snapshot.active)
    }

    pub(super) fn ended(&self) -> Vec<&Finished> {
        self.snapshot.finished.iter().filter(|row| self.query.matches_finished(row)).collect()
    }
}

/// Formats the client on one line.
pub(super) fn client(who: &RequestInfo) -> String {
    let about = [who.mac.as_deref(), Some(&*who.class).filter(|class| *class != "unknown")];
    let about: Vec<&str> = about.into_iter().flatten().collect();
    plain(&format!("{} {}", who.client, about.join(" ")))
}

/// Formats the file on one line.
pub(super) fn file(who: &RequestInfo, resolved: Option<&str>) -> String {
    let arrow = if who.operation == "write" { "↑ " } else { "" };
    let as_asked = |resolved: &str| resolved_file(resolved).is_some_and(|(_, path)| path == who.path);
    let server = if who.server.is_empty() { String::new() } else { format!("{}: ", who.server) };
    match resolved.filter(|resolved| !as_asked(resolved)) {
        Some(resolved) => plain(&format!("{server}{arrow}{} → {resolved}", who.path)),
        None => plain(&format!("{server}{arrow}{}", who.path)),
    }
}
