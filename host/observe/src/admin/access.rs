//! Access control of the admin listener: the token, if there is one, and no requests by web pages of other sites.

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode, uri::Authority};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use parking_lot::RwLock;
use std::net::IpAddr;
use std::sync::Arc;
use tuffet_config::{Admin, AdminAddress, AdminToken};

/// The token. Cheap to clone; clones share it.
#[derive(Debug, Clone)]
pub struct Access {
    token: Arc<RwLock<Option<AdminToken>>>,
    /// Whether any host name is allowed: browsers cannot reach a socket in the file system.
    any_name: bool,
}

impl Access {
    /// Creates the access control of this admin listener.
    pub fn of(admin: Option<&Admin>) -> Access {
        Access {
            token: Arc::new(RwLock::new(admin.and_then(|admin| admin.token.clone()))),
            any_name: admin.is_some_and(|admin| matches!(admin.address, AdminAddress::Unix(_))),
        }
    }

    /// Replaces the token.
    pub fn replace(&self, token: Option<AdminToken>) {
        *self.token.write() = token;
    }

    fn token(&self) -> Option<AdminToken> {
        self.token.read().clone()
    }

    /// Returns whether the client may see everything: there is no token, or the request has it.
    pub(super) fn is_given(&self, headers: &HeaderMap) -> bool {
        let Some(token) = self.token() else { return true };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' '));
        given.is_some_and(|(scheme, given)| scheme.eq_ignore_ascii_case("bearer") && token.is(given.trim()))
    }

    /// Returns whether requests may name this host. A web page can point its domain at this address and then read the
    /// content (DNS rebinding), so names other than `localhost` are refused, unless there is a token, which such a page
    /// lacks.
    fn knows_host(&self, host: &str) -> bool {
        if self.any_name {
            return true;
        }
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        name.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost") || self.token().is_some()
    }
}

/// Refuses requests of other sites through an authorised user's browser.
pub(super) async fn own_pages_only(State(access): State<Access>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = request.uri().authority().map(Authority::as_str);
    let host = host.or_else(|| headers.get(HOST).and_then(|value| value.to_str().ok()));
    if !host.is_some_and(|host| access.knows_host(host)) {
        let message = "unknown host name; use the IP address or localhost, or set `admin.token`\n";
        return (StatusCode::MISDIRECTED_REQUEST, message).into_response();
    }
    let is = |name: &str, word: &str| headers.get(name).is_some_and(|value| value == word);
    if (is("sec-fetch-site", "cross-site") || is("sec-fetch-site", "same-site"))
        && !is("sec-fetch-mode", "navigate")
    {
        return (StatusCode::FORBIDDEN, "not for pages of other sites\n").into_response();
    }
    next.run(request).await
}

/// Requires the token.
pub(super) async fn with_token(State(access): State<Access>, request: Request, next: Next) -> Response {
    if access.is_given(request.headers()) {
        return next.run(request).await;
    }
    let message = "give the token: `Authorization: Bearer TOKEN`\n";
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], message).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(token: Option<&str>) -> Access {
        let address = AdminAddress::Tcp(([127, 0, 0, 1], 6980).into());
        Access::of(Some(&Admin { address, token: token.map(AdminToken::new) }))
    }

    #[test]
    fn names_of_other_sites_are_refused() {
        let socket = Admin { address: AdminAddress::Unix("/run/tuffet/admin".into()), token: None };
        assert!(Access::of(Some(&socket)).knows_host("anything"));
        let open = open(None);
        for host in ["127.0.0.1", "127.0.0.1:6980", "[::1]:6980", "localhost:6980", "LOCALHOST", "192.0.2.1"]
        {
            assert!(open.knows_host(host), "{host}");
        }
        for host in
            ["", "evil.example", "evil.example:6980", "localhost.evil.example", "127.0.0.1.nip.io", "a b"]
        {
            assert!(!open.knows_host(host), "{host}");
        }
        open.replace(Some(AdminToken::new("0123456789abcdef")));
        assert!(open.knows_host("boot.example") && !open.knows_host("a b"));
    }

    #[test]
    fn the_token_is_a_bearer_token() {
        let access = open(Some("0123456789abcdef"));
        let is_given = |value: &str| {
            let headers = [(AUTHORIZATION, value.parse().expect("a header"))];
            access.is_given(&headers.into_iter().collect())
        };
        assert!(is_given("Bearer 0123456789abcdef") && is_given("bearer  0123456789abcdef "));
        for wrong in ["", "Bearer", "Bearer ", "Bearer x", "Basic 0123456789abcdef", "0123456789abcdef"] {
            assert!(!is_given(wrong), "{wrong}");
        }
        assert!(!access.is_given(&HeaderMap::new()));
        assert!(open(None).is_given(&HeaderMap::new()));
    }
}
