//! Google Cloud Storage: logins, conditions of uploads and answers, as the reference of its XML interface has them
//! (<https://cloud.google.com/storage/docs/xml-api/overview>).

use std::fs;
use std::process::Command;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use tuffet_config::{Credentials, Location, Secret};
use tuffet_store::{Origin, StoreError};

use super::server::{Request, Then, respond};
use super::uploads::file;
use super::world::{MIB, World, content, error, get};

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

/// A new object of one generation, or 412.
fn stores(world: &World) {
    world.server.trick(|request, stream, server| {
        if request.method != "PUT" {
            return Then::Serve;
        }
        let is_there = server.page(&request.target).is_some();
        if request.header("x-goog-if-generation-match") == Some("0") && is_there {
            let body =
                b"<?xml version='1.0' encoding='UTF-8'?><Error><Code>PreconditionFailed</Code></Error>";
            let _ = respond(stream, 412, &[], body, false);
            return Then::Next;
        }
        server.put(request.target.trim_start_matches("/files/"), request.body.clone());
        let _ = respond(stream, 200, &[("ETag", "\"1\"".into())], b"", false);
        Then::Next
    });
}

#[test]
fn a_token_goes_with_each_request() {
    let world = world(Credentials::Bearer(Secret::new("the-token")));
    stores(&world);
    let remote = world.remote();
    remote.store("log", &file(b"first"), 5, true).expect("it is stored");
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]));
    assert!(remote.look_up("log").is_ok());
    assert!(world.server.requests().iter().all(|request| bearer(request) == Some("the-token")));
}

#[test]
fn an_upload_creates_only_what_is_not_there() {
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

#[test]
fn nobody_asks_for_a_login_where_none_is_wanted() {
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
