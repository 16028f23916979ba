//! From container to container over a network of their own, by the clients that people have.

use crate::harness::{Client, Setup, bytes, network};

const SIZES: [usize; 4] = [0, 511, 512, 200_000];

#[test]
fn clients_read_what_is_there() {
    let network = network();
    let server = Setup::new().sizes(&SIZES).start(&network);
    let client = Client::start(&network);
    let host = server.address().ip().to_string();
    for size in SIZES {
        let (name, content) = (size.to_string(), bytes(size));
        let url = format!("tftp://{host}/{name}");
        let read: [&[&str]; 3] = [
            &["curl", "--silent", "--show-error", "--output", "got", &url],
            &[
                "atftp",
                "--option",
                "blksize 1428",
                "--option",
                "windowsize 16",
                "-g",
                "-r",
                &name,
                "-l",
                "got",
                &host,
            ],
            &["tftp", "-g", "-b", "1428", "-r", &name, "-l", "got", &host],
        ];
        for words in read {
            client.run(&["rm", "-f", "got"]).good();
            client.run(words).good();
            // curl makes no file for no bytes.
            if size > 0 || words[0] != "curl" {
                assert!(client.read("got") == content, "{words:?}: other bytes");
            }
            let outcome = server.outcome(&name);
            assert_eq!(
                (&outcome["outcome"], &outcome["bytes"]),
                (&"served".into(), &size.into()),
                "{words:?}"
            );
        }
    }
    assert!(!client.run(&["curl", "--silent", &format!("tftp://{host}/missing")]).is_good());
    assert_eq!(server.outcome("missing")["outcome"], "not-found");
    assert_eq!(server.outcomes().len(), 3 * SIZES.len() + 1);
}

#[test]
fn clients_write_what_they_have() {
    let network = network();
    let server = Setup::new().writable().start(&network);
    let client = Client::start(&network);
    let host = server.address().ip().to_string();
    let content = bytes(200_000);
    client.write("mine", &content);
    let write: [&[&str]; 3] = [
        &["curl", "--silent", "--show-error", "--upload-file", "mine", &format!("tftp://{host}/by-curl")],
        &[
            "atftp",
            "--option",
            "blksize 1428",
            "--option",
            "windowsize 16",
            "-p",
            "-l",
            "mine",
            "-r",
            "by-atftp",
            &host,
        ],
        &["tftp", "-p", "-b", "1428", "-l", "mine", "-r", "by-busybox", &host],
    ];
    for (words, name) in write.into_iter().zip(["by-curl", "by-atftp", "by-busybox"]) {
        client.run(words).good();
        assert_eq!(server.outcome(name)["outcome"], "stored", "{words:?}");
        assert!(std::fs::read(server.path(name)).unwrap() == content, "{words:?}: other bytes");
    }
    assert_eq!(server.names(), ["by-atftp", "by-busybox", "by-curl"]);
}
