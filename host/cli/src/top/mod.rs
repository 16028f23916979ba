//! `tuffet top`: the live view in the terminal.

mod details;
mod draw;
mod nats;
mod once;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod text;

use super::control::ServerArgs;
use super::print_stderr;
use clap::Args;
use parking_lot::Mutex;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use source::{Source, Update};
use state::{KeyResult, State};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use tokio::signal::unix::{SignalKind, signal};
use tuffet_server::watch::RowQuery;

#[derive(Debug, Args)]
pub(super) struct TopArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Read from the admin listener at `http://HOST:PORT` instead of a control socket.
    #[arg(long, value_name = "URL", conflicts_with_all = ["file", "config", "control"])]
    url: Option<String>,
    /// The file with the token of the admin listener.
    #[arg(long, value_name = "FILE", requires = "url")]
    token_file: Option<PathBuf>,
    /// Show all servers that publish their transfers on NATS, at nats://HOST:PORT or tls://HOST:PORT.
    #[arg(long, value_name = "URL", conflicts_with_all = ["file", "config", "control", "url"])]
    nats: Option<String>,
    /// The beginning of their subjects, as in `events`.
    #[arg(long, value_name = "SUBJECT", requires = "nats", default_value = "tuffet")]
    subject: String,
    /// The file with the token for NATS, or with NATS credentials.
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_auth: Option<PathBuf>,
    /// Sort the running transfers: rate, progress, resent, age, client or file, reversed with - before it. Default: the
    /// fastest first, and of more than 200 the fastest and the slowest.
    #[arg(
        long,
        value_name = "KEY",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    sort: String,
    /// Show what matches all of these words: a text, client:TEXT, file:TEXT, root:NAME, state:stuck, state:moving, or
    /// outcome:NAME.
    #[arg(long, value_name = "WORDS", default_value = "", hide_default_value = true)]
    filter: String,
    /// Print one frame as plain text. The default if the output is not a terminal.
    #[arg(long)]
    once: bool,
}

/// An event of the main loop.
enum Input {
    Update(Update),
    Terminal(Event),
    /// A signal, or the terminal has closed.
    Over,
}

/// Runs the live view. Exit code: 0, 64 for invalid arguments, 69 if no server answers, 71 if the terminal
/// fails.
pub(super) fn top(args: &TopArgs) -> ExitCode {
    let source = match Source::of(args) {
        Ok(source) => source,
        Err((code, message)) => {
            print_stderr(message);
            return ExitCode::from(code);
        }
    };
    let query = match RowQuery::parse(&args.sort, &args.filter) {
        Ok(query) => query,
        Err(message) => {
            print_stderr(message);
            return ExitCode::from(64);
        }
    };
    let first = match source.first(&query) {
        Ok(first) => first,
        Err(error) => {
            print_stderr(format_args!(
                "{source} does not answer: {error}; start the server, or name another one"
            ));
            return ExitCode::from(69);
        }
    };
    if args.once || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return once::print(State::new(first, query));
    }
    match watch(source, State::new(first, query)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_stderr(format_args!("the terminal fails: {error}"));
            ExitCode::from(71)
        }
    }
}

fn watch(source: Source, mut state: State) -> io::Result<()> {
    let (inputs, received) = mpsc::channel();
    for (signals, inputs) in [(true, inputs.clone()), (false, inputs.clone())] {
        let name = if signals { "tuffet-signals" } else { "tuffet-input" };
        let work = move || if signals { wait_for_signals(&inputs) } else { read_input(&inputs) };
        thread::Builder::new().name(name.into()).spawn(work)?;
    }
    let wanted = Arc::new(Mutex::new(state.query.clone()));
    let its = Arc::clone(&wanted);
    thread::Builder::new().name("tuffet-source".into()).spawn(move || {
        source.follow(&its, |update| inputs.send(Input::Update(update)).is_ok());
    })?;
    // Also sets a hook that restores the terminal before the message of a panic.
    let mut terminal = ratatui::try_init()?;
    let result = turn(&mut terminal, &mut state, &received, &wanted);
    ratatui::try_restore()?;
    result
}

fn turn(
    terminal: &mut DefaultTerminal,
    state: &mut State,
    received: &Receiver<Input>,
    wanted: &Mutex<RowQuery>,
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| draw::draw(frame, state))?;
        let mut next = received.recv().ok();
        // Handles all queued events before the next drawing.
        while let Some(it) = next {
            match it {
                Input::Update(Update::Snapshot(snapshot)) => state.show(*snapshot),
                Input::Update(Update::Lost(reason)) => state.lost(reason),
                Input::Terminal(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                    if state.press(key) == KeyResult::Quit {
                        return Ok(());
                    }
                }
                Input::Terminal(_) => {}
                Input::Over => return Ok(()),
            }
            next = received.try_recv().ok();
        }
        let mut wanted = wanted.lock();
        if *wanted != state.query {
            wanted.clone_from(&state.query);
        }
    }
}

fn read_input(inputs: &Sender<Input>) {
    while let Ok(event) = event::read() {
        if inputs.send(Input::Terminal(event)).is_err() {
            return;
        }
    }
    let _ = inputs.send(Input::Over);
}

/// Waits for signals, so that the terminal is restored when the process is asked to end.
fn wait_for_signals(inputs: &Sender<Input>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let all =
            (signal(SignalKind::terminate()), signal(SignalKind::hangup()), signal(SignalKind::interrupt()));
        let (Ok(mut terminate), Ok(mut hangup), Ok(mut interrupt)) = all else { return };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
        }
        let _ = inputs.send(Input::Over);
    });
}
