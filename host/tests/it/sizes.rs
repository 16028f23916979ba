//! Files of every awkward size, read and written by every client, over IPv4 and IPv6.

use crate::harness::{Client, Options, Setup, assert_moved, bytes, each_client};

const PLAIN: [usize; 6] = [0, 1, 511, 512, 513, 5000];
const LARGE_BLOCKS: [usize; 6] = [1427, 1428, 1429, 1428 * 7 - 1, 1428 * 7, 1428 * 7 + 1];

each_client!(reads);
fn reads(client: Client) {
    let server =
        Setup::new().sizes(&PLAIN).sizes(&LARGE_BLOCKS).listen("127.0.0.1:0").listen("[::1]:0").start();
    for &address in server.addresses() {
        for size in PLAIN {
            let name = size.to_string();
            assert!(client.get(address, &name, Options::default()) == bytes(size), "{name} from {address}");
            let line = server.outcome(&name);
            assert_moved(&line, "served", size, 512, 1);
            let seen: std::net::SocketAddr = line["client"].as_str().unwrap().parse().unwrap();
            assert_eq!(seen.ip(), address.ip());
            assert_eq!(
                (&line["operation"], &line["resolved"]),
                (&"read".into(), &format!("root:{name}").into())
            );
        }
        let options = Options { blksize: Some(1428), ..Options::default() };
        for size in LARGE_BLOCKS.into_iter().filter(|_| client.knows(&options)) {
            let name = size.to_string();
            assert!(client.get(address, &name, options) == bytes(size), "{name} from {address}");
            assert_moved(&server.outcome(&name), "served", size, 1428, 1);
        }
    }
    assert_eq!(server.stop(), [] as [serde_json::Value; 0], "one outcome for each request");
}

each_client!(writes);
fn writes(client: Client) {
    let server = Setup::new().writable().listen("127.0.0.1:0").listen("[::1]:0").start();
    for (number, &address) in server.addresses().iter().enumerate() {
        for size in PLAIN {
            let name = format!("plain-{number}-{size}");
            client.put(address, &name, &bytes(size), Options::default());
            assert_moved(&server.outcome(&name), "stored", size, 512, 1);
            assert!(server.root().read(&name) == bytes(size), "{name}");
        }
        let options = Options { blksize: Some(1428), ..Options::default() };
        for size in LARGE_BLOCKS.into_iter().filter(|_| client.knows(&options)) {
            let name = format!("large-{number}-{size}");
            client.put(address, &name, &bytes(size), options);
            assert_moved(&server.outcome(&name), "stored", size, 1428, 1);
            assert!(server.root().read(&name) == bytes(size), "{name}");
        }
    }
    assert_eq!(server.stop(), [] as [serde_json::Value; 0], "one outcome for each request");
}

#[test]
fn smallest_and_largest_blocks() {
    let sizes = [0, 7, 8, 9, 4096, 65_463, 65_464, 65_465, 200_000];
    let server = Setup::new().writable().sizes(&sizes).start();
    for (blksize, size) in [8, 65_464].into_iter().flat_map(|blksize| sizes.map(|size| (blksize, size))) {
        for client in [Client::Tuffet, Client::Atftp].into_iter().filter(|client| client.is_installed()) {
            let options = Options { blksize: Some(blksize), ..Options::default() };
            let (name, upload) = (size.to_string(), format!("{client}-{blksize}-{size}"));
            assert!(client.get(server.address(), &name, options) == bytes(size), "{client} {blksize} {name}");
            assert_moved(&server.outcome(&name), "served", size, blksize, 1);
            client.put(server.address(), &upload, &bytes(size), options);
            assert_moved(&server.outcome(&upload), "stored", size, blksize, 1);
            assert!(server.root().read(&upload) == bytes(size), "{upload}");
        }
    }
}
