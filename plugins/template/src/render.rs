//! Renders templates and explains their errors.

use std::error::Error as _;

use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};
use tuffet_sdk::files;

use crate::MAX_FILE;

/// How deep includes and macro calls may nest.
const MAX_DEPTH: usize = 50;

/// Length of a line that an error shows, in bytes.
const MAX_LINE: usize = 120;

/// Returns the content, or an error that names template and line. The host limits the time, the memory and
/// the size of the content.
pub(crate) fn render(root: &str, template: &str, context: Value) -> Result<String, String> {
    let mut environment = Environment::new();
    // A missing variable must not leave a hole in a configuration.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_keep_trailing_newline(true);
    environment.set_recursion_limit(MAX_DEPTH);
    environment.set_auto_escape_callback(|name| {
        let name = name.strip_suffix(".j2").unwrap_or(name);
        if name.ends_with(".xml") { AutoEscape::Html } else { AutoEscape::None }
    });
    let its = root.to_string();
    environment.set_loader(move |name| load(&its, name));
    environment
        .get_template(template)
        .and_then(|template| template.render(context))
        .map_err(|error| explain(root, template, &error))
}

fn load(root: &str, name: &str) -> Result<Option<String>, Error> {
    let failed = |why: String| Error::new(ErrorKind::InvalidOperation, format!("{root}:{name} {why}"));
    match files::read(root, name, MAX_FILE) {
        Ok(Some(text)) => String::from_utf8(text).map(Some).map_err(|_| failed("is not UTF-8".into())),
        Ok(None) => Ok(None),
        Err(error) => Err(failed(format!("cannot be read: {error}"))),
    }
}

/// Names template, line and the text of the line, for the innermost error: if a template includes another,
/// that is the one that failed.
fn explain(root: &str, template: &str, error: &Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source().and_then(|cause| cause.downcast_ref::<Error>()) {
        error = cause;
    }
    let name = error.name().unwrap_or(template);
    let what = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    let Some(number) = error.line() else { return format!("{root}:{name}: {what}") };
    let text = files::read(root, name, MAX_FILE).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().nth(number.saturating_sub(1)).unwrap_or_default().trim();
    let line = &line[..line.floor_char_boundary(MAX_LINE)];
    format!("{root}:{name} line {number}: {what} in `{line}`")
}
