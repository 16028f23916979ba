//! The web page: the files of `page/`, built into the server.

use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

/// A file of the page.
pub(super) struct File {
    pub(super) path: &'static str,
    kind: &'static str,
    content: &'static str,
}

macro_rules! file {
    ($path:literal, $kind:literal, $file:literal) => {
        File { path: $path, kind: $kind, content: include_str!(concat!("page/", $file)) }
    };
}

pub(super) const FILES: &[File] = &[
    file!("/", "text/html; charset=utf-8", "index.html"),
    file!("/style.css", "text/css; charset=utf-8", "style.css"),
    file!("/icon.svg", "image/svg+xml", "icon.svg"),
    file!("/main.js", "text/javascript; charset=utf-8", "main.js"),
    file!("/charts.js", "text/javascript; charset=utf-8", "charts.js"),
    file!("/details.js", "text/javascript; charset=utf-8", "details.js"),
    file!("/dom.js", "text/javascript; charset=utf-8", "dom.js"),
    file!("/feed.js", "text/javascript; charset=utf-8", "feed.js"),
    file!("/filter.js", "text/javascript; charset=utf-8", "filter.js"),
    file!("/figures.js", "text/javascript; charset=utf-8", "figures.js"),
    file!("/format.js", "text/javascript; charset=utf-8", "format.js"),
    file!("/sort.js", "text/javascript; charset=utf-8", "sort.js"),
    file!("/tables.js", "text/javascript; charset=utf-8", "tables.js"),
    file!("/servers.js", "text/javascript; charset=utf-8", "servers.js"),
];

/// The page may load only its own files, and connect only to its server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

impl IntoResponse for &'static File {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, self.kind), (CONTENT_SECURITY_POLICY, POLICY)], self.content).into_response()
    }
}
