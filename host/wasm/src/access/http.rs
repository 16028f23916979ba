//! The grant `http`: `wasi:http/outgoing-handler`, limited to granted hosts.

use std::future::Future;
use std::sync::Arc;

use http::uri::{Scheme, Uri};
use http::{Request, Response};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use super::Access;
use super::http_body::Watched;
use super::http_host::{GrantedHost, HttpCaller};
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
    /// The call that sends requests.
    pub caller: HttpCaller,
    /// The bodies of the answers in this call.
    bodies: Vec<Watched>,
}

/// The answer to a request, with a future that completes once the rest was transferred.
pub(super) type HttpAnswer = (Response<WasiBody>, BodyFuture);
pub(super) type HttpFuture = Box<dyn Future<Output = Result<HttpAnswer, Error>> + Send>;
pub(super) type BodyFuture = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl HttpGate {
    pub fn new(access: Arc<Access>) -> HttpGate {
        let caller = HttpCaller::SERVER;
        HttpGate {
            access,
            requests: 0,
            reported: false,
            open: false,
            last_host: None,
            caller,
            bodies: Vec::new(),
        }
    }

    /// Permits requests, once the instance is configured.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Resets the state for another call of a hook.
    pub fn restart(&mut self) {
        self.end();
        (self.requests, self.reported, self.last_host) = (0, false, None);
    }

    /// Ends a call, and with it all reading, though the plugin may have kept an answer.
    pub fn end(&mut self) {
        self.bodies.drain(..).for_each(|watched| watched.abandon());
    }

    /// Returns the host that this request goes to; `None` if it names none, which is an error later.
    ///
    /// # Errors
    /// Why the request is refused.
    fn granted(&self, uri: &Uri) -> Result<Option<&Arc<GrantedHost>>, String> {
        if !self.open {
            return Err(super::in_configure().message);
        }
        if self.requests == MAX_REQUESTS {
            return Err(format!("more than {MAX_REQUESTS} requests in one call of a hook"));
        }
        let Some(target) = authority(uri) else { return Ok(None) };
        let default = if uri.scheme() == Some(&Scheme::HTTP) { 80 } else { 443 };
        let port = |host: &HttpHost| host.port.unwrap_or(default);
        let is_it =
            |its: &&Arc<GrantedHost>| its.host.name == target.name && port(&its.host) == port(&target);
        let host = self.access.http.iter().find(is_it);
        host.map(Some).ok_or_else(|| super::not_granted(format_args!("http/{target}")).message)
    }

    /// Logs a refusal.
    fn report(&mut self, reason: &str) {
        if self.open && !std::mem::replace(&mut self.reported, true) && self.access.notes.take() {
            tracing::warn!(
                target: "tuffet::policy",
                plugin = %self.access.plugin,
                "an HTTP request of a plugin was refused: {reason}"
            );
        }
    }
}

impl WasiHttpHooks for HttpGate {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: BodyFuture,
    ) -> HttpFuture {
        let host = self.granted(request.uri()).map(|host| host.cloned());
        let host = match host {
            Ok(host) => host,
            Err(reason) => {
                self.report(&reason);
                return Box::new(async { Err(Error::HttpRequestDenied) });
            }
        };
        self.requests += 1;
        self.last_host = authority(request.uri()).map(|host| host.to_string());
        let answer = self.access.host.http(request, options);
        match host {
            Some(host) => {
                let watched = Watched::default();
                self.bodies.push(watched.clone());
                Box::new(host.send(Arc::clone(&self.access.plugin), self.caller.clone(), watched, answer))
            }
            None => answer,
        }
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
    use tuffet_policy::BreakerLimits;
    use tuffet_store::Roots;

    fn gate(hosts: &[&str]) -> HttpGate {
        let access = Access {
            unsent: None,
            plugin: "it".into(),
            secrets: Default::default(),
            client_mac: false,
            client_history: false,
            facts: Default::default(),
            clock: false,
            unasked_clock: None,
            random: false,
            upload: false,
            metrics: None,
            keys: None,
            shared_keys: Vec::new(),
            files: Vec::new(),
            http: hosts
                .iter()
                .map(|host| GrantedHost::new(host.parse().unwrap(), BreakerLimits::NEVER))
                .collect(),
            sinks: Vec::new(),
            host: Box::new(Live {
                roots: Roots::open(&[]).unwrap_or_else(|error| unreachable!("{error}")),
                history: None,
            }),
            lines: Arc::new(LineRate::of_plugin(&"it".into())),
            notes: Arc::new(LineRate::calls("plugin", &"it".into())),
        };
        let mut gate = HttpGate::new(Arc::new(access));
        gate.open();
        gate
    }

    #[test]
    fn only_the_hosts_that_are_granted() {
        let gate = gate(&["A.example", "b.example:8080", "[::1]:80"]);
        let passes = |uri: &str| gate.granted(&Uri::try_from(uri).unwrap_or_default()).is_ok();
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
        assert!(gate.granted(&uri).is_err_and(|reason| reason.contains("more than 16 requests")));
        gate.restart();
        assert!(gate.granted(&uri).is_ok());
        gate.open = false;
        assert!(gate.granted(&uri).is_err_and(|reason| reason.contains("configure")));
    }
}
