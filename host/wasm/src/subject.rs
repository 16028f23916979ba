//! The subject of a plugin call, and the caller, for log lines.

use std::fmt::Write as _;
use std::sync::Arc;

use super::bindings::types;
use tuffet_request::Traced;

/// The subject of a plugin call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub hook: &'static str,
    /// The request's id; empty without a request.
    request: &'a str,
    client: Option<(&'a str, u16)>,
}

impl<'a> Subject<'a> {
    /// The load of a policy.
    pub const CONFIGURE: Subject<'static> = Subject { hook: "configure", request: "", client: None };
    /// Events of many requests.
    pub const EVENTS: Subject<'static> = Subject { hook: "observe", request: "", client: None };

    /// Content for all requests with its key.
    pub const RENDERING: Subject<'static> = Subject { hook: "render", request: "", client: None };

    pub fn request(hook: &'static str, request: &'a types::Request) -> Subject<'a> {
        let client = (&*request.client.address, request.client.port);
        Subject { hook, request: &request.id, client: Some(client) }
    }
}

/// The plugin of an instance, and the request of its current call.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub plugin: Arc<str>,
    pub hook: &'static str,
    /// Empty without a request. Reused between calls to save allocations.
    request: String,
    client: String,
    /// The request's trace, if traces are exported.
    pub traced: Option<Traced>,
}

impl Caller {
    pub fn new(plugin: &Arc<str>) -> Caller {
        let (request, client) = (String::new(), String::new());
        Caller { plugin: Arc::clone(plugin), hook: Subject::CONFIGURE.hook, request, client, traced: None }
    }

    /// Sets the subject of the next call.
    pub fn take(&mut self, subject: Subject<'_>) {
        self.hook = subject.hook;
        self.request.clear();
        self.request.push_str(subject.request);
        self.client.clear();
        if let Some((address, port)) = subject.client {
            let address =
                if address.contains(':') { format_args!("[{address}]") } else { format_args!("{address}") };
            // Writing to a String cannot fail.
            let _ = write!(self.client, "{address}:{port}");
        }
    }

    pub fn request(&self) -> Option<&str> {
        (!self.request.is_empty()).then_some(&*self.request)
    }

    pub fn client(&self) -> Option<&str> {
        (!self.client.is_empty()).then_some(&*self.client)
    }
}
