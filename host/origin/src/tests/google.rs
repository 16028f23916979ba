//! Google Cloud Storage: logins, conditions of uploads and answers, as the reference of its XML interface has them
//! (<https://cloud.google.com/storage/docs/xml-api/overview>), and sessions of the JSON interface.

use std::collections::HashMap;
use std::fs;
use std::net::TcpStream;
use std::process::Command;
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use tuffet_config::{Credentials, Location, Secret};
use tuffet_store::{Origin, Reach, StoreError};

use super::server::{self, Request, Then, respond};
use super::uploads::file;
use super::world::{LONG, MIB, World, content, error, get};

/// A world with the bucket `files` of Google's.
fn world(credentials: Credentials) -> World {
    World::with(|spec| {
        let Location::Http { url } = &spec.location else { return };
        let endpoint = url.join("/").ok();
        spec.location = Location::Gcs { bucket: "files".into(), prefix: String::new(), endpoint };
        spec.credentials = credentials;
    })
}

fn bearer(request: &Request) -> Option<&str> {
    request.header("authorization").and_then(|value| value.strip_prefix("Bearer "))
}

/// Sessions, by their number: the name, the condition and what has come.
type Sessions = Arc<Mutex<HashMap<String, (String, bool, Vec<u8>)>>>;

/// A new object of one generation, or 412; large ones by sessions.
fn stores(world: &World) -> Sessions {
    stores_but(world, |_, _| None)
}

/// As [`stores`], where a test may answer parts itself.
fn stores_but(
    world: &World,
    odd: impl Fn(&Request, &mut TcpStream) -> Option<Then> + Send + Sync + 'static,
) -> Sessions {
    let sessions = Sessions::default();
    let its = Arc::clone(&sessions);
    // Conditions and what they are about are looked at together.
    let one_at_a_time = Mutex::new(());
    world.server.trick(move |request, stream, server| {
        let taken = |stream: &mut TcpStream, code: &str| {
            let _ = respond(stream, 412, &[], code.as_bytes(), false);
            Then::Next
        };
        match (&*request.method, request.target.contains("upload_id=")) {
            ("POST", _) => begin(request, stream, &its),
            ("PUT", true) => {
                if let Some(then) = odd(request, stream) {
                    return then;
                }
                let Some((name, create, bytes)) = part(request, stream, &its) else { return Then::Next };
                let _one = one_at_a_time.lock().unwrap();
                if create && server.page(&format!("/files/{name}")).is_some() {
                    return taken(stream, r#"{"error":{"errors":[{"reason":"conditionNotMet"}]}}"#);
                }
                server.put(&name, bytes);
                let _ = respond(stream, 200, &[], b"{}", false);
                Then::Next
            }
            ("DELETE", true) => {
                its.lock().unwrap().remove(&number(&request.target));
                let _ = respond(stream, 499, &[], b"", false);
                Then::Next
            }
            ("PUT", false) => {
                let _one = one_at_a_time.lock().unwrap();
                let is_there = server.page(&request.target).is_some();
                if request.header("x-goog-if-generation-match") == Some("0") && is_there {
                    return taken(stream, "<Error><Code>PreconditionFailed</Code></Error>");
                }
                server.put(request.target.trim_start_matches("/files/"), request.body.clone());
                let _ = respond(stream, 200, &[("ETag", "\"1\"".into())], b"", false);
                Then::Next
            }
            _ => Then::Serve,
        }
    });
    sessions
}

fn number(target: &str) -> String {
    target.split_once("upload_id=").map(|(_, number)| number.to_owned()).unwrap_or_default()
}

/// Begins a session, as if at another server: its path counts alone.
fn begin(request: &Request, stream: &mut TcpStream, sessions: &Sessions) -> Then {
    let query = request.target.strip_prefix("/upload/storage/v1/b/files/o?uploadType=resumable&name=");
    let query = query.expect("the address of a session");
    let (name, create) = match query.strip_suffix("&ifGenerationMatch=0") {
        Some(name) => (name, true),
        None => (query, false),
    };
    let number = fastrand::u64(..).to_string();
    sessions.lock().unwrap().insert(number.clone(), (name.to_owned(), create, Vec::new()));
    let place = format!("https://elsewhere.invalid/upload/storage/v1/b/files/o?upload_id={number}");
    let _ = respond(stream, 200, &[("Location", place)], b"", false);
    Then::Next
}

/// Takes a part. Returns the session if it was the last one.
fn part(request: &Request, stream: &mut TcpStream, sessions: &Sessions) -> Option<(String, bool, Vec<u8>)> {
    let mut sessions = sessions.lock().unwrap();
    let Some((name, create, bytes)) = sessions.get_mut(&number(&request.target)) else {
        let _ = respond(stream, 404, &[], b"", false);
        return None;
    };
    let range =
        request.header("content-range").and_then(|range| range.strip_prefix("bytes ")).expect("a range");
    let (range, size) = range.split_once('/').expect("a size");
    let (from, to) = range.split_once('-').expect("a range");
    assert_eq!(from.parse(), Ok(bytes.len()), "the part that comes next");
    assert_eq!(to.parse::<usize>().map(|to| to + 1 - bytes.len()), Ok(request.body.len()));
    bytes.extend(&request.body);
    if bytes.len().to_string() == size {
        return Some((name.clone(), *create, std::mem::take(bytes)));
    }
    assert_eq!(request.body.len() % (256 << 10), 0, "only the last part has any length");
    let range = format!("bytes=0-{}", bytes.len() - 1);
    let _ = respond(stream, 308, &[("Range", range)], b"", false);
    None
}

#[test]
fn a_token_goes_with_each_request() {
    let world = world(Credentials::Bearer(Secret::new("the-token")));
    stores(&world);
    let remote = world.remote();
    remote.store("log", &file(b"first"), 5, true).expect("it is stored");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]));
    assert!(remote.look_up("log", Reach::Origin).is_ok());
    assert!(world.server.requests().iter().all(|request| bearer(request) == Some("the-token")));
}

#[test]
fn an_upload_creates_only_missing_files() {
    let world = world(Credentials::Bearer(Secret::new("the-token")));
    stores(&world);
    let remote = world.remote();
    remote.store("log", &file(b"first"), 5, false).expect("it is created");
    let taken = remote.store("log", &file(b"second"), 6, false).expect_err("it is taken");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    let large = content(17 * MIB, 1);
    let taken = remote.store("log", &file(&large), large.len() as u64, false).expect_err("in parts, too");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    remote.store("log", &file(b"third"), 5, true).expect("it is replaced");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"third"[..]));
}

/// Servers that do not know of each other create one file at the same time.
#[test]
fn one_of_two_sessions_creates_a_file() {
    let world = world(Credentials::Bearer(Secret::new("the-token")));
    let last = Arc::new(Barrier::new(2));
    let both = Arc::clone(&last);
    let sessions = stores_but(&world, move |request, _| {
        // Both have sent everything but the end when the first one ends.
        if request.body.len() < 8 * MIB {
            both.wait();
        }
        None
    });
    let (one, other) = (content(17 * MIB, 1), content(17 * MIB, 2));
    let store = |bytes: &Vec<u8>, cache: &str| {
        let mut spec = world.spec.clone();
        spec.cache.path = world.folder.path().join(cache);
        let remote = crate::Remote::open(spec).expect("a client");
        remote.store("dump", &file(bytes), bytes.len() as u64, false)
    };
    let results = std::thread::scope(|scope| {
        let other = scope.spawn(|| store(&other, "other"));
        [store(&one, "one"), other.join().expect("an end")]
    });
    let stored = match &results {
        [Ok(()), Err(StoreError::Exists)] => &one,
        [Err(StoreError::Exists), Ok(())] => &other,
        results => unreachable!("one of them succeeds: {results:?}"),
    };
    assert_eq!(get(&world.remote(), "dump").as_deref(), Ok(&**stored));
    let deadline = Instant::now() + LONG;
    while sessions.lock().unwrap().len() > 1 {
        assert!(Instant::now() < deadline, "the other session is not cancelled");
        std::thread::sleep(Duration::from_millis(5));
    }
    let requests = world.server.requests();
    assert!(requests.iter().all(|request| bearer(request) == Some("the-token")));
}

#[test]
fn a_session_continues_after_the_kept_bytes() {
    let world = world(Credentials::Anonymous);
    let once = Mutex::new(true);
    let kept = Arc::new(Mutex::new(None::<Sessions>));
    let its = Arc::clone(&kept);
    let sessions = stores_but(&world, move |request, stream| {
        if !std::mem::take(&mut *once.lock().unwrap()) {
            return None;
        }
        let sessions = its.lock().unwrap().clone().expect("the sessions");
        let mut sessions = sessions.lock().unwrap();
        let (_, _, bytes) = sessions.get_mut(&number(&request.target)).expect("the session");
        bytes.extend(&request.body[..MIB]);
        let _ = respond(stream, 308, &[("Range", format!("bytes=0-{}", MIB - 1))], b"", false);
        Some(Then::Next)
    });
    *kept.lock().unwrap() = Some(sessions);
    let (remote, bytes) = (world.remote(), content(17 * MIB, 3));
    remote.store("a b/dump", &file(&bytes), bytes.len() as u64, true).expect("it is stored");
    assert_eq!(world.server.page("/files/a%20b%2Fdump").map(|page| page.bytes.len()), Some(bytes.len()));
    assert!(world.server.requests().iter().all(|request| request.header("authorization").is_none()));
}

/// An upload ends if its session keeps no bytes, claims bytes that it was not sent, or ends early.
#[test]
fn a_session_that_lies_is_given_up() {
    let bytes = content(17 * MIB, 4);
    let upload = &|(status, range, words): (u16, &'static str, &str)| {
        let world = world(Credentials::Bearer(Secret::new("the-token")));
        let sessions = stores_but(&world, move |_, stream| {
            let headers: &[_] = &[("Range", range.to_owned())];
            let body = br#"{"error":{"errors":[{"reason":"badRequest"}],"message":"the-token"}}"#;
            let _ = respond(stream, status, if range.is_empty() { &[] } else { headers }, body, false);
            Some(Then::Next)
        });
        let error = world.remote().store("dump", &file(&bytes), bytes.len() as u64, false);
        let error = error.expect_err("it is not stored").to_string();
        assert!(error.contains(words) && !error.contains("the-token"), "{status} {range}: {error}");
        assert!(world.server.page("/files/dump").is_none());
        let deadline = Instant::now() + LONG;
        while !sessions.lock().unwrap().is_empty() {
            assert!(Instant::now() < deadline, "the session is not cancelled");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    std::thread::scope(|scope| {
        for lie in [
            (308, "bytes=0-1023", "does not keep the parts"),
            (308, "", "does not keep the parts"),
            (308, "bytes=0-18446744073709551615", "claims parts"),
            (308, "bytes=0-17825791", "claims parts"),
            (200, "", "without having its parts"),
            (404, "", "forgotten"),
            (400, "", "400 (badRequest)"),
            (403, "", "403 (badRequest)"),
        ] {
            scope.spawn(move || upload(lie));
        }
    });
}

#[test]
fn an_upload_in_parts_needs_a_session() {
    let world = world(Credentials::Bearer(Secret::new("the-token")));
    let bytes = content(17 * MIB, 5);
    for (status, words) in [(200, "no Location"), (403, "403 (forbidden)"), (404, "no such folder or bucket")]
    {
        world.server.trick(move |_, stream, _| {
            let body = br#"{"error":{"errors":[{"reason":"forbidden"}]}}"#;
            let _ = respond(stream, status, &[], body, false);
            Then::Next
        });
        let error = world.remote().store("dump", &file(&bytes), bytes.len() as u64, true);
        let error = error.expect_err("it is not stored").to_string();
        assert!(error.contains(words), "{status}: {error}");
    }
    // A reason that never ends.
    let mut spec = world.spec.clone();
    spec.timeout = Duration::from_secs(1);
    world.server.trick(|_, stream, _| {
        let _ = server::begin(stream, 403, &[], 1_000_000);
        Then::Next
    });
    let remote = crate::Remote::open(spec).expect("a client");
    let error = remote.store("dump", &file(&bytes), bytes.len() as u64, true).expect_err("it is refused");
    assert!(error.to_string().contains("403"), "{error}");
}

#[test]
fn an_anonymous_client_requests_no_login() {
    let world = world(Credentials::Anonymous);
    stores(&world);
    let remote = world.remote();
    remote.store("log", &file(b"first"), 5, true).expect("the bucket is open to all");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]));
    assert!(world.server.requests().iter().all(|request| request.header("authorization").is_none()));
}

/// A key is a login by itself: the token is signed here, and no server is asked for it.
#[test]
fn a_service_account_signs_its_tokens() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let script = "openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem &&
        openssl rsa -in key.pem -RSAPublicKey_out -outform DER -out public.der";
    let made = Command::new("sh").args(["-c", script]).current_dir(folder.path()).output().expect("a shell");
    assert!(made.status.success(), "openssl: {}", String::from_utf8_lossy(&made.stderr));
    let pem = fs::read_to_string(folder.path().join("key.pem")).expect("a key");
    let key = serde_json::json!({
        "type": "service_account", "private_key_id": "the-key", "private_key": pem,
        "client_email": "tftp@project.example", "token_uri": "https://oauth2.invalid/token",
    });
    let world = world(Credentials::ServiceAccount(Secret::new(key.to_string())));
    stores(&world);
    let remote = world.remote();
    remote.store("log", &file(b"first"), 5, true).expect("it is stored");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]));

    let public = fs::read(folder.path().join("public.der")).expect("a key");
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public);
    for request in world.server.requests() {
        let (signed, signature) = bearer(&request).and_then(|token| token.rsplit_once('.')).expect("a token");
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).expect("a signature");
        public.verify(signed.as_bytes(), &signature).expect("by the key");
        let claims = signed.split_once('.').expect("claims").1;
        let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).expect("claims");
        let claims: serde_json::Value = serde_json::from_slice(&claims).expect("claims");
        assert_eq!(claims["iss"], "tftp@project.example");
    }
}

#[test]
fn refusals_have_googles_reason() {
    let world = world(Credentials::Bearer(Secret::new("the-token")));
    world.server.trick(|request, stream, _| {
        let (status, code) = match &*request.target {
            "/files/expired" => (401, "AuthenticationRequired"),
            _ => (403, "AccessDenied"),
        };
        let body = format!(
            "<?xml version='1.0' encoding='UTF-8'?><Error><Code>{code}</Code><Details>the-token</Details></Error>"
        );
        let _ = respond(stream, status, &[], body.as_bytes(), request.method == "HEAD");
        Then::Next
    });
    let remote = world.remote();
    let upload = remote.store("log", &file(b"x"), 1, true).expect_err("no rights");
    for (error, words) in [
        (error(&remote, "expired"), "401 (AuthenticationRequired)"),
        (error(&remote, "log"), "403 (AccessDenied)"),
        (upload, "403 (AccessDenied)"),
    ] {
        assert!(matches!(error, StoreError::RefusedByOrigin { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("the-token"), "{error}");
    }
}

#[test]
fn a_credentials_file_has_a_variable_of_the_store() {
    let setting = |name: &str| Credentials::Settings(vec![(name.into(), Secret::new("the-token"))]);
    let world = world(setting("GOOGLE_BEARER_TOKEN"));
    world.server.put("log", b"content".to_vec());
    assert_eq!(get(&world.remote(), "log").as_deref(), Ok(&b"content"[..]));
    assert!(world.server.requests().iter().all(|request| bearer(request) == Some("the-token")));
    let mut spec = world.spec.clone();
    spec.credentials = setting("GOOGLE_TOKEN");
    let error = crate::Remote::open(spec).expect_err("no login").to_string();
    assert!(error.contains("GOOGLE_TOKEN") && !error.contains("the-token"), "{error}");
}
