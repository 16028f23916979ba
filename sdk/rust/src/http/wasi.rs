//! Over `wasi:http/outgoing-handler`.

use std::time::Duration;

use wasip2::clocks::monotonic_clock::subscribe_duration;
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    ErrorCode, Fields, IncomingBody, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme,
    http_error_code,
};
use wasip2::io::poll::{Pollable, poll};
use wasip2::io::streams::StreamError;

use super::{Error, Request, Response, Url, denied, invalid};
use crate::code;

/// Bytes per read or write.
const CHUNK: usize = 4096;

pub(super) fn send(request: &Request<'_>, url: &Url<'_>, time: Option<Duration>) -> Result<Response, Error> {
    let time = time.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    let over = time.map(subscribe_duration);
    let mut headers: Vec<(String, Vec<u8>)> =
        request.headers.iter().map(|(name, value)| ((*name).into(), value.as_bytes().into())).collect();
    // Simple servers read no body whose length is not given.
    if !request.body.is_empty()
        && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length"))
    {
        headers.push(("content-length".into(), request.body.len().to_string().into_bytes()));
    }
    let headers =
        Fields::from_list(&headers).map_err(|error| invalid(format_args!("a header: {error:?}")))?;
    let outgoing = OutgoingRequest::new(headers);
    let scheme = if url.tls { Scheme::Https } else { Scheme::Http };
    let method = match request.method {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "DELETE" => Method::Delete,
        other => Method::Other(other.into()),
    };
    let unsendable = |what: &str| invalid(format_args!("the {what} cannot be sent"));
    outgoing.set_method(&method).map_err(|()| unsendable("method"))?;
    outgoing.set_scheme(Some(&scheme)).map_err(|()| unsendable("scheme"))?;
    outgoing.set_authority(Some(url.authority)).map_err(|()| unsendable("host"))?;
    outgoing.set_path_with_query(Some(url.path)).map_err(|()| unsendable("path"))?;

    let body = outgoing.body().map_err(|()| unsendable("body"))?;
    let answer = handle(outgoing, time.map(options)).map_err(explain)?;
    // The response, possibly a refusal, may come before the server has taken the whole body. If none comes,
    // its error says why.
    let _ = write(body, request.body);
    answer.subscribe().block();
    let response = match answer.get() {
        Some(Ok(response)) => response.map_err(explain)?,
        _ => return Err(failed("the answer was taken already")),
    };
    let status = response.status();
    let headers = response.headers().entries();
    let body = response.consume().map_err(|()| failed("the body was taken already"))?;
    let body = read(&body, request.limit, over.as_ref())?;
    Ok(Response { status, headers, body })
}

fn write(body: OutgoingBody, content: &[u8]) -> Result<(), Error> {
    if !content.is_empty() {
        let stream = body.write().map_err(|()| invalid("the body cannot be sent"))?;
        for chunk in content.chunks(CHUNK) {
            stream.blocking_write_and_flush(chunk).map_err(broken)?;
        }
    }
    OutgoingBody::finish(body, None).map_err(explain)
}

/// Lets the server of the plugin end a request whose answer does not begin in time, and so learn that the host is away.
fn options(nanoseconds: u64) -> RequestOptions {
    let options = RequestOptions::new();
    // A server without one of them has the timer alone.
    let _ = options.set_connect_timeout(Some(nanoseconds / 2));
    let _ = options.set_first_byte_timeout(Some(nanoseconds - nanoseconds / 2));
    options
}

/// Reads at most one byte more than the limit, which shows that the body is too long, and does not wait after `over`. It
/// gives up only where it would wait, which shows the server of the plugin that the host is at fault.
fn read(body: &IncomingBody, limit: usize, over: Option<&Pollable>) -> Result<Vec<u8>, Error> {
    let stream = body.stream().map_err(|()| failed("the body was taken already"))?;
    let mut content = Vec::new();
    while content.len() <= limit {
        if let Some(over) = over
            && !poll(&[over, &stream.subscribe()]).contains(&1)
        {
            return Err(failed("the rest of it took too long"));
        }
        match stream.blocking_read(CHUNK as u64) {
            Ok(bytes) => content.extend_from_slice(&bytes),
            Err(StreamError::Closed) => break,
            Err(error) => return Err(broken(error)),
        }
    }
    Ok(content)
}

fn explain(error: ErrorCode) -> Error {
    match error {
        ErrorCode::HttpRequestDenied => denied(),
        ErrorCode::InternalError(Some(why)) => failed(why),
        ErrorCode::ConnectionRefused => failed("there is no connection to the host"),
        ErrorCode::HttpResponseTimeout => failed("it did not begin in time"),
        ErrorCode::ConnectionTerminated | ErrorCode::HttpResponseIncomplete => {
            failed("the connection ended before its end")
        }
        ErrorCode::TlsCertificateError => failed("the certificate of the host is not trusted"),
        error => failed(format_args!("{error:?}")),
    }
}

/// Explains why a body broke off.
fn broken(error: StreamError) -> Error {
    match error {
        StreamError::LastOperationFailed(error) => match http_error_code(&error) {
            Some(code) => explain(code),
            None => failed("the connection ended before its end"),
        },
        StreamError::Closed => failed("the connection was closed"),
    }
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::new(code::UNAVAILABLE, format!("no answer: {why}"))
}
