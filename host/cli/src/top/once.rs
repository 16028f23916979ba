//! One frame as plain text, for scripts.

use super::draw::draw;
use super::state::State;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::process::ExitCode;

/// The columns without `COLUMNS`.
const WIDTH: u16 = 132;
/// The lines in addition to the rows of a table.
const AROUND: u16 = 20;

pub(super) fn print(mut state: State) -> ExitCode {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = columns.filter(|columns| (40..=1000).contains(columns)).unwrap_or(WIDTH);
    let mut text = frame(&state, width);
    // The ended requests follow, without the head.
    state.tab = 1;
    let ended = frame(&state, width);
    text.pop();
    let rows = ended.iter().position(|line| line.starts_with("UTC ")).unwrap_or(0);
    text.extend_from_slice(&ended[rows.saturating_sub(1)..ended.len().saturating_sub(1)]);
    let text = text.join("\n") + "\n";
    super::super::print(&text);
    ExitCode::SUCCESS
}

/// Returns the lines of the screen with room for all rows, without trailing blanks and empty lines.
pub(super) fn frame(state: &State, width: u16) -> Vec<String> {
    let rows = match state.tab {
        0 => state.snapshot.active.len(),
        1 => state.snapshot.finished.len(),
        _ => 40,
    };
    let height = AROUND + u16::try_from(rows.min(400)).unwrap_or(u16::MAX);
    let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
    let Ok(_) = terminal.draw(|frame| draw(frame, state));
    let buffer = terminal.backend().buffer();
    let lines = buffer.content.chunks(usize::from(width));
    let lines = lines.map(|cells| {
        let line: String = cells.iter().map(|cell| cell.symbol()).collect();
        line.trim_end().to_owned()
    });
    // The line of keys stays last.
    let mut lines: Vec<String> = lines.collect();
    let keys = lines.pop();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.extend(keys);
    lines
}
