//! The grant `http` over TLS: a server whose certificate the machine trusts, and one that it does not.

use super::probe;
use crate::harness::{Certificate, Client, Options, Server, Setup, wait_until};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// `openssl s_server`, which answers every GET with a page about the connection.
struct Https {
    child: Child,
    port: u16,
}

impl Https {
    fn start(certificate: &Certificate) -> Https {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("openssl")
            .args(["s_server", "-quiet", "-www", "-accept", &format!("127.0.0.1:{port}")])
            .arg("-cert")
            .arg(&certificate.certificate)
            .arg("-key")
            .arg(&certificate.key)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("openssl s_server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Https { child, port }
    }
}

impl Drop for Https {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(setup: Setup, url: &str) -> (String, Server) {
    let component = probe();
    let host = url.split('/').nth(2).unwrap();
    let server = setup
        .yaml(&format!(
            r#"
roots: [{{ name: boot, path: root }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ resolve: [probe], time-limit: 40s }}
plugins:
  probe:
    component: "{component}"
    grants: [kv, files/boot, sinks/out, http/{host}]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ run: ["get {url}"] }}
"#
        ))
        .start();
    let said = Client::Tuffet.get(server.address(), "ask", Options::default());
    (String::from_utf8(said).unwrap(), server)
}

#[test]
fn the_authorities_of_the_machine_are_trusted_and_no_other() {
    let folder = TempDir::new().unwrap();
    let Some(certificate) = Certificate::make(folder.path()) else { return };
    let https = Https::start(&certificate);
    let url = format!("https://localhost:{}/", https.port);
    let (said, _server) = ask(Setup::new().variable("SSL_CERT_FILE", certificate.trusted()), &url);
    // The page is larger than the plugin's limit, so its arrival shows.
    assert!(said.starts_with("(200, ") || said.starts_with("too-large: "), "{said}");
    let (said, _server) = ask(Setup::new(), &url);
    assert!(said.starts_with("unavailable: ") && said.to_lowercase().contains("certificate"), "{said}");
}
