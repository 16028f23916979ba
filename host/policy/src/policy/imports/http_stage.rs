//! Requests by HTTP of a plugin that is tried out: answered with what was given, or by the world, whose
//! answers are learned.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::http::Work;
use super::http_send::send;
use crate::policy::stage::{Exchange, HttpAnswer, Stage};

/// Bytes of a body that is learned.
const MAX_BODY: usize = 8 << 20;

/// Headers of a connection, which mean nothing when the answer is given again.
const OF_CONNECTION: [&str; 3] = ["connection", "keep-alive", "transfer-encoding"];

/// What a request comes to.
pub(super) async fn answer(
    stage: Arc<Stage>,
    request: Request<WasiBody>,
    options: Option<RequestOptions>,
) -> Result<(Response<WasiBody>, Work), Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let (method, url) = (head.method.to_string(), head.uri.to_string());
    let answer = match stage.http(&method, &url, &body) {
        Err(()) => return Err(Error::HttpRequestDenied),
        Ok(Some(answer)) => answer,
        Ok(None) => {
            let request = Request::from_parts(head, whole(body.clone()));
            let answer = fetch(request, options).await?;
            if stage.records() {
                let body = (!body.is_empty()).then(|| body.to_vec());
                stage.learn_http(Exchange { method, url, body, answer: answer.clone() });
            }
            answer
        }
    };
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    let response = response.body(whole(answer.body.into()));
    let response = response.map_err(|error| Error::InternalError(Some(error.to_string())))?;
    Ok((response, Box::new(async { Ok(()) })))
}

/// Sends a request and takes the whole answer.
async fn fetch(request: Request<WasiBody>, options: Option<RequestOptions>) -> Result<HttpAnswer, Error> {
    let (response, _) = send(request, options).await?;
    let (head, body) = response.into_parts();
    let body = Limited::new(body, MAX_BODY).collect().await;
    let body = body.map_err(|_| Error::HttpResponseBodySize(None))?.to_bytes();
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, value) in &head.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        match headers.iter_mut().find(|(known, _)| known == name.as_str()) {
            Some((_, known)) => *known = format!("{known}, {value}"),
            None if OF_CONNECTION.contains(&name.as_str()) => {}
            None => headers.push((name.to_string(), value.into_owned())),
        }
    }
    Ok(HttpAnswer { status: head.status.as_u16(), headers, body: body.to_vec() })
}

fn whole(body: Bytes) -> WasiBody {
    Full::new(body).map_err(|never| match never {}).boxed_unsync()
}
