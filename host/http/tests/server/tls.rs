//! HTTPS, with certificates of openssl.

use super::client::Client;
use super::{PATIENCE, Served, Setup, content};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use tuffet_http::Certificates;

/// A folder with certificates.
struct Authority(TempDir);

impl Authority {
    /// Creates one; without openssl `None`, and the test is skipped.
    fn make() -> Option<Authority> {
        let authority = Authority(tempfile::tempdir().unwrap());
        let made = authority.issue("server", &["-days", "30"]);
        (made && authority.issue("other", &["-days", "2"])).then_some(authority)
    }

    /// Makes a certificate for `localhost`, and its key.
    fn issue(&self, name: &str, arguments: &[&str]) -> bool {
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .args(arguments)
            .arg("-keyout")
            .arg(self.path(&format!("{name}.key")))
            .arg("-out")
            .arg(self.path(&format!("{name}.pem")))
            .output();
        made.is_ok_and(|made| made.status.success()) || {
            skipped("openssl is not installed: HTTPS is not tested");
            false
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self, name: &str) -> Certificates {
        self.load_with(name, None).unwrap()
    }

    fn load_with(&self, name: &str, clients: Option<&str>) -> Result<Certificates, String> {
        let [certificate, key] = ["pem", "key"].map(|kind| self.path(&format!("{name}.{kind}")));
        let clients = clients.map(|clients| self.path(clients));
        Certificates::load(&certificate, &key, clients.as_deref()).map_err(|error| error.to_string())
    }

    fn certificate(&self, name: &str) -> CertificateDer<'static> {
        CertificateDer::from_pem_file(self.path(&format!("{name}.pem"))).unwrap()
    }

    /// Connects as a client that trusts one certificate, and may have another.
    fn connect(
        &self,
        served: &Served,
        trusted: &str,
        own: Option<&str>,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Client<StreamOwned<ClientConnection, TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate(trusted)).unwrap();
        let builder = ClientConfig::builder_with_provider(default_provider().into());
        let builder = builder.with_protocol_versions(versions).unwrap().with_root_certificates(roots);
        let mut config = match own {
            None => builder.with_no_client_auth(),
            Some(own) => {
                let key = PrivateKeyDer::from_pem_file(self.path(&format!("{own}.key"))).unwrap();
                builder.with_client_auth_cert(vec![self.certificate(own)], key).unwrap()
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let session = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
        let stream = TcpStream::connect(served.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Client(BufReader::new(StreamOwned::new(session, stream)))
    }
}

/// Reports a skipped test, on the terminal and in the file that `TUFFET_SKIPPED` names.
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
    let Some(list) = env::var_os("TUFFET_SKIPPED") else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(&list).unwrap();
    file.write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

fn serve(certificates: &Certificates) -> Served {
    Served::with(Setup { certificates: Some(certificates.clone()), ..Setup::default() }, |builder| builder)
}

const ANY: &[&SupportedProtocolVersion] = rustls::ALL_VERSIONS;

#[test]
fn files_by_tls_1_2_and_1_3() {
    let Some(authority) = Authority::make() else { return };
    let served = serve(&authority.load("server"));
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let mut client = authority.connect(&served, "server", None, &[version]);
        assert!(client.ask(&["GET /memory/3000000 HTTP/1.1"]).body == content(3_000_000));
        assert_eq!(client.ask(&["GET /none HTTP/1.1"]).status, 404);
        let session = &client.0.get_ref().conn;
        assert_eq!(session.alpn_protocol(), Some(&b"http/1.1"[..]));
        assert_eq!(session.protocol_version(), Some(version.version));
    }
}

#[test]
fn what_is_no_tls_is_closed() {
    let Some(authority) = Authority::make() else { return };
    let served = serve(&authority.load("server"));
    for bytes in
        ["GET /memory/1 HTTP/1.1\r\nHost: test\r\n\r\n".as_bytes(), &[0x16, 3, 1, 0xff, 0xff], &[0; 4096]]
    {
        let mut client = served.connect();
        client.send(bytes);
        // Nothing follows what does not fit into a record.
        let _ = client.0.get_ref().shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = std::io::Read::read_to_end(&mut client.0, &mut answer);
        assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    }
}

#[test]
fn certificates_are_replaced_while_the_server_runs() {
    let Some(authority) = Authority::make() else { return };
    let certificates = authority.load("server");
    let served = serve(&certificates);
    let mut first = authority.connect(&served, "server", None, ANY);
    assert_eq!(first.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    certificates.replace(&authority.load("other"));
    let mut second = authority.connect(&served, "other", None, ANY);
    assert_eq!(second.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    // Those that exist keep theirs.
    assert_eq!(first.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    let mut wrong = authority.connect(&served, "server", None, ANY);
    assert!(wrong.0.get_mut().write_all(b"x").is_err());
}

#[test]
fn certificates_of_clients_are_verified_if_there_are_any() {
    let Some(authority) = Authority::make() else { return };
    let served = serve(&authority.load_with("server", Some("other.pem")).unwrap());
    let mut client = authority.connect(&served, "server", Some("other"), ANY);
    assert_eq!(client.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    let mut client = authority.connect(&served, "server", None, ANY);
    assert_eq!(client.ask(&["GET /memory/1 HTTP/1.1"]).status, 200);
    let mut client = authority.connect(&served, "server", Some("server"), ANY);
    let _ = client.0.get_mut().write_all(b"GET /memory/1 HTTP/1.1\r\nHost: test\r\n\r\n");
    assert!(client.is_closed());
}

#[test]
fn the_end_of_a_certificate_is_known() {
    let Some(authority) = Authority::make() else { return };
    for (name, days) in [("server", 30), ("other", 2)] {
        let left = authority.load(name).not_after().unwrap().duration_since(SystemTime::now()).unwrap();
        let expected = Duration::from_secs(days * 86_400);
        assert!(left <= expected && left > expected - Duration::from_secs(3600), "{left:?}");
    }
}

#[test]
fn errors_name_the_file_and_the_problem() {
    let Some(authority) = Authority::make() else { return };
    let at = |name: &str| format!("`{}`: ", authority.path(name).display());
    let copy = |from: &str, to: &str| {
        fs::copy(authority.path(from), authority.path(to)).unwrap();
    };
    copy("server.pem", "mixed.pem");
    copy("other.key", "mixed.key");
    copy("server.key", "swapped.pem");
    copy("server.pem", "swapped.key");
    copy("server.pem", "broken.pem");
    copy("server.key", "broken.key");
    fs::write(authority.path("empty.pem"), "").unwrap();
    fs::write(authority.path("broken.pem"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        .unwrap();
    copy("server.pem", "locked.pem");
    fs::write(
        authority.path("locked.key"),
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    )
    .unwrap();
    copy("server.pem", "keyless.pem");
    for (name, clients, file, problem) in [
        ("mixed", None, "mixed.key", "is not the key of the certificate in `"),
        ("swapped", None, "swapped.pem", "holds no certificate"),
        ("broken", None, "broken.pem", "holds no valid certificate"),
        ("locked", None, "locked.key", "the key is encrypted"),
        ("keyless", None, "keyless.key", "cannot be read: No such file or directory"),
        ("server", Some("empty.pem"), "empty.pem", "holds no certificate"),
        ("server", Some("broken.pem"), "broken.pem", "holds no valid authority"),
    ] {
        let error = authority.load_with(name, clients).unwrap_err();
        assert!(error.starts_with(&(at(file) + problem)), "{error}");
    }
    let error =
        Certificates::load(&authority.path("server.pem"), &authority.path("server.pem"), None).unwrap_err();
    assert_eq!(error.path(), Path::new(&authority.path("server.pem")));
}
