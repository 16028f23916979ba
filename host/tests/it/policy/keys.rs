//! Keys of plugins: compare-and-swap, lists, and namespaces that plugins share.

use super::probe;
use crate::harness::{Client, Options, Ran, Server, Setup, is_root, run, tuffet};
use std::net::SocketAddr;
use std::process::Command;
use std::thread;
use tempfile::TempDir;

/// Starts a server with two plugins, `one` and `two`, which each answer the requests to a listener of their own.
fn server(one: (&str, &[&str]), two: (&str, &[&str])) -> (Server, TempDir) {
    let state = TempDir::new().unwrap();
    let plugin = |name: &str, (grants, commands): (&str, &[&str])| {
        format!(
            "  {name}:\n    component: {:?}\n    grants: [{grants}, files/boot, sinks/out]\n    limits: {{ time: 20s, \
             wall: 40s, kv-keys: 20 }}\n    settings: {{ run: {} }}\n",
            probe(),
            serde_json::to_string(commands).unwrap()
        )
    };
    let yaml = format!(
        "listeners:\n  - {{ address: \"127.0.0.1:0\" }}\n  - {{ name: second, address: \"127.0.0.1:0\", policy: {{ \
         resolve: [two] }} }}\nroots: [{{ name: boot, path: root }}]\nstate: {:?}\nsinks: {{ out: {{ file: out.jsonl }} \
         }}\npolicy: {{ resolve: [one], time-limit: 40s }}\nplugins:\n{}{}",
        state.path(),
        plugin("one", one),
        plugin("two", two)
    );
    (Setup::new().whole_yaml(2, &yaml).start(), state)
}

fn ask(address: SocketAddr) -> Vec<String> {
    let content = Client::Tuffet.get(address, "ask", Options::default());
    String::from_utf8(content).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_swap_needs_the_revision_that_was_read() {
    let commands = [
        "kv stale k x",
        "kv create k one",
        "kv create k two",
        "kv append k +",
        "kv entry k",
        "kv stale k x",
        "kv get k",
        "kv delete k",
        "kv create k three",
        "kv create  x",
    ];
    let (server, _state) = server(("kv", &commands), ("kv", &["kv get k"]));
    let said = ask(server.addresses()[0]);
    let expected =
        ["None", "true", "false", "one+", "Some((\"one+\", 2))", "None", "Some(\"one+\")", "()", "true"];
    // A text is shown with its quotes.
    let said: Vec<String> = said.iter().map(|line| line.replace("\"one+\"", "one+")).collect();
    let expected = expected.map(|line| line.replace("\"one+\"", "one+"));
    assert_eq!(said[..9], expected);
    assert!(said[9].starts_with("bad-argument: ") && said[9].contains("0 bytes"), "{said:?}");
    assert_eq!(ask(server.addresses()[1]), ["None"], "the other plugin has a namespace of its own");
}

/// 40 requests at once, each of which reads a value and replaces it by a longer one.
#[test]
fn no_change_is_lost_between_a_read_and_a_swap() {
    let (server, _state) = server(("kv", &["kv append all ."]), ("kv", &[]));
    let address = server.addresses()[0];
    let mut lengths: Vec<usize> = thread::scope(|scope| {
        let asking: Vec<_> = (0..40).map(|_| scope.spawn(move || ask(address)[0].len())).collect();
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    });
    lengths.sort_unstable();
    // With two quotes each.
    assert_eq!(lengths, (3..=42).collect::<Vec<_>>());
}

#[test]
fn keys_are_listed_in_pages() {
    let commands = [
        "kv set b/3 x",
        "kv set b/1 x",
        "kv set b/2 x",
        "kv brief b/0 x",
        "kv set c x",
        "kv list b/",
        "kv list b/ b/1",
        "kv list b/ b/3",
        "kv list ",
        "kv list d",
    ];
    let (server, _state) = server(("kv", &commands), ("kv", &["kv list "]));
    let listed =
        [r#"["b/1", "b/2", "b/3"]"#, r#"["b/2", "b/3"]"#, "[]", r#"["b/1", "b/2", "b/3", "c"]"#, "[]"];
    assert_eq!(ask(server.addresses()[0])[5..], listed);
    assert_eq!(ask(server.addresses()[1]), ["[]"], "of its own namespace");
}

#[test]
fn plugins_share_a_namespace_that_both_are_granted() {
    let one = [
        "shared leases create device mine",
        "shared leases count n",
        "shared leases list",
        "shared others get device",
        "kv get device",
    ];
    let two = [
        "shared leases get device",
        "shared leases create device ours",
        "shared leases count n",
        "shared leases delete device",
        "kv get device",
    ];
    let (server, _state) = server(("kv, kv/leases", &one), ("kv/leases", &two));
    let said = ask(server.addresses()[0]);
    assert_eq!(said[..3], ["true", "1", r#"["device", "n"]"#]);
    assert_eq!(said[3], "not-granted: the grant `kv/others` is not given");
    assert_eq!(said[4], "None", "its own namespace is another one");
    let said = ask(server.addresses()[1]);
    assert_eq!(said[..4], [r#"Some("mine")"#, "false", "2", "()"]);
    assert_eq!(said[4], "not-granted: the grant `kv` is not given");
    assert_eq!(ask(server.addresses()[0])[..2], ["true", "3"], "the other plugin has deleted it");
}

/// The bounds of a shared namespace are those of the plugin that writes.
#[test]
fn a_shared_namespace_is_bounded() {
    let fill: Vec<String> = (0..21).map(|key| format!("shared leases set k{key} x")).collect();
    let fill: Vec<&str> = fill.iter().map(String::as_str).collect();
    let (server, _state) = server(("kv/leases", &fill), ("kv/leases", &["shared leases set more x"]));
    let said = ask(server.addresses()[0]);
    assert!(said[..20].iter().all(|said| said == "()"), "{said:?}");
    for refused in [&said[20], &ask(server.addresses()[1])[0]] {
        assert!(refused.starts_with("quota: "), "{refused}");
    }
}

/// An explanation changes no key.
#[test]
fn a_rehearsal_of_a_swap_has_no_effect() {
    let commands = ["kv create k x", "shared leases create k x", "kv get k"];
    let (server, _state) = server(("kv, kv/leases", &commands), ("kv", &[]));
    let socket = server.outside().path("control");
    let socket = socket.to_str().unwrap();
    for _ in 0..2 {
        let mut explain = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        explain.args(["explain", "--live", "--control", socket, "ask"]);
        run(&mut explain).assert_good();
    }
    assert_eq!(ask(server.addresses()[0]), ["true", "true", r#"Some("x")"#]);
}

fn keys(arguments: &[&str], place: &[&str]) -> Ran {
    tuffet([&["plugin", "keys"], arguments, place].concat())
}

fn text(ran: &Ran) -> String {
    ran.assert_good();
    String::from_utf8(ran.stdout.clone()).unwrap()
}

#[test]
fn an_operator_sees_and_changes_the_keys_of_a_running_server() {
    let commands = ["kv count hits", "kv set name two\nlines", "kv get name", "kv get hits"];
    let (server, _state) =
        server(("kv", &commands), ("kv, kv/pool", &["shared pool create k pooled", "kv get absent"]));
    server.addresses().iter().for_each(|address| drop(ask(*address)));
    let socket = server.outside().path("control");
    let place = ["--control", socket.to_str().unwrap()];
    let keys = |arguments: &[&str]| keys(arguments, &place);
    let listed = text(&keys(&["one", "list"]));
    let rows: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1..], [vec!["8", "-", "\"hits\"", "1"], vec!["9", "-", "\"name\"", "\"two\\nlines\""]]);
    assert_eq!(text(&keys(&["one", "list", "--json", "h"])), "{\"key\":\"hits\",\"counter\":1}\n");
    assert_eq!(text(&keys(&["shared/pool", "get", "k"])), "pooled\n");
    assert_eq!(text(&keys(&["one", "get", "hits"])), "1\n");
    assert_eq!(keys(&["one", "get", "hits", "--raw"]).stdout, 1_u64.to_le_bytes());
    keys(&["one", "get", "none"]).assert_fails(1, &["one: there is no key \"none\""]);
    // What it sets, the plugin gets.
    text(&keys(&["one", "set", "hits", "--counter", "41"]));
    text(&keys(&["one", "set", "brief", "x", "--ttl", "0s"]));
    keys(&["one", "get", "brief"]).assert_fails(1, &["no key"]);
    assert_eq!(ask(server.addresses()[0])[0], "42");
    let export = text(&keys(&["one", "export"]));
    keys(&["one", "delete", "hits", "none"]).assert_fails(1, &["there is no key \"none\""]);
    assert_eq!(text(&keys(&["one", "delete", "--all"])), "1 removed\n");
    assert_eq!(text(&keys(&["one", "list"])), "");
    // Into another plugin.
    let file = server.outside().path("keys.jsonl");
    let over = "{\"key\":\"over\",\"text\":\"x\",\"expires_unix_ms\":1}\n";
    std::fs::write(&file, format!("{export}{over}\n")).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(text(&keys(&["two", "import", file])), "2 set, 1 left out, whose time is over\n");
    assert_eq!(text(&keys(&["two", "get", "name"])), "two\nlines\n");
    std::fs::write(file, format!("{export}nonsense\n")).unwrap();
    keys(&["two", "import", file]).assert_fails(64, &["line 3: ", "; the 2 keys before it are set"]);
    let long = server.outside().path("long");
    std::fs::write(&long, vec![0; (64 << 10) + 1]).unwrap();
    keys(&["two", "set", "k", "--file", long.to_str().unwrap()])
        .assert_fails(64, &["\"k\" has more than 65536 bytes"]);
    // A text that grows in the command.
    keys(&["two", "set", "controls", &"\u{1}".repeat(60 << 10)]).assert_good();
    assert_eq!(keys(&["two", "get", "controls", "--raw"]).stdout, vec![1; 60 << 10]);
    keys(&["two", "set", "controls", &"x".repeat(100_000)]).assert_fails(64, &["more than 65536 bytes"]);
    std::fs::write(&long, vec![255; 64 << 10]).unwrap();
    keys(&["two", "set", "k", "--file", long.to_str().unwrap()]).assert_good();
    assert_eq!(keys(&["two", "get", "k", "--raw"]).stdout, vec![255; 64 << 10]);
    keys(&["three", "list"])
        .assert_fails(64, &["`three` is no plugin with the grant `kv`", "one, shared/pool, two"]);
}

#[test]
fn keys_can_be_changed_without_a_server() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("tuffet.yaml");
    let user = if is_root() { "privileges: { user: root }\n" } else { "" };
    let yaml = format!(
        "{user}listeners: [{{ address: \"127.0.0.1:0\" }}]\nroots: [{{ name: boot, path: {:?} }}]\nstate: {:?}\ncontrol: {:?}\npolicy: {{ resolve: [one] }}\nplugins: {{ one: {{ \
         component: {:?}, grants: [kv] }} }}\n",
        folder.path(),
        folder.path().join("state"),
        folder.path().join("control"),
        probe()
    );
    std::fs::write(&file, yaml).unwrap();
    let place = ["--config", file.to_str().unwrap()];
    keys(&["one", "set", "k", "value"], &place).assert_good();
    assert_eq!(text(&keys(&["one", "get", "k"], &place)), "value\n");
    keys(&["two", "list"], &place).assert_fails(64, &["`two` is no plugin", "those with keys: one"]);
}
