//! Plugins from OCI registries: that of Debian's package `docker-registry`, and scripted ones that misbehave.

mod cosign;
mod debian;
mod hostile;
mod keyless;
mod layouts;
mod pinned;
mod portal;
mod real;
mod scripted;
mod signed;
mod user;

use crate::harness::{Answer, Peer, Ran, Server, Setup, rrq, tuffet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The bundled plugin `acl` as a file.
fn acl() -> PathBuf {
    PathBuf::from(tuffet_test_guests::component("acl"))
}

/// The same with a custom section at its end: another component that does the same.
fn another_acl(word: &str) -> Vec<u8> {
    let mut component = std::fs::read(acl()).unwrap();
    let name = u8::try_from(word.len()).unwrap();
    component.extend([0, name + 1, name]);
    component.extend(word.as_bytes());
    component
}

/// What outlives a server: the folder of components, and files of the test.
struct Kept(TempDir);

impl Kept {
    fn new() -> Kept {
        Kept(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Returns a configuration whose plugin `acl` denies the name `a`. `more` are further keys of the plugin,
    /// `section` further sections.
    fn yaml(&self, component: &str, more: &str, section: &str) -> String {
        format!(
            r#"
roots: [{{ name: boot, path: root }}]
state: "{}"
policy: {{ authorize: [acl], time-limit: 40s }}
plugins:
  acl:
    component: "{component}"
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ deny: [{{ names: [a], message: "a is denied" }}] }}
{more}
{section}
"#,
            self.path("state").display()
        )
    }

    /// A section that lets a reload bring the first component from a registry.
    fn open(&self) -> String {
        format!("privileges: {{ writable: [\"{}\"] }}", self.0.path().display())
    }

    fn setup(&self, yaml: &str) -> Setup {
        Setup::new().file("a", b"content").yaml(yaml)
    }

    /// A configuration as a file, for `tuffet check` and `tuffet plugin`.
    fn config(&self, yaml: &str) -> PathBuf {
        std::fs::create_dir_all(self.path("root")).unwrap();
        self.write("tuffet.yaml", format!("listeners: [{{ address: \"127.0.0.1:0\" }}]\n{yaml}"))
    }
}

/// Whether the plugin decides.
#[track_caller]
fn assert_denies(server: &Server) {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("a", &[]));
    assert_eq!(peer.receive(), Answer::Error(2, "a is denied".into()));
}

fn plugin(arguments: &[&str]) -> Ran {
    tuffet([&["plugin"], arguments].concat())
}

/// Pushes a file; returns its reference with the digest.
#[track_caller]
fn push(file: &Path, reference: &str, more: &[&str]) -> String {
    let ran = plugin(&[&["push", file.to_str().unwrap(), reference], more].concat());
    ran.assert_good();
    let pinned = String::from_utf8(ran.stdout).unwrap().trim_end().to_owned();
    assert!(pinned.starts_with(&format!("{reference}@sha256:")), "{pinned}");
    pinned
}

fn digest_of(pinned: &str) -> &str {
    pinned.rsplit(':').next().unwrap()
}

fn sha256(content: &[u8]) -> String {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child =
        Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sha256sum");
    child.stdin.take().unwrap().write_all(content).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    String::from_utf8(out).unwrap()[..64].to_owned()
}
