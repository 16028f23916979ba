//! `tuffet cache`, with a running server and without one; `tuffet check`.

use super::{far, setup};
use crate::harness::{Manner, Peer, Ran, Server, Setup, Web, bytes, check_in, tuffet};

fn cache(server: &Server, words: &[&str]) -> Ran {
    let socket = server.outside().0.join("control");
    tuffet([&["cache"], words, &["--control", socket.to_str().unwrap()]].concat())
}

fn text(ran: &Ran) -> String {
    String::from_utf8(ran.stdout.clone()).unwrap()
}

#[test]
fn files_are_fetched_ahead_listed_and_dropped() {
    let web = Web::start();
    for name in ["a/one.img", "a/two.img", "b/three.cfg"] {
        web.put(name, &bytes(5_000), "1");
    }
    let server = far(&web, "", "revalidate: 1h", "");
    let list = server.outside().0.join("list");
    std::fs::write(&list, "\u{feff}a/one.img\r\n# for the storm\n/a/two.img\n\nb/three.cfg\n").unwrap();
    cache(&server, &["warm", "--list", list.to_str().unwrap()]).assert_good();
    web.be(Manner::Away);
    assert!(Peer::new(server.address()).read_plainly("a/two.img") == bytes(5_000));
    let listed = text(&cache(&server, &["ls"]));
    let lines: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["CACHED", "BYTES", "FILE", "BYTES", "CONFIRMED", "USED", "FILE"]);
    let one = lines.iter().find(|line| line.last() == Some(&"far:a/one.img")).unwrap();
    assert_eq!(
        (lines.len(), one.len(), &one[..2], one[3], one[5]),
        (4, 7, &["5000", "5000"][..], "ago", "ago"),
        "{listed}"
    );
    assert_eq!(text(&cache(&server, &["ls", "none*"])), "", "no titles without files");
    let listed = text(&cache(&server, &["ls", "--json", "a/*"]));
    assert!(listed.lines().count() == 2 && listed.contains("\"stored\":5000"), "{listed}");
    cache(&server, &["drop", "a/*"]).assert_good();
    let listed = text(&cache(&server, &["ls"]));
    assert!(listed.lines().count() == 2 && listed.contains("b/three.cfg"), "{listed}");
    cache(&server, &["drop", "none*"]).assert_fails(1, &["none*", "no file in the cache matches"]);
    web.be(Manner::Good);
    cache(&server, &["warm", "absent"]).assert_fails(1, &["far:absent", "no such file"]);
    cache(&server, &["warm", "a/"]).assert_fails(1, &["a/: this names a folder"]);
    cache(&server, &["warm", "x*"]).assert_fails(1, &["an origin cannot list files"]);
    cache(&server, &["warm", "--root", "boot", "x"])
        .assert_fails(1, &["there is no root `boot` with a `url`"]);
}

#[test]
fn caches_are_filled_without_a_server() {
    let web = Web::start();
    web.put("file", &bytes(5_000), "1");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuffet.yaml");
    let user = if rustix::process::geteuid().is_root() { "privileges: { user: root }\n" } else { "" };
    let yaml = format!("roots:\n{}control: control\n{user}", web.root("far", "", "revalidate: 1h"));
    std::fs::write(&file, format!("listeners: [{{ address: \"127.0.0.1:0\" }}]\n{yaml}")).unwrap();
    let file = file.to_str().unwrap();
    tuffet(["cache", "warm", "file", "--config", file]).assert_good();
    let listed = tuffet(["cache", "ls", "--config", file]);
    assert!(text(&listed).contains("far:file"), "{listed:?}");
    let yaml = format!(
        "roots: [{{ name: far, url: \"{}\", origin: {{ connect-timeout: 1s, timeout: 2s }}, cache: {{ path: {:?}, revalidate: \
         1h }} }}]\n",
        web.url(),
        folder.path().join("cache-far")
    );
    let server = setup().yaml(&yaml).start();
    web.be(Manner::Away);
    assert!(Peer::new(server.address()).read_plainly("file") == bytes(5_000));
    // Its server has them now.
    tuffet(["cache", "ls", "--config", file])
        .assert_fails(69, &["no server answers", "another process uses the cache"]);
}

#[test]
fn an_explanation_without_a_server_leaves_the_cache_alone() {
    let web = Web::start();
    web.put("file", &bytes(5_000), "1");
    let server = far(&web, "", "", "");
    let file = server.outside().0.join("explained.yaml");
    let yaml = format!(
        "listeners: [{{ address: \"127.0.0.1:0\" }}]\nroots:\n{}{}",
        web.root("far", "", ""),
        web.root("new", "", "")
    );
    std::fs::write(&file, yaml).unwrap();
    let explained = tuffet(["explain", "file", "--config", file.to_str().unwrap()]);
    explained.assert_good();
    assert!(text(&explained).contains("granted: far:file, 5000 bytes"), "{explained:?}");
    let explained = tuffet(["explain", "none", "--config", file.to_str().unwrap()]);
    assert!(text(&explained).contains("new:none: no such file"), "{explained:?}");
    assert!(!server.outside().0.join("cache-new").exists());
    assert_eq!(server.status()["origins"][0]["fetches"], 0);
}

#[test]
fn a_check_asks_no_origin_and_makes_no_cache() {
    let web = Web::start();
    web.be(Manner::Hangs);
    let setup = Setup::new();
    let yaml = format!("listeners: [{{ address: \"127.0.0.1:0\" }}]\nroots:\n{}", web.root("far", "", ""));
    check_in(&setup.outside(), &yaml).assert_good();
    assert_eq!(web.requests("").len(), 0);
    assert!(!setup.outside().has("cache-far"));
}
