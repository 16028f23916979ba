//! Commands to a server talk to that of the file that they name, or fail.

use crate::harness::{Ran, Server, Setup, run};
use std::path::Path;
use std::process::Command;

/// Commands to a running server, and whether the file may be an argument without `--config`.
const COMMANDS: [(&[&str], bool); 9] = [
    (&["reload"], true),
    (&["reload", "--check"], true),
    (&["status"], true),
    (&["status", "--live"], true),
    (&["status", "--metrics"], true),
    (&["top", "--once"], true),
    (&["explain", "x", "--live"], false),
    (&["capture", "-", "--count", "1", "--duration", "1s"], false),
    (&["cache", "ls"], false),
];

/// Runs a command where the default control socket is that of this server.
fn beside(server: &Server, command: &[&str], file: &[&Path]) -> Ran {
    let mut tuffet = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    tuffet
        .env("RUNTIME_DIRECTORY", server.outside().0)
        .env("CONFIGURATION_DIRECTORY", server.outside().0.join("etc"));
    run(tuffet.args(command).args(file))
}

/// The forms in which a command takes a file.
fn forms(file: &Path, may_be_argument: bool) -> Vec<Vec<&Path>> {
    let flag = vec![Path::new("--config"), file];
    if may_be_argument { vec![flag, vec![file]] } else { vec![flag] }
}

#[test]
fn a_mistake_in_the_file_leads_to_no_other_server() {
    let server = Setup::new().file("x", b"x").yaml("roots: [{ name: boot, path: root }]\n").start();
    beside(&server, &["status"], &[]).assert_good();
    let mistakes = [
        ("broken.yaml", "listeners:\n  - address: 127.0.0.1:0\n roots: []\n", "broken.yaml:"),
        ("number.yaml", "control: [5]\nlisteners: [{ address: 127.0.0.1:0 }]\n", "number.yaml:1:"),
        ("text.yaml", "no mapping\n", "text.yaml"),
        ("missing.yaml", "", "missing.yaml"),
    ];
    let doctor: (&[&str], bool) = (&["doctor", "--no-rate"], true);
    for (name, text, said) in mistakes {
        let file = server.outside().path(name);
        if !text.is_empty() {
            std::fs::write(&file, text).unwrap();
        }
        for (command, may_be_argument) in COMMANDS.into_iter().chain([doctor, (&["check"], true)]) {
            for file in forms(&file, may_be_argument) {
                let ran = beside(&server, command, &file);
                assert_eq!(ran.code(), 64, "{command:?} {file:?}: {}", ran.stderr);
                assert!(ran.stderr.contains(said) && ran.stdout.is_empty(), "{command:?}: {ran:?}");
            }
        }
    }
    assert_eq!(server.status()["generation"], 1, "it was not reloaded");
}

#[test]
fn a_file_of_another_server_leads_to_no_other_server() {
    let server = Setup::new().file("x", b"x").yaml("roots: [{ name: boot, path: root }]\n").start();
    let (own, other) = (server.outside().path("tuffet.yaml"), server.outside().path("other.yaml"));
    // Its server, which does not run, has the default socket.
    std::fs::write(&other, "listeners: [{ address: 127.0.0.1:0 }]\nroots: [{ name: boot, path: root }]\n")
        .unwrap();
    for (command, may_be_argument) in COMMANDS {
        for file in forms(&other, may_be_argument) {
            let ran = beside(&server, command, &file);
            let code = if command[0] == "reload" { 1 } else { 69 };
            assert_eq!(ran.code(), code, "{command:?}: {}", ran.stderr);
            let parts = [format!("process {}", server.id()), format!("runs with {}", own.display())];
            assert!(parts.iter().all(|part| ran.stderr.contains(part)), "{command:?}: {}", ran.stderr);
        }
    }
    assert_eq!(server.status()["generation"], 1, "it was not reloaded");
    let url = Path::new("https://example.test/tuffet.yaml");
    for (command, _) in COMMANDS {
        let ran = beside(&server, command, &[Path::new("--config"), url]);
        ran.assert_fails(64, &["name its control socket with --control"]);
    }
    for (command, may_be_argument) in COMMANDS {
        for file in forms(&own, may_be_argument) {
            beside(&server, command, &file).assert_good();
        }
    }
}

#[test]
fn the_installed_configuration_is_checked() {
    let server = Setup::new().start();
    beside(&server, &["check"], &[])
        .assert_fails(64, &["no configuration is installed", "`tuffet check FILE`"]);
    let etc = server.outside().0.join("etc");
    std::fs::create_dir(&etc).unwrap();
    let yaml = "listeners: [{ address: 127.0.0.1:0 }]\nroots: [{ name: boot, path: ../root }]\n";
    std::fs::write(etc.join("tuffet.yaml"), yaml).unwrap();
    let ran = beside(&server, &["check"], &[]);
    ran.assert_good();
    let good = format!("{}: good\n", etc.join("tuffet.yaml").display());
    assert!(String::from_utf8_lossy(&ran.stdout).contains(&good), "{ran:?}");
}
