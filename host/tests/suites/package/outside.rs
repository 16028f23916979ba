//! A program as somebody writes it who has the packages alone: a server with hooks of each form, which asks the server for
//! another protocol, replaces what it serves, and drains it. It ends with 0 if everything is as the documentation says.

use async_trait::async_trait;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tuffet::{Ask, AskError, Authorize, Capacity, Decided, Failure, Folder, Handle, HookCall, Listener, ListenerRules, ReplaceError, Request, Resolution, Resolve, Server, Service, Source, Verdict, authorize_fn, observe_fn, resolve_fn};
use tuffet_testing::{Client, ClientError};

/// Denies what ends so, and waits for it first.
struct Ending(&'static str);

#[async_trait]
impl Authorize for Ending {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        tokio::task::yield_now().await;
        Ok(match request.path.ends_with(self.0) {
            true => Verdict::deny("nobody gets it"),
            false => Verdict::Abstain,
        })
    }
}

/// Answers one name, and never answers another, which it notifies of.
struct Slow(Arc<Notify>);

#[async_trait]
impl Resolve for Slow {
    async fn resolve(&self, request: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        Ok(match request.path.as_str() {
            "never" => {
                self.0.notify_one();
                std::future::pending().await
            }
            "stream" => Source::stream(3, &b"abc"[..]).into(),
            _ => Resolution::Abstain,
        })
    }
}

/// What the server serves, in this release.
fn service(release: &'static str, folder: &Path, asked: &Arc<Notify>) -> Service {
    let boxed: Box<dyn Authorize> = Box::new(Ending(".key"));
    let shared: Arc<dyn Resolve> = Arc::new(Slow(Arc::clone(asked)));
    let version = resolve_fn(move |request| (request.path == "version").then(|| Source::bytes(release.as_bytes())));
    Service::new()
        .authorize("boxed", boxed)
        .authorize("function", authorize_fn(|_| Verdict::Abstain))
        .resolve("version", version)
        .resolve("slow", shared)
        .observe("ends", observe_fn(|event| println!("{}", event.sequence)))
        .time_limit(Duration::from_secs(3600))
        .folder(Folder::new("boot", folder))
}

/// Runs a client, which blocks.
async fn get(handle: &Handle, name: &'static str) -> Result<Vec<u8>, ClientError> {
    let client = Client::new(handle.addresses()[0].1);
    let got = tokio::task::spawn_blocking(move || client.get(name)).await;
    got.unwrap_or_else(|panicked| Err(ClientError::Protocol(panicked.to_string())))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("tuffet-outside-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    std::fs::write(folder.join("file"), "a file")?;
    std::fs::write(folder.join("a.key"), "a key")?;
    let listener = Listener::bind(([127, 0, 0, 1], 0).into()).name("lan");
    let asked = Arc::new(Notify::new());
    let first = service("1.0", &folder, &asked);
    let capacity = Capacity { transfers: 100, ..Capacity::default() };
    let server = Server::builder().listener(listener).capacity(capacity).service(first.clone()).bind()?;
    let handle = server.start()?;
    assert_eq!(get(&handle, "version").await?, b"1.0");
    assert_eq!(get(&handle, "file").await?, b"a file");
    assert_eq!(get(&handle, "a.key").await.map_err(|error| error.code()), Err(Some(2)));

    let client = ([127, 0, 0, 1], 9).into();
    let requests = handle.requests();
    let ask = |listener, name: &'static str| requests.read(Ask::http(listener, client, name.as_bytes()));
    let error = ask("lam", "file").await.err().ok_or("a listener that does not exist was asked")?;
    assert_eq!(error.to_string(), "there is no listener `lam`: the only one is `lan`");
    let Decided::Granted(stream) = ask("lan", "stream").await? else { return Err("no content".into()) };
    assert!(stream.is_sequential());
    assert_eq!(&stream.read_at(0, 9).await?[..], b"abc");
    stream.served();

    assert_eq!(handle.replace(service("1.1", &folder, &asked)).await?, 2);
    assert_eq!(get(&handle, "version").await?, b"1.1");
    let nowhere = ListenerRules { roots: Some(vec!["bot".into()]), ..ListenerRules::default() };
    for wrong in [Service::new(), first.clone().listener_rules("lan", nowhere)] {
        assert!(matches!(handle.replace(wrong).await, Err(ReplaceError::Build(_))));
    }
    assert_eq!(handle.replace(first.clone()).await?, 3);
    assert_eq!(get(&handle, "version").await?, b"1.0");

    // A hook that never answers holds up no drain.
    let asking = std::net::UdpSocket::bind("127.0.0.1:0")?;
    asking.send_to(b"\0\x01never\0octet\0", handle.addresses()[0].1)?;
    asked.notified().await;
    let began = Instant::now();
    let end = handle.drain(Duration::from_secs(1)).await;
    assert!(began.elapsed() < Duration::from_secs(20), "{end:?}");
    assert!(matches!(ask("lan", "file").await, Err(AskError::Ended)));
    assert!(matches!(handle.replace(first).await, Err(ReplaceError::Ended)));
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
