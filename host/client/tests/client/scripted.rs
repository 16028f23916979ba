//! Beside a server that sends packet by packet.

use super::{SOON, bytes};
use std::net::SocketAddr;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UdpSocket;
use tokio::time::timeout;
use tuffet_client::{Client, ClientError, Url};

async fn socket() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").await.unwrap()
}

fn url(server: &UdpSocket) -> Url {
    Url::new("127.0.0.1", server.local_addr().unwrap().port(), "file")
}

fn plain() -> Client {
    Client::builder().blksize(None).windowsize(None).tsize(false).build()
}

/// Returns the next datagram and its sender.
async fn hear(server: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = vec![0; 65_536];
    let (length, from) = timeout(SOON, server.recv_from(&mut buffer)).await.unwrap().unwrap();
    buffer.truncate(length);
    (buffer, from)
}

fn block(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[0, 3, 0, number][..], bytes].concat()
}

#[tokio::test]
async fn a_dropped_download_sends_an_error_and_leaves_no_file() {
    let (server, folder) = (socket().await, TempDir::new().unwrap());
    let path = folder.path().join("file");
    let download = tokio::spawn({
        let (url, path) = (url(&server), path.clone());
        async move { plain().get(&url).file(path).await }
    });
    let (request, client) = hear(&server).await;
    assert_eq!(request, b"\0\x01file\0octet\0");
    server.send_to(&block(1, &[7; 512]), client).await.unwrap();
    assert_eq!(hear(&server).await.0, b"\0\x04\0\x01");
    download.abort();
    assert!(download.await.unwrap_err().is_cancelled());
    assert_eq!(hear(&server).await.0, b"\0\x05\0\0the client cannot go on\0");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_dropped_upload_sends_an_error() {
    let server = socket().await;
    let url = url(&server);
    let upload = tokio::spawn(async move { plain().put(&url).bytes(bytes(5_000)).await });
    let (_, client) = hear(&server).await;
    server.send_to(b"\0\x04\0\0", client).await.unwrap();
    assert_eq!(hear(&server).await.0[..4], [0, 3, 0, 1]);
    upload.abort();
    assert!(upload.await.unwrap_err().is_cancelled());
    loop {
        match &hear(&server).await.0[..] {
            [0, 3, 0, 1, ..] => {}
            other => return assert_eq!(other, b"\0\x05\0\0the client cannot go on\0"),
        }
    }
}

/// The caller has the bytes at once; the client repeats its last ACK meanwhile.
#[tokio::test]
async fn a_lost_last_ack_is_repeated_in_the_background() {
    let server = socket().await;
    let client = Client::builder().dally(SOON).build();
    let (its, url) = (client.clone(), url(&server));
    let download = tokio::spawn(async move { its.get(&url).bytes(100).await });
    let (_, peer) = hear(&server).await;
    server.send_to(&block(1, b"all"), peer).await.unwrap();
    assert_eq!(hear(&server).await.0, b"\0\x04\0\x01");
    assert_eq!(timeout(SOON, download).await.unwrap().unwrap().unwrap(), b"all");
    // Like a server, until the ACK comes: a copy that follows the block more closely than the measured round trip is the
    // network's, and is not answered.
    let repeated = async {
        loop {
            server.send_to(&block(1, b"all"), peer).await.unwrap();
            if let Ok((ack, _)) = timeout(Duration::from_millis(100), hear(&server)).await {
                return ack;
            }
        }
    };
    assert_eq!(timeout(SOON, repeated).await.unwrap(), b"\0\x04\0\x01");
    assert!(timeout(Duration::from_millis(1), client.wait_idle()).await.is_err());
}

#[tokio::test]
async fn a_closed_port_is_no_silence() {
    let (client, server) = (Client::new(), socket().await);
    let (url, address) = (url(&server), server.local_addr().unwrap());
    drop(server);
    for error in [
        timeout(SOON, client.get(&url).bytes(1)).await.unwrap().unwrap_err(),
        timeout(SOON, client.put(&url).bytes([])).await.unwrap().unwrap_err(),
    ] {
        assert!(matches!(error, ClientError::Closed { server } if server == address), "{error}");
    }
}

#[tokio::test]
async fn silence() {
    let server = socket().await;
    let client = Client::builder().patience(Duration::from_millis(300)).build();
    let error = client.get(url(&server)).bytes(1).await.unwrap_err();
    assert!(matches!(error, ClientError::Silent { .. }), "{error}");
    hear(&server).await;
}

/// A program that reads slowly: the server waits, and the memory is that of a block.
#[tokio::test]
async fn a_writer_that_is_full_holds_the_server_back() {
    let server = socket().await;
    let (mut near, mut far) = tokio::io::duplex(512);
    let url = url(&server);
    let download = tokio::spawn(async move { plain().get(&url).writer(&mut near).await });
    let (_, client) = hear(&server).await;
    for number in [1, 2] {
        server.send_to(&block(number, &[number; 512]), client).await.unwrap();
        if number == 1 {
            assert_eq!(hear(&server).await.0, [0, 4, 0, 1]);
        }
    }
    // Block 2 has no room: its ACK waits until block 1 is read.
    assert!(timeout(Duration::from_millis(50), hear(&server)).await.is_err());
    let mut read = [0; 512];
    far.read_exact(&mut read).await.unwrap();
    assert_eq!((read, hear(&server).await.0), ([1; 512], vec![0, 4, 0, 2]));
    server.send_to(&block(3, b"end"), client).await.unwrap();
    let mut rest = Vec::new();
    let (report, read) = tokio::join!(download, far.read_to_end(&mut rest));
    read.unwrap();
    assert_eq!((report.unwrap().unwrap().bytes, rest.len()), (1_027, 515));
}

/// A source that is late: nothing is sent meanwhile, and the rest follows.
#[tokio::test]
async fn a_reader_that_is_late_is_waited_for() {
    let server = socket().await;
    let (mut near, mut far) = tokio::io::duplex(4_096);
    let url = url(&server);
    let upload = tokio::spawn(async move { plain().put(&url).reader(&mut near, None).await });
    let (request, client) = hear(&server).await;
    assert_eq!(request, b"\0\x02file\0octet\0");
    far.write_all(&[7; 600]).await.unwrap();
    server.send_to(b"\0\x04\0\0", client).await.unwrap();
    assert_eq!(hear(&server).await.0, block(1, &[7; 512]));
    server.send_to(b"\0\x04\0\x01", client).await.unwrap();
    assert!(timeout(Duration::from_millis(50), hear(&server)).await.is_err(), "88 bytes are no block yet");
    far.write_all(&[8; 10]).await.unwrap();
    drop(far);
    assert_eq!(hear(&server).await.0, block(2, &[&[7; 88][..], &[8; 10]].concat()));
    server.send_to(b"\0\x04\0\x02", client).await.unwrap();
    assert_eq!(timeout(SOON, upload).await.unwrap().unwrap().unwrap().bytes, 610);
}

/// Each address of a name is tried, whichever comes first.
#[tokio::test]
async fn the_address_of_a_name_that_listens() {
    for address in tokio::net::lookup_host("localhost:0").await.unwrap() {
        // Some machines have no IPv6.
        let Ok(server) = UdpSocket::bind(address).await else { continue };
        let port = server.local_addr().unwrap().port();
        let download =
            tokio::spawn(
                async move { Client::new().get(Url::new("localhost", port, "file")).bytes(10).await },
            );
        let (_, client) = hear(&server).await;
        server.send_to(&block(1, b"this one"), client).await.unwrap();
        assert_eq!(timeout(SOON, download).await.unwrap().unwrap().unwrap(), b"this one");
    }
}
