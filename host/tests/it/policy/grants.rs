//! Grants: each one given and refused, each limit exceeded on purpose.

use super::{misbehave, probe};
use crate::harness::{Client, Options, Ran, Server, Setup, check, check_in, loopback, serve_http, tuffet};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use tempfile::TempDir;

/// The grants that `host/tests/plugins/probe` requires.
const NEEDED: &str = "kv, files/boot, sinks/out";

/// Starts a server whose plugin runs these commands for every requested file.
fn server(grants: &str, commands: &[&str], more: &str) -> (Server, TempDir) {
    let state = TempDir::new().unwrap();
    (start(grants, commands, more, state.path().to_str().unwrap()), state)
}

fn start(grants: &str, commands: &[&str], more: &str, state: &str) -> Server {
    let (component, commands) = (probe(), serde_json::to_string(commands).unwrap());
    Setup::new()
        .file("a/file", b"content")
        .file("big", &[b'x'; 3 << 20])
        .yaml(&format!(
            r#"
roots: [{{ name: boot, path: root }}, {{ name: other, path: . }}]
state: "{state}"
sinks: {{ out: {{ file: out.jsonl, queue: 5000 }}, full: {{ file: /dev/full, queue: 3 }} }}
policy: {{ resolve: [probe], time-limit: 40s }}
plugins:
  probe:
    component: "{component}"
    grants: [{grants}]
    limits: {{ time: 20s, wall: 40s, kv-keys: 20, kv-bytes: 80KiB }}
    settings: {{ run: {commands}, {more} }}
"#
        ))
        .start()
}

/// Returns the results of the commands.
fn ask(server: &Server) -> Vec<String> {
    let content = Client::Tuffet.get(server.address(), "ask", Options::default());
    String::from_utf8(content).unwrap().lines().map(str::to_owned).collect()
}

fn ran(grants: &str, commands: &[&str]) -> Vec<String> {
    let (server, _state) = server(grants, commands, "");
    ask(&server)
}

const REFUSED: &str = "not-granted: the request was refused, the server's log says why";
const QUOTA: &str = "quota: the plugin has as many keys or bytes as its quota allows";

/// Runs the same configuration through `tuffet check` and `tuffet serve`.
fn tried(component: &str, grants: &str) -> [Ran; 2] {
    let setup = Setup::new();
    let file = setup.outside().path("grants.yaml");
    let yaml = format!(
        "listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: root }}]\nstate: state\nsinks: {{ out: \
         {{ file: out.jsonl }} }}\npolicy: {{ resolve: [it] }}\nplugins:\n  it:\n    component: {component:?}\n    \
         grants: [{grants}]\n    settings: {{ do: deny }}\n"
    );
    std::fs::write(&file, yaml).unwrap();
    let file = file.to_str().unwrap();
    [tuffet(["check", file]), tuffet(["serve", "--config", file])]
}

#[test]
fn a_grant_that_is_needed_and_not_given_is_an_error_with_the_line_to_add() {
    for (given, import, reason, line) in [
        ("files/boot, sinks/out", "tuffet:policy/kv@", "tries keys", "grants: [files/boot, sinks/out, kv]"),
        ("kv, sinks/out", "tuffet:policy/files@", "tries files", "grants: [kv, sinks/out, files/boot]"),
        ("kv, files/boot", "tuffet:policy/sinks@", "tries sinks", "grants: [kv, files/boot, sinks/out]"),
    ] {
        for ran in tried(&probe(), given) {
            ran.assert_fails(64, &["grants.yaml:9:13: plugin `it`: ", import, reason, line]);
        }
    }
    // All at once.
    tried(&probe(), "")[0].assert_fails(64, &["tries keys", "tries files", "tries sinks"]);
}

#[test]
fn a_grant_that_nobody_asked_for_is_a_warning() {
    let ran = check(&format!(
        "listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: root }}]\npolicy: {{ resolve: [it] \
         }}\nplugins:\n  it:\n    component: {:?}\n    grants: [client-mac, clock]\n    settings: {{ do: deny }}\n",
        misbehave()
    ));
    ran.assert_good();
    let warned = "tuffet.yaml:7:13: plugin `it`: it is granted `clock` and does not ask for it";
    assert!(ran.stderr.contains("warning: ") && ran.stderr.contains(warned), "{}", ran.stderr);
    assert!(!ran.stderr.contains("granted `client-mac`"), "{}", ran.stderr);
}

/// `check` during a running server: the file of keys is in use.
#[test]
fn check_does_not_open_what_a_server_has_open() {
    let (server, _state) = server(NEEDED, &["kv count n"], "configure: [kv get a, emit out 1]");
    assert_eq!(ask(&server)[0], "wrong-phase: not in `configure`, which must have no effects");
    let text = String::from_utf8(server.outside().read("tuffet.yaml")).unwrap();
    check_in(&server.outside(), &format!("listeners: [{{ address: 127.0.0.1:0 }}]\n{text}")).assert_good();
    assert_eq!(ask(&server)[2], "2");
}

#[test]
fn a_state_that_cannot_be_written_keeps_the_server_from_starting() {
    let setup = Setup::new();
    let file = setup.outside().path("grants.yaml");
    let yaml = format!(
        "listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: root }}]\nstate: grants.yaml\nsinks: \
         {{ out: {{ file: out.jsonl }} }}\npolicy: {{ resolve: [it] }}\nplugins: {{ it: {{ component: {:?}, grants: \
         [{NEEDED}] }} }}\n",
        probe()
    );
    std::fs::write(&file, yaml).unwrap();
    for command in [["check"].as_slice(), &["serve", "--config"]] {
        let words = command.iter().copied().chain([file.to_str().unwrap()]);
        tuffet(words).assert_fails(64, &["grants.yaml cannot be created or written", "`state:`"]);
    }
}

#[test]
fn keys_are_read_and_written() {
    let said = ran(
        NEEDED,
        &[
            "kv get a",
            "kv set a text",
            "kv get a",
            "kv count n",
            "kv count n",
            "kv count a",
            "kv delete a",
            "kv get a",
        ],
    );
    assert_eq!(said[..5], ["None", "()", r#"Some("text")"#, "1", "2"]);
    assert!(said[5].starts_with("bad-argument: ") && said[5].contains("no counter"), "{said:?}");
    assert_eq!(said[6..], ["()", "None"]);
    assert_eq!(ran(NEEDED, &["kv brief b x", "kv get b"]), ["()", "None"]);
}

/// Killed with SIGKILL right after an answer: the confirmed change is there.
#[test]
fn keys_outlive_kill_9() {
    let state = TempDir::new().unwrap();
    let path = state.path().to_str().unwrap();
    for round in 1..=3 {
        let server = start(NEEDED, &["kv count starts", "kv set last round"], "", path);
        assert_eq!(ask(&server), [&round.to_string(), "()"]);
        drop(server);
    }
}

#[test]
fn two_servers_do_not_share_a_state() {
    let (first, state) = server(NEEDED, &["kv count n"], "");
    let file = first.outside().path("tuffet.yaml");
    let ran = tuffet(["serve", "--config", file.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    ran.assert_fails(64, &["is in use by another process", "`state:`"]);
    drop(state);
}

#[test]
fn keys_are_bounded() {
    let said = ran(
        NEEDED,
        &[
            "kv long-key 256",
            "kv long-key 257",
            "kv long-key 0",
            "kv long-value 65536",
            "kv long-value 65537",
        ],
    );
    assert_eq!((&*said[0], &*said[3]), ("()", "()"));
    for refused in [&said[1], &said[2], &said[4]] {
        assert!(refused.starts_with("bad-argument: ") && refused.contains("are allowed"), "{said:?}");
    }
    assert_eq!(ran(NEEDED, &["kv fill 20", "kv fill 21"]), ["()", QUOTA], "keys");
    let bytes = ["kv long-value 65536", "kv set a 1", "kv long-value 65536", "kv set long 1"];
    assert_eq!(ran(NEEDED, &bytes), ["()"; 4], "bytes that are replaced do not count twice");
    let said = ran(NEEDED, &["kv gets 1024", "kv get a"]);
    assert_eq!(said[0], "()");
    assert!(said[1].starts_with("exhausted: more than 1024 calls"), "{said:?}");
}

#[test]
fn files_are_read_in_the_roots_that_are_granted() {
    let said = ran(
        NEEDED,
        &[
            "file stat boot a/file",
            "file read boot a/file",
            "file read boot missing",
            "file first boot a/file",
            "file read other root/a/file",
            "file read boot ../tuffet.yaml",
            "file read boot /etc/passwd",
            "file read boot a",
        ],
    );
    assert_eq!(
        said[..4],
        ["Some(7)", r#"Some("content")"#, "None", "too-large: there are 7 bytes, and 3 may be read"]
    );
    assert_eq!(said[4], "not-granted: the grant `files/other` is not given");
    for (said, code) in said[5..].iter().zip(["bad-path: ", "bad-path: ", "not-a-file: "]) {
        assert!(said.starts_with(code), "{said}");
    }
    let both = ran("kv, files/boot, files/other, sinks/out", &["file read other root/a/file"]);
    assert_eq!(both, [r#"Some("content")"#]);
}

/// Sets the flag on drop, also after a panic.
struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// A file that is continuously written in place, first its beginning, then its end, each time with the next
/// number: a plugin reads its content at one moment, or gets an error because it changed.
#[test]
fn a_file_is_never_read_as_a_mixture() {
    const SIZE: usize = 200 << 10;
    let (server, _state) = server(NEEDED, &["file read boot live"; 4], "");
    let path = server.root().path("live");
    std::fs::write(&path, "00000000".repeat(SIZE / 8)).unwrap();
    let stop = AtomicBool::new(false);
    let last = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            let mut number: u64 = 0;
            while !stop.load(Relaxed) {
                number += 1;
                for at in [0, SIZE - 8] {
                    file.write_all_at(format!("{number:08}").as_bytes(), at as u64).unwrap();
                }
            }
            number
        });
        // Any panic below ends the writer.
        let writing = Stops(&stop);
        for said in (0..5).flat_map(|_| ask(&server)) {
            match ends(&said) {
                Some((first, last)) => assert!(first == last || first == last + 1, "{first} and {last}"),
                None => assert!(said.contains("boot:live changed while it was read, 4 times"), "{said}"),
            }
        }
        drop(writing);
        writer.join().unwrap()
    });
    assert_eq!(ends(&ask(&server)[0]), Some((last, last)), "nobody writes any more");
}

/// Returns the first and the last number of a file that was read.
fn ends(said: &str) -> Option<(u64, u64)> {
    let content = said.strip_prefix("Some(\"")?.strip_suffix("\")")?;
    Some((content[..8].parse().unwrap(), content[content.len() - 8..].parse().unwrap()))
}

#[test]
fn files_are_bounded() {
    // 21 times 3 MiB, then 1 MiB is left of 64.
    let said = ran(NEEDED, &["file reads boot big", "file read boot a/file"]);
    let (read, size, left) = (63 << 20, 3 << 20, 1 << 20);
    let excess = format!("{read} and too-large: there are {size} bytes, and {left} may be read");
    assert_eq!(said, [&excess, r#"Some("content")"#]);
}

#[test]
fn sinks_get_one_line_for_each_payload() {
    let (server, _state) =
        server(NEEDED, &["emit out {\"n\":1}", "emit out [1, 2]", "emit out text", "emit full 1"], "");
    let said = ask(&server);
    assert_eq!(said[..2], ["()", "()"]);
    assert!(said[2].contains("not JSON"), "{said:?}");
    assert_eq!(said[3], "not-granted: the grant `sinks/full` is not given");
    server.stop();
    let lines = std::fs::read_to_string(server.outside().path("out.jsonl")).unwrap();
    assert_eq!(lines, "{\"n\":1}\n[1, 2]\n");
}

/// A sink that accepts nothing fills its queue: the plugin gets an error, and requests are served as before.
#[test]
fn a_broken_sink_blocks_nobody() {
    let (server, _state) = server("kv, files/boot, sinks/full", &["emits full"], "when: ask");
    let queued = |said: &str| {
        said.strip_suffix(" and full: the queue of the sink is full")
            .map(|count| count.parse::<u32>().unwrap())
    };
    assert!((3..=4).contains(&queued(&ask(&server)[0]).unwrap()), "one under way, three queued");
    assert!(queued(&ask(&server)[0]).unwrap() <= 1);
    assert_eq!(Client::Tuffet.get(server.address(), "a/file", Options::default()), b"content");
    server.logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
}

#[test]
fn payloads_are_bounded() {
    let said = ran("kv, files/boot, sinks/out", &["emits out"]);
    assert_eq!(said, ["1024 and exhausted: more than 1024 payloads in one call of a hook"]);
}

#[test]
fn clock_random_and_mac_addresses_are_there_when_they_are_granted() {
    let commands = ["clock", "random", "macs"];
    let without = ran(NEEDED, &commands);
    assert_eq!(without, ran(NEEDED, &commands), "the same in every process");
    assert_eq!((&*without[0], &*without[2]), ("0", ""));
    let all = format!("{NEEDED}, clock, random, client-mac");
    let (server, _state) = server(&all, &commands, "");
    let (first, second) = (ask(&server), ask(&server));
    assert!(first[0].parse::<u64>().unwrap() > 1_600_000_000, "{first:?}");
    assert!(first[1] != second[1] && first[1] != without[1], "{first:?} {second:?} {without:?}");
    let named = Client::Tuffet.get(server.address(), "01-02-00-5e-10-00-01", Options::default());
    assert!(String::from_utf8(named).unwrap().contains("02:00:5e:10:00:01"));
}

/// Limits are per call, even if an instance serves several.
#[test]
fn what_a_call_may_take_begins_anew_with_each() {
    let reuse = "when: ask }\n    reuse: { calls: 10, idle: 10s";
    let url = format!("get http://127.0.0.1:{}/x", http_server());
    let grants = format!("{NEEDED}, http/{}", url.split('/').nth(2).unwrap());
    let commands = [
        "kv gets 1000",
        "file first boot a/file",
        "emits out",
        &url,
        &url,
        &url,
        &url,
        &url,
        &url,
        &url,
        &url,
    ];
    let (server, _state) = server(&grants, &commands, reuse);
    let first = ask(&server);
    assert!(first[2].starts_with("1024 and ") && first[10].starts_with("(200, "), "{first:?}");
    for _ in 0..3 {
        assert_eq!(ask(&server), first);
    }
}

/// Starts an HTTP server that echoes each request.
pub fn http_server() -> u16 {
    let server = serve_http(loopback(), |request, connection| {
        let (line, body) = (request.head.lines().next()?, String::from_utf8_lossy(&request.body));
        let probed = request.header("x-probe") == Some("yes");
        let said = match line.contains("/large") {
            true => "x".repeat(1000),
            false => format!("{line} {probed} {body}"),
        };
        connection.answer(200, "", said.as_bytes())
    });
    server.port()
}

#[test]
fn http_reaches_the_hosts_that_are_granted_alone() {
    let port = http_server();
    let other = http_server();
    let url = format!("http://127.0.0.1:{port}");
    let commands = [
        format!("get {url}/there?a=b"),
        format!("post {url}/here hello"),
        format!("get {url}/large"),
        format!("get http://127.0.0.1:{other}/there"),
        format!("get http://localhost:{port}/there"),
        format!("get https://127.0.0.1:{other}/there"),
    ];
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let (server, _state) = server(&format!("{NEEDED}, http/127.0.0.1:{port}"), &commands, "");
    let said = ask(&server);
    assert_eq!(
        said[..3],
        [
            r#"(200, "GET /there?a=b HTTP/1.1 false ")"#,
            r#"(200, "POST /here HTTP/1.1 true hello")"#,
            "too-large: the answer is too large"
        ]
    );
    assert_eq!(said[3..], [REFUSED; 3]);
    let refused = "an HTTP request of a plugin was refused: the grant";
    server.logged(&format!("{refused} `http/127.0.0.1:{other}` is not given"));
    let ungranted = ran(NEEDED, &commands[..1]);
    assert_eq!(ungranted, [REFUSED]);
}

#[test]
fn http_requests_are_bounded_and_not_for_configure() {
    let url = format!("get http://127.0.0.1:{}/x", http_server());
    let grants = format!("{NEEDED}, http/{}", url.split('/').nth(2).unwrap());
    let (server, _state) = server(&grants, &[url.as_str(); 17], &format!("configure: [{url}]"));
    let said = ask(&server);
    assert_eq!((&*said[0], &*said[17]), (REFUSED, REFUSED), "{said:?}");
    assert!(said[1..17].iter().all(|said| said.starts_with("(200, ")), "{said:?}");
    let refused = "an HTTP request of a plugin was refused: more than 16 requests in one call of a hook";
    server.logged(refused);
}
