//! Templates, and what is wrong with them.

use std::error::Error as _;

use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};
use tuffet_sdk::files;

use crate::MAX_FILE;

/// How deep templates may include one another and macros call themselves.
const MAX_DEPTH: usize = 50;

/// Bytes of a line that an error shows.
const MAX_LINE: usize = 120;

/// The content, or an error that names template and line. Time, memory and the size of the content are
/// bounded by the host.
pub(crate) fn render(root: &str, template: &str, context: Value) -> Result<String, String> {
    let mut environment = Environment::new();
    // A variable that is missing must not leave a hole in a configuration.
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
        Err(error) => Err(failed(format!("cannot be read: {error:?}"))),
    }
}

/// Template, line and what stands there, of the innermost error: where a template includes another, that is
/// the one in which it happened.
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
