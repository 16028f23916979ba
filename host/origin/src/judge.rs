//! What the answers of origins mean.

use crate::failure::{Failure, cause};
use crate::service::Note;

/// The error of a request that does not require a path to be free. `object_store` takes each status 409 for a file that
/// exists, but stores also send it for a file in an archive, for instance.
pub(crate) fn unconditional(error: object_store::Error) -> object_store::Error {
    match error {
        object_store::Error::AlreadyExists { source, .. } => {
            object_store::Error::Generic { store: "origin", source }
        }
        other => other,
    }
}

/// As [`unconditional`], for uploads: a store sends 412 without a condition where somebody else has a lease.
pub(crate) fn unconditional_put(error: object_store::Error) -> object_store::Error {
    match unconditional(error) {
        object_store::Error::Precondition { source, .. } => {
            object_store::Error::Generic { store: "origin", source }
        }
        other => other,
    }
}

/// What an error of `object_store` means.
pub(crate) fn judge(error: &object_store::Error, note: &Note) -> Failure {
    use object_store::Error;
    let code = code(error);
    if let Some(code @ ("InvalidBlockList" | "ConditionalRequestConflict")) = code.as_deref() {
        // Azure drops the parts of all uploads of a file when one of them ends; S3 refuses one of two at once.
        let why = format!("another upload of the same file ended at the same time ({code})");
        return Failure::Collision(why.into());
    }
    match (error, note.status) {
        (Error::NotModified { .. }, _) => return Failure::NotModified,
        (Error::NotFound { .. }, _) | (_, Some(410)) => return Failure::Absent,
        (Error::AlreadyExists { .. }, _) => return Failure::Exists,
        (Error::Precondition { .. }, _) => return Failure::Changed,
        _ => {}
    }
    if code.as_deref() == Some("RequestTimeTooSkewed") {
        let why = "the clock of this machine and that of the store differ too much (RequestTimeTooSkewed); set it \
                   right, for instance by NTP";
        return Failure::Failing(why.into());
    }
    match note.status {
        Some(status @ 300..400) => match &note.trouble {
            Some(trouble) => Failure::Useless(trouble.as_str().into()),
            None => by_status(status, code.as_deref()),
        },
        Some(status @ 400..) => by_status(status, code.as_deref()),
        Some(_) => Failure::Useless(format!("its answer cannot be used: {}", cause(error)).into()),
        None => match &note.trouble {
            Some(trouble) if note.redirected => {
                Failure::Failing(format!("the server that it redirects to failed: {trouble}").into())
            }
            Some(trouble) if note.reached => Failure::Silent(trouble.as_str().into()),
            Some(trouble) => Failure::Away(trouble.as_str().into()),
            // No request was sent: there is no login, for instance.
            None => Failure::Away(cause(error).into()),
        },
    }
}

/// The failure that a status stands for, and the word of the store beside it.
pub(crate) fn by_status(status: u16, code: Option<&str>) -> Failure {
    let beside = code.map(|code| format!(" ({code})")).unwrap_or_default();
    match status {
        401 | 403 => Failure::Forbidden(
            format!("it gives no access: status {status}{beside}; correct the login or the rights").into(),
        ),
        507 => Failure::Full("it has no room: status 507".into()),
        408 | 425 | 429 | 500 | 502.. => {
            Failure::Failing(format!("it answers with the status {status}{beside}").into())
        }
        _ => Failure::Useless(format!("it answers with the status {status}{beside}").into()),
    }
}

/// The word of the store for an error, from the XML of its answer: letters and digits alone.
fn code(error: &object_store::Error) -> Option<String> {
    let text = error.to_string();
    let (_, behind) = text.split_once("<Code>")?;
    let (code, _) = behind.split_once("</Code>")?;
    (code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| code.to_owned())
}
