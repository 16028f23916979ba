//! What a plugin is called about, and who calls it: for its log lines.

use std::fmt::Write as _;
use std::sync::Arc;

use super::bindings::types;
use tuffet_request::Traced;

/// What a plugin is called about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub hook: &'static str,
    /// The request's id; empty without a request.
    request: &'a str,
    client: Option<(&'a str, u16)>,
}

impl<'a> Subject<'a> {
    /// The configuration is loaded.
    pub const CONFIGURE: Subject<'static> = Subject { hook: "configure", request: "", client: None };
    /// Events of many requests.
    pub const EVENTS: Subject<'static> = Subject { hook: "observe", request: "", client: None };

    /// Content that is made for all requests with its key, and for none of them alone.
    pub const RENDERING: Subject<'static> = Subject { hook: "render", request: "", client: None };

    pub fn request(hook: &'static str, request: &'a types::Request) -> Subject<'a> {
        let client = (&*request.client.address, request.client.port);
        Subject { hook, request: &request.id, client: Some(client) }
    }
}

/// Names the plugin, and the request that an instance works for.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub plugin: Arc<str>,
    pub hook: &'static str,
    /// Kept from call to call for their memory; empty without a request.
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

    /// The next call is about this.
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
