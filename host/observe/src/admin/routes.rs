//! The routes of the admin listener.

use super::access::{Access, own_pages_only, with_token};
use super::connections::ConnectionSlot;
use super::liveness::{PING_TIMEOUT, WorkerLiveness};
use super::page::FILES;
use crate::feed::Feed;
use crate::fleet::Servers;
use crate::telemetry;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::stream;
use serde_json::json;
use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use tuffet_server::status::{CHECKS, Reason};
use tuffet_server::watch::{RowQuery, Watch};

/// The state behind the routes.
#[derive(Clone)]
pub struct AdminState {
    /// The counters and views of the server.
    pub watch: Watch,
    /// The live view.
    pub feed: Feed,
    /// The view of all servers, if this server publishes its transfers.
    pub servers: Option<Feed<Servers>>,
    /// Pings the workers.
    pub liveness: Arc<WorkerLiveness>,
    /// The access control.
    pub access: Access,
}

pub(super) fn router(state: AdminState) -> Router {
    let access = state.access.clone();
    let guarded = Router::new()
        .route("/api/snapshot", get(snapshot))
        .route("/api/live", get(live))
        .route("/metrics", get(metrics))
        .route_layer(from_fn_with_state(access.clone(), with_token));
    let page =
        FILES.iter().fold(Router::new(), |router, file| router.route(file.path, get(move || ready(file))));
    Router::new()
        .route("/livez", get(livez))
        .route("/readyz", get(readyz))
        .merge(guarded)
        .merge(page)
        .layer(from_fn_with_state(access, own_pages_only))
        .layer(map_response(harden))
        .with_state(state)
}

/// Reports whether the process works: all workers answer. The running handler itself proves that the control runtime
/// works.
async fn livez(State(state): State<AdminState>) -> Response {
    // During a drain idle workers have exited, and the process will follow.
    let silent = if state.watch.is_draining() { Vec::new() } else { state.liveness.silent().await };
    let status = if silent.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let silent: Vec<String> = silent
        .iter()
        .map(|number| format!("worker {number} did not answer within {} s", PING_TIMEOUT.as_secs()))
        .collect();
    (status, Json(json!({ "live": silent.is_empty(), "silent": silent }))).into_response()
}

/// Reports whether the server should receive requests, and why not. Details require the token.
async fn readyz(
    State(state): State<AdminState>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let wrong = query.iter().find(|(key, check)| key != "exclude" || !CHECKS.contains(&&**check));
    if let Some((key, value)) = wrong {
        let message =
            format!("{key}={value} is not known; write exclude= and one of {}\n", CHECKS.join(", "));
        return (StatusCode::BAD_REQUEST, message).into_response();
    }
    let its = state.watch.state().without(|check| query.iter().any(|(_, excluded)| *excluded == check));
    let status = if its.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let mut body = json!(its);
    if !state.access.is_given(&headers) {
        let checks = |of: &[Reason]| of.iter().map(|it| json!({ "check": it.check })).collect();
        body["reasons"] = checks(&its.reasons);
        if !its.degraded.is_empty() {
            body["degraded"] = checks(&its.degraded);
        }
    }
    (status, Json(body)).into_response()
}

/// Returns one snapshot, with the rows that `sort` and `filter` ask for.
async fn snapshot(State(state): State<AdminState>, Query(query): Query<Vec<(String, String)>>) -> Response {
    match rows_of(&query) {
        Ok((rows, false)) => Json(state.watch.snapshot_of(0, &rows)).into_response(),
        Ok((_, true)) => wrong("servers=all is known at /api/live alone"),
        Err(what) => wrong(&what),
    }
}

/// Returns the rows that a query asks for, and whether it asks for all servers.
fn rows_of(query: &[(String, String)]) -> Result<(RowQuery, bool), String> {
    let (mut sort, mut filter, mut all) = ("", "", false);
    for (key, value) in query {
        match (&**key, &**value) {
            ("sort", value) => sort = value,
            ("filter", value) => filter = value,
            ("servers", "all") => all = true,
            _ => return Err(format!("{key}={value} is not known; write sort=, filter= or servers=all")),
        }
    }
    Ok((RowQuery::parse(sort, filter)?, all))
}

fn wrong(what: &str) -> Response {
    (StatusCode::BAD_REQUEST, format!("{what}\n")).into_response()
}

/// Returns the metrics for Prometheus.
async fn metrics(State(state): State<AdminState>) -> Response {
    ([(CONTENT_TYPE, telemetry::CONTENT_TYPE)], telemetry::exposition(&state.watch)).into_response()
}

/// Sends server-sent events: a snapshot at once and one per second. The first has all samples, the others only the
/// newest.
///
/// With `servers=all`, the snapshots cover all servers that publish on the same NATS subject. `sort` and `filter` choose
/// the rows.
async fn live(
    State(state): State<AdminState>,
    Extension(slot): Extension<Arc<ConnectionSlot>>,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    let (peer, leave) = slot.seat();
    let viewer = match (rows_of(&query), &state.servers) {
        (Ok((rows, false)), _) => state.feed.join(rows, peer, leave),
        (Ok((rows, true)), Some(servers)) => servers.join(rows, peer, leave),
        (Ok((_, true)), None) => {
            let message = "this server does not publish its transfers; write `events: { nats: … }`\n";
            return (StatusCode::NOT_FOUND, message).into_response();
        }
        (Err(what), _) => return wrong(&what),
    };
    let Some(viewer) = viewer else {
        let message = "too many viewers, and your address has its share of them; close another view\n";
        return (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "5")], message).into_response();
    };
    let events = stream::unfold((viewer, slot.watch()), async |(mut viewer, watching)| {
        let snapshot = viewer.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(format!("data: {snapshot}\n\n"))), (viewer, watching)))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (HeaderName::from_static("x-accel-buffering"), "no")];
    (headers, Body::from_stream(events)).into_response()
}

/// Adds headers to all answers: no caching, no content sniffing, no use by other origins.
async fn harden(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
