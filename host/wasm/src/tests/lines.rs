//! The log lines of plugins, from a subscriber.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock, Mutex};

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

/// One subscriber for the whole process. Concurrent tests with separate ones would disturb each other, because each
/// log statement caches which subscribers are interested.
static LOG: LazyLock<Lines> = LazyLock::new(|| {
    let written = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(written.clone())
        .with_ansi(false)
        .with_max_level(tracing::Level::TRACE)
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    written
});

/// Runs one request and returns the log lines of this plugin. Each test uses another name.
async fn lines(plugin: PluginConfig) -> Vec<String> {
    let name = format!("plugin={}", plugin.name);
    let log = &*LOG;
    let policy = load(&authorizers(vec![plugin])).await;
    policy.authorize(&read("a"), policy.deadline()).await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    text.lines()
        .filter(|line| line.contains(" tuffet::") && line.contains(&name))
        .map(str::to_string)
        .collect()
}

#[tokio::test]
async fn a_line_names_plugin_and_request_and_stays_one_line() {
    let lines = lines(bad("lines-chatty", "log-once")).await;
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("WARN tuffet::plugin: one line  [31mred"), "{lines:#?}");
    assert!(lines[0].contains("plugin=lines-chatty"), "{lines:#?}");
    assert!(lines[0].contains("request=0000000000000007"), "{lines:#?}");
    assert!(lines[0].contains("colour=\"r ed\""), "{lines:#?}");
}

#[tokio::test]
async fn a_flood_is_cut_and_counted() {
    let lines = lines(bad("lines-flood", "log-flood")).await;
    assert_eq!(lines.len(), 33, "32 lines and the count of the others");
    assert!(lines[..32].iter().all(|line| line.len() < 1300), "long lines are cut");
    assert!(lines[32].contains("99968 log lines of one call were dropped"), "{}", lines[32]);
}

#[tokio::test]
async fn a_failure_is_logged_with_its_cause() {
    let lines = lines(bad("lines-trap", "trap")).await;
    // What it wrote to its standard error is for its author.
    let (failures, printed): (Vec<&String>, Vec<&String>) =
        lines.iter().partition(|line| line.contains(" WARN "));
    assert!(printed.iter().all(|line| line.contains("DEBUG tuffet::plugin: ")), "{lines:#?}");
    assert!(printed.iter().any(|line| line.contains("trapped as asked")), "{lines:#?}");
    assert_eq!(failures.len(), 1, "{lines:#?}");
    assert!(failures[0].contains("WARN tuffet::policy: a plugin failed: "), "{lines:#?}");
    assert!(failures[0].contains("plugin=lines-trap hook=\"authorize\""), "{lines:#?}");
    assert!(failures[0].contains("cause=\"trap\""), "{lines:#?}");
}
