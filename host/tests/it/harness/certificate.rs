//! A self-signed certificate, which must be trusted explicitly.

use super::skipped;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A self-signed certificate, for `localhost` unless another name is given.
pub struct Certificate {
    pub key: PathBuf,
    pub certificate: PathBuf,
}

impl Certificate {
    /// Creates one in this folder; without openssl `None`, and the test is skipped.
    pub fn make(folder: &Path) -> Option<Certificate> {
        Certificate::of(folder, "", "DNS:localhost")
    }

    /// Creates one for another name, such as `IP:127.0.0.2`; the names of its files begin with this word.
    pub fn of(folder: &Path, word: &str, name: &str) -> Option<Certificate> {
        let made = Certificate {
            key: folder.join(format!("{word}key.pem")),
            certificate: folder.join(format!("{word}cert.pem")),
        };
        let done = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
            .args(["-addext", &format!("subjectAltName={name}")])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-keyout")
            .arg(&made.key)
            .arg("-out")
            .arg(&made.certificate)
            .output();
        if done.is_ok_and(|done| done.status.success()) {
            return Some(made);
        }
        skipped("openssl is not installed: TLS is not tested");
        None
    }

    /// Returns the value of `SSL_CERT_FILE` that trusts this certificate.
    pub fn trusted(&self) -> &str {
        self.certificate.to_str().unwrap()
    }
}
