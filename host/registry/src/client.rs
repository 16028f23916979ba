//! Asks a registry, by the OCI distribution specification. Nothing that a registry sends is read beyond a bound.

use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_auth::ChallengeParser;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, WWW_AUTHENTICATE,
};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Method, Response, StatusCode, Url};
use serde::Deserialize;
use tuffet_config::{ArtifactReference, RegistrySpec, Secret};

use tuffet_net::{causes, tls};

/// The largest answer of a token service, in bytes.
const MAX_TOKEN: u64 = 64 << 10;
/// The most redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// Why a registry gives nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The registry does not answer, or has trouble of its own.
    Away(String),
    /// It wants a login, or another one.
    Denied(String),
    /// It does not have this.
    Missing,
    /// It answers something that is not what was asked for, as a captive portal does.
    Wrong(String),
    /// The signature that is required is missing, or not by the key.
    Unsigned(String),
}

/// What a client may do in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Pull,
    Push,
}

impl Access {
    /// The actions of a token's scope.
    fn actions(self) -> &'static str {
        match self {
            Access::Pull => "pull",
            Access::Push => "pull,push",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Access::Pull => "pull",
            Access::Push => "push",
        }
    }
}

/// A request to a registry. Cloned cheaply, for the attempt after a login.
#[derive(Clone)]
pub(super) struct Outgoing {
    method: Method,
    url: Url,
    header: (HeaderName, &'static str),
    content: Bytes,
}

impl Outgoing {
    /// A request without content.
    pub fn new(method: Method, url: Url) -> Outgoing {
        Outgoing { method, url, header: (ACCEPT, "*/*"), content: Bytes::new() }
    }

    /// A request for one of these media types.
    fn get(url: Url, accept: &'static str) -> Outgoing {
        Outgoing { header: (ACCEPT, accept), ..Outgoing::new(Method::GET, url) }
    }

    /// Sends content of this media type.
    pub fn put(url: Url, kind: &'static str, content: Bytes) -> Outgoing {
        Outgoing { header: (CONTENT_TYPE, kind), content, ..Outgoing::new(Method::PUT, url) }
    }
}

/// One repository of a registry.
pub(super) struct Client {
    http: reqwest::Client,
    spec: RegistrySpec,
    repository: String,
    access: Access,
    /// The value of the header, once the registry has asked for it.
    authorization: Mutex<Option<HeaderValue>>,
}

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

impl Client {
    /// # Errors
    /// Certificates cannot be read.
    pub fn new(
        spec: &RegistrySpec,
        reference: &ArtifactReference,
        access: Access,
    ) -> Result<Client, Trouble> {
        let http =
            build(spec).map_err(|error| Trouble::Wrong(format!("no client for {}: {error}", spec.host)))?;
        let (spec, repository) = (spec.clone(), reference.repository.clone());
        Ok(Client { http, spec, repository, access, authorization: Mutex::default() })
    }

    /// Gets `manifests/…`, `blobs/…` or `referrers/…` of the repository, which has at most this many bytes.
    pub async fn get(&self, path: &str, accept: &'static str, most: u64) -> Result<Vec<u8>, Trouble> {
        let answer = self.send(Outgoing::get(self.url(path)?, accept)).await?;
        self.body(answer, most).await
    }

    /// Returns the URL of a path in the repository.
    pub fn url(&self, path: &str) -> Result<Url, Trouble> {
        // The registry of this name answers at another one.
        let host = if self.spec.host == "docker.io" { "registry-1.docker.io" } else { &self.spec.host };
        let scheme = if self.spec.plain_http { "http" } else { "https" };
        Url::parse(&format!("{scheme}://{host}/v2/{}/{path}", self.repository))
            .map_err(|error| Trouble::Wrong(format!("{host} has no URL: {error}")))
    }

    /// Sends a request, again with a login if the registry wants one.
    pub async fn send(&self, request: Outgoing) -> Result<Response, Trouble> {
        let answer = self.follow(request.clone()).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        let authorization = self.log_in(&answer).await?;
        *self.authorization.lock().unwrap_or_else(PoisonError::into_inner) = Some(authorization);
        self.follow(request).await
    }

    /// Sends a request, with the authorization if there is one, and follows redirects. Only the registry itself gets
    /// the authorization: a client that follows redirects by itself sends it again where one host redirects twice.
    async fn follow(&self, request: Outgoing) -> Result<Response, Trouble> {
        let host = &self.spec.host;
        let home = self.url("")?.origin();
        let authorization = self.authorization.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Outgoing { method, url: mut place, header: (name, value), content } = request;
        for _ in 0..=MAX_REDIRECTS {
            let mut request = self.http.request(method.clone(), place.clone()).header(&name, value);
            if !matches!(method, Method::GET | Method::HEAD) {
                request = request.body(content.clone());
            }
            if let Some(value) = authorization.as_ref().filter(|_| place.origin() == home) {
                request = request.header(AUTHORIZATION, value.clone());
            }
            let answer = request.send().await.map_err(|error| self.away(error))?;
            if !answer.status().is_redirection() {
                return Ok(answer);
            }
            match self.location(&place, &answer)? {
                Some(next) => place = next,
                None => return Ok(answer),
            }
        }
        Err(Trouble::Wrong(format!("{host} redirects more than {MAX_REDIRECTS} times")))
    }

    /// Returns where an answer of `place` leads, if it leads anywhere.
    ///
    /// # Errors
    /// It leads from a place with TLS to one without.
    pub fn location(&self, place: &Url, answer: &Response) -> Result<Option<Url>, Trouble> {
        let to = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let Some(to) = to else { return Ok(None) };
        let next = place
            .join(to)
            .ok()
            .filter(|next| next.scheme() == "https" || (next.scheme() == "http" && place.scheme() == "http"));
        let host = &self.spec.host;
        next.map(Some).ok_or_else(|| Trouble::Wrong(format!("{host} redirects to a place without TLS")))
    }

    /// Checks the status of an answer.
    pub fn check(&self, answer: &Response, good: StatusCode) -> Result<(), Trouble> {
        let (host, status) = (&self.spec.host, answer.status());
        match status {
            status if status == good => Ok(()),
            StatusCode::NOT_FOUND => Err(Trouble::Missing),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let login = if self.spec.login.is_some() { "refuses the login" } else { "wants a login" };
                Err(Trouble::Denied(format!(
                    "{host} {login} ({}); give it one that may {}, below `registries` (`credentials`, or `user` and \
                     `password`)",
                    status.as_u16(),
                    self.access.verb()
                )))
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                Err(Trouble::Away(format!("{host} answers with the status {}", status.as_u16())))
            }
            status => Err(Trouble::Wrong(format!("{host} answers with the status {}", status.as_u16()))),
        }
    }

    /// Reads the body of a good answer.
    pub async fn body(&self, mut answer: Response, most: u64) -> Result<Vec<u8>, Trouble> {
        self.check(&answer, StatusCode::OK)?;
        let host = &self.spec.host;
        let too_large =
            || Trouble::Wrong(format!("{host} sends more than the {most} bytes that this may have"));
        if answer.content_length().is_some_and(|length| length > most) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.away(error))? {
            if (body.len() + chunk.len()) as u64 > most {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Answers the challenge of a registry: with a token, or with the login itself.
    async fn log_in(&self, answer: &Response) -> Result<HeaderValue, Trouble> {
        let host = &self.spec.host;
        let mut basic = false;
        for header in answer.headers().get_all(WWW_AUTHENTICATE) {
            let Ok(text) = header.to_str() else { continue };
            for challenge in ChallengeParser::new(text).map_while(Result::ok) {
                basic |= challenge.scheme.eq_ignore_ascii_case("basic");
                if !challenge.scheme.eq_ignore_ascii_case("bearer") {
                    continue;
                }
                let named = |name: &str| {
                    let mut params = challenge.params.iter();
                    params
                        .find(|(key, _)| key.eq_ignore_ascii_case(name))
                        .map(|(_, value)| value.to_unescaped())
                };
                let (realm, service) = (named("realm").unwrap_or_default(), named("service"));
                return self.token(&realm, service.as_deref()).await;
            }
        }
        match &self.spec.login {
            Some(login) if basic => Ok(sensitive(&basic_of(login))),
            _ => Err(Trouble::Denied(format!(
                "{host} wants a login; give it one below `registries` (`credentials`, or `user` and `password`)"
            ))),
        }
    }

    /// Asks the token service that the registry names.
    async fn token(&self, realm: &str, service: Option<&str>) -> Result<HeaderValue, Trouble> {
        let host = &self.spec.host;
        let url = Url::parse(realm).ok().filter(|url| url.scheme() == "https" || self.spec.plain_http);
        let Some(mut url) = url else {
            return Err(Trouble::Wrong(format!(
                "{host} names no token service that can be reached over TLS"
            )));
        };
        let scope = format!("repository:{}:{}", self.repository, self.access.actions());
        url.query_pairs_mut().append_pair("scope", &scope);
        if let Some(service) = service {
            url.query_pairs_mut().append_pair("service", service);
        }
        let mut request = self.http.get(url);
        if let Some(login) = &self.spec.login {
            request = request.header(AUTHORIZATION, sensitive(&basic_of(login)));
        }
        let answer = request.send().await.map_err(|error| self.away(error))?;
        let body = match self.body(answer, MAX_TOKEN).await {
            Err(Trouble::Missing) => {
                Err(Trouble::Wrong(format!("the token service of {host} is not there (404)")))
            }
            other => other,
        }?;
        let token: Option<Token> = serde_json::from_slice(&body).ok();
        let token = token.and_then(|token| token.token.or(token.access_token));
        let value = token.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
        let mut value =
            value.ok_or_else(|| Trouble::Wrong(format!("the token service of {host} sends no token")))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn away(&self, error: reqwest::Error) -> Trouble {
        let host = &self.spec.host;
        let what = if error.is_connect() { "cannot be reached" } else { "does not answer" };
        if error.is_timeout() {
            return Trouble::Away(format!("{host} {what} within {:?}", self.spec.timeout));
        }
        Trouble::Away(format!("{host} {what}: {}", causes::of(error)))
    }
}

fn basic_of((user, password): &(Secret, Secret)) -> String {
    format!("Basic {}", STANDARD.encode(format!("{}:{}", user.reveal(), password.reveal())))
}

/// Base64 is always valid in a header.
fn sensitive(text: &str) -> HeaderValue {
    let mut value = HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

fn build(spec: &RegistrySpec) -> Result<reqwest::Client, String> {
    tls::choose_provider();
    let own = match &spec.ca {
        Some(pem) => Certificate::from_pem_bundle(pem.as_bytes()).map_err(causes::of)?,
        None => Vec::new(),
    };
    let client = || {
        reqwest::Client::builder()
            .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(spec.timeout)
            .read_timeout(spec.timeout)
            .redirect(Policy::none())
    };
    // A machine without any certificates can still work without TLS, or with its own authority.
    let built = client().tls_certs_merge(own.clone()).build();
    built.or_else(|_| client().tls_certs_only(own).build()).map_err(causes::of)
}
