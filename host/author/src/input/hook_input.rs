//! The input of a hook: a request, or events for `observe`.

use std::time::Duration;

use super::events::{self, WrittenEvent};
use super::host::InputProblem;
use super::request::WrittenRequest;
use tuffet_wasm::{Hook, HookInput};

/// Builds the input of a hook, and returns the hook if the input determines it. `now`: when requests arrive that do not say
/// when, since the beginning of 1970.
///
/// # Errors
/// The input does not fit the hook, or is invalid.
pub(crate) fn hook_input(
    hook: Option<Hook>,
    request: Option<&WrittenRequest>,
    events: Option<&[WrittenEvent]>,
    now: Duration,
) -> Result<(Option<Hook>, HookInput), InputProblem> {
    let at = |section: &'static str| {
        move |(pointer, message): InputProblem| (format!("{section}{pointer}"), message)
    };
    let wrong = |section: &str, message: &str| Err((section.to_owned(), message.to_owned()));
    match (request, events) {
        (Some(request), None) if hook != Some(Hook::Observe) => {
            let (request, upload) = request.resolve(now).map_err(at("/request"))?;
            if hook == Some(Hook::AcceptUpload) && upload.is_none() {
                let message =
                    "accept-upload is asked about an upload; add `upload: { root: NAME, content: TEXT }`";
                return wrong("/request", message);
            }
            Ok((hook, HookInput::Request(Box::new(request), upload)))
        }
        (None, Some(events)) if hook.is_none_or(|hook| hook == Hook::Observe) => {
            let events = events::resolve(events, now).map_err(at("/events"))?;
            Ok((Some(Hook::Observe), HookInput::Events(events)))
        }
        (Some(_), None) => wrong("/request", "observe takes events; write `events` in place of `request`"),
        (None, Some(_)) => wrong("/events", "events are for observe; write `request`, or `hook: observe`"),
        _ => wrong("", "write `request`, or `events` for observe: one of the two"),
    }
}
