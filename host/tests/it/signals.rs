//! Signals before the server is ready: none of them kills it.

use crate::harness::{Client, Options, Server, Setup, wait_until};
use crate::policy::misbehave;

/// Logged when everything is open and nothing is loaded.
const OPENED: &str = "dropped privileges";

/// Starts a server with a plugin that does this and is compiled again.
fn starting(misdeed: &str) -> Server {
    let component = misbehave();
    let plugin = format!(
        "component: \"{component}\", settings: {{ do: {misdeed}, when: \"evil/**\" }}, limits: {{ time: 1m, wall: 1m }}"
    );
    let policy = "policy: { authorize: [plugin], compiled: none }";
    Setup::new()
        .file("a", b"content")
        .rest_of_yaml(&format!("{policy}\nplugins: {{ plugin: {{ {plugin} }} }}\n"))
        .begin()
}

/// Returns whether the process catches SIGHUP, SIGINT and SIGTERM.
fn catches(server: &Server) -> bool {
    // Bit n - 1 is signal n.
    const ALL: u64 = 1 | 1 << 1 | 1 << 14;
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
    u64::from_str_radix(caught.trim(), 16).unwrap_or(0) & ALL == ALL
}

/// Waits until it catches them.
#[track_caller]
fn until_it_catches(server: &Server) {
    wait_until("signals are caught", || catches(server));
}

#[test]
fn hanging_up_reads_the_configuration_again_once_the_server_serves() {
    for at_once in [true, false] {
        let server = starting("trap");
        if at_once {
            until_it_catches(&server);
        } else {
            server.logged(OPENED);
            assert!(catches(&server), "before plugins are loaded");
        }
        server.hang_up();
        let server = server.serves();
        assert_eq!(server.logged("reloaded")["generation"], 2);
        assert_eq!(Client::Tuffet.get(server.address(), "a", Options::default()), b"content");
        assert_eq!(server.stop().len(), 1);
    }
}

#[test]
fn what_is_asked_to_end_while_it_loads_ends_in_order() {
    for at_once in [true, false] {
        // It would load for a minute, and then fail.
        let server = starting("loop-in-configure");
        if at_once {
            until_it_catches(&server);
        } else {
            server.logged(OPENED);
        }
        server.terminate();
        assert_eq!(server.wait().code(), Some(0), "{}", server.log());
        server.logged("stopped before serving");
        assert!(!server.log().contains("listening"), "{}", server.log());
        assert!(!server.outside().path("control").exists(), "its sockets are gone");
    }
}
