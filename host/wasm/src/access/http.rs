//! The grant `http`: `wasi:http/outgoing-handler`, limited to granted hosts.

use std::future::Future;
use std::sync::Arc;

use http::uri::{Scheme, Uri};
use http::{Request, Response};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use super::Access;
use tuffet_config::HttpHost;

/// The maximum number of requests per call of a hook.
const MAX_REQUESTS: u32 = 16;

/// Checks requests and passes granted ones on. The deadline of the call limits a request; the body of the answer goes
/// into the guest's memory, which is limited.
pub(crate) struct HttpGate {
    access: Arc<Access>,
    requests: u32,
    /// Whether a refusal was logged in this call: one line is enough.
    reported: bool,
    /// Set once the instance is configured.
    open: bool,
    /// The host of the last request of this call.
    pub last_host: Option<String>,
}

/// The future answer to a request, with a future that completes once the rest was transferred.
pub(super) type HttpFuture = Box<dyn Future<Output = Result<(Response<WasiBody>, BodyFuture), Error>> + Send>;
pub(super) type BodyFuture = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl HttpGate {
    pub fn new(access: Arc<Access>) -> HttpGate {
        HttpGate { access, requests: 0, reported: false, open: false, last_host: None }
    }

    /// Permits requests, once the instance is configured.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Resets the state for another call of a hook.
    pub fn restart(&mut self) {
        (self.requests, self.reported, self.last_host) = (0, false, None);
    }

    /// Returns why this request is refused, if it is.
    fn refusal(&self, uri: &Uri) -> Option<String> {
        if !self.open {
            return Some(super::in_configure().message);
        }
        if self.requests == MAX_REQUESTS {
            return Some(format!("more than {MAX_REQUESTS} requests in one call of a hook"));
        }
        let target = authority(uri)?;
        let default = if uri.scheme() == Some(&Scheme::HTTP) { 80 } else { 443 };
        let port = |host: &HttpHost| host.port.unwrap_or(default);
        let granted = |host: &HttpHost| host.name == target.name && port(host) == port(&target);
        (!self.access.http.iter().any(granted))
            .then(|| super::not_granted(format_args!("http/{target}")).message)
    }
}

impl WasiHttpHooks for HttpGate {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: BodyFuture,
    ) -> HttpFuture {
        if let Some(reason) = self.refusal(request.uri()) {
            if self.open && !std::mem::replace(&mut self.reported, true) && self.access.notes.take() {
                tracing::warn!(
                    target: "tuffet::policy",
                    plugin = %self.access.plugin,
                    "an HTTP request of a plugin was refused: {reason}"
                );
            }
            return Box::new(async { Err(Error::HttpRequestDenied) });
        }
        self.requests += 1;
        self.last_host = authority(request.uri()).map(|host| host.to_string());
        self.access.host.http(request, options)
    }
}

/// Returns the host of a request; `None` if it names none, which is an error later.
fn authority(uri: &Uri) -> Option<HttpHost> {
    let authority = uri.authority()?;
    Some(HttpHost { name: authority.host().to_ascii_lowercase(), port: authority.port_u16() })
}

#[cfg(test)]
mod tests {
    use super::super::LineRate;
    use super::*;
    use crate::access::Live;
    use tuffet_store::Roots;

    fn gate(hosts: &[&str]) -> HttpGate {
        let access = Access {
            unsent: None,
            plugin: "it".into(),
            client_mac: false,
            client_history: false,
            facts: Default::default(),
            clock: false,
            random: false,
            upload: false,
            metrics: None,
            keys: None,
            shared_keys: Vec::new(),
            files: Vec::new(),
            http: hosts.iter().filter_map(|host| host.parse().ok()).collect(),
            sinks: Vec::new(),
            host: Box::new(Live {
                roots: Roots::open(&[]).unwrap_or_else(|error| unreachable!("{error}")),
                history: None,
            }),
            lines: LineRate::of_plugin(&"it".into()),
            notes: LineRate::calls(&"it".into()),
        };
        let mut gate = HttpGate::new(Arc::new(access));
        gate.open();
        gate
    }

    #[test]
    fn only_the_hosts_that_are_granted() {
        let gate = gate(&["A.example", "b.example:8080", "[::1]:80"]);
        let passes = |uri: &str| gate.refusal(&Uri::try_from(uri).unwrap_or_default()).is_none();
        for good in
            ["http://a.example/x", "https://A.EXAMPLE/", "http://a.example:80/", "http://b.example:8080/"]
        {
            assert!(passes(good), "{good}");
        }
        assert!(passes("http://[::1]/x"));
        for bad in [
            "http://a.example:8080/",
            "https://a.example:80/",
            "http://b.example/",
            "http://c.example/",
            "http://a.example.evil/",
            "http://a.example@c.example/",
            "http://127.0.0.1/",
        ] {
            assert!(!passes(bad), "{bad}");
        }
    }

    #[test]
    fn not_before_it_is_configured_and_not_too_often() {
        let mut gate = gate(&["a.example"]);
        let uri = Uri::from_static("http://a.example/");
        gate.requests = MAX_REQUESTS;
        assert!(gate.refusal(&uri).is_some_and(|reason| reason.contains("more than 16 requests")));
        gate.restart();
        assert_eq!(gate.refusal(&uri), None);
        gate.open = false;
        assert!(gate.refusal(&uri).is_some_and(|reason| reason.contains("configure")));
    }
}
