//! Over `wasi:http/outgoing-handler`.

use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{
    ErrorCode, Fields, IncomingBody, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme,
};
use wasip2::io::streams::StreamError;

use super::{Error, Request, Response, Url, denied, invalid};
use crate::code;

/// Bytes per read or write.
const CHUNK: usize = 4096;

pub(super) fn send(request: &Request<'_>, url: &Url<'_>) -> Result<Response, Error> {
    let headers: Vec<(String, Vec<u8>)> =
        request.headers.iter().map(|(name, value)| ((*name).into(), value.as_bytes().into())).collect();
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
    let answer = handle(outgoing, None::<RequestOptions>).map_err(explain)?;
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
    let body = read(&body, request.limit)?;
    Ok(Response { status, headers, body })
}

fn write(body: OutgoingBody, content: &[u8]) -> Result<(), Error> {
    if !content.is_empty() {
        let stream = body.write().map_err(|()| invalid("the body cannot be sent"))?;
        for chunk in content.chunks(CHUNK) {
            stream.blocking_write_and_flush(chunk).map_err(|error| failed(format_args!("{error:?}")))?;
        }
    }
    OutgoingBody::finish(body, None).map_err(explain)
}

/// Reads at most one byte more than the limit, which shows that the body is too long.
fn read(body: &IncomingBody, limit: usize) -> Result<Vec<u8>, Error> {
    let stream = body.stream().map_err(|()| failed("the body was taken already"))?;
    let mut content = Vec::new();
    while content.len() <= limit {
        match stream.blocking_read(CHUNK as u64) {
            Ok(bytes) => content.extend_from_slice(&bytes),
            Err(StreamError::Closed) => break,
            Err(error) => return Err(failed(format_args!("{error:?}"))),
        }
    }
    Ok(content)
}

fn explain(error: ErrorCode) -> Error {
    match error {
        ErrorCode::HttpRequestDenied => denied(),
        error => failed(format_args!("{error:?}")),
    }
}

fn failed(why: impl std::fmt::Display) -> Error {
    Error::new(code::UNAVAILABLE, format!("no answer: {why}"))
}
