//! `tuffet get --multicast`: beside our server, and beside a scripted one that sends packet by packet.

use super::GroupSocket;
use super::atftp::YAML;
use super::lan::Lan;
use crate::harness::{
    Answer, Folder, Ran, SOON, Setup, ack, assert_moved, bytes, data, error, oack, run, run_for, tuffet,
};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::process::Command;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Runs `tuffet get --multicast`, with its file in a folder of its own.
fn get(arguments: &[&str]) -> (Ran, TempDir) {
    get_by(Command::new(env!("CARGO_BIN_EXE_tuffet")), arguments)
}

fn get_by(mut command: Command, arguments: &[&str]) -> (Ran, TempDir) {
    let folder = TempDir::new().unwrap();
    command.args(["get", "--multicast", "--output", "file"]).args(arguments);
    let ran = run(command.current_dir(folder.path()));
    (ran, folder)
}

fn assert_nothing_left(folder: &TempDir) {
    assert!(Folder(folder.path().to_owned()).names().is_empty(), "something was left behind");
}

/// A server of one group, whose port is free for members.
fn setup() -> (Setup, Ipv4Addr) {
    let address = GroupSocket::new().address;
    let yaml = format!("multicast: {{ addresses: {address}, ports: 1758-1758 }}\nworkers: 2\n");
    (Setup::new().rest_of_yaml(&yaml), address)
}

#[test]
fn clients_of_one_host_get_one_stream() {
    let (setup, address) = setup();
    let file = bytes(3_000_000);
    let server = setup.file("image", &file).start();
    let url = format!("tftp://{}/image", server.address());
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let url = url.clone();
            thread::spawn(move || get(&[&url]))
        })
        .collect();
    for client in clients {
        let (ran, folder) = client.join().unwrap();
        ran.assert_good();
        assert!(ran.stderr.contains(&format!("group {address}:1758")), "{}", ran.stderr);
        assert!(Folder(folder.path().to_owned()).read("file") == file);
        assert_eq!(Folder(folder.path().to_owned()).names(), ["file"]);
    }
    for _ in 0..4 {
        let line = server.outcome("image");
        assert_eq!((&line["outcome"], &line["bytes"]), (&"served".into(), &3_000_000.into()), "{line:#}");
        assert_eq!(line["group"], format!("{address}:1758"));
    }
}

/// Standard output takes bytes in their order only; so does the empty file.
#[test]
fn standard_output_and_an_empty_file() {
    let (setup, _) = setup();
    let server = setup.sizes(&[0, 100]).start();
    for size in [0, 100] {
        let ran = tuffet(["get", "--multicast", "-o", "-", &format!("tftp://{}/{size}", server.address())]);
        ran.assert_good();
        assert_eq!(ran.stdout, bytes(size), "{}", ran.stderr);
        assert!(server.outcome(&size.to_string())["group"].is_string());
    }
}

#[test]
fn a_server_without_groups_sends_the_file_by_unicast() {
    let server = Setup::new().sizes(&[3000]).start();
    let (ran, folder) = get(&[&format!("tftp://{}/3000", server.address())]);
    ran.assert_good();
    assert!(ran.stderr.contains("unicast: the server named no group"), "{}", ran.stderr);
    assert!(Folder(folder.path().to_owned()).read("file") == bytes(3000));
    assert_moved(&server.outcome("3000"), "served", 3000, 1428, 16);
    let (ran, folder) = get(&[&format!("tftp://{}/missing", server.address())]);
    ran.assert_fails(2, &["file not found"]);
    assert_nothing_left(&folder);
}

#[test]
fn what_cannot_be_combined() {
    let (ran, _) = get(&["tftp://127.0.0.1/x;mode=netascii"]);
    ran.assert_fails(64, &["mode=octet"]);
    tuffet(["get", "--interface", "lo", "tftp://127.0.0.1/x"]).assert_fails(64, &["--multicast"]);
}

/// A server whose packets the test writes.
struct Script {
    listener: UdpSocket,
    /// Sends to the client and to the group, and gets its ACKs.
    tid: UdpSocket,
    group: SocketAddrV4,
    client: Option<SocketAddr>,
}

impl Script {
    fn new() -> Script {
        let [listener, tid] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        for socket in [&listener, &tid] {
            socket.set_read_timeout(Some(SOON)).unwrap();
        }
        let group = SocketAddrV4::new(GroupSocket::new().address, 1758);
        Script { listener, tid, group, client: None }
    }

    fn url(&self) -> String {
        format!("tftp://{}/x", self.listener.local_addr().unwrap())
    }

    fn receive_request(&mut self) {
        let mut buffer = [0; 2048];
        let (length, from) = self.listener.recv_from(&mut buffer).unwrap();
        assert!(buffer[..length].ends_with(b"\0multicast\0\0"), "{}", buffer[..length].escape_ascii());
        self.client = Some(from);
    }

    fn send(&self, packet: &[u8]) {
        self.tid.send_to(packet, self.client.unwrap()).unwrap();
    }

    fn oack(&self, master: bool) {
        let group = format!("{},{},{}", self.group.ip(), self.group.port(), u8::from(master));
        self.send(&oack(&[("tsize", "1300"), ("blksize", "512"), ("multicast", &group)]));
    }

    /// Sends a block of a file of 1300 bytes to the group.
    fn block(&self, number: u16) {
        let start = usize::from(number - 1) * 512;
        let packet = data(number, &bytes(1300)[start..(start + 512).min(1300)]);
        self.tid.send_to(&packet, self.group).unwrap();
    }

    #[track_caller]
    fn expect(&self, answer: &[u8]) {
        let mut buffer = [0; 2048];
        let (length, _) = self.tid.recv_from(&mut buffer).unwrap();
        assert_eq!(buffer[..length].escape_ascii().to_string(), answer.escape_ascii().to_string());
    }
}

/// Runs the client beside a script.
fn beside(arguments: &[&str], script: impl FnOnce(&mut Script) + Send + 'static) -> (Ran, TempDir) {
    let mut server = Script::new();
    let url = server.url();
    let playing = thread::spawn(move || {
        server.receive_request();
        script(&mut server);
        // Its sockets stay open for the client's last packets.
        server
    });
    let (ran, folder) = get(&[&[url.as_str()], arguments].concat());
    drop(playing.join().unwrap());
    (ran, folder)
}

/// It comes late, becomes master when the others have finished, and gets what it missed.
#[test]
fn a_late_client_requests_what_it_lacks_as_the_master() {
    let (ran, folder) = beside(&["--blksize", "1024"], |server| {
        server.oack(false);
        // It has joined when it asks again: the answer to its first request is handled by then.
        server.receive_request();
        server.block(2);
        server.block(3);
        server.block(2);
        server.oack(true);
        // The group's socket may be read after the client's own: then the client does not know yet what it has.
        loop {
            let mut buffer = [0; 16];
            let (length, _) = server.tid.recv_from(&mut buffer).unwrap();
            let has = (0..=3).find(|block| buffer[..length] == ack(*block)).expect("an ACK");
            if has == 3 {
                break;
            }
            server.block(has + 1);
        }
        // The last ACK was lost.
        server.oack(true);
        server.expect(&ack(3));
    });
    ran.assert_good();
    assert!(Folder(folder.path().to_owned()).read("file") == bytes(1300));
}

#[test]
fn an_error_ends_the_membership() {
    let (ran, folder) = beside(&["--blksize", "1024"], |server| {
        server.oack(true);
        server.expect(&ack(0));
        server.block(1);
        server.expect(&ack(1));
        server.send(&error(0, "the file changed"));
    });
    ran.assert_fails(1, &["the file changed"]);
    assert_nothing_left(&folder);
}

/// The server answers, and no block of its group arrives: a switch without a querier, or a firewall.
#[test]
fn a_silent_group_and_a_dead_server() {
    let (ran, folder) = beside(&["--timeout", "1"], |server| {
        server.oack(true);
        server.expect(&ack(0));
    });
    ran.assert_fails(69, &["no block of the group", ":1758", "Without --multicast"]);
    assert_nothing_left(&folder);
    let (setup, _) = setup();
    let server = setup.sizes(&[20_000_000]).start();
    let url = format!("tftp://{}/20000000", server.address());
    let client = thread::spawn(move || get(&[&url, "--blksize", "512", "--timeout", "1"]));
    server.live_until("a transfer", |live| live["active"].to_string().contains("20000000"));
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(server.id() as i32).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    let (ran, folder) = client.join().unwrap();
    ran.assert_fails(69, &["no block of the group"]);
    assert_nothing_left(&folder);
}

#[test]
fn a_server_that_grants_more_than_was_requested() {
    let (ran, folder) = beside(&["--blksize", "1024"], |server| {
        let group = format!("{},1758,1", server.group.ip());
        server.send(&oack(&[("blksize", "1025"), ("multicast", &group)]));
        let mut buffer = [0; 256];
        let (length, _) = server.tid.recv_from(&mut buffer).unwrap();
        assert!(matches!(Answer::read(&buffer[..length]), Answer::Error(8, _)));
    });
    ran.assert_fails(76, &["not requested"]);
    assert_nothing_left(&folder);
}

/// The file became another one, or the server does not count its bytes: nothing is kept.
#[test]
fn a_file_of_another_size_than_the_server_named() {
    let (ran, folder) = beside(&["--blksize", "1024"], |server| {
        server.oack(true);
        server.expect(&ack(0));
        server.tid.send_to(&data(1, b"short"), server.group).unwrap();
        let mut buffer = [0; 256];
        let (length, _) = server.tid.recv_from(&mut buffer).unwrap();
        assert!(matches!(Answer::read(&buffer[..length]), Answer::Error(0, _)));
    });
    ran.assert_fails(76, &["another file"]);
    assert_nothing_left(&folder);
}

/// A host with a second interface, which has the route to all groups: blocks still arrive where the server is.
#[test]
fn the_group_is_joined_on_the_interface_of_the_server() {
    let Some(lan) = Lan::new(1) else { return };
    for words in [
        "link add other type bridge",
        "address add 198.51.100.2/24 dev other",
        "link set other up",
        "route add 224.0.0.0/4 dev other",
    ] {
        lan.client_ip(0, words);
    }
    let file = bytes(100_000);
    let server = Setup::new().file("image", &file).behind(lan.on_server()).whole_yaml(1, YAML).start();
    let get = |arguments: &[&str]| {
        let arguments = [&["tftp://192.0.2.1/image"], arguments].concat();
        get_by(lan.on_client(0, env!("CARGO_BIN_EXE_tuffet")), &arguments)
    };
    for arguments in [&[][..], &["--interface", "cable"], &["--interface", "192.0.2.2"]] {
        let (ran, folder) = get(arguments);
        ran.assert_good();
        assert!(ran.stderr.contains("group 239.255.69."), "{}", ran.stderr);
        assert!(Folder(folder.path().to_owned()).read("file") == file, "{arguments:?}");
        assert_eq!(server.outcome("image")["outcome"], "served");
    }
    let (ran, folder) = get(&["--interface", "other", "--timeout", "1"]);
    ran.assert_fails(69, &["no block of the group"]);
    assert_nothing_left(&folder);
    let (ran, folder) = get(&["--interface", "nowhere"]);
    ran.assert_fails(71, &["cannot join the group", "there is no interface `nowhere`"]);
    assert_nothing_left(&folder);
}

/// Members on hosts of their own, one of which is killed as the master.
#[test]
fn hosts_beside_one_that_dies() {
    let Some(lan) = Lan::new(3) else { return };
    let file = bytes(20_000_000);
    let server = Setup::new().file("image", &file).behind(lan.on_server()).whole_yaml(1, YAML).start();
    let folder = TempDir::new().unwrap();
    let start = |client: usize| {
        let mut command = lan.on_client(client, env!("CARGO_BIN_EXE_tuffet"));
        command.args(["get", "--multicast", "--quiet", "--blksize", "512", "tftp://192.0.2.1/image", "-o"]);
        command.arg(folder.path().join(client.to_string()));
        command
    };
    let mut killed = start(0).spawn().unwrap();
    server.live_until("a transfer", |live| live["active"].to_string().contains("image"));
    let others: Vec<_> = [start(1), start(2)]
        .into_iter()
        .map(|mut command| thread::spawn(move || run_for(&mut command, Duration::from_secs(60))))
        .collect();
    server.live_until("three members", |live| live["active"].to_string().matches("\"image\"").count() == 3);
    killed.kill().unwrap();
    killed.wait().unwrap();
    for (number, other) in others.into_iter().enumerate() {
        other.join().unwrap().assert_good();
        assert!(std::fs::read(folder.path().join((number + 1).to_string())).unwrap() == file);
    }
    for _ in 0..2 {
        assert_eq!(server.outcome("image")["outcome"], "served");
    }
}
