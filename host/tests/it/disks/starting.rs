//! Roots that hang while the server starts, reloads, or checks its configuration.

use super::beside;
use super::named::ready_until;
use crate::harness::{Pace, Peer, Server, Setup, SlowDisk, Step, check_in, http, tuffet};
use std::time::{Duration, Instant};

const ADMIN: &str = "admin: { address: '127.0.0.1:0' }\n";

/// How long a folder has to answer, and what a busy machine adds. Without a bound, it never came.
const AT_MOST: Duration = Duration::from_secs(20);

fn hung() -> Option<SlowDisk> {
    let disk = SlowDisk::mount()?;
    disk.file("late", b"late");
    disk.set(Step::Folder, "", Pace::Hangs);
    Some(disk)
}

#[track_caller]
fn assert_named(server: &Server) {
    let said = ready_until(server, 503);
    let reasons = said["reasons"].as_array().unwrap();
    let detail = reasons.iter().find(|reason| reason["check"] == "root").unwrap()["detail"].as_str().unwrap();
    assert!(detail.starts_with("`slow` does not answer"), "{said}");
    let roots = server.status()["roots"].clone();
    let hung = roots.as_array().unwrap().iter().find(|root| root["hung"] == true).unwrap();
    assert_eq!(hung["root"], "slow", "{roots}");
    assert!(server.metrics().contains("tuffet_root_hung{root=\"slow\"} 1"));
    assert!(server.metrics().contains("tuffet_root_hung{root=\"boot\"} 0"));
}

#[test]
fn the_server_starts_without_it_names_it_and_takes_it_when_it_answers() {
    let Some(disk) = hung() else { return };
    let began = Instant::now();
    let server = beside(&disk, ADMIN);
    assert!(began.elapsed() < AT_MOST, "{:?}", began.elapsed());
    server.root().write("small", b"small");
    assert_eq!(Peer::new(server.address()).read_plainly("small"), b"small");
    let line = server.log_line("root `slow`: its folder has not answered for 3 s");
    assert_eq!((&line["root"], &line["level"]), (&"slow".into(), &"WARN".into()));
    assert_named(&server);

    disk.release();
    assert_eq!(
        server.logged("the folder of a root that did not answer is open; the root is served from now on")["root"],
        "slow"
    );
    ready_until(&server, 200);
    assert_eq!(Peer::new(server.address()).read_plainly("late"), b"late");
    assert!(server.metrics().contains("tuffet_root_hung{root=\"slow\"} 0"));
}

#[test]
fn the_only_root_by_flag_may_hang_as_well() {
    let Some(disk) = hung() else { return };
    let folder = disk.path().display().to_string();
    let yaml = format!("roots: [{{ name: slow, path: {folder} }}]\n");
    let server = Setup::new().yaml(&yaml).start();
    disk.release();
    server.logged("the folder of a root that did not answer is open; the root is served from now on");
    assert_eq!(Peer::new(server.address()).read_plainly("late"), b"late");
}

#[test]
fn a_signal_ends_it_meanwhile() {
    let Some(disk) = hung() else { return };
    let server = beside(&disk, "drain: 1s\n");
    let told = Instant::now();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    assert!(told.elapsed() < AT_MOST, "{:?}", told.elapsed());
}

#[test]
fn a_signal_during_the_look_is_kept() {
    let Some(disk) = hung() else { return };
    let yaml = format!("roots: [{{ name: slow, path: {} }}]\n", disk.path().display());
    let server = Setup::new().yaml(&yaml).begin();
    disk.hangs(Step::Folder, 1);
    let told = Instant::now();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    assert!(told.elapsed() < AT_MOST, "{:?}", told.elapsed());
}

#[test]
fn a_reload_goes_on_without_it() {
    let Some(disk) = SlowDisk::mount() else { return };
    disk.file("late", b"late");
    let server = Setup::new()
        .file("small", b"small")
        .yaml(&format!(
            "roots: [{{ name: boot, path: root }}]\nprivileges: {{ readable: [{:?}] }}\n{ADMIN}",
            disk.path()
        ))
        .start();
    let with = format!(
        "roots: [{{ name: boot, path: root }}, {{ name: slow, path: {0:?} }}]\nprivileges: {{ readable: [{0:?}] }}\n{ADMIN}",
        disk.path()
    );
    disk.set(Step::Folder, "", Pace::Hangs);
    server.rewrite(&with);
    let began = Instant::now();
    server.ask("reload").assert_good();
    assert!(began.elapsed() < AT_MOST, "{:?}", began.elapsed());
    assert_eq!(Peer::new(server.address()).read_plainly("small"), b"small");
    assert_named(&server);
    disk.release();
    ready_until(&server, 200);
    assert_eq!(Peer::new(server.address()).read_plainly("late"), b"late");

    // One that is open already stays so.
    disk.set(Step::Folder, "", Pace::Hangs);
    server.ask("reload").assert_good();
    assert_eq!(Peer::new(server.address()).read_plainly("late"), b"late");
    assert_eq!(http(server.admin(), "/readyz?exclude=root", &[]).status, 200);
    disk.release();
}

#[test]
fn a_check_names_it_in_time() {
    let Some(disk) = hung() else { return };
    let setup = Setup::new();
    let yaml = format!(
        "roots: [{{ name: boot, path: root }}, {{ name: slow, path: {:?} }}]\nlisteners: [{{ address: '127.0.0.1:0' }}]\n",
        disk.path()
    );
    let began = Instant::now();
    let ran = check_in(&setup.outside(), &yaml);
    assert!(began.elapsed() < AT_MOST, "{:?}", began.elapsed());
    ran.assert_good();
    let said = &ran.stderr;
    assert!(said.contains("root `slow`: its folder has not answered for 3 s"), "{said}");
    assert!(!said.contains("`boot`"), "{said}");
}

#[test]
fn requests_are_explained_in_time_beside_it() {
    let Some(disk) = hung() else { return };
    let setup = Setup::new();
    setup.outside().write("root/here", b"here");
    let yaml = format!(
        "roots: [{{ name: boot, path: root }}, {{ name: slow, path: {:?} }}]\nlisteners: [{{ address: '127.0.0.1:0' }}]\n",
        disk.path()
    );
    setup.outside().write("tuffet.yaml", yaml.as_bytes());
    let file = setup.outside().path("tuffet.yaml").display().to_string();
    let began = Instant::now();
    let found = tuffet(["explain", "--config", &file, "here"]);
    assert!(began.elapsed() < AT_MOST, "{:?}", began.elapsed());
    found.assert_good();
    let silent = tuffet(["explain", "--config", &file, "late"]);
    let text = String::from_utf8_lossy(&silent.stdout);
    assert!(text.contains("slow:late: the folder of its root has not answered"), "{text}");
    assert_eq!(silent.code(), 1);
}
