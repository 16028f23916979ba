//! A configuration at an HTTP URL.

use super::place::Auth;
use super::{Fetched, MAX_TEXT};
use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use std::error::Error;
use std::time::Duration;
use tuffet_policy::tls;
use url::Url;

/// How long a connection and the whole answer may take.
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(15);

/// Fetches the text; `None` if it still is the one with this ETag.
///
/// # Errors
/// Why there is none.
pub(super) async fn fetch(url: &Url, auth: &Auth, etag: Option<&str>) -> Result<Option<Fetched>, String> {
    tls::choose_provider();
    let client = Client::builder()
        .connect_timeout(CONNECT)
        .timeout(ANSWER)
        .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(explain)?;
    let mut request = client.get(url.clone());
    if let Some(token) = auth.token() {
        request = request.bearer_auth(token);
    }
    if let Some(etag) = etag {
        request = request.header(IF_NONE_MATCH, etag);
    }
    let mut answer = request.send().await.map_err(explain)?;
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED => return Ok(None),
        status => return Err(format!("the server answered {status}; correct the URL, or --config-auth")),
    }
    let revision = answer.headers().get(ETAG).and_then(|etag| etag.to_str().ok()).map(str::to_owned);
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(explain)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_TEXT {
            return Err(format!(
                "the answer is larger than {MAX_TEXT} bytes; check that it is the configuration"
            ));
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| "the answer is not UTF-8".to_owned())?;
    Ok(Some(Fetched { text, revision }))
}

/// The causes, without the URL, which may contain a secret.
fn explain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = format!("it cannot be fetched: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
