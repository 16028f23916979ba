//! A configuration at an HTTP URL.

use super::place::Auth;
use super::{Fetched, MAX_TEXT};
use reqwest::header::{ETAG, IF_NONE_MATCH, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use std::error::Error;
use std::time::Duration;
use tuffet_net::tls;
use url::Url;

/// How long a connection and the whole answer may take.
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(15);

/// The most redirects that are followed.
const REDIRECTS: usize = 5;

/// Fetches the text; `None` if it still is the one with this ETag.
///
/// # Errors
/// Why there is none.
pub(super) async fn fetch(url: &Url, auth: &Auth, etag: Option<&str>) -> Result<Option<Fetched>, String> {
    tls::choose_provider();
    let client = Client::builder()
        .connect_timeout(CONNECT)
        .timeout(ANSWER)
        .redirect(Policy::none())
        .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(explain)?;
    let mut answer = send(&client, url, auth, etag).await?;
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

/// Sends the request and follows redirects. Only the named server gets the token: a client that follows redirects by
/// itself sends it again where another server redirects, too.
async fn send(client: &Client, url: &Url, auth: &Auth, etag: Option<&str>) -> Result<Response, String> {
    let mut place = url.clone();
    for _ in 0..=REDIRECTS {
        let mut request = client.get(place.clone());
        if let Some(token) = auth.token().filter(|_| place.origin() == url.origin()) {
            request = request.bearer_auth(token);
        }
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let answer = request.send().await.map_err(explain)?;
        if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(answer);
        }
        let next = answer.headers().get(LOCATION).and_then(|to| place.join(to.to_str().ok()?).ok());
        let next = next
            .filter(|next| next.scheme() == "https" || (next.scheme() == "http" && place.scheme() == "http"));
        place = next.ok_or("the server redirects to nowhere, or to a place without TLS")?;
    }
    Err(format!("the server redirects more than {REDIRECTS} times"))
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
