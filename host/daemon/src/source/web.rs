//! A configuration at an HTTP URL.

use super::location::Auth;
use super::{FetchedText, MAX_TEXT};
use reqwest::header::{ETAG, IF_NONE_MATCH, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use std::error::Error;
use std::time::Duration;
use tuffet_net::tls;
use url::Url;

/// The time limits of a connection, and of the whole request.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const TOTAL_TIMEOUT: Duration = Duration::from_secs(15);

/// The most redirects to follow.
const MAX_REDIRECTS: usize = 5;

/// Fetches the text; `None` if its ETag is unchanged.
///
/// # Errors
/// The text cannot be fetched: the reason.
pub(super) async fn fetch(url: &Url, auth: &Auth, etag: Option<&str>) -> Result<Option<FetchedText>, String> {
    tls::choose_provider();
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        .redirect(Policy::none())
        .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(explain)?;
    let mut response = send(&client, url, auth, etag).await?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED => return Ok(None),
        status => return Err(format!("the server answered {status}; correct the URL, or --config-auth")),
    }
    let revision = response.headers().get(ETAG).and_then(|etag| etag.to_str().ok()).map(str::to_owned);
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(explain)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_TEXT {
            return Err(format!(
                "the answer is larger than {MAX_TEXT} bytes; check that it is the configuration"
            ));
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| "the answer is not UTF-8".to_owned())?;
    Ok(Some(FetchedText { text, revision }))
}

/// Sends the request and follows redirects. Only the named server gets the token: the redirects of `reqwest` would send
/// it to other servers.
async fn send(client: &Client, url: &Url, auth: &Auth, etag: Option<&str>) -> Result<Response, String> {
    let mut current = url.clone();
    for _ in 0..=MAX_REDIRECTS {
        let mut request = client.get(current.clone());
        if let Some(token) = auth.token().filter(|_| current.origin() == url.origin()) {
            request = request.bearer_auth(token);
        }
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let response = request.send().await.map_err(explain)?;
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(response);
        }
        let next = response.headers().get(LOCATION).and_then(|to| current.join(to.to_str().ok()?).ok());
        let next = next.filter(|next| {
            next.scheme() == "https" || (next.scheme() == "http" && current.scheme() == "http")
        });
        current = next.ok_or("the server redirects to an invalid URL, or to one without TLS")?;
    }
    Err(format!("the server redirects more than {MAX_REDIRECTS} times"))
}

/// Returns the error with its causes, without the URL, which may contain a secret.
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
