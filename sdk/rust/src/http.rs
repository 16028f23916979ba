//! HTTP requests to granted hosts: `http/HOST:PORT`. Needs the feature `http` of this crate.
//!
//! A small blocking client over `wasi:http`. A request counts towards the time limit of the call that sends
//! it, so the HTTP server should be near, and the plugin's `limits.wall` long enough. Not available in
//! [`configure`](crate::Plugin).

#[cfg(target_family = "wasm")]
mod wasi;

#[cfg(not(target_family = "wasm"))]
use crate::testing::http as wasi;

pub use crate::Error;
use crate::code;
use std::time::Duration;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'a> {
    /// `GET`, `POST` and the like.
    pub method: &'a str,
    /// `http://` or `https://`, with host and port exactly as granted.
    pub url: &'a str,
    /// Names and values. `host` is set from the URL.
    pub headers: &'a [(&'a str, &'a str)],
    /// May be empty.
    pub body: &'a [u8],
    /// Largest body of the response, in bytes.
    pub limit: usize,
}

/// A response, whatever its status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// For example 200.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The whole body.
    pub body: Vec<u8>,
}

/// Sends a GET request for a URL, whose response may have a body of at most `limit` bytes.
///
/// # Errors
/// There is no response: the URL or a header is invalid, the host is not granted, or the call has already sent 16 requests,
/// the body is longer than `limit`, or the host or the network failed. A status such as 404 is a response, not an error.
pub fn get(url: &str, limit: usize) -> Result<Response, Error> {
    send(&Request { method: "GET", url, headers: &[], body: &[], limit })
}

/// Sends a request.
///
/// # Errors
/// As [`get`].
pub fn send(request: &Request<'_>) -> Result<Response, Error> {
    exchange(request, None)
}

/// Sends a request, and gives up after this time: a plugin that knows what to answer without the HTTP server leaves itself
/// time to do so. Keep it below the plugin's `limits.wall`. It needs no grant `clock`.
///
/// # Errors
/// As [`get`], and the whole response was not there in time (`unavailable`).
pub fn send_within(request: &Request<'_>, time: Duration) -> Result<Response, Error> {
    exchange(request, Some(time))
}

fn exchange(request: &Request<'_>, time: Option<Duration>) -> Result<Response, Error> {
    let url = Url::parse(request.url)?;
    let response = wasi::send(request, &url, time)?;
    if response.body.len() > request.limit {
        return Err(Error::new(code::TOO_LARGE, "the answer is too large"));
    }
    Ok(response)
}

fn invalid(what: impl std::fmt::Display) -> Error {
    Error::new(code::BAD_ARGUMENT, format!("no request: {what}"))
}

pub(crate) fn denied() -> Error {
    Error::new(code::NOT_GRANTED, "the request was refused, the server's log says why")
}

/// The parts of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Url<'a> {
    /// Whether the scheme is https.
    pub tls: bool,
    pub authority: &'a str,
    /// Starts with `/`.
    pub path: &'a str,
}

impl Url<'_> {
    fn parse(url: &str) -> Result<Url<'_>, Error> {
        let (tls, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(invalid(format_args!("{url:?} does not begin with http:// or https://"))),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, path) = match rest.find(['/', '?']) {
            Some(end) => rest.split_at(end),
            None => (rest, "/"),
        };
        if authority.is_empty() || !path.starts_with('/') {
            return Err(invalid(format_args!("{url:?} is not http://HOST/PATH")));
        }
        Ok(Url { tls, authority, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let url = |tls, authority, path| Ok(Url { tls, authority, path });
        assert_eq!(Url::parse("http://a:80/b?c#d"), url(false, "a:80", "/b?c"));
        assert_eq!(Url::parse("https://[::1]"), url(true, "[::1]", "/"));
        for bad in ["a/b", "ftp://a/", "http://", "http:///b", "http://a?b"] {
            assert!(Url::parse(bad).is_err_and(|error| error.is(code::BAD_ARGUMENT)), "{bad}");
        }
    }

    #[test]
    fn answers_of_native_tests() {
        let there = Response { status: 200, body: b"there".to_vec(), ..Response::default() };
        crate::testing::put_response("http://a/b", there.clone());
        assert_eq!(get("http://a/b", 5), Ok(there));
        assert!(get("http://a/b", 4).is_err_and(|error| error.is(code::TOO_LARGE)));
        assert_eq!(get("http://a/c", 4), Err(denied()));
    }
}
