//! A certificate that nobody trusts who is not told to.

use super::skipped;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Signed by itself, for `localhost` unless another name is given.
pub struct Certificate {
    pub key: PathBuf,
    pub certificate: PathBuf,
}

impl Certificate {
    /// Makes one in this folder; `None`, and a skipped test, without openssl.
    pub fn make(folder: &Path) -> Option<Certificate> {
        Certificate::of(folder, "", "DNS:localhost")
    }

    /// For another name, such as `IP:127.0.0.2`; its files have this word before their names.
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

    /// For `SSL_CERT_FILE`: who has it trusts this certificate.
    pub fn trusted(&self) -> &str {
        self.certificate.to_str().unwrap()
    }
}
