//! The sink of kind `otlp`: an OpenTelemetry collector.

use super::super::tree::join;
use super::super::written;
use super::sinks::batch;
use super::{Resolver, check_endpoint};
use crate::sinks::{OtlpTarget, SinkTarget};

impl Resolver<'_> {
    pub(super) fn sink_otlp(&mut self, pointer: &str, otlp: &written::Otlp) -> Option<SinkTarget> {
        let before = self.findings.len();
        if let Err(complaint) = check_endpoint(&otlp.endpoint, otlp.protocol) {
            self.wrong(join(pointer, "endpoint"), complaint);
        }
        let headers = self.headers(&join(pointer, "headers"), &otlp.headers);
        (self.findings.len() == before).then(|| {
            SinkTarget::Otlp(OtlpTarget {
                endpoint: otlp.endpoint.clone(),
                protocol: otlp.protocol,
                headers,
                batch: batch(&otlp.batch),
                timeout: otlp.timeout.0,
                resource: self.resource.clone(),
            })
        })
    }
}
