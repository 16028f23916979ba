//! The screen.

use super::details;
use super::state::{ORIGINS, QUEUES, RUNNING, SERVERS, State, TABS, client, file};
use super::text::{bytes, clock, cut_end, cut_front, micros, percent, plain, rate, span};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row, Sparkline, Table, Wrap};
use std::net::SocketAddr;
use tuffet_request::Distribution;
use tuffet_request::events::Outcome;
use tuffet_server::origins::OriginReport;
use tuffet_server::watch::{
    Active, Finished, FleetServer, PluginTotals, RequestInfo, Snapshot, Sort, SortKey,
};

/// The longest displayed host name, so that the state after it stays visible.
const LONGEST_HOST: usize = 24;
/// Narrower terminals show fewer columns; the details show all data.
const WIDE: u16 = 110;
/// The least width with room for a client's MAC address and class.
const WIDEST: u16 = 140;
/// The width of the longest IPv4 address with a port.
const ADDRESS: u16 = 21;
/// The width of the longest IPv4 address.
const NARROW_ADDRESS: u16 = 15;
/// The space between two columns.
const SPACING: u16 = 2;

const QUIET: Style = Style::new().fg(Color::DarkGray);

pub(super) fn draw(frame: &mut Frame<'_>, state: &State) {
    let reasons = state.snapshot.state.reasons.len().min(4) as u16;
    let lines = head_lines(state, usize::from(frame.area().width));
    let [head, why, spark, tabs, rows, foot] = Layout::vertical([
        Constraint::Length(lines.len() as u16),
        Constraint::Length(reasons),
        Constraint::Length(4),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(lines), head);
    let reasons = state.snapshot.state.reasons.iter().map(|reason| Line::from(plain(&reason.detail)).red());
    frame.render_widget(Paragraph::new(reasons.collect::<Vec<_>>()), why);
    throughput(frame, &state.snapshot, spark);
    frame.render_widget(tab_line(state), tabs);
    match &state.details {
        Some(id) => {
            let lines = details::lines(&state.snapshot, id);
            frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), rows);
        }
        None => table(frame, state, rows),
    }
    frame.render_widget(foot_line(state), foot);
}

/// Returns the head within this width: what does not fit on a line goes on the next one.
fn head_lines(state: &State, width: usize) -> Vec<Line<'static>> {
    let snapshot = &state.snapshot;
    let live = match (&state.lost, state.paused) {
        (Some(reason), _) => Span::from(format!("not live: {}", plain(reason))).yellow().bold(),
        (None, true) => Span::from("paused").yellow().bold(),
        (None, false) => Span::from("live").green().bold(),
    };
    let word = Span::from(plain(snapshot.state.word()));
    let ready = if snapshot.state.ready { word.green() } else { word.red().bold() };
    let age_ms = snapshot.unix_ms.saturating_sub(snapshot.started_unix_ms);
    let up = span(age_ms / 1000);
    let host: String = plain(&snapshot.host).chars().take(LONGEST_HOST).collect();
    let host = if host.is_empty() { host } else { format!(" on {host}") };
    let is_one = snapshot.servers.is_empty();
    let about = if is_one {
        format!("Tuffet {}{host}, configuration {}, up {up}", snapshot.version, snapshot.generation)
    } else {
        format!("Tuffet {}{host}, watched for {up}", snapshot.version)
    };
    let last = snapshot.samples.last();
    let moved = last.map(|sample| (sample.bytes_per_second.read, sample.bytes_per_second.write));
    let (out, back) = moved.unwrap_or_default();
    let ended: u64 = last.map_or(0, |sample| sample.ended.iter().sum());
    let totals = &snapshot.totals;
    let now = [
        format!("now: {} running", totals.active),
        format!("{} to clients", rate(out)),
        format!("{} from clients", rate(back)),
        format!("{ended} ended/s"),
    ];
    let count = |counts: fn(Outcome) -> bool| -> u64 {
        totals.ended.iter().filter(|one| counts(one.outcome)).map(|one| one.count).sum()
    };
    let failures = count(|outcome| outcome.is_failure() && !outcome.is_refusal());
    let failed = Span::from(format!("{failures} failed"));
    let again = totals.retransmissions;
    let sent = sent_blocks(snapshot).saturating_add(again);
    let resent = Span::from(format!("{again} resent ({})", percent(again, sent)));
    // The quantile is the bound of a bucket, and no request waited for longer than the server runs.
    let bound = totals.decision.quantile_us(0.99);
    let bound = if is_one { bound.map(|bound| bound.min(age_ms.saturating_mul(1000))) } else { bound };
    let mut lines = flow(vec![Span::from(about).bold(), live, ready], width);
    lines.extend(flow(now.into_iter().map(Span::from).collect(), width));
    let since = vec![
        Span::from("since the start:"),
        if failures > 0 { failed.red().bold() } else { failed },
        Span::from(format!("{} refused", count(Outcome::is_refusal))),
        if is_much(again, sent) { resent.red().bold() } else { resent },
        Span::from(format!("99 % decided within {}", micros(bound))),
    ];
    lines.extend(flow(since, width));
    lines
}

/// Lays out parts with two spaces between them, on as many lines as they need.
fn flow(parts: Vec<Span<'static>>, width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + 2 + part.width() <= width => {
                line.push_span("  ");
                line.push_span(part);
            }
            Some(_) => lines.push(Line::from(vec![Span::from("  "), part])),
            None => lines.push(Line::from(part)),
        }
    }
    lines
}

/// Returns whether so many packets were resent that something is wrong; some loss is normal.
fn is_much(resent: u64, sent: u64) -> bool {
    resent.saturating_mul(20) >= sent.max(1)
}

/// Returns the blocks sent and received, also by the running transfers that have no row.
fn sent_blocks(snapshot: &Snapshot) -> u64 {
    let blocks = &snapshot.totals.blocks;
    blocks.read.saturating_add(blocks.write).saturating_add(snapshot.active_blocks)
}

/// Estimates the blocks of a running transfer, with the one in flight.
fn blocks_of(row: &Active) -> u64 {
    let granted = row.options.iter().flatten().find(|(name, _)| name == "blksize");
    let size = granted.and_then(|(_, value)| value.parse().ok()).filter(|size| *size >= 8);
    row.bytes.div_ceil(size.unwrap_or(512)) + 1
}

fn throughput(frame: &mut Frame<'_>, snapshot: &Snapshot, area: Rect) {
    let all =
        snapshot.samples.iter().map(|sample| sample.bytes_per_second.read + sample.bytes_per_second.write);
    let all: Vec<u64> = all.collect();
    let newest = &all[all.len().saturating_sub(usize::from(area.width))..];
    let peak = newest.iter().max().copied().unwrap_or_default();
    let label = format!("throughput, both directions, last {} s; peak {}", newest.len(), rate(peak));
    let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    frame.render_widget(Line::from(label).style(QUIET), title);
    frame.render_widget(Sparkline::default().data(newest).style(Style::new().fg(Color::Blue)), area);
}

fn tab_line(state: &State) -> Line<'static> {
    let totals = &state.snapshot.totals;
    let servers = state.snapshot.servers.len() as u64;
    let origins = state.snapshot.origins.len() as u64;
    let ended = state.snapshot.finished.len() as u64;
    let shown = state.running().len() as u64;
    let counts = [totals.active, ended, totals.plugins.len() as u64, 0, origins, servers];
    let spans = state.tabs().into_iter().enumerate().flat_map(|(index, tab)| {
        let count = match tab {
            QUEUES => String::new(),
            RUNNING => match state.matching() {
                Some(all) if shown < all => format!(" {shown} of {all} that match, {} run", totals.active),
                Some(all) => format!(" {all} that match, {} run", totals.active),
                None if shown < totals.active => format!(" {shown} of {}", totals.active),
                None => format!(" {}", totals.active),
            },
            _ => format!(" {}", counts[tab]),
        };
        let text = Span::from(format!(" {} {}{count} ", index + 1, TABS[tab]));
        let chosen = tab == state.tab;
        [if chosen { text.add_modifier(Modifier::REVERSED) } else { text }, Span::from(" ")]
    });
    Line::from_iter(spans)
}

fn foot_line(state: &State) -> Line<'static> {
    if state.typing {
        let why = state.wrong_filter.as_deref().unwrap_or("Enter keeps it, Esc clears it");
        return Line::from(format!("filter: {}_   {}", plain(&state.filter), plain(why)));
    }
    // In front: a narrow terminal cuts off the end.
    let filter = match &*state.filter {
        "" => String::new(),
        filter => format!("filter: {}   ", plain(filter)),
    };
    let enter = if state.tab == SERVERS { "its rows" } else { "details" };
    let keys = format!(
        "{filter}q quit  Tab turn  Enter {enter}  / filter  s S sort ({})  p pause  ↑↓ select",
        state.sorted_by()
    );
    Line::from(keys).style(QUIET)
}

fn table(frame: &mut Frame<'_>, state: &State, area: Rect) {
    let (titles, widths, rows): (&[&str], Vec<Constraint>, Vec<Row<'_>>) = match state.tab {
        RUNNING => running(&state.running(), area.width),
        1 => ended(&state.ended(), area.width),
        2 => plugins(&state.snapshot.totals.plugins),
        QUEUES => queues(&state.snapshot),
        ORIGINS => origins(&state.snapshot.origins),
        _ => servers(&state.snapshot.servers),
    };
    let selected = state.row.min(rows.len().saturating_sub(1));
    // Rows below the head; the selected one stays visible.
    let visible = usize::from(area.height.saturating_sub(1)).max(1);
    let top = (selected + 1).saturating_sub(visible);
    let rows = rows.into_iter().enumerate().map(|(number, row)| match state.tab {
        0 | 1 | SERVERS if number == selected => row.style(Style::new().add_modifier(Modifier::REVERSED)),
        _ => row,
    });
    let order = if state.tab == RUNNING { state.order() } else { None };
    let titles = titles.iter().enumerate().map(|(column, title)| match order {
        Some(order) if column_of(order.key) == column => Cell::from(marked(title, order)),
        _ => Cell::from(*title),
    });
    let head = Row::new(titles).style(QUIET);
    let table = Table::new(rows.skip(top), widths).header(head).column_spacing(SPACING);
    frame.render_widget(table, area);
}

/// Returns the column of the running transfers that this key sorts by.
fn column_of(key: SortKey) -> usize {
    match key {
        SortKey::Client => 0,
        SortKey::File => 1,
        SortKey::Progress => 2,
        SortKey::Rate => 3,
        SortKey::Resent => 4,
        SortKey::Age => 5,
    }
}

/// Returns the title with an arrow that says where the largest value is; titles of numbers stay at the right.
fn marked(title: &str, order: Sort) -> String {
    let rises = matches!(order.key, SortKey::Client | SortKey::File) != order.reversed;
    let arrow = if rises { '▲' } else { '▼' };
    let name = format!("{}{arrow}", title.trim());
    if title.starts_with(' ') { format!("{name:>0$}", title.len()) } else { name }
}

type Rows<'a> = (&'static [&'static str], Vec<Constraint>, Vec<Row<'a>>);

fn running<'a>(all: &[&Active], width: u16) -> Rows<'a> {
    let mut widths = vec![
        Constraint::Length(client_width(width)),
        Constraint::Fill(1),
        Constraint::Length(16),
        Constraint::Length(11),
        Constraint::Length(7),
    ];
    if width >= WIDE {
        widths.push(Constraint::Length(9));
    }
    let room = columns(&widths, width);
    let row = |row: &&Active| {
        let part = row.size.map(|size| row.bytes.saturating_mul(100) / size.max(1));
        let progress = match part {
            Some(part) => {
                let full = (part.min(100) / 10) as usize;
                format!("{}{} {part:>3} %", "█".repeat(full), "░".repeat(10 - full))
            }
            None => bytes(row.bytes),
        };
        let again = Cell::from(format!("{:>7}", row.retransmissions));
        let sent = blocks_of(row) + u64::from(row.retransmissions);
        Row::new([
            Cell::from(cut_front(&about(&row.who, width), room[0])),
            Cell::from(cut_front(&file(&row.who, row.resolved.as_deref()), room[1])),
            Cell::from(progress).blue(),
            Cell::from(format!("{:>11}", rate(row.bytes_per_second))),
            if is_much(row.retransmissions.into(), sent) { again.red() } else { again },
            Cell::from(format!("{:>9}", micros(Some(row.running_us)))),
        ])
    };
    let titles: &[&str] = &["CLIENT", "FILE", "PROGRESS", "       RATE", " RESENT", "      AGE"];
    (&titles[..widths.len()], widths, all.iter().map(row).collect())
}

fn ended<'a>(all: &[&Finished], width: u16) -> Rows<'a> {
    let mut widths = vec![
        Constraint::Length(8),
        Constraint::Length(9),
        Constraint::Length(client_width(width)),
        Constraint::Fill(2),
        // Most people look for the reason here.
        Constraint::Fill(if width >= WIDE { 4 } else { 3 }),
    ];
    if width >= WIDE {
        widths.extend([Constraint::Length(8), Constraint::Length(9)]);
    }
    let room = columns(&widths, width);
    let row = |row: &&Finished| {
        let reason = match (&row.detail, &row.verdict_by) {
            (Some(detail), Some(by)) => Some(format!("{detail} (by {by})")),
            (Some(detail), None) => Some(detail.clone()),
            (None, Some(by)) => Some(format!("by {by}")),
            (None, None) => None,
        };
        let tried = (!row.tried.is_empty()).then(|| format!("tried {}", row.tried.join(", ")));
        let why: Vec<String> = reason.into_iter().chain(tried).chain(row.hint.clone()).collect();
        let why = why.join("; ");
        Row::new([
            Cell::from(clock(row.ended_unix_ms)),
            Cell::from(row.outcome.as_str()).style(color(row.outcome)),
            Cell::from(cut_front(&about(&row.who, width), room[2])),
            Cell::from(cut_front(&file(&row.who, row.resolved.as_deref()), room[3])),
            Cell::from(cut_end(&plain(&why), room[4])),
            Cell::from(format!("{:>8}", bytes(row.bytes))),
            Cell::from(format!("{:>9}", micros(Some(row.duration_us)))),
        ])
    };
    let titles: &[&str] = &["UTC", "OUTCOME", "CLIENT", "FILE", "WHY", "   BYTES", "     TOOK"];
    (&titles[..widths.len()], widths, all.iter().map(row).collect())
}

/// Returns the widths of a table's columns, as the table itself lays them out.
fn columns(widths: &[Constraint], width: u16) -> Vec<usize> {
    let areas = Layout::horizontal(widths).spacing(SPACING).split(Rect::new(0, 0, width, 1));
    areas.iter().map(|area| usize::from(area.width)).collect()
}

fn client_width(width: u16) -> u16 {
    match width {
        WIDEST.. => 2 * ADDRESS,
        WIDE.. => ADDRESS,
        _ => NARROW_ADDRESS,
    }
}

/// Formats the client as far as there is room: the file needs it more than the port.
fn about(who: &RequestInfo, width: u16) -> String {
    match width {
        WIDEST.. => client(who),
        WIDE.. => plain(&who.client),
        _ => match who.client.parse::<SocketAddr>() {
            Ok(address) => address.ip().to_string(),
            Err(_) => plain(&who.client),
        },
    }
}

fn color(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Served | Outcome::Stored => Style::new().green(),
        Outcome::Probed => QUIET,
        Outcome::Aborted | Outcome::NotFound | Outcome::TimedOut => Style::new().yellow(),
        Outcome::Denied | Outcome::Failed => Style::new().red().bold(),
    }
}

fn plugins<'a>(all: &[PluginTotals]) -> Rows<'a> {
    let row = |plugin: &PluginTotals| {
        let mut times = Distribution::default();
        for (_, more) in &plugin.durations {
            times.buckets.resize(times.buckets.len().max(more.buckets.len()), 0);
            times.buckets.iter_mut().zip(&more.buckets).for_each(|(sum, more)| *sum += more);
        }
        let failures: Vec<String> = plugin
            .failures
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(cause, count)| format!("{cause} {count}"))
            .collect();
        let breaker =
            if plugin.breaker_open { Cell::from("open").red().bold() } else { Cell::from("closed") };
        Row::new([
            Cell::from(plain(&plugin.plugin)),
            Cell::from(format!("{:>10}", plugin.calls)),
            Cell::from(format!("{:>7}", plugin.running)),
            Cell::from(format!("{:>7}", plugin.waiting)),
            Cell::from(format!("{:>9}", micros(times.quantile_us(0.5)))),
            Cell::from(format!("{:>9}", micros(times.quantile_us(0.99)))),
            breaker,
            Cell::from(failures.join(", ")).red(),
        ])
    };
    let widths = vec![
        Constraint::Fill(1),
        Constraint::Length(10),
        Constraint::Length(7),
        Constraint::Length(7),
        Constraint::Length(9),
        Constraint::Length(9),
        Constraint::Length(7),
        Constraint::Fill(1),
    ];
    let titles =
        &["PLUGIN", "     CALLS", "RUNNING", "WAITING", "  50 % IN", "  99 % IN", "BREAKER", "FAILED"];
    (titles, widths, all.iter().map(row).collect())
}

fn servers<'a>(all: &[FleetServer]) -> Rows<'a> {
    let row = |server: &FleetServer| {
        let state = match server {
            FleetServer { silent_seconds: 1.., .. } => {
                Cell::from(format!("silent {}", span(server.silent_seconds))).red().bold()
            }
            FleetServer { ready: true, .. } => Cell::from("ready").green(),
            _ => Cell::from("not ready").red().bold(),
        };
        let failures = Cell::from(format!("{:>7}", server.failures));
        Row::new([
            Cell::from(plain(&server.server)),
            state,
            Cell::from(format!("{:>7}", server.active)),
            Cell::from(format!("{:>11}", rate(server.bytes_per_second))),
            Cell::from(format!("{:>10}", server.ended)),
            if server.failures > 0 { failures.red() } else { failures },
            Cell::from(format!("{:>8}", server.refused)),
            Cell::from(format!("{:>6}", server.generation)),
            Cell::from(plain(&server.revision)),
            Cell::from(plain(&server.version)),
        ])
    };
    let widths = vec![
        Constraint::Fill(1),
        Constraint::Length(12),
        Constraint::Length(7),
        Constraint::Length(11),
        Constraint::Length(10),
        Constraint::Length(7),
        Constraint::Length(8),
        Constraint::Length(6),
        Constraint::Length(16),
        Constraint::Length(8),
    ];
    let titles = &[
        "SERVER",
        "STATE",
        "RUNNING",
        "       RATE",
        "     ENDED",
        " FAILED",
        " REFUSED",
        "CONFIG",
        "REVISION",
        "VERSION",
    ];
    (titles, widths, all.iter().map(row).collect())
}

fn origins<'a>(all: &[OriginReport]) -> Rows<'a> {
    let row = |origin: &OriginReport| {
        let state = match origin {
            OriginReport { cache_error: Some(why), .. } => Cell::from(plain(why)).red().bold(),
            OriginReport { away_seconds: Some(seconds), .. } => {
                Cell::from(format!("away {}", span(*seconds))).red().bold()
            }
            OriginReport { breaker, .. } if breaker != "closed" => Cell::from("breaker open").red().bold(),
            _ => Cell::from("answers").green(),
        };
        let stale = Cell::from(format!("{:>7}", origin.stale));
        let cache = format!("{} of {}", bytes(origin.cache_bytes), bytes(origin.cache_limit));
        Row::new([
            Cell::from(plain(&origin.root)),
            Cell::from(plain(&origin.origin)),
            state,
            Cell::from(format!("{:>9}", origin.hits)),
            Cell::from(format!("{:>9}", origin.misses)),
            if origin.stale > 0 { stale.yellow() } else { stale },
            Cell::from(format!("{:>8}", bytes(origin.received))),
            Cell::from(format!("{cache:>18}")),
        ])
    };
    let widths = vec![
        Constraint::Fill(1),
        Constraint::Fill(2),
        Constraint::Length(16),
        Constraint::Length(9),
        Constraint::Length(9),
        Constraint::Length(7),
        Constraint::Length(8),
        Constraint::Length(18),
    ];
    let titles =
        &["ROOT", "ORIGIN", "STATE", "     HITS", "   MISSES", "  STALE", " FETCHED", "             CACHE"];
    (titles, widths, all.iter().map(row).collect())
}

fn queues<'a>(snapshot: &Snapshot) -> Rows<'a> {
    let queues = &snapshot.totals.queues;
    let cache = &snapshot.totals.file_cache;
    let waiting = [
        ("requests, for their decision", queues.decisions),
        ("outcomes, for the log", queues.summaries),
        ("events, for observers", queues.events),
        ("half-open transfers, for the client's first answer", snapshot.totals.half_open),
    ];
    let mut rows: Vec<(String, String)> = Vec::new();
    for (what, count) in waiting.into_iter().filter(|(_, count)| *count > 0) {
        rows.push((what.to_owned(), count.to_string()));
    }
    for its in snapshot.totals.profiles.iter().filter(|its| its.waiting > 0) {
        let what = format!("transfers of profile {}, for its total rate", plain(&its.profile));
        rows.push((what, its.waiting.to_string()));
    }
    for sink in queues.sinks.iter().filter(|sink| sink.lines > 0 || sink.broken) {
        let broken = if sink.broken { ", which is broken" } else { "" };
        rows.push((format!("lines in the sink {}{broken}", plain(&sink.sink)), sink.lines.to_string()));
    }
    if rows.is_empty() {
        rows.push(("nothing waits".to_owned(), String::new()));
    }
    rows.push(("hot files in memory".into(), format!("{} of {}", bytes(cache.bytes), bytes(cache.capacity))));
    for dropped in snapshot.totals.dropped.iter().filter(|it| it.count > 0) {
        rows.push((format!("datagrams that came to nothing: {}", dropped.reason), dropped.count.to_string()));
    }
    let rows = rows.into_iter().map(|(name, value)| Row::new([name, format!("{value:>22}")])).collect();
    (&["WHAT WAITS", "                   NOW"], vec![Constraint::Length(56), Constraint::Length(22)], rows)
}
