//! The screen.

use super::details;
use super::state::{ORIGINS, QUEUES, SERVERS, State, TABS, client, file};
use super::text::{bytes, clock, cut_end, cut_front, micros, percent, plain, rate, span};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row, Sparkline, Table, Wrap};
use tuffet::origins::OriginReport;
use tuffet::watch::{Active, Finished, FleetServer, PluginTotals, RequestInfo, Snapshot};
use tuffet_request::Distribution;
use tuffet_request::events::Outcome;

/// The longest displayed host name, so that the state after it stays visible.
const LONGEST_HOST: usize = 24;
/// Narrower terminals show fewer columns; the details show all data.
const WIDE: u16 = 110;
/// The least width with room for a client's MAC address and class.
const WIDEST: u16 = 140;
/// The width of the longest IPv4 address with a port.
const ADDRESS: u16 = 21;
/// The space between two columns.
const SPACING: u16 = 2;

const QUIET: Style = Style::new().fg(Color::DarkGray);

pub(super) fn draw(frame: &mut Frame<'_>, state: &State) {
    let reasons = state.snapshot.reasons.len().min(4) as u16;
    let [head, why, spark, tabs, rows, foot] = Layout::vertical([
        Constraint::Length(3),
        Constraint::Length(reasons),
        Constraint::Length(4),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(head_lines(state)), head);
    let reasons = state.snapshot.reasons.iter().map(|reason| Line::from(plain(&reason.detail)).red());
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

fn head_lines(state: &State) -> Vec<Line<'static>> {
    let snapshot = &state.snapshot;
    let live = match (&state.lost, state.paused) {
        (Some(reason), _) => Span::from(format!("not live: {}", plain(reason))).yellow().bold(),
        (None, true) => Span::from("paused").yellow().bold(),
        (None, false) => Span::from("live").green().bold(),
    };
    let ready =
        if snapshot.ready { Span::from("ready").green() } else { Span::from("not ready").red().bold() };
    let up = span(snapshot.unix_ms.saturating_sub(snapshot.started_unix_ms) / 1000);
    let host: String = plain(&snapshot.host).chars().take(LONGEST_HOST).collect();
    let host = if host.is_empty() { host } else { format!(" on {host}") };
    let about = if snapshot.servers.is_empty() {
        format!("Tuffet {}{host}, configuration {}, up {up}  ", snapshot.version, snapshot.generation)
    } else {
        format!("Tuffet {}{host}, watched for {up}  ", snapshot.version)
    };
    let last = snapshot.samples.last();
    let moved = last.map(|sample| (sample.bytes_per_second.read, sample.bytes_per_second.write));
    let (out, back) = moved.unwrap_or_default();
    let ended: u64 = last.map_or(0, |sample| sample.ended.iter().sum());
    let totals = &snapshot.totals;
    let now = format!(
        "now: {} running  {} to clients  {} from clients  {ended} ended/s",
        totals.active,
        rate(out),
        rate(back),
    );
    let failures = totals.ended.iter().filter(|one| one.outcome.is_failure()).map(|one| one.count);
    let failures: u64 = failures.sum();
    let sent = sent_blocks(snapshot) + totals.retransmissions;
    let since = format!(
        "  {} resent ({})  decided within {} (p99)",
        totals.retransmissions,
        percent(totals.retransmissions, sent),
        micros(totals.decision.quantile_us(0.99)),
    );
    let failed = Span::from(format!("{failures} failures"));
    let failed = if failures > 0 { failed.red().bold() } else { failed };
    vec![
        Line::from(vec![Span::from(about).bold(), live, Span::from("  "), ready]),
        Line::from(now),
        Line::from(vec![Span::from("since the start: "), failed, Span::from(since)]),
    ]
}

/// Estimates the blocks sent and received. Those of running transfers follow from their bytes and the granted block
/// size.
fn sent_blocks(snapshot: &Snapshot) -> u64 {
    let running = snapshot.active.iter().map(|row| {
        let granted = row.options.iter().flatten().find(|(name, _)| name == "blksize");
        let size = granted.and_then(|(_, value)| value.parse().ok()).filter(|size| *size >= 8);
        row.bytes.div_ceil(size.unwrap_or(512)) + 1
    });
    snapshot.totals.blocks.read + snapshot.totals.blocks.write + running.sum::<u64>()
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
    let counts = [totals.active, ended, totals.plugins.len() as u64, 0, origins, servers];
    let spans = state.tabs().into_iter().enumerate().flat_map(|(index, tab)| {
        let count = if tab == QUEUES { String::new() } else { format!(" {}", counts[tab]) };
        let text = Span::from(format!(" {} {}{count} ", index + 1, TABS[tab]));
        let chosen = tab == state.tab;
        [if chosen { text.add_modifier(Modifier::REVERSED) } else { text }, Span::from(" ")]
    });
    Line::from_iter(spans)
}

fn foot_line(state: &State) -> Line<'static> {
    if state.typing {
        return Line::from(format!("filter: {}_   Enter keeps it, Esc clears it", plain(&state.filter)));
    }
    let filter = match &*state.filter {
        "" => String::new(),
        filter => format!("   filter: {}", plain(filter)),
    };
    let enter = if state.tab == SERVERS { "its rows" } else { "details" };
    let keys = format!(
        "q quit  Tab turn  Enter {enter}  / filter  s sort ({})  p pause  ↑↓ select{filter}",
        state.sorted_by()
    );
    Line::from(keys).style(QUIET)
}

fn table(frame: &mut Frame<'_>, state: &State, area: Rect) {
    let (titles, widths, rows): (&[&str], Vec<Constraint>, Vec<Row<'_>>) = match state.tab {
        0 => running(&state.running(), area.width),
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
    let head = Row::new(titles.iter().map(|title| Cell::from(*title))).style(QUIET);
    let table = Table::new(rows.skip(top), widths).header(head).column_spacing(SPACING);
    frame.render_widget(table, area);
}

type Rows<'a> = (&'static [&'static str], Vec<Constraint>, Vec<Row<'a>>);

fn running<'a>(all: &[&Active], width: u16) -> Rows<'a> {
    let mut widths = vec![
        Constraint::Length(client_width(width)),
        Constraint::Fill(1),
        Constraint::Length(16),
        Constraint::Length(11),
        Constraint::Length(6),
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
        let again = Cell::from(format!("{:>6}", row.retransmissions));
        Row::new([
            Cell::from(about(&row.who, width)),
            Cell::from(cut_front(&file(&row.who, row.resolved.as_deref()), room[1])),
            Cell::from(progress).blue(),
            Cell::from(format!("{:>11}", rate(row.bytes_per_second))),
            if row.retransmissions > 0 { again.red() } else { again },
            Cell::from(format!("{:>9}", micros(Some(row.running_us)))),
        ])
    };
    let titles: &[&str] = &["CLIENT", "FILE", "PROGRESS", "       RATE", "RESENT", "      AGE"];
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
        let mut why = match (&row.detail, &row.verdict_by) {
            (Some(detail), Some(by)) => format!("{detail} (by {by})"),
            (Some(detail), None) => detail.clone(),
            (None, Some(by)) => format!("by {by}"),
            (None, None) => String::new(),
        };
        if !row.tried.is_empty() {
            why += "; tried ";
            why += &row.tried.join(", ");
        }
        if let Some(hint) = &row.hint {
            why += "; ";
            why += hint;
        }
        Row::new([
            Cell::from(clock(row.ended_unix_ms)),
            Cell::from(row.outcome.as_str()).style(color(row.outcome)),
            Cell::from(about(&row.who, width)),
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
    if width >= WIDEST { 2 * ADDRESS } else { ADDRESS }
}

/// Formats the client as far as there is room.
fn about(who: &RequestInfo, width: u16) -> String {
    if width >= WIDEST { client(who) } else { plain(&who.client) }
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
        &["PLUGIN", "     CALLS", "RUNNING", "WAITING", "      P50", "      P99", "BREAKER", "FAILED"];
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
        let failures = Cell::from(format!("{:>8}", server.failures));
        Row::new([
            Cell::from(plain(&server.server)),
            state,
            Cell::from(format!("{:>7}", server.active)),
            Cell::from(format!("{:>11}", rate(server.bytes_per_second))),
            Cell::from(format!("{:>10}", server.ended)),
            if server.failures > 0 { failures.red() } else { failures },
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
        "FAILURES",
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
    let mut rows = vec![
        ("requests, for their decision".to_owned(), queues.decisions.to_string()),
        ("outcomes, for the log".to_owned(), queues.summaries.to_string()),
        ("events, for observers".to_owned(), queues.events.to_string()),
        (
            "half-open transfers, for the client's first answer".to_owned(),
            snapshot.totals.half_open.to_string(),
        ),
    ];
    for sink in &queues.sinks {
        let broken = if sink.broken { ", which is broken" } else { "" };
        rows.push((format!("lines in the sink {}{broken}", plain(&sink.sink)), sink.lines.to_string()));
    }
    rows.push(("hot files in memory".into(), format!("{} of {}", bytes(cache.bytes), bytes(cache.capacity))));
    // There are many limits, and most are never reached.
    let dropped = snapshot.totals.dropped.iter();
    for dropped in dropped.filter(|it| it.count > 0 || !it.reason.starts_with("limit-")) {
        rows.push((format!("datagrams that came to nothing: {}", dropped.reason), dropped.count.to_string()));
    }
    let rows = rows.into_iter().map(|(name, value)| Row::new([name, format!("{value:>22}")])).collect();
    (&["WHAT WAITS", "                   NOW"], vec![Constraint::Length(56), Constraint::Length(22)], rows)
}
