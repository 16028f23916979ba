use super::draw::draw;
use super::once::frame;
use super::state::{KeyResult, State};
use super::text::{bytes, micros, plain, span};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use serde_json::{Value, json};
use tuffet_server::watch::{RowQuery, Snapshot};

fn who(number: u64, path: &str) -> Value {
    json!({ "id": format!("{number:016x}"), "listener": "lan", "client": format!("192.0.2.{number}:2000"),
        "mac": null, "mac_source": null, "class": "pxe", "operation": "read", "path": path })
}

fn with(who: Value, more: Value) -> Value {
    let (Value::Object(mut all), Value::Object(more)) = (who, more) else { unreachable!("objects") };
    all.extend(more);
    all.into()
}

fn running(number: u64, path: &str, rate: u64, resent: u32) -> Value {
    let more = json!({ "resolved": null, "verdict_by": null, "started_unix_ms": 0, "running_us": 9_000_000 / number,
        "size": 1000, "bytes": 250 * number, "bytes_per_second": rate, "retransmissions": resent });
    with(who(number, path), more)
}

fn snapshot(at: u64) -> Snapshot {
    let distribution = json!({ "sum_us": 0, "buckets": [] });
    let ended = json!({ "ended_unix_ms": 0, "outcome": "denied", "detail": "deny rule 1", "decision": "refused",
        "resolved": null, "verdict_by": "acl", "size": null, "bytes": 0, "blocks": 0, "blksize": 512, "windowsize": 1,
        "retransmissions": 0, "duplicates": 0, "timeouts": 0, "rtt_us": null, "decision_us": 90,
        "first_block_us": null, "duration_us": 1200 });
    let sample = json!({ "unix_ms": at, "elapsed_ms": 1000, "ended": [1, 0, 0, 0, 1, 0, 0, 0],
        "bytes_per_second": { "read": 2_500_000, "write": 0 }, "retransmissions": 0, "active": 2, "pending": 0,
        "decision_p50_us": null, "decision_p99_us": null, "duration_p50_us": null, "duration_p99_us": null });
    let totals = json!({ "admitted": 3, "active": 2, "ended": [{ "operation": "read", "outcome": "denied", "count": 1 }], "bytes": { "read": 0, "write": 0 },
        "blocks": { "read": 0, "write": 0 }, "retransmissions": 4, "duplicates": 0, "timeouts": 0,
        "duration": { "read": distribution, "write": distribution }, "rtt": distribution, "first_block": distribution,
        "decision": distribution,
        "queues": { "decisions": 7, "summaries": 0, "events": 0, "sinks": [{ "sink": "audit", "lines": 5, "broken": true }] },
        "file_cache": { "hits": 0, "misses": 0, "bytes": 0, "capacity": 1000 },
        "plugins": [{ "plugin": "acl", "loaded": true, "breaker_open": true, "running": 1, "waiting": 0, "calls": 42,
            "failures": [["trap", 3]], "opened": 1, "monitored": 0, "cache_hits": 0, "cache_misses": 0, "durations": [] }],
        "profiles": [{ "profile": "branch", "total_rate": 2_000_000, "bytes_per_second": 1_990_000, "transfers": 9,
            "waiting": 8, "bytes": 1, "waited_seconds": 1 }],
        "dropped": [{ "reason": "stray", "count": 6 }] });
    serde_json::from_value(
        json!({ "unix_ms": at, "version": "0.1.0", "started_unix_ms": 1000, "generation": 1,
        "ready": false, "reasons": [{ "check": "plugin", "detail": "`acl` fails" }], "totals": totals,
        "active": [running(1, "slow", 10, 4), running(2, "fast", 900, 0)], "active_blocks": 4,
        "finished": [with(who(3, "secret/\u{1b}[31m\u{202e}x"), ended)], "samples": [sample] }),
    )
    .expect("a snapshot")
}

fn press(state: &mut State, keys: &str) {
    for key in keys.chars() {
        let code = if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
        assert_eq!(state.press(KeyEvent::new(code, KeyModifiers::NONE)), KeyResult::Stay);
    }
}

/// Renders on a terminal with more lines than any details.
fn tall(state: &State) -> String {
    let Ok(mut terminal) = Terminal::new(TestBackend::new(120, 60));
    assert!(terminal.draw(|frame| draw(frame, state)).is_ok());
    let symbols = terminal.backend().buffer().content.chunks(120);
    symbols.map(|line| line.iter().map(|cell| cell.symbol()).collect::<String>() + "\n").collect()
}

fn screen(state: &State) -> String {
    frame(state, 120).join("\n")
}

#[test]
fn every_tab_shows_what_it_is_for() {
    let mut state = State::new(snapshot(61_000), RowQuery::default());
    let shown = screen(&state);
    for word in [
        "Tuffet 0.1.0",
        "up 1 min 0 s",
        "not ready",
        "`acl` fails",
        "2.50 MB/s to clients",
        "4 resent (50 %)",
        "0 failed",
        "1 refused",
        "peak 2.50 MB/s",
    ] {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
    let row = shown.lines().find(|line| line.contains("fast")).expect("a row");
    for word in ["192.0.2.2:2000", "█████░░░░░  50 %", "900 B/s"] {
        assert!(row.contains(word), "{word} is missing in {row}");
    }
    assert!(shown.find("fast") < shown.find("slow"), "the fastest first:\n{shown}");
    press(&mut state, "ss");
    assert!(screen(&state).find("slow") < screen(&state).find("fast"), "sent again most first");

    press(&mut state, "2");
    let row = screen(&state).lines().find(|line| line.contains("denied")).expect("a row").to_owned();
    assert!(row.contains("deny rule 1 (by acl)") && row.contains("secret/\u{fffd}[31m\u{fffd}x"), "{row}");
    press(&mut state, "3");
    let row = screen(&state).lines().find(|line| line.starts_with("acl")).expect("a row").to_owned();
    assert!(row.contains("42") && row.contains("open") && row.contains("trap 3"), "{row}");
    press(&mut state, "4");
    let shown = screen(&state);
    for word in [
        "lines in the sink audit, which is broken",
        "transfers of profile branch, for its total rate",
        "came to nothing: stray",
    ] {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
}

#[test]
fn the_filter_takes_all_words_and_is_seen() {
    let mut state = State::new(snapshot(61_000), RowQuery::default());
    press(&mut state, "/192.0.2.1 SLOW");
    assert!(screen(&state).contains("filter: 192.0.2.1 SLOW_"));
    press(&mut state, "\n");
    assert_eq!(state.running().len(), 1);
    press(&mut state, "/x");
    assert_eq!((state.running().len(), state.ended().len()), (0, 0));
    state.press(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
    assert_eq!((state.running().len(), &*state.filter), (2, ""));
}

/// At 80 columns, the names of the keys fill the last line.
#[test]
fn a_narrow_terminal_shows_the_filter_and_the_places_alone() {
    let mut snapshot = snapshot(61_000);
    snapshot.finished[0].detail = None;
    snapshot.finished[0].verdict_by = None;
    snapshot.finished[0].tried = vec!["boot:a".into()];
    let mut state = State::new(snapshot, RowQuery::default());
    press(&mut state, "/192\n2");
    let shown = frame(&state, 80);
    assert!(shown.iter().any(|line| line.starts_with("filter: 192   q quit")), "{shown:#?}");
    assert!(shown.iter().any(|line| line.contains(" tried boot:a")), "{shown:#?}");
    assert!(!shown.iter().any(|line| line.contains("; tried")), "{shown:#?}");
}

#[test]
fn a_held_screen_stays_and_then_catches_up() {
    let mut state = State::new(snapshot(61_000), RowQuery::default());
    press(&mut state, "p");
    for at in [62_000, 63_000] {
        state.show(snapshot(at));
        // The same second again: it is not plotted twice.
        state.show(snapshot(at));
    }
    assert_eq!((state.snapshot.unix_ms, state.snapshot.samples.len()), (61_000, 1));
    assert!(screen(&state).contains("paused"));
    press(&mut state, "p");
    assert_eq!((state.snapshot.unix_ms, state.snapshot.samples.len()), (63_000, 3));
    state.lost("gone".into());
    assert!(screen(&state).contains("not live: gone"));
    state.show(snapshot(64_000));
    assert!(!screen(&state).contains("not live"));
}

#[test]
fn keys_that_end_it() {
    let mut state = State::new(snapshot(61_000), RowQuery::default());
    let mut key = |code, modifiers| state.press(KeyEvent::new(code, modifiers));
    assert_eq!(key(KeyCode::Char('q'), KeyModifiers::NONE), KeyResult::Quit);
    assert_eq!(key(KeyCode::Esc, KeyModifiers::NONE), KeyResult::Quit);
    assert_eq!(key(KeyCode::Char('/'), KeyModifiers::NONE), KeyResult::Stay);
    assert_eq!(key(KeyCode::Char('q'), KeyModifiers::NONE), KeyResult::Stay, "into the filter");
    assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), KeyResult::Quit);
}

/// At 80 columns, an address fits without its port, and the reason has more room than the file.
#[test]
fn narrow_terminals_keep_time_address_and_reason() {
    let mut snapshot = snapshot(61_000);
    snapshot.finished[0].who.client = "192.168.100.200:65535".into();
    snapshot.finished[0].ended_unix_ms = 3_661_000;
    let mut state = State::new(snapshot, RowQuery::default());
    state.tab = 1;
    for (width, address) in [(80, "192.168.100.200  "), (132, "192.168.100.200:65535  ")] {
        let shown = frame(&state, width);
        let row = shown.iter().find(|line| line.contains("denied")).expect("a row");
        assert!(row.starts_with(&format!("01:01:01  denied     {address}")), "{row}");
        let head = shown.iter().find(|line| line.starts_with("UTC ")).expect("a head");
        let column = |title: &str| head.find(title).expect(title);
        let end = head.find("   BYTES").unwrap_or(usize::from(width));
        assert!(end - column("WHY") > column("WHY") - column("FILE"), "{head}");
        assert!(row.contains("deny rule 1 (by acl)"), "{row}");
    }
}

#[test]
fn enter_shows_all_about_the_selected_request() {
    let mut snapshot = snapshot(61_000);
    let denied = &mut snapshot.finished[0];
    denied.tried = vec!["boot:a".into(), "boot:b".into()];
    denied.who.requested_options = vec![("blksize".into(), "1428".into())];
    let plugin = json!({ "plugin": "acl", "hook": "authorize", "verdict": "deny", "failure": null,
        "cached": false, "took_us": 90 });
    denied.plugins = vec![serde_json::from_value(plugin).expect("a call")];
    let slow = snapshot.active.iter_mut().find(|row| row.who.path == "slow").expect("a row");
    slow.options = Some(vec![("windowsize".into(), "8".into())]);
    let mut monitored = snapshot.finished[0].plugins[0].clone();
    (monitored.plugin, monitored.verdict, monitored.monitored) = ("trial".into(), "allow".into(), true);
    slow.plugins = vec![monitored];
    let mut state = State::new(snapshot, RowQuery::default());
    press(&mut state, "j\n");
    let shown = tall(&state);
    assert!(shown.contains("read slow") && shown.contains("resent              4 packets"), "{shown}");
    for word in ["options granted     windowsize=8", "trial (authorize): allow, 90 µs, monitored"] {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
    press(&mut state, "k");
    assert!(tall(&state).contains("read fast"), "the details follow the selection");
    press(&mut state, "2\n");
    let shown = tall(&state);
    for word in ["boot:a", "boot:b", "blksize=1428", "acl (authorize): deny, 90 µs", "denied (refused)"] {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
    // Escape first closes the details, and only then the view.
    let escape = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(state.press(escape), KeyResult::Stay);
    assert!(tall(&state).contains("OUTCOME"));
    assert_eq!(state.press(escape), KeyResult::Quit);
}

/// A cut text has an ellipsis, and a path keeps its end.
#[test]
fn long_texts_end_in_an_ellipsis() {
    let mut snapshot = snapshot(61_000);
    snapshot.active[0].who.path = format!("firmware/{}end.bin", "long-".repeat(40));
    snapshot.finished[0].who.path = snapshot.active[0].who.path.clone();
    snapshot.finished[0].detail = Some("a reason ".repeat(30));
    let mut state = State::new(snapshot, RowQuery::default());
    for width in [80, 132, 200] {
        state.tab = 0;
        let shown = frame(&state, width).join("\n");
        assert!(shown.contains("  …") && shown.contains("long-end.bin  "), "{shown}");
        state.tab = 1;
        let shown = frame(&state, width);
        let row = shown.iter().find(|line| line.contains("denied")).expect("a row");
        assert!(row.contains("  …") && row.contains("-end.bin  ") && row.matches('…').count() == 2, "{row}");
    }
}

/// What does not fit on a line of the head goes on the next one.
#[test]
fn the_head_is_whole_at_80_columns() {
    let mut snapshot = snapshot(10_000_000_000);
    snapshot.host = "a-host-with-a-long-name".into();
    snapshot.totals.retransmissions = 123_456_789;
    snapshot.totals.active = 123_456;
    // The bound of the bucket is 5 min.
    snapshot.totals.decision.buckets = vec![0; 20];
    snapshot.totals.decision.buckets.push(1);
    let mut state = State::new(snapshot, RowQuery::default());
    for width in [60, 80, 132] {
        let shown = frame(&state, width);
        assert!(shown.iter().all(|line| line.chars().count() <= usize::from(width)), "{shown:#?}");
        let shown = shown.join("\n");
        for word in [
            "on a-host-with-a-long-name",
            "live",
            "not ready",
            "123456 running",
            "ended/s",
            "1 refused",
            "123456789 resent",
            "99 % decided within 5 min 0 s",
            "throughput",
        ] {
            assert!(shown.contains(word), "{word} is missing in\n{shown}");
        }
    }
    // No request waited for longer than the server runs.
    state.snapshot.unix_ms = 121_000;
    assert!(screen(&state).contains("99 % decided within 2 min 0 s"));
}

#[test]
fn the_order_is_marked_and_asked_of_the_server() {
    let mut state = State::new(snapshot(61_000), RowQuery::default());
    assert!(state.query.is_default());
    press(&mut state, "s");
    assert_eq!((&*state.query.sort(), state.sorted_by()), ("-rate", "slowest"));
    let shown = screen(&state);
    assert!(shown.contains("RATE▲") && shown.find("slow  ") < shown.find("fast  "), "{shown}");
    press(&mut state, "sS");
    assert_eq!(state.query.sort(), "-resent");
    press(&mut state, "/state:stu");
    assert!(screen(&state).contains("`; give state:moving or state:stuck"));
    assert_eq!(state.query.filter(), "state", "what is not complete is not asked");
    press(&mut state, "ck\n");
    assert_eq!((state.query.filter(), state.running().len()), ("state:stuck", 0));
    assert!(screen(&state).contains("1 Running 0 of 2"));
    // The answer of the server, which has more transfers than a snapshot.
    let mut answer = snapshot(62_000);
    (answer.active, answer.filter, answer.matching) = (Vec::new(), "state:stuck".into(), 1500);
    answer.totals.active = 5000;
    state.show(answer.clone());
    let shown = screen(&state);
    assert!(shown.contains("1 Running 0 of 1500 that match, 5000 run"), "{shown}");
    assert!(shown.contains("4 resent (50 %)"), "of all transfers, not of those that match: {shown}");
    answer.matching = 0;
    state.show(answer);
    assert!(screen(&state).contains("1 Running 0 that match, 5000 run"));
}

#[test]
fn a_query_survives_the_wire() {
    let query = RowQuery::parse("-rate", "root:boot X").expect("a query");
    let text = serde_json::to_string(&query).expect("a query");
    assert_eq!(text, r#"{"sort":"-rate","filter":"root:boot X"}"#);
    assert_eq!(serde_json::from_str::<RowQuery>(&text).expect("a query"), query);
    assert!(serde_json::from_str::<RowQuery>("{}").expect("a query").is_default());
    for wrong in [r#"{"sort":"speed"}"#, r#"{"sorted":"rate"}"#] {
        assert!(serde_json::from_str::<RowQuery>(wrong).is_err());
    }
}

/// A lost packet is normal; every twentieth is not.
#[test]
fn resent_packets_are_red_from_five_in_a_hundred_on() {
    let red = |resent: u32| {
        let mut snapshot = snapshot(61_000);
        snapshot.active.truncate(1);
        // 97 blocks.
        snapshot.active_blocks = 97;
        (snapshot.active[0].bytes, snapshot.active[0].retransmissions) = (96 * 512, resent);
        let Ok(mut terminal) = Terminal::new(TestBackend::new(120, 20));
        assert!(terminal.draw(|frame| draw(frame, &State::new(snapshot, RowQuery::default()))).is_ok());
        let cells = terminal.backend().buffer().content.chunks(120).rev();
        cells.flatten().any(|cell| cell.fg == Color::Red && cell.symbol() == resent.to_string())
    };
    assert_eq!([red(0), red(1), red(4), red(6), red(9)], [false, false, false, true, true]);
}

#[test]
fn every_size_of_a_terminal_can_be_drawn() {
    let mut state = State::new(snapshot(61_000), RowQuery::default());
    for (width, height) in [(1, 1), (10, 3), (40, 10), (80, 24), (300, 100)] {
        for tab in 0..4 {
            (state.tab, state.row) = (tab, 1000);
            let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
            assert!(terminal.draw(|frame| draw(frame, &state)).is_ok());
        }
    }
}

#[test]
fn numbers_and_texts() {
    assert_eq!(
        [bytes(0), bytes(999), bytes(1500), bytes(61_000_000)],
        ["0 B", "999 B", "1.50 kB", "61.0 MB"]
    );
    assert_eq!([micros(None), micros(Some(90)), micros(Some(2_500))], ["–", "90 µs", "2.50 ms"]);
    assert_eq!(
        [span(59), span(61), span(3_700), span(90_000)],
        ["59 s", "1 min 1 s", "1 h 1 min", "1 d 1 h"]
    );
    assert_eq!(plain("a\u{1b}]0;x\u{7}ä\n"), "a\u{fffd}]0;x\u{fffd}ä\u{fffd}");
}

#[test]
fn a_view_of_many_has_a_tab_of_servers() {
    let mut state = State::new(snapshot(2000), RowQuery::default());
    press(&mut state, "5");
    assert_eq!((state.tab, state.tabs().len()), (0, 4), "there is none in the view of one server");
    let mut many = snapshot(2000);
    let server = json!({ "server": "branch-7", "version": "0.1.0", "generation": 3, "revision": "42", "ready": true,
        "active": 2,
        "bytes_per_second": 2_500_000, "ended": 12, "failures": 1, "started_unix_ms": 0, "silent_seconds": 0 });
    let silent = with(server.clone(), json!({ "server": "branch-8", "silent_seconds": 31 }));
    many.servers = serde_json::from_value(json!([server, silent])).expect("servers");
    many.active[0].who.server = "branch-7".into();
    let mut state = State::new(many, RowQuery::default());
    assert!(frame(&state, 132).join("\n").contains("branch-7: slow"));
    press(&mut state, "5");
    let shown = frame(&state, 132).join("\n");
    for word in
        ["Servers 2", "branch-7", "ready", "branch-8", "silent 31 s", "FAILED", "REFUSED", "REVISION", " 42 "]
    {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
    press(&mut state, "1/branch-7\n");
    assert_eq!(state.running().len(), 1, "by server");
    // Enter on a server filters by it; once more shows all.
    press(&mut state, "5\n");
    assert_eq!((state.tab, &*state.filter), (0, ""));
    press(&mut state, "5j\n");
    assert_eq!((state.tab, &*state.filter, state.running().len()), (0, "branch-8", 0));
    press(&mut state, "5j\n");
    assert_eq!((&*state.filter, state.running().len()), ("", 2));
}

#[test]
fn origins_have_a_tab() {
    let origin = json!({ "root": "images", "origin": "https://files.example/boot", "breaker": "closed",
        "cache_bytes": 512_000_000, "cache_limit": 1_000_000_000, "cache_files": 3, "running": 0, "hits": 70, "misses": 4,
        "stale": 0, "fetches": 9, "failures": 0, "damaged": 0, "received": 61_000_000, "sent": 0 });
    let more = [
        json!({ "root": "away", "away_seconds": 31, "why": "refused", "stale": 5 }),
        json!({ "root": "probed", "breaker": "half-open" }),
        json!({ "root": "broken", "cache_error": "read-only" }),
    ];
    let all: Vec<Value> =
        std::iter::once(origin.clone()).chain(more.map(|it| with(origin.clone(), it))).collect();
    let mut many = snapshot(2000);
    many.origins = serde_json::from_value(all.into()).expect("origins");
    let mut state = State::new(many, RowQuery::default());
    press(&mut state, "5");
    let shown = frame(&state, 132).join("\n");
    for word in [
        "Origins 4",
        "images",
        "https://files.example/boot",
        "answers",
        "70",
        "61.0 MB",
        "512 MB of 1.00 GB",
        "away 31 s",
        "breaker open",
        "read-only",
        "STALE",
    ] {
        assert!(shown.contains(word), "{word} is missing in\n{shown}");
    }
    // Without origins the tab is gone, and the next one takes its place.
    state.show(snapshot(3000));
    press(&mut state, "5");
    assert_eq!(state.tabs().len(), 4);
    let Ok(mut terminal) = Terminal::new(TestBackend::new(80, 24));
    assert!(terminal.draw(|frame| draw(frame, &state)).is_ok());
}
