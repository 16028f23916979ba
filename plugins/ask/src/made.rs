//! Content by value.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tuffet_sdk::Content;

use crate::words::check_line;

/// The most bytes of the name of a content.
const MAX_NAME: usize = 200;

/// The content that one of `text` and `base64` has.
pub(crate) fn bytes(
    text: Option<String>,
    base64: Option<String>,
    name: Option<String>,
) -> Result<Content, String> {
    let data = match (text, base64) {
        (Some(text), None) => text.into_bytes(),
        (None, Some(base64)) => {
            STANDARD.decode(base64).map_err(|error| format!("`base64` is not Base64: {error}"))?
        }
        _ => return Err("content has one of `text` and `base64`".into()),
    };
    name.as_deref().map_or(Ok(()), |name| check_line("name", name, MAX_NAME))?;
    Ok(Content { name, data, attributes: Vec::new() })
}
