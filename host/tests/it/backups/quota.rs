//! `write.quota`.

use super::{ask_until, half, put, server, setup};
use crate::harness::{Answer, Client, Folder, Options, Peer, Server, Setup, assert_ended, data, until, wrq};
use crate::policy::probe;
use serde_json::Value;

const FULL: &str = "disk full or allocation exceeded";

#[track_caller]
fn refused(server: &Server, name: &str, tsize: &str) -> Value {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[("tsize", tsize)]));
    assert_eq!(peer.expect_error(3), FULL);
    server.outcome(name)
}

/// Waits until the folder has these files alone.
#[track_caller]
fn await_names(folder: &Folder, names: &[&str]) {
    until("the folder has them", || folder.names(), |its| its == names);
}

#[test]
fn bytes_up_to_the_last_one() {
    let server = server("quota: { bytes: 2000 }");
    put(&server, "a", &[0; 1000]);
    let refusal = refused(&server, "b", "1001");
    let reason =
        "the quota of root `in` is exhausted: 2000 bytes are allowed (`quota.bytes`), 1000 are stored";
    assert_ended(&refusal, "denied", reason);
    put(&server, "b", &[0; 1000]);
    // An empty file needs no byte.
    put(&server, "empty", b"");
    refused(&server, "c", "1");
    // A size that was not announced, or falsely.
    for options in [&[][..], &[("tsize", "0")]] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq("c", options));
        assert!(matches!(peer.receive(), Answer::Ack(0) | Answer::Oack(_)));
        peer.send(&data(1, b"x"));
        assert_eq!(peer.receive(), Answer::Error(3, FULL.into()));
        await_names(&server.root(), &["a", "b", "empty"]);
    }
}

#[test]
fn files_up_to_the_last_one() {
    let server = server("quota: { files: 2 }");
    put(&server, "a", b"x");
    put(&server, "b", b"x");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("c", &[]));
    assert_eq!(peer.expect_error(3), FULL);
    assert_ended(&server.outcome("c"), "denied", "2 files are allowed (`quota.files`)");
}

#[test]
fn two_at_once_do_not_both_get_the_last_bytes() {
    let server = server("quota: { bytes: 60000 }");
    // The server writes 32 KiB at a time, so each of them fits alone.
    let content = vec![3; 40_000];
    let mut peers: Vec<Peer> = ["one", "two"]
        .map(|name| {
            let mut peer = Peer::new(server.address());
            peer.ask(&wrq(name, &[("blksize", "8000"), ("tsize", "40000")]));
            peer.expect(Answer::Oack("blksize=8000 tsize=40000".into()));
            peer
        })
        .into();
    let mut answers = Vec::new();
    for (number, payload) in (1..).zip(content.chunks(8000).chain([&[][..]])) {
        for peer in &mut peers {
            peer.send(&data(number, payload));
        }
        answers = peers.iter_mut().map(Peer::receive).collect();
        if answers.iter().any(|answer| matches!(answer, Answer::Error(..))) {
            let stays = usize::from(matches!(answers[0], Answer::Error(..)));
            assert_eq!(answers[1 - stays], Answer::Error(3, FULL.into()));
            let rest = (number + 1..).zip(content.chunks(8000).chain([&[][..]]).skip(usize::from(number)));
            peers[stays].write_rest(rest);
            break;
        }
    }
    assert!(answers.contains(&Answer::Error(3, FULL.into())), "{answers:?}");
    server.stop();
    assert_eq!(server.root().names().len(), 1);
}

/// What broke off gives its part back.
#[test]
fn what_breaks_off_is_not_counted() {
    let server = server("quota: { bytes: 1000, files: 1 }");
    for _ in 0..3 {
        let peer = half(&server, "a");
        peer.send(&crate::harness::error(0, "no more"));
        assert_ended(&server.outcome("a"), "aborted", "no more");
    }
    ask_until(&server, &wrq("a", &[("tsize", "1000")]), &Answer::Oack("tsize=1000".into()));
}

#[test]
fn versions_count_until_they_go() {
    let server = server("versions: { keep: 1 }, quota: { bytes: 250 }");
    put(&server, "a", &[1; 100]);
    put(&server, "a", &[2; 100]);
    refused(&server, "a", "51");
    // The third one replaces the oldest version, which goes after it is stored.
    put(&server, "a", &[3; 50]);
    assert_eq!(server.root().names(), ["a", "a.~2~"]);
    put(&server, "b", &[4; 100]);
    refused(&server, "c", "1");
}

/// The old file gives its bytes back, once.
#[test]
fn a_replaced_file_counts_no_more() {
    let server = server("quota: { bytes: 200, files: 2 }");
    for _ in 0..5 {
        put(&server, "a", &[1; 100]);
    }
    put(&server, "b", &[1; 100]);
    refused(&server, "a", "1");
}

#[test]
fn a_restart_counts_what_is_there_and_a_deletion_is_noticed() {
    let setup = setup("versions: { keep: 3 }, quota: { bytes: 300 }");
    for (name, size) in [("a", 100), ("a.~1~", 100), ("sub/b", 99), (".tuffet-0123456789abcdef.part", 5000)] {
        setup.root().write(name, &vec![0; size]);
    }
    let server = setup.start();
    let counted = server.logged("counted the contents of a root");
    assert_eq!(
        (&counted["bytes"], &counted["files"], &counted["folders"]),
        (&299.into(), &3.into(), &1.into())
    );
    put(&server, "c", b"x");
    refused(&server, "d", "1");
    std::fs::remove_file(server.root().path("a.~1~")).unwrap();
    ask_until(&server, &wrq("d", &[("tsize", "100")]), &Answer::Oack("tsize=100".into()));
}

/// A reload may add, change and remove a quota.
#[test]
fn a_reload_changes_the_quota() {
    let server = server("");
    put(&server, "a", &[0; 100]);
    let reload = |rules: &str| {
        server.rewrite(&super::yaml(rules));
        server.ask("reload").assert_good();
    };
    reload("quota: { bytes: 150 }");
    ask_until(&server, &wrq("b", &[("tsize", "51")]), &Answer::Error(3, FULL.into()));
    reload("quota: { bytes: 151 }");
    ask_until(&server, &wrq("b", &[("tsize", "51")]), &Answer::Oack("tsize=51".into()))
        .write_on(&[0; 51], 512);
    refused(&server, "c", "1");
    reload("");
    put(&server, "c", &[0; 1000]);
    reload("quota: { bytes: 2000 }");
    ask_until(&server, &wrq("d", &[("tsize", "850")]), &Answer::Error(3, FULL.into()));
    ask_until(&server, &wrq("d", &[("tsize", "849")]), &Answer::Oack("tsize=849".into()));
}

/// Another folder at the same path has other contents, and perhaps unfinished uploads.
#[test]
fn a_reload_counts_and_sweeps_a_folder_that_replaces_that_of_a_root() {
    let server = server("quota: { bytes: 150 }");
    put(&server, "a", &[0; 150]);
    let (root, before) = (server.root(), server.outside().path("before"));
    std::fs::rename(&root.0, before).unwrap();
    root.write("there", &[0; 100]);
    root.write(".tuffet-0123456789abcdef.part", b"left");
    server.ask("reload").assert_good();
    await_names(&root, &["there"]);
    ask_until(&server, &wrq("b", &[("tsize", "51")]), &Answer::Error(3, FULL.into()));
    ask_until(&server, &wrq("b", &[("tsize", "50")]), &Answer::Oack("tsize=50".into()))
        .write_on(&[0; 50], 512);
}

#[test]
fn an_upload_that_ends_in_the_folder_before_a_reload_counts_there_alone() {
    let server = server("quota: { bytes: 2000 }");
    put(&server, "a", &[0; 1400]);
    let mut late = half(&server, "a");
    let (root, before) = (server.root(), server.outside().path("before"));
    std::fs::rename(&root.0, &before).unwrap();
    root.write("there", &[0; 1000]);
    server.ask("reload").assert_good();
    ask_until(&server, &wrq("b", &[("tsize", "1001")]), &Answer::Error(3, FULL.into()));
    late.send(&data(2, b""));
    assert_eq!(late.receive(), Answer::Ack(2));
    assert_eq!(std::fs::read(before.join("a")).unwrap().len(), 512);
    refused(&server, "b", "1001");
}

/// What was added to it meanwhile counts, although an upload has kept its sums.
#[test]
fn a_folder_that_comes_back_is_counted_again() {
    let server = server("quota: { bytes: 2000 }");
    put(&server, "a", &[0; 1400]);
    let _kept = half(&server, "late");
    let (root, outside) = (server.root(), server.outside());
    std::fs::rename(&root.0, outside.path("before")).unwrap();
    root.write("there", &[0; 1000]);
    server.ask("reload").assert_good();
    ask_until(&server, &wrq("b", &[("tsize", "1001")]), &Answer::Error(3, FULL.into()));
    std::fs::write(outside.path("before").join("more"), [0; 600]).unwrap();
    std::fs::rename(&root.0, outside.path("after")).unwrap();
    std::fs::rename(outside.path("before"), &root.0).unwrap();
    server.ask("reload").assert_good();
    ask_until(&server, &wrq("b", &[("tsize", "1")]), &Answer::Error(3, FULL.into()));
}

/// What they have written so far counts for others; they themselves go on without a quota.
#[test]
fn an_upload_that_began_before_its_root_had_a_quota_counts() {
    let server = server("");
    let mut early = Peer::new(server.address());
    early.ask(&wrq("early", &[("blksize", "8000")]));
    early.expect(Answer::Oack("blksize=8000".into()));
    let content = vec![3; 60_000];
    let mut blocks = (1..).zip(content.chunks(8000));
    // The server writes 32 KiB at a time.
    for (number, payload) in blocks.by_ref().take(6) {
        early.send(&data(number, payload));
        assert_eq!(early.receive(), Answer::Ack(number));
    }
    server.rewrite(&super::yaml("quota: { bytes: 50000 }"));
    server.ask("reload").assert_good();
    ask_until(&server, &wrq("b", &[("tsize", "20000")]), &Answer::Error(3, FULL.into()));
    early.write_rest(blocks);
    assert_eq!(server.root().read("early"), content);
    refused(&server, "c", "1");
}

#[test]
fn each_folder_has_its_part() {
    let server = server(
        "versions: { keep: 3 }, folders: true, quota: { bytes: 5000, per-folder: { bytes: 1000, files: 3 } }",
    );
    put(&server, "a/x", &[0; 600]);
    let reason = "the quota of folder `a` in root `in` is exhausted: 1000 bytes are allowed \
                  (`quota.per-folder.bytes`), 600 are stored";
    for name in ["a/y", "a/b/c/y", "a/x"] {
        assert_ended(&refused(&server, name, "401"), "denied", reason);
    }
    put(&server, "b/x", &[0; 1000]);
    put(&server, "a/b/y", &[0; 300]);
    // The version is in the folder, too.
    put(&server, "a/b/y", &[0; 100]);
    let reason = "3 files are allowed (`quota.per-folder.files`), 3 are stored";
    assert_ended(&refused(&server, "a/z", "0"), "denied", reason);
    put(&server, "x", &[0; 1000]);
    let reason = "the quota of the files beside the folders in root `in` is exhausted";
    assert_ended(&refused(&server, "y", "1"), "denied", reason);
    // What another server or an operator removes is there again after the next count.
    std::fs::remove_dir_all(server.root().path("a/b")).unwrap();
    ask_until(&server, &wrq("a/z", &[("tsize", "400")]), &Answer::Oack("tsize=400".into()));
}

/// The sums of folders are known before they are limited.
#[test]
fn a_reload_adds_the_quota_of_folders() {
    let server = server("folders: true, quota: { bytes: 5000 }");
    put(&server, "a/x", &[0; 600]);
    server.rewrite(&super::yaml("folders: true, quota: { bytes: 5000, per-folder: { bytes: 1000 } }"));
    server.ask("reload").assert_good();
    refused(&server, "a/y", "401");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("a/y", &[("tsize", "400")]));
    peer.expect(Answer::Oack("tsize=400".into()));
}

/// The folder is not there when both begin.
#[test]
fn two_at_once_do_not_both_get_the_last_bytes_of_a_folder() {
    let server = server("folders: true, quota: { per-folder: { bytes: 1000 } }");
    let peers = ["new/one", "new/two"].map(|name| half(&server, name));
    peers.iter().for_each(|peer| peer.send(&data(2, b"end")));
    let answers = peers.map(|mut peer| peer.receive());
    assert!(
        answers.contains(&Answer::Ack(2)) && answers.contains(&Answer::Error(3, FULL.into())),
        "{answers:?}"
    );
    let stored = if answers[0] == Answer::Ack(2) { "one" } else { "two" };
    await_names(&Folder(server.root().path("new")), &[stored]);
}

/// A link on the path leads to the folder whose part counts.
#[test]
fn a_folder_under_another_name_is_the_same() {
    let setup = setup("folders: true, quota: { per-folder: { bytes: 1000 } }");
    std::fs::create_dir_all(setup.root().path("real/sub")).unwrap();
    std::os::unix::fs::symlink("real/sub", setup.root().path("link")).unwrap();
    std::os::unix::fs::symlink(".", setup.root().path("here")).unwrap();
    let server = setup.start();
    server.logged("counted the contents of a root");
    put(&server, "link/x", &[0; 600]);
    for name in ["real/y", "link/y", "link/new/y", "here/real/y", "here/link/y"] {
        assert_ended(&refused(&server, name, "401"), "denied", "the quota of folder `real`");
    }
    put(&server, "here/x", &[0; 600]);
    assert_ended(&refused(&server, "here/y", "401"), "denied", "the files beside the folders");
    put(&server, "here/new/x", &[0; 600]);
    assert_ended(&refused(&server, "new/y", "401"), "denied", "the quota of folder `new`");
}

/// A folder for each client, as docs/files.md shows it.
#[test]
fn each_client_has_its_part() {
    let policy = r"
policy: { resolve: [remap], time-limit: 40s }
plugins:
  remap:
    component: builtin:remap
    limits: { time: 20s, wall: 40s }
    settings: { root: in, rules: [{ match: '^/?(.*)$', replace: '\i/\1', flags: [writes-only] }] }
";
    let yaml = super::yaml("folders: true, quota: { per-folder: { files: 1 } }") + policy;
    let server = Setup::new().yaml(&yaml).start();
    server.logged("counted the contents of a root");
    let begin = |address: [u8; 4], name: &str| {
        let mut peer = Peer::from(address, server.address());
        peer.ask(&wrq(name, &[]));
        peer
    };
    for client in [[127, 0, 0, 1], [127, 0, 0, 2]] {
        let mut peer = begin(client, "127.0.0.1/sw.cfg");
        peer.expect(Answer::Ack(0));
        peer.write_on(b"config", 512);
        assert_eq!(begin(client, "other").expect_error(3), FULL);
    }
    for folder in ["127.0.0.1", "127.0.0.2"] {
        assert_eq!(server.root().read(&format!("{folder}/127.0.0.1/sw.cfg")), b"config");
    }
}

/// A plugin moves an upload to a folder that has no room.
#[test]
fn a_renamed_upload_counts_where_it_is_stored() {
    let policy = format!(
        "state: state\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ accept-upload: [p], time-limit: 40s \
         }}\nplugins:\n  p:\n    component: \"{}\"\n    grants: [kv, files/in, sinks/out]\n    limits: {{ time: 20s, \
         wall: 40s }}\n    settings: {{ upload: \"free kept/there\" }}\n",
        probe()
    );
    let yaml = super::yaml("quota: { per-folder: { files: 2 } }") + &policy;
    let server = Setup::new().file("kept/other", b"old").yaml(&yaml).start();
    server.logged("counted the contents of a root");
    put(&server, "up", b"new");
    let mut peer = half(&server, "up");
    peer.send(&data(2, b"end"));
    assert_eq!(peer.receive(), Answer::Error(3, FULL.into()));
    assert_ended(&server.outcome("up"), "denied", "the quota of folder `kept` in root `in`");
    await_names(&server.root(), &["kept"]);
    await_names(&Folder(server.root().path("kept")), &["other", "there"]);
}

/// It is not netascii that is stored, so its announced size says little.
#[test]
fn netascii_is_counted_as_it_is_stored() {
    let server = server("quota: { bytes: 10 }");
    let ran = Client::Tuffet.try_put(server.address(), "a", &[b'x'; 11], Options::default());
    assert!(!ran.status.success() && ran.stderr.contains(FULL), "{ran:?}");
    let mut peer = Peer::new(server.address());
    peer.ask(&crate::harness::request(2, b"a", b"netascii", &[("tsize", "12")]));
    peer.expect(Answer::Oack("tsize=12".into()));
    peer.send(&data(1, b"123456\r\n9\r\n"));
    assert_eq!(peer.receive(), Answer::Ack(1));
    assert_eq!(server.root().read("a"), b"123456\n9\n");
}
