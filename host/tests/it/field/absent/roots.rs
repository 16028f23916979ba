//! Folders of roots that come later.

use super::{assert_unprivileged, problems, unprivileged, warned};
use crate::harness::{Answer, Peer, bytes, is_root, rrq, run, skipped, wait_until, wrq};
use std::fs;
use std::process::Command;

/// The folder of a root is made later, or mounted over a folder that is empty at the start.
#[test]
fn roots_that_come_later_are_served() {
    if !is_root() {
        return skipped("mounting a file system needs root");
    }
    let yaml = "roots:\n\
                - { name: boot, path: root }\n\
                - { name: made, path: media/disk/tftp, writable: true }\n\
                - { name: mounted, path: mnt/usb }\n\
                - { name: link, path: link }\n";
    let setup = unprivileged(yaml);
    let outside = setup.outside();
    for folder in ["media", "mnt", "mnt/usb", "far", "far/usb"] {
        fs::create_dir(outside.path(folder)).unwrap();
    }
    std::os::unix::fs::symlink("far/usb/tftp", outside.path("link")).unwrap();
    let behind = ["unshare", "--mount", "--propagation", "private"].map(str::to_owned);
    let server = setup.behind(behind.into()).start();
    for root in ["made", "link"] {
        let line = warned(&server, &format!("root `{root}`: the folder "));
        assert_eq!(line["root"], root);
        assert!(problems(&server).contains(&format!("the folder of `{root}` does not exist yet")));
        assert!(server.metrics().contains(&format!("tuffet_root_missing{{root=\"{root}\"}} 1")));
    }
    assert!(server.metrics().contains("tuffet_root_missing{root=\"boot\"} 0"));
    let ask = |name: &str| {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        peer
    };
    // Meanwhile the others are searched as ever, and what none has is missing, as with other servers.
    assert_eq!(Peer::new(server.address()).read_plainly("3000"), bytes(3000));
    server.outcome("3000");
    ask("first").expect_error(1);
    let line = server.outcome("first");
    assert!(
        line["detail"].as_str().unwrap().contains("the folder of the root made does not exist yet"),
        "{line}"
    );

    let mut make = Command::new("nsenter");
    make.args([&format!("--mount=/proc/{}/ns/mnt", server.id()), "sh", "-ec"]);
    make.arg(
        "cd \"$1\"; mount -t tmpfs none mnt/usb; echo one >mnt/usb/first\n\
         mount -t tmpfs none far/usb; mkdir far/usb/tftp; echo two >far/usb/tftp/second\n\
         mkdir -p media/disk; mkdir -m 777 media/disk/tftp; echo three >media/disk/tftp/third",
    );
    run(make.arg("sh").arg(&outside.0)).assert_good();
    for _ in ["made", "link"] {
        server.logged("the folder of a root exists now; the root is served from now on");
    }
    server.logged("the folder of a root was replaced; requests get the new one from now on");
    for (name, content) in [("first", "one\n"), ("second", "two\n"), ("third", "three\n")] {
        assert_eq!(Peer::new(server.address()).read_plainly(name), content.as_bytes(), "{name}");
        assert_eq!(server.outcome(name)["outcome"], "served");
    }
    let mut upload = Peer::new(server.address());
    upload.ask(&wrq("up", &[]));
    upload.expect(Answer::Ack(0));
    upload.write_on(b"content", 512);
    assert_eq!(server.outcome("up")["outcome"], "stored");
    assert!(server.metrics().contains("tuffet_root_missing{root=\"made\"} 0"));
    wait_until("the server is ready", || problems(&server) == "[]");
    assert_unprivileged(&server);
}

/// The only root is missing, and a reload brings another one.
#[test]
fn a_reload_brings_a_root_that_is_missing() {
    let yaml = |more: &str| format!("roots:\n- {{ name: late, path: late/one }}\n{more}");
    let setup = unprivileged(&yaml(""));
    fs::create_dir(setup.outside().path("late")).unwrap();
    let server = setup.start();
    warned(&server, "root `late`: the folder ");
    server.rewrite(&yaml("- { name: later, path: late/two }\n"));
    server.ask("reload").assert_good();
    warned(&server, "root `late`: the folder ");
    warned(&server, "root `later`: the folder ");
    for (folder, file) in [("late/one", "a"), ("late/two", "b")] {
        fs::create_dir(server.outside().path(folder)).unwrap();
        fs::write(server.outside().path(folder).join(file), file).unwrap();
        server.logged("the folder of a root exists now; the root is served from now on");
        assert_eq!(Peer::new(server.address()).read_plainly(file), file.as_bytes());
    }
}
