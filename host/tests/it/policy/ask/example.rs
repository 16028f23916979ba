//! `examples/ask` as it stands, but for its ports; and over TLS.

use super::*;
use crate::harness::{Certificate, skipped};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use tempfile::TempDir;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ask");

/// The service of the example on a free port; with a key and a certificate, over TLS.
const RUN: &str = r#"
import ssl, sys
folder = sys.argv[1]
sys.path.insert(0, folder)
import service
server = service.serve(0, folder + "/token")
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"#;

struct Python {
    child: Child,
    port: String,
}

impl Python {
    /// `None` without Python: the test is skipped.
    fn start(certificate: Option<&Certificate>) -> Option<Python> {
        let mut command = Command::new("python3");
        command.args(["-c", RUN, FOLDER]).env("PYTHONDONTWRITEBYTECODE", "1");
        command.args(certificate.iter().flat_map(|its| [&its.key, &its.certificate]));
        let Ok(mut child) = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
            skipped("python3 is not installed: examples/ask is not run");
            return None;
        };
        let mut port = String::new();
        let pipe = child.stdout.take().unwrap();
        BufReader::new(pipe).read_line(&mut port).unwrap();
        Some(Python { child, port: port.trim().to_owned() })
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The example with another service, and limits that no busy machine reaches.
fn example(authority: &str, scheme: &str) -> Setup {
    let yaml = std::fs::read_to_string(format!("{FOLDER}/tuffet.yaml")).unwrap();
    let yaml = yaml
        .replace("http://127.0.0.1:8080/", &format!("{scheme}://{authority}/"))
        .replace("http/127.0.0.1:8080", &format!("http/{authority}"))
        .replace("./", &format!("{FOLDER}/"))
        .replace("resolve: [ask]", "resolve: [ask]\n  time-limit: 40s")
        .replace(
            "    settings:\n",
            "    limits: { time: 20s, wall: 40s }\n    settings:\n      time-limit: 30s\n",
        );
    Setup::new().yaml(&yaml)
}

#[test]
fn its_readme_is_true() {
    let Some(python) = Python::start(None) else { return };
    let server = example(&format!("127.0.0.1:{}", python.port), "http").start();
    assert_eq!(get(&server, "hello.txt"), "served from the root\n");
    assert_eq!(get(&server, "pxelinux.cfg/01-02-00-5e-10-00-01"), "# install kitchen\n");
    let text = refused(&server, "pxelinux.cfg/01-02-00-5e-10-00-02", 2);
    assert_eq!(text, "cellar does not boot from the network");
    for _ in 0..2 {
        assert_eq!(get(&server, "menu.ipxe"), "#!ipxe\necho menu of the site\nexit\n");
    }
    drop(python);
    let shown = String::from_utf8(explain(&server, "hello.txt").stdout).unwrap();
    assert!(shown.contains("no usable answer from"), "{shown}");
    assert_eq!(refused(&server, "new", 0), "the service that decides does not answer");
}

#[test]
fn over_tls_with_a_certificate_that_the_machine_trusts() {
    let folder = TempDir::new().unwrap();
    let Some(certificate) = Certificate::make(folder.path()) else { return };
    let Some(python) = Python::start(Some(&certificate)) else { return };
    let authority = format!("localhost:{}", python.port);
    let trusting = example(&authority, "https").variable("SSL_CERT_FILE", certificate.trusted()).start();
    assert_eq!(get(&trusting, "pxelinux.cfg/01-02-00-5e-10-00-01"), "# install kitchen\n");
    let wary = example(&authority, "https").start();
    assert_eq!(refused(&wary, "hello.txt", 0), "the service that decides does not answer");
    let outcome = wary.outcome("hello.txt");
    assert!(outcome["detail"].as_str().unwrap().to_lowercase().contains("certificate"), "{outcome:#}");
}
