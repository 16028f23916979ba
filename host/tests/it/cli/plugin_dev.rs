//! `tuffet plugin dev`, with a compiler that copies components: the project says which one.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{Folder, Setup, compiled, run_for, tuffet};

/// How long a line may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// In place of cargo: takes the component that `src/lib.rs` names, and describes it as cargo does.
pub(super) const CARGO: &str = r#"#!/bin/sh
set -e
if [ "$1" = metadata ]; then
    echo "{\"workspace_root\":\"$PWD\",\"target_directory\":\"$PWD/target\"}"
    exit
fi
component=$GUESTS/$(cat src/lib.rs).wasm
if ! [ -f "$component" ]; then echo "error: no such code" >&2; exit 101; fi
mkdir -p target && cp "$component" target/watched.wasm
echo "{\"target\":{\"kind\":[\"cdylib\"],\"name\":\"watched\"},\"filenames\":[\"$PWD/target/watched.wasm\"]}"
"#;

/// The plugin denies one path and writes a line about it.
fn config(denied: &str) -> String {
    format!(
        "listeners: [{{ address: \"127.0.0.1:0\", name: lan }}]
control: ./control
privileges: {{ user: root }}
roots: [{{ name: boot, path: ./files }}]
policy: {{ authorize: [watched] }}
plugins:
  watched:
    component: ./watched.wasm
    settings:
      rules:
        - hook: authorize
          path: {denied}
          do: [[log, info, it is denied, {{}}]]
          answer: {{ deny: {{ code: access-violation, message: no, reason: by rule }} }}
"
    )
}

/// A project for [`CARGO`].
fn project(setup: &Setup) -> Folder {
    let folder = Folder(setup.outside().path("watched"));
    folder.write("Cargo.toml", b"");
    folder.write("src/lib.rs", b"tuffet_reference");
    folder.write("files/a", b"content of a");
    folder.write("files/b", b"content of b");
    folder.write("tuffet.yaml", config("a").as_bytes());
    folder.write(
        "cases.yaml",
        b"component: ./watched.wasm\ncases:\n  - { name: abstain, hook: authorize, request: { path: x }, expect: abstain }\n",
    );
    folder.write(".tools/cargo", CARGO.as_bytes());
    fs::set_permissions(folder.path(".tools/cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A running `tuffet plugin dev`. Ends with the test.
pub(super) struct Dev {
    child: Child,
    lines: Receiver<String>,
    /// Lines that came, and that nothing has waited for: two threads print.
    seen: RefCell<Vec<String>>,
}

impl Dev {
    /// Starts one for a project of [`project`].
    fn start(folder: &Folder, words: &[&str]) -> Dev {
        let cargo = folder.path(".tools/cargo").display().to_string();
        Dev::of(folder, words, &[("CARGO", &*cargo), ("GUESTS", tuffet_test_guests::FOLDER)])
    }

    pub fn of(folder: &Folder, words: &[&str], environment: &[(&str, &str)]) -> Dev {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.args(["plugin", "dev"]).args(words).current_dir(&folder.0).stdin(Stdio::null());
        command.env("CACHE_DIRECTORY", compiled()).env_remove("RUSTFLAGS");
        command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_BUILD_DIR");
        command.envs(environment.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let pipes: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for pipe in pipes {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Dev { child, lines, seen: RefCell::default() }
    }

    /// Waits for a line with all of these words, and takes it.
    pub fn line(&self, words: &[&str]) -> String {
        let began = Instant::now();
        let mut seen = self.seen.borrow_mut();
        loop {
            let found = seen.iter().position(|line| words.iter().all(|word| line.contains(word)));
            if let Some(at) = found {
                return seen.remove(at);
            }
            let left = PATIENCE.saturating_sub(began.elapsed());
            match self.lines.recv_timeout(left) {
                Ok(line) => seen.push(line),
                Err(_) => panic!("no line with {words:?} in {seen:#?}"),
            }
        }
    }

    /// The URL of the listener, once it is shown.
    pub fn url(&self) -> String {
        let line = self.line(&["dev: listener lan at "]);
        format!("tftp://{}/", line.rsplit(' ').next().unwrap())
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = run_for(Command::new("kill").arg(self.child.id().to_string()), PATIENCE);
        let _ = self.child.wait();
    }
}

fn get(url: &str, path: &str) -> (i32, Vec<u8>) {
    let ran = tuffet(["get", "-q", "-o", "-", &format!("{url}{path}")]);
    (ran.code(), ran.stdout)
}

fn no_server(socket: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(socket).is_err()
}

#[test]
fn a_change_is_built_tried_out_and_served() {
    let setup = Setup::new();
    let folder = project(&setup);
    let dev = Dev::start(&folder, &[]);
    dev.line(&["watched.wasm: good (authorize"]);
    dev.line(&["1 passed, 0 failed"]);
    dev.line(&["dev: serving as process", "generation 1"]);
    let url = dev.url();

    // The line of the plugin and the verdict.
    assert_eq!(get(&url, "a").0, 1);
    dev.line(&["info \"it is denied\"", "plugin=\"watched\""]);
    dev.line(&[" read \"a\": denied"]);
    dev.line(&["    watched authorize: deny", " µs"]);

    // What does not compile changes nothing.
    folder.write("src/lib.rs", b"nonsense");
    dev.line(&["error: no such code"]);
    dev.line(&["dev: not built; generation 1 stays active"]);
    assert_eq!(get(&url, "a").0, 1);
    dev.line(&[" read \"a\": denied"]);

    // Nor does what the server refuses: acl has other settings.
    folder.write("src/lib.rs", b"tuffet_acl");
    dev.line(&["unknown field `rules`"]);
    dev.line(&["dev: not built; generation 1 stays active"]);
    assert_eq!(get(&url, "a").0, 1);

    folder.write("tuffet.yaml", config("b").as_bytes());
    folder.write("src/lib.rs", b"tuffet_reference");
    dev.line(&["dev: reloaded: generation 2"]);
    assert_eq!(get(&url, "a"), (0, b"content of a".to_vec()));
    dev.line(&[" read \"a\": served, \"boot:a\""]);
    dev.line(&["    watched authorize: abstain", " µs"]);

    // A case that fails is shown, and the component served.
    let cases = String::from_utf8(folder.read("cases.yaml")).unwrap();
    folder.write("cases.yaml", cases.replace("expect: abstain", "expect: deny").as_bytes());
    dev.line(&["FAILED", "abstain"]);
    dev.line(&["dev: reloaded: generation 3", "a case failed"]);

    let socket = folder.path("control");
    assert!(!no_server(&socket));
    drop(dev);
    assert!(no_server(&socket), "the server ends with the command");
}

/// Whoever starts it: root's server stays root, unless its configuration names a user.
#[test]
fn the_server_may_write_keys_and_uploads_into_the_project() {
    let setup = Setup::new();
    let folder = project(&setup);
    folder.write("src/lib.rs", b"tuffet_probe");
    fs::remove_file(folder.path("cases.yaml")).unwrap();
    let config = "listeners: [{ address: \"127.0.0.1:0\", name: lan }]
control: ./control
roots: [{ name: boot, path: ./files, writable: true }]
sinks: { audit: { file: ./audit.jsonl } }
policy: { resolve: [watched] }
plugins:
  watched:
    component: ./watched.wasm
    grants: [kv, files/boot, sinks/audit]
    settings: { run: [kv count hits] }
state: ./state
";
    folder.write("tuffet.yaml", config.as_bytes());
    let dev = Dev::start(&folder, &[]);
    dev.line(&["dev: serving as process", "generation 1"]);
    let url = dev.url();
    assert_eq!(get(&url, "a"), (0, b"1\n".to_vec()));
    assert_eq!(get(&url, "a"), (0, b"2\n".to_vec()));
    assert!(folder.path("state").is_dir());
    folder.write("tuffet.yaml", config.replace("count hits", "get hits").as_bytes());
    dev.line(&["dev: reloaded: generation 2"]);
}

#[test]
fn a_server_that_runs_already_is_reloaded_and_goes_on() {
    let setup = Setup::new();
    let folder = project(&setup);
    let first = Dev::start(&folder, &[]);
    first.line(&["dev: serving as process"]);
    let url = first.url();

    let control = folder.path("control").display().to_string();
    let second = Dev::start(&folder, &["--control", &control]);
    second.line(&["dev: process", "serves"]);
    second.line(&["dev: reloaded: generation 2"]);
    assert_eq!(get(&url, "b").0, 0);
    second.line(&[" read \"b\": served"]);
    drop(second);
    assert_eq!(get(&url, "b").0, 0, "it is the server of somebody else");
}

#[test]
fn what_is_missing_is_said() {
    let setup = Setup::new();
    let folder = project(&setup);
    let dev = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        run_for(command.args(["plugin", "dev"]).args(words).current_dir(&folder.0), PATIENCE)
    };
    dev(&["nowhere"]).assert_fails(64, &["nowhere", "name the folder of a project"]);
    dev(&["src"]).assert_fails(64, &["tuffet.yaml", "--config"]);
    dev(&[".", "--control", "none"]).assert_fails(64, &["none: no server answers there"]);
}
