//! Converts answers of origins to failures.

use crate::failure::{Failure, cause};
use crate::service::Note;

/// Converts the error of a request without a condition. `object_store` takes each status 409 for an existing file, but
/// stores also send it for other reasons, such as an archived file.
pub(crate) fn unconditional(error: object_store::Error) -> object_store::Error {
    match error {
        object_store::Error::AlreadyExists { source, .. } => {
            object_store::Error::Generic { store: "origin", source }
        }
        other => other,
    }
}

/// As [`unconditional`], for uploads: a store sends 412 without a condition if another client has a lease.
pub(crate) fn unconditional_put(error: object_store::Error) -> object_store::Error {
    match unconditional(error) {
        object_store::Error::Precondition { source, .. } => {
            object_store::Error::Generic { store: "origin", source }
        }
        other => other,
    }
}

/// Converts an error of `object_store`.
pub(crate) fn judge(error: &object_store::Error, note: &Note) -> Failure {
    use object_store::Error;
    let code = code(error);
    if let Some(code @ ("InvalidBlockList" | "ConditionalRequestConflict")) = code.as_deref() {
        // Azure drops the parts of all uploads of a file when one of them ends; S3 refuses one of two concurrent ones.
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
            // No request was sent, for instance because the login is missing.
            None => Failure::Away(cause(error).into()),
        },
    }
}

/// Converts a status, and the error code of the store.
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

/// Returns the error code from the XML of an answer, if it consists of letters and digits.
fn code(error: &object_store::Error) -> Option<String> {
    let text = error.to_string();
    let (_, behind) = text.split_once("<Code>")?;
    let (code, _) = behind.split_once("</Code>")?;
    (code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| code.to_owned())
}
