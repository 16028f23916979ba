//! Checks the redirects of web servers.
//!
//! The server follows a redirect from inside of the operator's network and serves the result to any client, so a
//! redirect must not reach local servers or the metadata server of a cloud. Redirects may lead only to the host of the
//! URL, and to hosts in the configuration. Hosts are compared by name: a permitted host may resolve to any address.

use http::header::LOCATION;
use tuffet_config::RedirectHost;
use url::Url;

/// The limit of redirects followed for one request.
pub(crate) const MAX_REDIRECTS: usize = 5;

/// The hosts that redirects may lead to.
#[derive(Debug, Clone)]
pub(crate) struct Redirects {
    pub origin: Url,
    pub hosts: Vec<RedirectHost>,
}

impl Redirects {
    /// The target of a redirect, or the reason for not following it; `None` if the answer is no redirect.
    pub fn target(&self, from: &Url, answer: &reqwest::Response) -> Option<Result<Url, String>> {
        if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let to = from.join(answer.headers().get(LOCATION)?.to_str().ok()?).ok()?;
        Some(self.judge(from, &to).map(|()| to))
    }

    fn judge(&self, from: &Url, to: &Url) -> Result<(), String> {
        if !matches!(to.scheme(), "https" | "http") {
            return Err("it redirects to something else than a web server".into());
        }
        if from.scheme() == "https" && to.scheme() != "https" {
            return Err("it redirects from TLS to HTTP".into());
        }
        if self.is_same(to) || self.hosts.iter().any(|host| host.is(to)) {
            return Ok(());
        }
        let host: String = to.host_str().unwrap_or_default().chars().take(253).collect();
        let port = to.port().map(|port| format!(":{port}")).unwrap_or_default();
        Err(format!(
            "it redirects to another host, `{host}{port}`; name it in `origin.redirect-hosts` if files may come from there"
        ))
    }

    /// Whether the target is the origin's own server: at the same port, or with TLS at port 443 for an origin at port
    /// 80.
    fn is_same(&self, to: &Url) -> bool {
        let port = |url: &Url| url.port_or_known_default();
        let with_tls = port(&self.origin) == Some(80) && to.scheme() == "https" && port(to) == Some(443);
        self.origin.host() == to.host() && (port(&self.origin) == port(to) || with_tls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lead_only_to_the_same_host_and_to_configured_hosts() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        let hosts = ["cdn.example", "mirror.example:8443", "[2001:db8::1]"];
        let hosts = hosts.map(|host| host.parse().expect("a host")).into();
        let redirects = Redirects { origin: url("http://files.example/boot"), hosts };
        let may = |from: &str, to: &str| redirects.judge(&url(from), &url(to)).is_ok();
        let from = "http://files.example/boot/a";
        for to in [
            "http://files.example/b",
            "http://FILES.example:80/b",
            "https://files.example/b",
            "http://cdn.example/b",
            "https://cdn.example/b",
            "https://mirror.example:8443/b",
            "http://[2001:db8::1]/b",
        ] {
            assert!(may(from, to), "{to}");
        }
        for to in [
            "http://files.example:8080/b",
            "https://files.example:8443/b",
            "http://files.example.evil/b",
            "http://evil@127.0.0.1/b",
            "http://files.example@127.0.0.1/b",
            "http://127.0.0.1/b",
            "http://[::1]/b",
            "http://169.254.169.254/latest/meta-data",
            "http://cdn.example:22/b",
            "https://mirror.example/b",
            "ftp://files.example/b",
            "file:///etc/passwd",
        ] {
            assert!(!may(from, to), "{to}");
        }
        assert!(!may("https://files.example/a", "http://files.example/b"), "out of TLS");
        assert!(!may("https://cdn.example/a", "http://cdn.example/b"), "out of TLS");
    }
}
