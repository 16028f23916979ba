//! The image: what it says of itself, and that its server needs nothing of what is taken from it.

use crate::harness::{Client, Peer, Setup, bytes, docker, inspect, network};
use serde_json::Value;

#[test]
fn needs_neither_root_nor_capabilities_nor_a_writable_file_system() {
    let server = Setup::new().sizes(&[5_000]).single_port().start(&network());
    let facts =
        "{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}}";
    assert_eq!(inspect(server.id(), facts), "65532:65532 true [ALL] [no-new-privileges]");
    // As the kernel sees it: no capability, and no way to one.
    for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert_eq!(server.of_process(set), "0000000000000000", "{set}");
    }
    assert_eq!(server.of_process("NoNewPrivs"), "1");
    assert_eq!(server.of_process("Uid"), "65532\t65532\t65532\t65532");
    // Port 69, a control socket, files.
    assert_eq!(server.address().port(), 69);
    assert_eq!(Peer::new(server.address()).read("5000"), bytes(5_000));
    assert_eq!(server.outcome("5000")["outcome"], "served");
    for line in server.stop() {
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["level"], "INFO", "{line}");
    }
}

const PLUGIN: &str = "
listeners: [{ address: '0.0.0.0:69', single-port: true }]
roots: [{ name: boot, path: /srv/tftp, writable: true }]
policy: { authorize: [acl], time-limit: 30s }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: [secret] }] }
    limits: { time: 20s, wall: 20s }
";

#[test]
fn plugins_and_an_upload_folder_work_in_it() {
    let network = network();
    let files = Setup::new().writable().file("open", b"for all").file("secret", b"for none");
    let server = files.yaml(PLUGIN).start(&network);
    let client = Client::start(&network);
    let url = |name: &str| format!("tftp://{}/{name}", server.address().ip());
    assert_eq!(client.run(&["curl", "--silent", &url("open")]).good(), b"for all");
    assert!(!client.run(&["curl", "--silent", &url("secret")]).is_good());
    assert_eq!(server.outcome("secret")["outcome"], "denied");
    client.write("mine", b"stored by a client");
    client.run(&["curl", "--silent", "--upload-file", "mine", &url("new")]).good();
    assert_eq!(server.outcome("new")["outcome"], "stored");
    assert_eq!(std::fs::read(server.path("new")).unwrap(), b"stored by a client");
}

#[test]
fn compiled_plugins_are_kept_in_a_folder_of_an_orchestrator() {
    let mut server = Setup::new().yaml(PLUGIN).folders_for_all().start(&network());
    let reloaded = docker(["exec", server.id(), "/usr/bin/tuffet", "reload"]);
    assert!(reloaded.starts_with("reloaded: generation 2 (process "), "{reloaded}");
    for line in server.stop() {
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["level"], "INFO", "{line}");
    }
    server.start_again();
    assert_eq!(server.logged("plugins loaded")["kept"], 1);
}

#[test]
fn the_image_says_how_it_is_run() {
    let server = Setup::new().start(&network());
    let config = docker(["image", "inspect", "--format", "{{json .Config}}", "tuffet-test:server"]);
    let config: Value = serde_json::from_str(&config).unwrap();
    assert_eq!(config["StopSignal"], "SIGTERM");
    assert_eq!(config["User"], "65532:65532");
    assert_eq!(config["ExposedPorts"], serde_json::json!({ "69/udp": {} }));
    let version = docker(["exec", server.id(), "/usr/bin/tuffet", "--version"]);
    let label = config["Labels"]["org.opencontainers.image.version"].as_str().unwrap();
    assert_eq!(version, format!("tuffet {label}"));
    // Its health check says that it is well, and does not where no server answers.
    let words: Vec<&str> =
        config["Healthcheck"]["Test"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let ["CMD", check @ ..] = words.as_slice() else { panic!("no shell is needed: {words:?}") };
    docker([&["exec", server.id()], check].concat());
    let entry = format!("--entrypoint={}", check[0]);
    let mut alone = std::process::Command::new("docker");
    alone.args(["run", "--rm", "--network=none", &entry, "tuffet-test:server"]).args(&check[1..]);
    assert_eq!(alone.output().unwrap().status.code(), Some(69));
}
