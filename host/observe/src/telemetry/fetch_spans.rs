//! Builds the spans of requests to origins. One request may serve many clients, so each is a separate trace.

use super::spans::short;
use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use std::borrow::Cow;
use tuffet_server::origins::FetchNote;

pub(super) fn span(fetch: &FetchNote, trace: u128, scope: &InstrumentationScope) -> SpanData {
    let span = SpanId::from(fastrand::u64(1..));
    let context = SpanContext::new(TraceId::from(trace), span, TraceFlags::SAMPLED, false, TraceState::NONE);
    let mut attributes = vec![
        KeyValue::new("tftp.root", fetch.root.to_string()),
        KeyValue::new("tftp.origin", fetch.origin.to_string()),
        KeyValue::new("tftp.path", short(&fetch.path)),
        KeyValue::new("tftp.fetch.kind", fetch.kind),
        KeyValue::new("tftp.fetch.attempt", i64::from(fetch.attempt)),
        KeyValue::new("tftp.bytes", i64::try_from(fetch.bytes).unwrap_or(i64::MAX)),
    ];
    attributes
        .extend(fetch.status.map(|status| KeyValue::new("http.response.status_code", i64::from(status))));
    attributes.extend(fetch.error.as_ref().map(|_| KeyValue::new("error.type", "_OTHER")));
    SpanData {
        span_context: context,
        parent_span_id: SpanId::INVALID,
        parent_span_is_remote: false,
        span_kind: SpanKind::Client,
        name: Cow::Borrowed("tftp.fetch"),
        start_time: fetch.started,
        end_time: fetch.started + fetch.duration,
        attributes,
        dropped_attributes_count: 0,
        events: SpanEvents::default(),
        links: SpanLinks::default(),
        status: fetch.error.as_ref().map_or(Status::Unset, |error| Status::error(short(error))),
        instrumentation_scope: scope.clone(),
    }
}
