//! The classes of real clients: hints from their actual requests.

use crate::harness::{Client, Options, Setup};

#[test]
fn real_clients() {
    let server = Setup::new().file("a", b"content").writable().start();
    let blksize = Options { blksize: Some(1400), ..Options::default() };
    let windows = Options { windowsize: Some(4), timeout: Some(3), ..blksize };
    let clients = [
        (Client::Curl, Options::default(), "curl", "curl"),
        (Client::Curl, blksize, "curl", "curl"),
        (Client::Atftp, Options::default(), "plain", "plain"),
        (Client::TftpHpa, Options::default(), "plain", "plain"),
        // It requests only the size, as ROMs do.
        (Client::Busybox, Options::default(), "pxe", "busybox"),
        (Client::Busybox, blksize, "busybox", "busybox"),
        (Client::Tuffet, windows, "tuffet", "tuffet"),
    ];
    for (number, (client, options, reads, writes)) in clients.into_iter().enumerate() {
        if !client.is_installed() {
            continue;
        }
        client.get(server.address(), "a", options);
        assert_eq!(server.outcome("a")["class"], reads, "{client} {options:?}");
        let name = format!("up-{number}");
        client.put(server.address(), &name, b"new", options);
        assert_eq!(server.outcome(&name)["class"], writes, "{client} {options:?}");
    }
    if Client::Atftp.is_installed() {
        Client::Atftp.get(server.address(), "a", windows);
        assert_eq!(server.outcome("a")["class"], "atftp");
    }
}
