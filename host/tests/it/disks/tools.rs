//! The tools that look at a server's folders beside a root that hangs: they end in time and name it.

use crate::harness::{Pace, Ran, Setup, SlowDisk, Step, is_root, tuffet};
use crate::policy::probe;
use std::time::{Duration, Instant};

/// How long a folder has to answer, and what a busy machine adds. Without a bound, it never came.
const AT_MOST: Duration = Duration::from_secs(20);

const GRANTS: &str = "[kv, files/boot, files/slow, sinks/out]";

/// A configuration with a healthy root and one that hangs, whose plugin reads either.
fn beside(disk: &SlowDisk) -> Setup {
    let setup = Setup::new().file("here", b"on disk");
    let user = if is_root() { "privileges: { user: root }\n" } else { "" };
    let yaml = format!(
        "listeners: [{{ address: '127.0.0.1:0' }}]\nroots: [{{ name: boot, path: root }}, {{ name: slow, path: {:?} }}]\n\
         sinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ resolve: [probe] }}\nplugins: {{ probe: {{ component: {:?}, grants: {GRANTS}, settings: {{ \
         run: [file read slow there, file read boot here] }} }} }}\n{user}",
        disk.path(),
        probe()
    );
    setup.outside().write("tuffet.yaml", yaml.as_bytes());
    setup
}

fn hung() -> Option<SlowDisk> {
    let disk = SlowDisk::mount()?;
    disk.file("there", b"late");
    disk.set(Step::Folder, "", Pace::Hangs);
    Some(disk)
}

fn in_time(words: &[&str]) -> Ran {
    let began = Instant::now();
    let ran = tuffet(words);
    assert!(began.elapsed() < AT_MOST, "{words:?}: {:?}", began.elapsed());
    ran
}

#[test]
fn doctor_names_it_and_looks_at_the_others() {
    let Some(disk) = hung() else { return };
    let setup = beside(&disk);
    let file = setup.outside().path("tuffet.yaml").display().to_string();
    let ran = in_time(&["doctor", "--no-rate", "--json", "--config", &file]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let of = |root: &str| {
        let findings = report["findings"].as_array().unwrap();
        let its = findings.iter().filter(|finding| finding["check"].as_str().unwrap().ends_with(root));
        its.map(|finding| (finding["grade"].clone(), finding["says"].as_str().unwrap())).collect::<Vec<_>>()
    };
    let slow = of(" slow");
    assert_eq!(slow.len(), 1, "{report:#}");
    assert_eq!(slow[0].0, "wrong");
    assert!(slow[0].1.contains("has not answered for 3 s"), "{report:#}");
    let boot = of(" boot");
    assert!(boot.len() == 2 && boot.iter().all(|(grade, _)| grade == "good"), "{report:#}");
}

/// A network file system below a root, whose server is gone.
#[test]
fn doctor_names_a_folder_that_hangs_below_a_healthy_root() {
    let healthy = tempfile::TempDir::new().unwrap();
    std::fs::write(healthy.path().join("here"), b"on disk").unwrap();
    let Some(disk) = SlowDisk::mount_in(healthy.path()) else { return };
    disk.set(Step::Folder, "", Pace::Hangs);
    let setup = Setup::new();
    let user = if is_root() { "privileges: { user: root }\n" } else { "" };
    let yaml = format!(
        "listeners: [{{ address: '127.0.0.1:0' }}]\nroots: [{{ name: above, path: {:?} }}]\n{user}",
        healthy.path()
    );
    setup.outside().write("tuffet.yaml", yaml.as_bytes());
    let file = setup.outside().path("tuffet.yaml").display().to_string();
    let ran = in_time(&["doctor", "--no-rate", "--json", "--config", &file]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["check"] == "files of above").unwrap();
    assert_eq!(found["grade"], "wrong");
    let says = found["says"].as_str().unwrap();
    assert!(says.starts_with(&format!("{} has not answered for ", disk.path().display())), "{says}");
}

#[test]
fn plugin_tools_name_it_and_go_on_without_it() {
    let Some(disk) = hung() else { return };
    let setup = beside(&disk);
    let file = setup.outside().path("tuffet.yaml").display().to_string();
    let probe = probe();
    let named = |ran: &Ran| {
        let said = &ran.stderr;
        assert_eq!(said.matches("root `slow`: its folder has not answered for 3 s").count(), 1, "{said}");
        assert!(!said.contains("`boot`"), "{said}");
    };

    let ran = in_time(&["plugin", "check", &probe, "--config", &file]);
    ran.assert_good();
    named(&ran);

    let ask = ["--hook", "resolve", "--path", "x", "--time", "10s", "--json"];
    let ran = in_time(&[&["plugin", "run", &probe, "--config", &file], &ask[..]].concat());
    ran.assert_good();
    named(&ran);
    let shown: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let content = shown["verdict"]["content"].as_str().unwrap();
    assert!(content.contains("unavailable: ") && content.ends_with("Some(\"on disk\")\n"), "{shown:#}");

    let slow = format!("slow={}", disk.path().display());
    let boot = format!("boot={}", setup.root().0.display());
    let grants = ["--grant", "kv", "--grant", "files/boot", "--grant", "files/slow", "--grant", "sinks/out"];
    let ran =
        in_time(&[&["plugin", "check", &probe, "--root", &slow, "--root", &boot], &grants[..]].concat());
    ran.assert_good();
    named(&ran);

    let cases = format!(
        "grants: {GRANTS}\nsettings: {{ run: [file read boot here] }}\ncases:\n  - name: x\n    hook: resolve\n    request: {{ path: x \
         }}\n    expect: content\n"
    );
    setup.outside().write("cases.yaml", cases.as_bytes());
    let cases = setup.outside().path("cases.yaml").display().to_string();
    let ran = in_time(&[
        "plugin",
        "test",
        &cases,
        "--component",
        &probe,
        "--record",
        "--root",
        &slow,
        "--root",
        &boot,
    ]);
    ran.assert_good();
    named(&ran);
}
