//! A router of axum that serves the files of a TFTP server beside routes of its own: by the same rules, with one audit.
//! `cargo run -p embed-axum FOLDER`, then `curl http://127.0.0.1:8069/NAME` and `curl tftp://127.0.0.1:6969/NAME`.

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tuffet::{
    Authorize, Event, EventKind, Failure, Folder, Handle, HookCall, Listener, Observe, Request, Server,
    Verdict,
};
use tuffet_http::Files;

/// The rule for both protocols.
struct NoSecrets;

#[async_trait]
impl Authorize for NoSecrets {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        Ok(match request.path.starts_with("secret/") {
            true => Verdict::deny("nobody gets secrets"),
            false => Verdict::allow(),
        })
    }
}

/// The audit of both protocols: who asked for what, and what became of it.
#[derive(Clone, Default)]
struct Audit(Arc<Mutex<Vec<String>>>);

impl Audit {
    fn note(&self, line: String) {
        println!("{line}");
        self.0.lock().unwrap_or_else(|broken| broken.into_inner()).push(line);
    }
}

impl Observe for Audit {
    fn observe(&self, event: &Event) {
        if let EventKind::Finished(summary) = &event.what {
            let request = &summary.record.request;
            let (protocol, outcome) = (request.protocol.as_str(), summary.ending.outcome);
            self.note(format!("{protocol} {} {} {outcome}", request.client.ip(), request.path));
        }
    }
}

async fn serve(
    State(files): State<Files>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    request: axum::extract::Request,
) -> Response {
    match files.respond(client, request).await {
        Some(response) => response.map(Body::new),
        // Policy drops the request, or a limit is reached: a TFTP client would get no answer.
        None => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Starts both; returns the TFTP server and the address of HTTP.
async fn start(
    folder: PathBuf,
    ports: [u16; 2],
    audit: Audit,
) -> Result<(Arc<Handle>, SocketAddr), Box<dyn Error>> {
    let [tftp, http] = ports.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let server = Server::builder()
        .listener(Listener::bind(tftp).name("boot"))
        .folder(Folder::new("files", folder))
        .authorize("no-secrets", NoSecrets)
        .observe("audit", audit)
        .bind()?;
    let tftp = Arc::new(server.start()?);
    let socket = TcpListener::bind(http).await?;
    let http = socket.local_addr()?;
    let files = Files::new(tftp.requests(), "boot");
    let routes = Router::new().route("/healthz", get(|| async { "serving" }));
    let routes = routes.fallback(serve).with_state(files);
    let service = routes.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(socket, service).await });
    Ok((tftp, http))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder: embed-axum FOLDER")?;
    let (tftp, http) = start(folder.into(), [6969, 8069], Audit::default()).await?;
    println!("serving on tftp://{}/ and http://{http}/", tftp.addresses()[0].1);
    tokio::signal::ctrl_c().await?;
    tftp.drain(Duration::from_secs(10)).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use tuffet_testing::Client;

    /// Returns the status and the body.
    fn http(address: SocketAddr, name: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET /{name} HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let status = std::str::from_utf8(&answer[9..12]).unwrap().parse().unwrap();
        (status, answer[end + 4..].to_vec())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn both_protocols_have_one_policy_and_one_audit() {
        let folder = tempfile::tempdir().unwrap();
        let image = vec![7; 200_000];
        std::fs::write(folder.path().join("image"), &image).unwrap();
        std::fs::create_dir(folder.path().join("secret")).unwrap();
        std::fs::write(folder.path().join("secret/key"), "k").unwrap();
        let audit = Audit::default();
        let (server, web) = start(folder.path().to_owned(), [0, 0], audit.clone()).await.unwrap();
        let tftp = server.addresses()[0].1;
        tokio::task::spawn_blocking(move || {
            let client = Client::new(tftp);
            assert_eq!(client.get("image").unwrap(), image);
            assert_eq!(http(web, "image"), (200, image));
            assert_eq!(http(web, "healthz"), (200, b"serving".to_vec()));
            for (name, code, status) in [("secret/key", 2, 403), ("none", 1, 404)] {
                assert_eq!(client.get(name).unwrap_err().code(), Some(code));
                assert_eq!(http(web, name).0, status);
            }
        })
        .await
        .unwrap();
        // Every end has been observed when the server has ended.
        server.drain(Duration::from_secs(10)).await;
        let mut lines = audit.0.lock().unwrap().clone();
        lines.sort();
        // A late answer may meet the repetition of its request.
        lines.dedup();
        let expected = [
            "http 127.0.0.1 image served",
            "http 127.0.0.1 none not-found",
            "http 127.0.0.1 secret/key denied",
            "tftp 127.0.0.1 image served",
            "tftp 127.0.0.1 none not-found",
            "tftp 127.0.0.1 secret/key denied",
        ];
        assert_eq!(lines, expected);
    }
}
