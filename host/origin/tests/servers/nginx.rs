//! nginx with TLS and an authority of one's own.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use tuffet_config::{Credentials, Location, OriginSpec, Secret};
use tuffet_origin::Remote;
use tuffet_store::StoreError;

use super::process::{Server, free, program};
use super::{MIB, content, get, spec};

/// An authority, and a certificate of it for `localhost`.
fn certificates(folder: &Path) {
    let script = "set -e
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ours \
            -keyout ca.key -out ca.pem
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout site.key -out site.csr
        printf 'subjectAltName=DNS:localhost' >names
        openssl x509 -req -in site.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out site.pem";
    let made = Command::new("sh").args(["-c", script]).current_dir(folder).output().expect("a shell");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

fn start(program: &str, folder: &Path, address: SocketAddr) -> Server {
    let at = folder.display();
    // `user:password`
    fs::write(folder.join("users"), "user:{PLAIN}password\n").expect("a file");
    let configuration = format!(
        "daemon off; master_process off; pid {at}/pid; error_log {at}/errors;
        events {{}}
        http {{
            access_log off;
            client_body_temp_path {at}/tmp; proxy_temp_path {at}/tmp; fastcgi_temp_path {at}/tmp;
            uwsgi_temp_path {at}/tmp; scgi_temp_path {at}/tmp;
            server {{
                listen {address} ssl;
                ssl_certificate {at}/site.pem;
                ssl_certificate_key {at}/site.key;
                root {at}/www;
                location /forbidden/ {{ return 403; }}
                location /login/ {{ auth_basic ours; auth_basic_user_file {at}/users; }}
                location /untagged/ {{ etag off; }}
            }}
        }}"
    );
    let path = folder.join("nginx.conf");
    fs::write(&path, configuration).expect("a file");
    Server::start(Command::new(program).arg("-p").arg(folder).arg("-c").arg(path), address)
}

fn origin(address: SocketAddr, folder: &Path) -> OriginSpec {
    let url = format!("https://localhost:{}/", address.port()).parse().expect("a URL");
    let mut spec = spec(Location::Http { url }, Credentials::Environment, folder);
    spec.ca = Some(folder.join("ca.pem"));
    spec
}

#[test]
fn nginx_serves_with_tls() {
    let Some(program) = program("TUFFET_NGINX", "nginx") else { return };
    let folder = TempDir::new().expect("a folder");
    certificates(folder.path());
    let files = [
        ("small", content(5000, 1)),
        ("large", content(20 * MIB, 2)),
        ("untagged/file", content(9 * MIB, 3)),
        ("login/file", content(10, 4)),
    ];
    for (name, bytes) in &files {
        let path = folder.path().join("www").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    // nginx reads as its own user.
    let open = Command::new("chmod").args(["-R", "a+rX"]).arg(folder.path()).status();
    assert!(open.is_ok_and(|open| open.success()));
    let address = free();
    let mut server = start(&program, folder.path(), address);

    let remote = Remote::open(origin(address, folder.path())).expect("a client");
    for (name, bytes) in &files[..3] {
        assert_eq!(get(&remote, name).as_deref(), Ok(&**bytes), "{name}");
        let received = remote.state().counts.received;
        assert_eq!(get(&remote, name).as_deref(), Ok(&**bytes), "{name} once more");
        assert_eq!(remote.state().counts.received, received, "{name} was validated and not fetched again");
    }
    assert!(matches!(remote.get("none"), Err(StoreError::NotFound)));
    assert!(matches!(remote.get("forbidden/file"), Err(StoreError::RefusedByOrigin { .. })));
    assert!(matches!(remote.get("login/file"), Err(StoreError::RefusedByOrigin { .. })));

    let others = TempDir::new().expect("a folder");
    let mut known = origin(address, folder.path());
    known.cache.path = others.path().join("known");
    known.credentials = Credentials::Basic { user: Secret::new("user"), password: Secret::new("password") };
    assert_eq!(get(&Remote::open(known).expect("a client"), "login/file").as_deref(), Ok(&*files[3].1));

    let mut stranger = origin(address, folder.path());
    (stranger.cache.path, stranger.ca) = (others.path().join("stranger"), None);
    let error = Remote::open(stranger)
        .expect("a client")
        .get("small")
        .expect_err("its certificate is not trusted")
        .to_string();
    assert!(error.contains("certificate"), "{error}");

    server.kill();
    assert_eq!(get(&remote, "small").as_deref(), Ok(&*files[0].1), "stale");
}
