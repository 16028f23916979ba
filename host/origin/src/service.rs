//! The HTTP client below `object_store`. It records the status of each attempt, because the errors of that crate hide
//! the status and show URLs.

use std::cell::RefCell;
use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, AUTHORIZATION, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Method, Uri};
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::azure::{AzureAuthorizer, AzureCredentialProvider};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};

use crate::failure::cause;
use crate::redirects::{MAX_REDIRECTS, Redirects};

/// The limit of bytes read from an answer without a file: the reason of an error, or the id of an upload.
const MAX_REASON_BYTES: usize = 64 << 10;

tokio::task_local! {
    /// The note of the current attempt.
    pub(crate) static NOTE: RefCell<Note>;
}

/// The result of an attempt, and the change to make in its request.
#[derive(Default, Clone)]
pub(crate) struct Note {
    /// The status of the latest answer.
    pub status: Option<u16>,
    /// The reason for a missing answer, or for not following a redirect.
    pub trouble: Option<String>,
    /// Whether the server was reached but sent no answer.
    pub reached: bool,
    /// Whether a redirect of the origin was followed. Failures of the other server concern only this path.
    pub redirected: bool,
    pub change: Change,
    /// The request held back by [`Change::Hold`].
    pub held: Option<(Uri, HeaderMap)>,
}

/// A change to a request of `object_store`.
#[derive(Default, Clone)]
pub(crate) enum Change {
    #[default]
    Nothing,
    /// Add a condition to the end of an upload in parts: it must not replace a file. Azure requires a signature of it.
    Create(Option<AzureCredentialProvider>),
    /// Keep a PUT in the note instead of sending it. Another request uses its address and login.
    Hold,
}

/// Creates the HTTP clients of `object_store`. All clients of one origin share one [`Service`].
#[derive(Debug, Clone)]
pub(crate) struct Connector(pub Service);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

/// The client of an origin.
#[derive(Clone)]
pub(crate) struct Service {
    pub client: reqwest::Client,
    /// The login at a web server.
    pub login: Option<HeaderValue>,
    /// Whether to remove the login from requests to a store.
    pub anonymous: bool,
    /// The permitted redirects. `None` for stores, because a request is signed for its host.
    pub redirects: Option<Redirects>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Service")
    }
}

type ResponseFuture<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Service {
    // The expansion of an `async fn` by the macro `async_trait`.
    fn call<'life0, 'async_trait>(&'life0 self, request: HttpRequest) -> ResponseFuture<'async_trait>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.send(request))
    }
}

impl Service {
    async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if self.anonymous {
            request.headers_mut().remove(AUTHORIZATION);
        }
        match NOTE.try_with(|note| note.borrow().change.clone()).unwrap_or_default() {
            Change::Create(keys) if ends_parts(&request) => {
                // `object_store` has no such condition for uploads in parts. S3 does not require a signature of it.
                request.headers_mut().insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
                if let Some(keys) = keys {
                    sign_again(&mut request, &keys)
                        .await
                        .map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
                }
            }
            Change::Hold if *request.method() == Method::PUT => {
                note(|note| note.held = Some((request.uri().clone(), request.headers().clone())));
                return Err(HttpError::new(HttpErrorKind::Unknown, std::io::Error::other("held")));
            }
            _ => {}
        }
        let is_get = *request.method() == Method::GET;
        let (parts, body) = request.into_parts();
        let url =
            parts.uri.to_string().parse().map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        // A compressed answer has neither the size nor the version of the file.
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        *request.body_mut() = Some(match body.content_length() {
            0 => Bytes::new().into(),
            _ => reqwest::Body::wrap(body),
        });
        let answer =
            self.execute(request).await.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let (parts, body) = http::Response::<reqwest::Body>::from(answer).into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error.without_url()));
        let body = match is_get && parts.status.is_success() {
            true => HttpResponseBody::new(body),
            // `object_store` reads it to the end, so bound it.
            false => beginning(body).await?.into(),
        };
        Ok(HttpResponse::from_parts(parts, body))
    }

    /// Sends a request with the login, if there is one, and follows permitted redirects. Only the origin gets the
    /// login; reqwest's own redirects could send it again after a redirect by another server.
    async fn follow(&self, mut request: reqwest::Request) -> Result<reqwest::Response, reqwest::Error> {
        let origin = request.url().origin();
        let mut left = match *request.method() {
            Method::GET | Method::HEAD => MAX_REDIRECTS,
            // An upload must not be redirected.
            _ => 0,
        };
        loop {
            if let Some(login) = self.login.as_ref().filter(|_| request.url().origin() == origin) {
                request.headers_mut().insert(AUTHORIZATION, login.clone());
            }
            let again = request.try_clone();
            let answer = self.client.execute(request).await?;
            let (Some(redirects), Some(mut next), true) = (&self.redirects, again, left > 0) else {
                return Ok(answer);
            };
            match redirects.target(next.url(), &answer) {
                Some(Ok(to)) => {
                    note(|note| note.redirected = true);
                    *next.url_mut() = to;
                }
                Some(Err(why)) => {
                    note(|note| note.trouble = Some(why));
                    return Ok(answer);
                }
                None => return Ok(answer),
            }
            next.headers_mut().remove(AUTHORIZATION);
            request = next;
            left -= 1;
        }
    }

    /// Sends a request, and records the status of its answer.
    pub async fn execute(&self, request: reqwest::Request) -> Result<reqwest::Response, reqwest::Error> {
        match self.follow(request).await {
            Ok(answer) => {
                note(|note| note.status = Some(answer.status().as_u16()));
                Ok(answer)
            }
            Err(error) => {
                let error = error.without_url();
                note(|note| {
                    (note.status, note.trouble) = (None, Some(cause(&error)));
                    note.reached |= !error.is_connect();
                });
                Err(error)
            }
        }
    }
}

/// Returns the first bytes of an answer without a file.
async fn beginning<B>(mut body: B) -> Result<Bytes, HttpError>
where
    B: BodyExt<Data = Bytes, Error = HttpError> + Unpin,
{
    let mut bytes = Vec::new();
    while bytes.len() < MAX_REASON_BYTES
        && let Some(frame) = body.frame().await.transpose()?
    {
        if let Ok(piece) = frame.into_data() {
            bytes.extend_from_slice(&piece[..piece.len().min(MAX_REASON_BYTES - bytes.len())]);
        }
    }
    Ok(bytes.into())
}

/// Whether a request joins the parts of an upload, at S3 or Azure.
fn ends_parts(request: &HttpRequest) -> bool {
    let query = request.uri().query().unwrap_or_default();
    match *request.method() {
        Method::POST => query.contains("uploadId="),
        Method::PUT => query.contains("comp=blocklist"),
        _ => false,
    }
}

/// Signs a changed request again. The key of an account signs the conditions of a request; tokens and shared access
/// signatures do not.
async fn sign_again(request: &mut HttpRequest, keys: &AzureCredentialProvider) -> object_store::Result<()> {
    let signed = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some((account, _)) =
        signed.and_then(|value| value.strip_prefix("SharedKey ")).and_then(|value| value.split_once(':'))
    else {
        return Ok(());
    };
    let account = account.to_owned();
    let key = keys.get_credential().await?;
    request.headers_mut().remove(AUTHORIZATION);
    AzureAuthorizer::new(&key, &account).try_authorize(request)
}

fn note(change: impl FnOnce(&mut Note)) {
    // A separate task that fetches a login has no note.
    let _ = NOTE.try_with(|note| change(&mut note.borrow_mut()));
}
