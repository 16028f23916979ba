//! `tuffet get` and `tuffet put` by HTTP and HTTPS: the server's section `http`, and servers that fail on purpose.

use crate::get::{assert_fails, tuffet};
use crate::harness::{
    Certificate, Folder, HttpConnection, HttpRequest, SOON, Server, Setup, bytes, loopback, own_loopback,
    run_as_it_is, serve_http,
};
use crate::http::{HTTP, place};
use std::fs::File;
use std::io::{PipeWriter, Read, Write, pipe};
use std::net::TcpListener;
use std::process::Command;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

fn url(server: &Server, file: &str) -> String {
    format!("http://{}/{file}", place(server, "web"))
}

/// Returns the URL of a file on a server that answers each request so.
fn scripted(
    answer: impl Fn(&HttpRequest, &mut HttpConnection) -> Option<()> + Clone + Send + 'static,
) -> String {
    format!("http://{}/x", serve_http(loopback(), answer))
}

/// Returns the URL of a file on a server that sends these bytes, and closes the connection.
fn that_sends(bytes: &'static [u8]) -> String {
    scripted(move |_, connection| {
        connection.send(bytes);
        None
    })
}

/// Returns the path of a file of 100 MiB, more than sockets hold, and its folder.
fn large_file() -> (String, TempDir) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large");
    File::create(&path).unwrap().set_len(100 << 20).unwrap();
    (path.to_str().unwrap().to_owned(), folder)
}

#[test]
fn files_go_both_ways() {
    let setup = Setup::new().sizes(&[0, 3000, 3_000_000]).file("a folder/ü", b"nested").writable();
    let server = setup.rest_of_yaml(HTTP).start();
    let base = url(&server, "");
    for size in [0, 3000, 3_000_000] {
        let (ran, folder) = tuffet(&["get", &format!("{base}{size}")]);
        ran.assert_good();
        assert!(ran.stderr.contains("HTTP/1.1"), "{}", ran.stderr);
        assert!(Folder(folder.path().to_owned()).read(&size.to_string()) == bytes(size));
        let line = server.outcome(&size.to_string());
        assert_eq!((&line["class"], &line["protocol"]), (&"tuffet".into(), &"http".into()));
        assert_eq!(line["outcome"], "served");
    }
    let (ran, _) = tuffet(&["get", &format!("{base}a folder/%C3%BC?query"), "-o", "-", "--quiet"]);
    ran.assert_good();
    assert_eq!((&*ran.stdout, &*ran.stderr), (&b"nested"[..], ""));
    // Replaces the existing file.
    let (ran, folder) = tuffet(&["get", &format!("{base}3000"), "--output", "local", "-q"]);
    ran.assert_good();
    assert_eq!(Folder(folder.path().to_owned()).names(), ["local"]);
    let (ran, _) = tuffet(&["put", "local", &format!("{base}up")]);
    ran.assert_good();
    assert!(ran.stderr.contains("201 Created"), "{}", ran.stderr);
    assert!(server.root().read("up") == bytes(3000));
    assert_eq!(server.outcome("up")["size"], 3000, "the length is announced");
    let (ran, _) = tuffet(&["put", "/dev/null", &format!("{base}empty")]);
    ran.assert_good();
    assert!(server.root().read("empty").is_empty());
    assert_fails(&["put", "local", &format!("{base}up")], 1, &["exists", "409 Conflict"]);
}

/// Runs `tuffet put -` with this input, and options.
fn put_input(url: &str, options: &[&str], input: impl FnOnce(PipeWriter) + Send + 'static) {
    let (read, write) = pipe().unwrap();
    let writing = thread::spawn(move || input(write));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["put", "-", url]).args(options).stdin(read);
    run_as_it_is(&mut command, crate::harness::PATIENCE).assert_good();
    writing.join().unwrap();
}

#[test]
fn standard_input_is_sent_in_chunks() {
    let server = Setup::new().writable().rest_of_yaml(HTTP).start();
    let url = url(&server, "up");
    put_input(&url, &[], |mut input| input.write_all(&bytes(2_000_000)).unwrap());
    assert!(server.root().read("up") == bytes(2_000_000));
    // `--timeout` is for the server: the input may take longer.
    let slow = url.replace("/up", "/slow");
    put_input(&slow, &["--timeout", "1"], |mut input| {
        input.write_all(b"begin, ").unwrap();
        thread::sleep(Duration::from_millis(2500));
        input.write_all(b"end").unwrap();
    });
    assert_eq!(server.root().read("slow"), b"begin, end");
}

#[test]
fn refusals_have_the_codes_of_tftp_and_the_text_of_the_server() {
    let rest = format!(
        "roots: [{{ name: boot, path: root }}]\n{HTTP}policy: {{ authorize: [acl] }}\nplugins: {{ acl: {{ component: \
         builtin:acl, settings: {{ deny: [{{ names: [\"secret/*\"], message: \"ask Ann\" }}] }} }} }}\n"
    );
    let server = Setup::new().file("secret/key", b"key").yaml(&rest).start();
    let base = url(&server, "");
    let missing = format!("{base}missing");
    assert_fails(&["get", &missing], 2, &[&missing, "file not found", "404 Not Found"]);
    // The existing file stays unchanged.
    let (ran, folder) = tuffet(&["get", &missing, "-o", "local"]);
    ran.assert_fails(2, &["file not found"]);
    assert!(Folder(folder.path().to_owned()).read("local") == bytes(3000));
    assert_fails(&["get", &format!("{base}secret/key")], 1, &["ask Ann", "403 Forbidden"]);
    let up = format!("{base}up");
    assert_fails(&["put", "local", &up], 1, &["uploads are not allowed", "403 Forbidden"]);
    // Much more than the sockets hold: the text arrives anyway.
    let (large, _folder) = large_file();
    for _ in 0..10 {
        assert_fails(&["put", &large, &up], 1, &["uploads are not allowed", "403 Forbidden"]);
    }
}

#[test]
fn what_other_servers_say_is_shown_as_text_of_one_line() {
    let long =
        scripted(|_, connection| connection.answer(500, "", &[b"\x1b[31m", &[b'x'; 5000][..]].concat()));
    let (ran, _) = tuffet(&["get", &long]);
    ran.assert_fails(1, &["500 Internal Server Error", "xxx"]);
    assert!(ran.stderr.len() < 400 && !ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    let lines = scripted(|_, connection| connection.answer(418, "", b"the first line\r\nthe second"));
    let (ran, _) = tuffet(&["get", &lines]);
    ran.assert_fails(1, &["the first line (418 I'm a teapot)"]);
    assert!(!ran.stderr.contains("second"), "{}", ran.stderr);
    for status in [204, 206, 304, 404] {
        let (code, status) = (if status == 404 { 2 } else { 1 }, status);
        let nothing = scripted(move |_, connection| connection.answer(status, "", b""));
        assert_fails(&["get", &nothing], code, &["(no text)", &status.to_string()]);
    }
}

#[test]
fn redirects_are_shown_and_not_followed() {
    for (place, shown) in [("/y", "/y (302"), ("http://127.0.0.9:9/secret", "http://127.0.0.9:9/secret (302")]
    {
        let url = scripted(move |request, connection| {
            assert_eq!(request.path(), "/x");
            connection.answer(302, &format!("location: {place}\r\n"), b"")
        });
        assert_fails(&["get", &url], 1, &[shown, "redirects to http://127.0.0."]);
        assert_fails(&["put", "local", &url], 1, &[shown]);
    }
}

#[test]
fn a_body_that_is_not_what_its_length_says() {
    let short = that_sends(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
    assert_fails(&["get", &short], 69, &["broke after 10 of 100 bytes"]);
    let (ran, folder) = tuffet(&["get", &short, "-o", "local"]);
    ran.assert_fails(69, &["broke"]);
    assert!(Folder(folder.path().to_owned()).read("local") == bytes(3000));
    let chunks = that_sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n0");
    assert_fails(&["get", &chunks], 69, &["broke after"]);
    let long = that_sends(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n0123456789");
    let (ran, _) = tuffet(&["get", &long, "-o", "-"]);
    ran.assert_good();
    assert_eq!(ran.stdout, b"01234");
    // HTTP/1.0 without a length ends with the connection.
    let old = that_sends(b"HTTP/1.0 200 OK\r\n\r\n0123456789");
    let (ran, _) = tuffet(&["get", &old, "-o", "-"]);
    ran.assert_good();
    assert_eq!(ran.stdout, b"0123456789");
    assert!(ran.stderr.contains("HTTP/1.0"), "{}", ran.stderr);
}

#[test]
fn what_is_no_answer() {
    for nonsense in
        [&b"\0\x03\0\x01 no HTTP at all\r\n\r\n"[..], b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"]
    {
        assert_fails(&["get", &that_sends(nonsense)], 76, &["the server's answer is refused"]);
    }
    // As the server does with what policy drops.
    let closed = that_sends(b"");
    assert_fails(&["get", &closed], 69, &["closed the connection without an answer"]);
    assert_fails(&["put", "local", &closed], 69, &["closed the connection without an answer"]);
}

#[test]
fn an_upload_that_is_answered_before_its_end() {
    let (large, _folder) = large_file();
    let hasty = loopback();
    let address = hasty.local_addr().unwrap();
    let answering = thread::spawn(move || {
        let (mut stream, _) = hasty.accept().unwrap();
        stream.read_exact(&mut [0; 1000]).unwrap();
        stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n").unwrap();
        // Until the client has read that.
        stream.set_read_timeout(Some(SOON)).unwrap();
        std::io::copy(&mut stream, &mut std::io::sink())
    });
    assert_fails(
        &["put", &large, &format!("http://{address}/x")],
        76,
        &["201 Created before it had the whole file"],
    );
    let _ = answering.join();
}

#[test]
fn a_server_that_stalls() {
    let stalled = scripted(|_, connection| connection.hang());
    assert_fails(
        &["get", &stalled, "--timeout", "1"],
        69,
        &["no answer from 127.0.0.1:", "for 1 s", "firewall"],
    );
    assert_fails(&["put", "local", &stalled, "--timeout", "1"], 69, &["no answer", "for 1 s"]);
    let half = scripted(|_, connection| {
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
        connection.hang()
    });
    assert_fails(&["get", &half, "--timeout", "1"], 69, &["no answer", "for 1 s"]);
    // The text of a refusal is not waited for twice.
    let refusal = scripted(|_, connection| {
        connection.send(b"HTTP/1.1 403 x\r\nContent-Length: 100\r\n\r\nwithout an end");
        connection.hang()
    });
    assert_fails(&["get", &refusal, "--timeout", "1"], 1, &["without an end (403 Forbidden)"]);
    // One that takes connections, and reads nothing: an upload fills the sockets.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = deaf.local_addr().unwrap();
    let (large, _folder) = large_file();
    assert_fails(&["put", &large, &format!("http://{address}/x"), "--timeout", "1"], 69, &["no answer"]);
    assert_fails(&["get", &format!("https://{address}/x"), "--timeout", "1"], 69, &["no answer"]);
}

#[test]
fn ports_and_names_without_a_server() {
    let closed = format!("{}:9", own_loopback());
    assert_fails(&["get", &format!("http://{closed}/x")], 69, &["nothing listens on", &closed]);
    assert_fails(&["put", "local", &format!("https://{closed}/x")], 69, &["nothing listens on", &closed]);
    assert_fails(&["get", "http://no-such-host.invalid/x"], 68, &["no-such-host.invalid", "check the name"]);
}

#[test]
fn options_of_other_protocols_are_named() {
    let http = "http://127.0.0.1:9/x";
    for (options, name) in [
        (&["--blksize", "512"][..], "--blksize is for TFTP alone"),
        (&["--windowsize", "1"], "--windowsize is for TFTP alone"),
        (&["--ca", "local"], "--ca is for HTTPS alone"),
        (&["--certificate", "local", "--key", "local"], "--certificate is for HTTPS alone"),
    ] {
        assert_fails(&[&["get", http], options].concat(), 64, &[name, http]);
        assert_fails(&[&["put", "local", http], options].concat(), 64, &[name]);
    }
    for options in [&["--multicast"][..], &["--multicast", "--interface", "lo"]] {
        assert_fails(&[&["get", http], options].concat(), 64, &["--multicast is for TFTP alone"]);
    }
    assert_fails(&["get", "tftp://127.0.0.1/x", "--ca", "local"], 64, &["--ca is for HTTPS alone"]);
    assert_fails(&["get", "https://127.0.0.1/x", "--key", "local"], 64, &["--certificate"]);
    assert_fails(&["get", "http://127.0.0.1:9/folder/"], 64, &["--output"]);
    assert_fails(&["get", "http://user:secret@127.0.0.1:9/x"], 64, &["a user"]);
    assert_fails(&["get", "http://127.0.0.1:70000/x"], 64, &["port"]);
}

#[test]
fn local_files() {
    let server = Setup::new().sizes(&[3000]).writable().rest_of_yaml(HTTP).start();
    let url = url(&server, "3000");
    assert_fails(&["get", &url, "-o", "no/such/folder/x"], 74, &["no/such/folder/x", "create its folder"]);
    assert_fails(&["get", &url, "-o", "."], 74, &[". is a folder; name another file with --output"]);
    assert_fails(&["get", &url, "-o", "/dev/full"], 74, &["/dev/full", "No space left", "make room"]);
    assert_fails(&["put", "missing", &url], 74, &["missing"]);
    assert_fails(&["put", ".", &url], 74, &[".: is a directory"]);
    assert_eq!(server.root().read("3000"), bytes(3000));
    for option in ["--ca", "--certificate"] {
        let https = url.replace("http:", "https:");
        let key = ["--key", "local"];
        let key = if option == "--ca" { &key[..0] } else { &key };
        assert_fails(
            &[&["get", &https, option, "none.pem"], key].concat(),
            74,
            &["none.pem", "No such file"],
        );
        assert_fails(&[&["get", &https, option, "local"], key].concat(), 74, &["local", "certificate"]);
    }
}

#[test]
fn certificates_of_both_sides_are_checked() {
    let folder = TempDir::new().unwrap();
    let (Some(own), Some(clients), Some(elsewhere)) = (
        Certificate::of(folder.path(), "", "IP:127.0.0.1"),
        Certificate::of(folder.path(), "client-", "DNS:client"),
        Certificate::of(folder.path(), "elsewhere-", "IP:127.0.0.2"),
    ) else {
        return;
    };
    let tls =
        |of: &Certificate| format!("certificate: {}, key: {}", of.certificate.display(), of.key.display());
    let yaml = format!(
        "roots: [{{ name: boot, path: root, writable: true }}]\nhttp: {{ listeners: [\
         {{ name: web, address: \"127.0.0.1:0\", tls: {{ {}, client-ca: {} }} }}, \
         {{ name: wrong, address: \"127.0.0.1:0\", tls: {{ {} }} }}] }}\n",
        tls(&own),
        clients.certificate.display(),
        tls(&elsewhere)
    );
    let server = Setup::new().file("a", b"content").yaml(&yaml).start();
    let web = place(&server, "web");
    let wrong = place(&server, "wrong");
    let url = format!("https://{web}/a");
    let (ran, _) = tuffet(&["get", &url, "--ca", own.trusted(), "-o", "-"]);
    ran.assert_good();
    assert_eq!(ran.stdout, b"content");
    assert!(server.outcome("a").get("certificate").is_none());
    let up = format!("https://{web}/up");
    let (ran, _) = tuffet(&["put", "local", &up, "--ca", own.trusted()]);
    ran.assert_good();
    assert!(server.root().read("up") == bytes(3000));
    // The roots of the system.
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["get", &url, "-o", "-"]).env("SSL_CERT_FILE", own.trusted()).env_remove("SSL_CERT_DIR");
    let ran = crate::harness::run(&mut command);
    ran.assert_good();
    assert_eq!(ran.stdout, b"content");
    server.outcome("a");
    // Another authority, and another name.
    assert_fails(&["get", &url, "--ca", clients.trusted()], 76, &["no TLS session", "--ca"]);
    let other_name = format!("https://{wrong}/a");
    assert_fails(
        &["get", &other_name, "--ca", elsewhere.trusted()],
        76,
        &["no TLS session", "not valid for name"],
    );
    let shown = |of: &Certificate| {
        let words = ["--certificate", of.certificate.to_str().unwrap(), "--key", of.key.to_str().unwrap()];
        tuffet(&[&["get", &url, "--ca", own.trusted(), "-o", "-"][..], &words].concat()).0
    };
    shown(&clients).assert_good();
    assert_eq!(server.outcome("a")["certificate"].as_str().map(str::len), Some(64));
    assert_ne!(shown(&elsewhere).code(), 0);
    // One protocol at the port of the other.
    assert_fails(&["get", &format!("http://{web}/a")], 76, &["the server's answer is refused"]);
    let plain = that_sends(b"HTTP/1.1 400 Bad Request\r\n\r\n").replace("http:", "https:");
    assert_fails(&["get", &plain], 76, &["no TLS session", "HTTPS"]);
}
