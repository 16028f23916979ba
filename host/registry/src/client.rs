//! A client for the OCI distribution API. It reads only a limited amount of every response.

use parking_lot::Mutex;

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

/// The maximum size of a token response, in bytes.
const MAX_TOKEN: u64 = 64 << 10;
/// The maximum number of redirects of a request.
const MAX_REDIRECTS: usize = 5;

/// A failed request to a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RegistryError {
    /// The registry does not answer, or reports a server error.
    Unavailable(String),
    /// It requires a login, or another one.
    Denied(String),
    /// It does not have the requested object.
    Missing,
    /// Its answer is invalid, such as the page of a captive portal.
    Invalid(String),
    /// The required signature is missing or invalid.
    Unsigned(String),
}

/// The permission of a client in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Pull,
    Push,
}

impl Access {
    /// The actions in the scope of a token.
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

/// A request to a registry. Cheap to clone, for a retry after a login.
#[derive(Clone)]
pub(super) struct Request {
    method: Method,
    url: Url,
    header: (HeaderName, &'static str),
    content: Bytes,
}

impl Request {
    /// A request without content.
    pub fn new(method: Method, url: Url) -> Request {
        Request { method, url, header: (ACCEPT, "*/*"), content: Bytes::new() }
    }

    /// A request for one of these media types.
    fn get(url: Url, accept: &'static str) -> Request {
        Request { header: (ACCEPT, accept), ..Request::new(Method::GET, url) }
    }

    /// Sends content of this media type.
    pub fn put(url: Url, kind: &'static str, content: Bytes) -> Request {
        Request { header: (CONTENT_TYPE, kind), content, ..Request::new(Method::PUT, url) }
    }
}

/// One repository of a registry.
pub(super) struct Client {
    http: reqwest::Client,
    spec: RegistrySpec,
    repository: String,
    access: Access,
    /// The value of the header, after a login.
    authorization: Mutex<Option<HeaderValue>>,
}

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

impl Client {
    /// # Errors
    /// The certificates cannot be read.
    pub fn new(
        spec: &RegistrySpec,
        reference: &ArtifactReference,
        access: Access,
    ) -> Result<Client, RegistryError> {
        let http = http_client(spec)
            .map_err(|error| RegistryError::Invalid(format!("no client for {}: {error}", spec.host)))?;
        let (spec, repository) = (spec.clone(), reference.repository.clone());
        Ok(Client { http, spec, repository, access, authorization: Mutex::default() })
    }

    /// Gets `manifests/…`, `blobs/…` or `referrers/…` of the repository, up to `max_bytes`.
    pub async fn get(
        &self,
        path: &str,
        accept: &'static str,
        max_bytes: u64,
    ) -> Result<Vec<u8>, RegistryError> {
        let response = self.send(Request::get(self.url(path)?, accept)).await?;
        self.body(response, max_bytes).await
    }

    /// Returns the URL of a path in the repository.
    pub fn url(&self, path: &str) -> Result<Url, RegistryError> {
        // The API of docker.io has another host name.
        let host = if self.spec.host == "docker.io" { "registry-1.docker.io" } else { &self.spec.host };
        let scheme = if self.spec.plain_http { "http" } else { "https" };
        Url::parse(&format!("{scheme}://{host}/v2/{}/{path}", self.repository))
            .map_err(|error| RegistryError::Invalid(format!("{host} has no URL: {error}")))
    }

    /// Sends a request, and repeats it with a login if the registry requires one.
    pub async fn send(&self, request: Request) -> Result<Response, RegistryError> {
        let response = self.follow(request.clone()).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        let authorization = self.log_in(&response).await?;
        *self.authorization.lock() = Some(authorization);
        self.follow(request).await
    }

    /// Sends a request, with the authorization if there is one, and follows redirects. Only the registry itself gets
    /// the authorization. A client that follows redirects by itself sends it again if another host redirects twice.
    async fn follow(&self, request: Request) -> Result<Response, RegistryError> {
        let host = &self.spec.host;
        let home = self.url("")?.origin();
        let authorization = self.authorization.lock().clone();
        let Request { method, mut url, header: (name, value), content } = request;
        for _ in 0..=MAX_REDIRECTS {
            let mut request = self.http.request(method.clone(), url.clone()).header(&name, value);
            if !matches!(method, Method::GET | Method::HEAD) {
                request = request.body(content.clone());
            }
            if let Some(value) = authorization.as_ref().filter(|_| url.origin() == home) {
                request = request.header(AUTHORIZATION, value.clone());
            }
            let response = request.send().await.map_err(|error| self.unavailable(error))?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            match self.location(&url, &response)? {
                Some(next) => url = next,
                None => return Ok(response),
            }
        }
        Err(RegistryError::Invalid(format!("{host} redirects more than {MAX_REDIRECTS} times")))
    }

    /// Returns the redirect target in the response of `url`, if there is one.
    ///
    /// # Errors
    /// It leads from a URL with TLS to one without.
    pub fn location(&self, url: &Url, response: &Response) -> Result<Option<Url>, RegistryError> {
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let Some(to) = to else { return Ok(None) };
        let next = url
            .join(to)
            .ok()
            .filter(|next| next.scheme() == "https" || (next.scheme() == "http" && url.scheme() == "http"));
        let host = &self.spec.host;
        next.map(Some).ok_or_else(|| RegistryError::Invalid(format!("{host} redirects to a URL without TLS")))
    }

    /// Checks the status of a response.
    pub fn check(&self, response: &Response, good: StatusCode) -> Result<(), RegistryError> {
        let (host, status) = (&self.spec.host, response.status());
        match status {
            status if status == good => Ok(()),
            StatusCode::NOT_FOUND => Err(RegistryError::Missing),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let login = if self.spec.login.is_some() { "refuses the login" } else { "requires a login" };
                Err(RegistryError::Denied(format!(
                    "{host} {login} ({}); give it one that may {}, below `registries` (`credentials`, or `user` and \
                     `password`)",
                    status.as_u16(),
                    self.access.verb()
                )))
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                Err(RegistryError::Unavailable(format!("{host} answers with the status {}", status.as_u16())))
            }
            status => {
                Err(RegistryError::Invalid(format!("{host} answers with the status {}", status.as_u16())))
            }
        }
    }

    /// Reads the body of a successful response.
    pub async fn body(&self, mut response: Response, max_bytes: u64) -> Result<Vec<u8>, RegistryError> {
        self.check(&response, StatusCode::OK)?;
        let host = &self.spec.host;
        let too_large =
            || RegistryError::Invalid(format!("{host} sends more than the {max_bytes} bytes allowed here"));
        if response.content_length().is_some_and(|length| length > max_bytes) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unavailable(error))? {
            if (body.len() + chunk.len()) as u64 > max_bytes {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Answers the challenge of a registry with a token, or with the login itself.
    async fn log_in(&self, response: &Response) -> Result<HeaderValue, RegistryError> {
        let host = &self.spec.host;
        let mut basic = false;
        for header in response.headers().get_all(WWW_AUTHENTICATE) {
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
            Some(login) if basic => Ok(sensitive(&basic_authorization(login))),
            _ => Err(RegistryError::Denied(format!(
                "{host} requires a login; give it one below `registries` (`credentials`, or `user` and `password`)"
            ))),
        }
    }

    /// Gets a token from the service that the registry names.
    async fn token(&self, realm: &str, service: Option<&str>) -> Result<HeaderValue, RegistryError> {
        let host = &self.spec.host;
        let url = Url::parse(realm).ok().filter(|url| url.scheme() == "https" || self.spec.plain_http);
        let Some(mut url) = url else {
            return Err(RegistryError::Invalid(format!(
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
            request = request.header(AUTHORIZATION, sensitive(&basic_authorization(login)));
        }
        let response = request.send().await.map_err(|error| self.unavailable(error))?;
        let body = match self.body(response, MAX_TOKEN).await {
            Err(RegistryError::Missing) => {
                Err(RegistryError::Invalid(format!("the token service of {host} is not there (404)")))
            }
            other => other,
        }?;
        let token: Option<Token> = serde_json::from_slice(&body).ok();
        let token = token.and_then(|token| token.token.or(token.access_token));
        let value = token.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
        let mut value = value
            .ok_or_else(|| RegistryError::Invalid(format!("the token service of {host} sends no token")))?;
        value.set_sensitive(true);
        Ok(value)
    }

    fn unavailable(&self, error: reqwest::Error) -> RegistryError {
        let host = &self.spec.host;
        let failure = if error.is_connect() { "cannot be reached" } else { "does not answer" };
        if error.is_timeout() {
            return RegistryError::Unavailable(format!("{host} {failure} within {:?}", self.spec.timeout));
        }
        RegistryError::Unavailable(format!("{host} {failure}: {}", causes::of(error)))
    }
}

fn basic_authorization((user, password): &(Secret, Secret)) -> String {
    format!("Basic {}", STANDARD.encode(format!("{}:{}", user.reveal(), password.reveal())))
}

/// A sensitive header value. The fallback is never used, because Base64 is always valid in a header.
fn sensitive(text: &str) -> HeaderValue {
    let mut value = HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

fn http_client(spec: &RegistrySpec) -> Result<reqwest::Client, String> {
    tls::choose_provider();
    let own_authorities = match &spec.ca {
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
    // A machine without system certificates can still use plain HTTP, or its own authority.
    let built = client().tls_certs_merge(own_authorities.clone()).build();
    built.or_else(|_| client().tls_certs_only(own_authorities).build()).map_err(causes::of)
}
