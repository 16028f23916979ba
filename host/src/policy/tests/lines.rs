//! What plugins log, as a subscriber sees it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

use super::*;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Lines;

    fn make_writer(&'a self) -> Lines {
        self.clone()
    }
}

/// Runs one request and gives the lines that were logged meanwhile, on this thread.
async fn lines(plugin: PluginSpec) -> Vec<String> {
    let policy = load(&authorizers(vec![plugin])).await;
    let written = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(written.clone())
        .with_ansi(false)
        .with_max_level(tracing::Level::TRACE)
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    policy.authorize(&read("a"), policy.patience()).await;
    drop(guard);
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    text.lines().filter(|line| line.contains(" tuffet::")).map(str::to_string).collect()
}

#[tokio::test]
async fn a_line_names_plugin_and_request_and_stays_one_line() {
    let lines = lines(bad("chatty", "log-once")).await;
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("WARN tuffet::plugin: one line  [31mred"), "{lines:#?}");
    assert!(lines[0].contains("plugin=chatty"), "{lines:#?}");
    assert!(lines[0].contains("request=0000000000000007"), "{lines:#?}");
    assert!(lines[0].contains("colour=\"r ed\""), "{lines:#?}");
}

#[tokio::test]
async fn a_flood_is_cut_and_counted() {
    let lines = lines(bad("flood", "log-flood")).await;
    assert_eq!(lines.len(), 33, "32 lines and the count of the others");
    assert!(lines[..32].iter().all(|line| line.len() < 1300), "long lines are cut");
    assert!(lines[32].contains("99968 log lines of one call were dropped"), "{}", lines[32]);
}

#[tokio::test]
async fn a_failure_is_logged_with_its_cause() {
    let lines = lines(bad("trap", "trap")).await;
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("WARN tuffet::policy: a plugin failed: "), "{lines:#?}");
    assert!(lines[0].contains("plugin=trap hook=\"authorize\""), "{lines:#?}");
    assert!(lines[0].contains("cause=\"trap\""), "{lines:#?}");
}
