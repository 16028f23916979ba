//! The registry of Debian's package `docker-registry`, as a process.

use crate::harness::{Certificate, skipped, wait_until};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// User and password, and what `htpasswd -B` makes of them.
pub const USER: &str = "somebody";
pub const PASSWORD: &str = "pass:word";
const HASH: &str = "$2y$05$abcdefghijklmnopqrstuuDIEddBSuRWBBEY6g5zv60IAP5bSSfki";

/// A registry, killed on drop.
pub struct Registry {
    child: Child,
    address: SocketAddr,
    /// With TLS it has the name of its certificate.
    name: &'static str,
    _folder: TempDir,
}

impl Registry {
    /// Starts one over HTTP, for everybody; `None` if it is not installed.
    pub fn start() -> Option<Registry> {
        Registry::with("127.0.0.1", "", "")
    }

    /// Starts one with TLS, as `localhost`, that wants a login.
    pub fn locked(certificate: &Certificate) -> Option<Registry> {
        let tls = format!(
            "  tls: {{ certificate: \"{}\", key: \"{}\" }}\n",
            certificate.certificate.display(),
            certificate.key.display()
        );
        Registry::with("localhost", &tls, "auth: { htpasswd: { realm: test, path: \"FOLDER/users\" } }\n")
    }

    fn with(name: &'static str, http: &str, more: &str) -> Option<Registry> {
        if Command::new("docker-registry").arg("--version").output().is_err() {
            skipped("docker-registry is not installed: plugins from a real registry are not tested");
            return None;
        }
        // Free a moment ago; where somebody else was quicker, it ends and another one is tried.
        for _ in 0..10 {
            let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let folder = TempDir::new().unwrap();
            let at = folder.path().display().to_string();
            let config = format!(
                "version: 0.1\nlog: {{ level: error }}\nstorage: {{ filesystem: {{ rootdirectory: \"{at}/data\" }} }}\n\
                 http:\n  addr: \"{address}\"\n{http}{}",
                more.replace("FOLDER", &at)
            );
            std::fs::write(folder.path().join("users"), format!("{USER}:{HASH}\n")).unwrap();
            let file = folder.path().join("config.yml");
            std::fs::write(&file, config).unwrap();
            let child = Command::new("docker-registry")
                .arg("serve")
                .arg(&file)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut registry = Registry { child, address, name, _folder: folder };
            let mut ended = false;
            wait_until("docker-registry listens", || {
                ended = registry.child.try_wait().unwrap().is_some();
                ended || TcpStream::connect(address).is_ok()
            });
            if !ended {
                return Some(registry);
            }
        }
        panic!("docker-registry does not start")
    }

    /// Host and port.
    pub fn host(&self) -> String {
        format!("{}:{}", self.name, self.address.port())
    }

    pub fn reference(&self, rest: &str) -> String {
        format!("oci://{}/{rest}", self.host())
    }

    /// Ends it, with all that it holds.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Uploads a blob; returns its digest.
    pub fn put_blob(&self, repository: &str, content: &[u8]) -> String {
        let digest = super::sha256(content);
        let begun = self.ask("POST", &format!("/v2/{repository}/blobs/uploads/"), "", b"");
        let location = begun.lines().find_map(|line| line.strip_prefix("Location: ")).unwrap().trim();
        let path = location.split_once(&self.host()).map_or(location, |(_, path)| path);
        let and = if path.contains('?') { '&' } else { '?' };
        let done = self.ask(
            "PUT",
            &format!("{path}{and}digest=sha256:{digest}"),
            "application/octet-stream",
            content,
        );
        assert!(done.starts_with("HTTP/1.1 201"), "{done}");
        digest
    }

    /// Puts a manifest under a tag.
    pub fn put_manifest(&self, repository: &str, tag: &str, manifest: &serde_json::Value) {
        let kind = manifest["mediaType"].as_str().unwrap();
        let text = manifest.to_string();
        let done = self.ask("PUT", &format!("/v2/{repository}/manifests/{tag}"), kind, text.as_bytes());
        assert!(done.starts_with("HTTP/1.1 201"), "{done}");
    }

    /// The content of a path below `/v2/`; `None` if there is none.
    pub fn get(&self, path: &str) -> Option<String> {
        let answer = self.ask("GET", &format!("/v2/{path}"), "", b"");
        let (head, content) = answer.split_once("\r\n\r\n").unwrap();
        head.starts_with("HTTP/1.1 200").then(|| content.to_owned())
    }

    fn ask(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: {kind}\r\n\
             accept: application/vnd.oci.image.index.v1+json\r\naccept: application/vnd.oci.image.manifest.v1+json\r\n\
             content-length: {}\r\n\r\n",
            self.host(),
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
