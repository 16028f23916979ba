//! `tuffet check` and `tuffet schema`.

use crate::harness::{Setup, check, check_file, check_in, tuffet, until};
use std::net::{TcpListener, UdpSocket};

const GOOD: &str = "listeners: [{ address: 127.0.0.1:6969 }]\nroots: [{ name: boot, path: root }]\n";

#[test]
fn a_good_file() {
    let ran = check(GOOD);
    ran.assert_good();
    assert!(String::from_utf8_lossy(&ran.stdout).contains("tuffet.yaml: good"));
    check(&format!(
        "{GOOD}policy: {{ authorize: [acl] }}\nplugins:\n  acl:\n    component: builtin:acl\n    settings: \
         {{ deny: [{{ names: [x] }}] }}\n"
    ))
    .assert_good();
}

#[test]
fn a_sink_that_nobody_fills() {
    let ran = check(&format!("{GOOD}sinks: {{ idle: {{ stdout: true }} }}\n"));
    ran.assert_good();
    let said =
        "tuffet.yaml:3:16: no plugin is granted the sink `idle`, so nothing goes there; add `sinks/idle`";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

/// An access list of a newcomer: it names who may, and everybody gets in.
#[test]
fn a_warning_is_a_failure_if_wanted() {
    let setup = Setup::new();
    let file = setup.outside().path("tuffet.yaml");
    let acl = |settings: &str| {
        format!(
            "{GOOD}policy: {{ authorize: [acl] }}\nplugins:\n  acl:\n    component: builtin:acl\n    settings: \
             {{ allow: [{{ clients: [192.0.2.0/24] }}]{settings} }}\n"
        )
    };
    std::fs::write(&file, acl("")).unwrap();
    let check = |flags: &[&str]| tuffet([&["check", file.to_str().unwrap()], flags].concat());
    let said = "tuffet.yaml:7:24: these rules have no effect: what they do not allow is allowed by `policy.default: allow`, \
                so everybody is served; write `otherwise: deny`";
    let ran = check(&[]);
    ran.assert_good();
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    check(&["--strict"]).assert_fails(1, &[said, "with --strict, warnings are problems"]);
    let ran = check(&["--strict", "--json"]);
    assert_eq!(ran.code(), 1);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("\"good\":false"));
    std::fs::write(&file, acl(", otherwise: deny")).unwrap();
    check(&["--strict"]).assert_good();
}

/// A plugin that has a hook for observers, and is only asked for files.
#[test]
fn a_plugin_that_never_observes() {
    let guest = tuffet_test_guests::component("reference");
    let yaml = |chains: &str| {
        format!("{GOOD}policy: {{ resolve: [it]{chains} }}\nplugins: {{ it: {{ component: {guest} }} }}\n")
    };
    let said = "plugin `it`: its hook `observe` never runs; add the plugin to `policy.observe`";
    let ran = check(&yaml(""));
    ran.assert_good();
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(!check(&yaml(", observe: [it]")).stderr.contains(said));
}

/// Another program has a port: the next start would fail.
#[test]
fn a_port_that_is_taken() {
    let (held, listener) =
        (UdpSocket::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let [udp, tcp] = [held.local_addr().unwrap(), listener.local_addr().unwrap()];
    let yaml = format!("{GOOD}admin: {{ address: \"{tcp}\" }}\n").replace("127.0.0.1:6969", &udp.to_string());
    let process = format!("(process {})", std::process::id());
    let taken = [format!("listener `{udp}`: {udp} is taken"), format!("`admin`: {tcp} is taken")];
    let warned = || {
        let ran = check(&yaml);
        ran.assert_good();
        ran.stderr
    };
    // A process that another test starts has the sockets, too, until it executes its program.
    until("both are named, with this process", warned, |said| {
        let is_it = |line: &str, taken| {
            line.starts_with("warning: ") && line.contains(taken) && line.contains(&process)
        };
        taken.iter().all(|taken| said.lines().any(|line| is_it(line, taken)))
    });
}

/// A port of a server that runs does not matter.
#[test]
fn of_a_server_that_runs() {
    let server = Setup::new().start();
    let port = server.address().port();
    check(&GOOD.replace("6969", &port.to_string())).assert_good();
}

/// All errors are reported at once.
#[test]
fn everything_that_is_wrong() {
    let ran = check(
        "listeners: [{ adress: 127.0.0.1:6969 }]\nroots: [{ name: boot, path: nowhere }]\nworkers: many\n",
    );
    ran.assert_fails(64, &["tuffet.yaml:1:15: ", "did you mean `address`", "tuffet.yaml:3:10: "]);
}

#[test]
fn a_root_that_is_missing() {
    // Alone it is waited for.
    let missing = GOOD.replace("path: root", "path: nowhere");
    let ran = check(&missing);
    ran.assert_good();
    assert!(ran.stderr.contains("nowhere does not exist; a server starts without it"), "{}", ran.stderr);
    check(&format!("{missing}start: all\n")).assert_fails(64, &["tuffet.yaml:2:", "nowhere"]);
}

#[test]
fn a_file_that_is_missing_or_empty() {
    check("").assert_fails(64, &["tuffet.yaml: the file is empty"]);
    check_file("/no/such/tuffet.yaml").assert_fails(64, &["/no/such/tuffet.yaml: there is no such file"]);
}

/// For programs, with the same exit codes.
#[test]
fn as_json() {
    let setup = Setup::new();
    let folder = setup.outside();
    folder.write("tuffet.yaml", b"lisseners: []\n");
    folder.write("good.yaml", GOOD.as_bytes());
    let file = folder.path("tuffet.yaml").display().to_string();
    let ran = tuffet(["check", "--json", "--config", &file]);
    assert_eq!(ran.code(), 64);
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let problem = &report["problems"][0];
    assert_eq!(
        (&report["good"], &problem["line"], &problem["column"]),
        (&false.into(), &1.into(), &1.into())
    );
    assert!(
        problem["file"] == *file && problem["message"].as_str().unwrap().contains("lisseners"),
        "{report}"
    );
    let ran = tuffet(["check", "--json", "/no/such/tuffet.yaml"]);
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert!(report["problems"][0]["message"].as_str().is_some(), "{report}");
    let ran = tuffet(["check", "--json", &folder.path("good.yaml").display().to_string()]);
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert!(ran.code() == 0 && report["good"] == true, "{report}");
}

#[test]
fn the_schema() {
    let ran = tuffet(["schema"]);
    ran.assert_good();
    let schema: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert!(schema["properties"]["listeners"].is_object(), "{schema:#}");
    let ran = tuffet(["schema", "--markdown"]);
    ran.assert_good();
    let book = include_str!("../../../../docs/configuration.md");
    assert!(String::from_utf8_lossy(&ran.stdout) == book, "docs/configuration.md is out of date");
}

/// Each recipe is a good configuration as it stands, but for its folders.
#[test]
fn the_recipes_are_good() {
    let recipes = include_str!("../../../../docs/recipes.md");
    let blocks: Vec<&str> =
        recipes.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 5, "{} recipes", blocks.len());
    for block in blocks {
        let setup = Setup::new();
        let folder = setup.outside().0;
        for name in ["tftp", "phones", "firmware", "backups", "audit", "state"] {
            std::fs::create_dir_all(folder.join("srv").join(name)).unwrap();
        }
        let ran = check_in(&setup.outside(), &block.replace("/srv/", &format!("{}/srv/", folder.display())));
        assert!(ran.code() == 0, "{block}\n{}", ran.stderr);
    }
}
