//! A configuration that is watched: in a ConfigMap, at a URL, in a bucket.

use super::Nats;
use crate::harness::{Answer, Peer, SOON, Server, Setup, ack, loopback, rrq, serve_http, tuffet, until};
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A configuration that denies one name; flags bring the root and the listener.
fn denying(denied: &str) -> String {
    format!(
        r#"
policy: {{ authorize: [acl], time-limit: 40s }}
plugins:
  acl:
    component: builtin:acl
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ deny: [{{ names: ["{denied}"], message: "{denied} is denied" }}] }}
"#
    )
}

/// The name that is denied now.
fn denied(server: &Server) -> Option<&'static str> {
    ["a", "b"].into_iter().find(|name| {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq(name, &[]));
        match peer.receive() {
            Answer::Error(2, _) => true,
            Answer::Data(block, _) => {
                peer.send(&ack(block));
                false
            }
            answer => panic!("{answer:?}"),
        }
    })
}

fn setup(config: &str) -> Setup {
    let setup = Setup::new().file("a", b"a").file("b", b"b");
    let state = setup.outside().path("state").display().to_string();
    setup.variable("STATE_DIRECTORY", &state).flag("--config").flag(config)
}

#[track_caller]
fn comes_to_deny(server: &Server, name: &str) {
    until("another name is denied", || denied(server), |denied| *denied == Some(name));
}

/// Kubernetes writes a new folder and swaps the link `..data`; the file itself is a link through it.
fn publish(folder: &Path, number: u32, text: &str) {
    let version = format!("..version{number}");
    std::fs::create_dir(folder.join(&version)).unwrap();
    std::fs::write(folder.join(&version).join("tuffet.yaml"), text).unwrap();
    symlink(&version, folder.join("..data_tmp")).unwrap();
    std::fs::rename(folder.join("..data_tmp"), folder.join("..data")).unwrap();
    if number > 1 {
        std::fs::remove_dir_all(folder.join(format!("..version{}", number - 1))).unwrap();
    }
}

#[test]
fn a_config_map_is_reloaded_when_its_link_is_swapped() {
    let map = tempfile::tempdir().unwrap();
    publish(map.path(), 1, &denying("a"));
    let file = map.path().join("tuffet.yaml");
    symlink("..data/tuffet.yaml", &file).unwrap();
    let server = setup(file.to_str().unwrap()).flag("--watch").start();
    assert_eq!(denied(&server), Some("a"));
    let first = server.status()["revision"]["digest"].clone();
    publish(map.path(), 2, &denying("b"));
    comes_to_deny(&server, "b");
    assert_ne!(server.status()["revision"]["digest"], first);
    // A bad one is refused as a whole, with its place; the old one stays in force.
    publish(map.path(), 3, "policy: { authorise: [acl] }\n");
    let line = server.logged("the reload was refused; the previous configuration stays in force");
    assert!(line["reasons"].as_str().unwrap().contains("tuffet.yaml:1:11"), "{line}");
    assert_eq!((denied(&server), &server.status()["generation"]), (Some("b"), &2.into()));
    publish(map.path(), 4, &denying("a"));
    comes_to_deny(&server, "a");
    assert_eq!(server.status()["generation"], 3, "each change is one reload");
}

/// An HTTP server with one file, which answers `304` to its ETag, and counts what it is asked.
#[derive(Clone)]
struct Web(Arc<Mutex<Page>>, SocketAddr);

struct Page {
    text: String,
    version: u32,
    whole: u32,
    unchanged: u32,
    away: bool,
    token: Option<&'static str>,
}

impl Web {
    fn new(text: String) -> Web {
        let listener = loopback();
        let address = listener.local_addr().unwrap();
        let page = Page { text, version: 1, whole: 0, unchanged: 0, away: false, token: None };
        let web = Web(Arc::new(Mutex::new(page)), address);
        let its = web.clone();
        serve_http(listener, move |request, connection| {
            let head = request.head.to_lowercase();
            let mut page = its.0.lock().unwrap();
            let etag = format!("\"v{}\"", page.version);
            if page.away {
                connection.answer(503, "", b"")
            } else if page.token.is_some_and(|token| !head.contains(&format!("bearer {token}"))) {
                connection.answer(401, "", b"")
            } else if head.contains(&format!("if-none-match: {etag}")) {
                page.unchanged += 1;
                connection.send(format!("HTTP/1.1 304 Not Modified\r\netag: {etag}\r\n\r\n").as_bytes())
            } else {
                page.whole += 1;
                connection.answer(200, &format!("etag: {etag}\r\n"), page.text.as_bytes())
            }
        });
        web
    }

    fn url(&self) -> String {
        format!("http://{}/tuffet.yaml", self.1)
    }

    fn publish(&self, text: &str) {
        let mut page = self.0.lock().unwrap();
        page.text = text.into();
        page.version += 1;
    }

    fn set<T>(&self, change: impl FnOnce(&mut Page) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }
}

#[test]
fn a_url_is_asked_with_its_etag_and_only_a_change_is_a_reload() {
    let web = Web::new(denying("a"));
    let server = setup(&web.url()).flag("--watch=200ms").start();
    assert_eq!(denied(&server), Some("a"));
    until("it is asked again", || web.set(|page| page.unchanged), |unchanged| *unchanged >= 3);
    assert_eq!(web.set(|page| page.whole), 1, "the text was sent once");
    web.publish(&denying("b"));
    comes_to_deny(&server, "b");
    let revision = &server.status()["revision"];
    assert_eq!((&revision["source"], &revision["revision"]), (&web.url().into(), &"\"v2\"".into()));
    let metrics = server.metrics();
    let digest = revision["digest"].as_str().unwrap();
    assert!(metrics.contains(&format!("digest=\"{digest}\"")), "{metrics}");
    web.publish("roots: 7\n");
    let line = server.logged("the reload was refused; the previous configuration stays in force");
    assert!(line["reasons"].as_str().unwrap().contains("/tuffet.yaml:1:8"), "{line}");
    // A bad one is refused once, not at each look.
    let before = web.set(|page| page.unchanged);
    until("it is asked again", || web.set(|page| page.unchanged), |unchanged| *unchanged >= before + 2);
    assert!(
        !server.unread().iter().any(|line| line["message"].as_str().is_some_and(|it| it.contains("refused")))
    );
    // The source is away: nothing changes, with one line about it.
    web.set(|page| page.away = true);
    server.log_line("the source of the configuration does not answer");
    web.set(|page| page.away = false);
    server.log_line("the source of the configuration answers again");
    assert_eq!((denied(&server), &server.status()["generation"]), (Some("b"), &2.into()));
}

#[test]
fn a_start_works_with_the_last_good_one_while_the_source_is_away_or_bad() {
    let web = Web::new(denying("a"));
    let kept = tempfile::tempdir().unwrap();
    let start = || setup(&web.url()).variable("STATE_DIRECTORY", kept.path().to_str().unwrap()).begin();
    let server = start().serves();
    comes_to_be_kept(kept.path());
    drop(server);
    for bad in [false, true] {
        web.set(|page| page.away = !bad);
        web.publish("roots: 7\n");
        let server = start().serves();
        server.log_line("configuration unavailable or invalid; using the last good copy");
        assert_eq!((denied(&server), &server.status()["revision"]["kept"]), (Some("a"), &true.into()));
        assert!(server.metrics().contains("tuffet_configuration_kept 1\n"));
        // It is taken when it is good again.
        web.set(|page| page.away = false);
        web.publish(&denying("b"));
        server.ask("reload").assert_good();
        assert_eq!((denied(&server), &server.status()["revision"]["kept"]), (Some("b"), &false.into()));
        drop(server);
        web.publish(&denying("a"));
        let server = start().serves();
        assert_eq!(denied(&server), Some("a"));
        until(
            "it is kept",
            || std::fs::read_to_string(only(kept.path())).unwrap(),
            |text| text.contains("a is"),
        );
    }
    // A query may choose another configuration: that of this one is not used.
    web.set(|page| page.away = true);
    let other = setup(&format!("{}?site=b", web.url()));
    let ran = other.variable("STATE_DIRECTORY", kept.path().to_str().unwrap()).run_to_its_end();
    ran.assert_fails(64, &["/tuffet.yaml: the server answered 503"]);
    // Without one, there is no start.
    std::fs::remove_file(only(kept.path())).unwrap();
    web.set(|page| page.away = true);
    let ran = setup(&web.url()).variable("STATE_DIRECTORY", kept.path().to_str().unwrap()).run_to_its_end();
    ran.assert_fails(64, &["/tuffet.yaml: the server answered 503"]);
}

/// Waits for the file behind the temporary one.
#[track_caller]
fn comes_to_be_kept(folder: &Path) {
    let kept = || std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    until("it is kept", kept, |files: &Vec<_>| {
        files.iter().any(|file| file.to_string_lossy().ends_with(".json"))
    });
}

/// The kept file; a temporary one of a killed server may lie beside it.
fn only(folder: &Path) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.find(|file| file.extension().is_some_and(|extension| extension == "json")).unwrap()
}

/// The server's user can write what is kept, and root must not become somebody else because of it.
#[test]
fn root_does_not_use_what_another_user_could_have_written() {
    if !crate::harness::is_root() {
        return;
    }
    let web = Web::new(denying("a"));
    let kept = tempfile::tempdir().unwrap();
    let start = || setup(&web.url()).variable("STATE_DIRECTORY", kept.path().to_str().unwrap());
    let server = start().start();
    comes_to_be_kept(kept.path());
    drop(server);
    std::os::unix::fs::chown(only(kept.path()), Some(65534), Some(65534)).unwrap();
    web.set(|page| page.away = true);
    start().run_to_its_end().assert_fails(64, &["is not used", "the user 65534 can write it"]);
}

#[test]
fn a_token_comes_from_a_file() {
    let web = Web::new(denying("a"));
    web.set(|page| page.token = Some("s3cr3t"));
    let folder = tempfile::tempdir().unwrap();
    let auth = folder.path().join("token");
    std::fs::write(&auth, "s3cr3t\n").unwrap();
    let server =
        setup(&web.url()).flag("--config-auth").flag(auth.to_str().unwrap()).flag("--log=debug").start();
    assert_eq!(denied(&server), Some("a"));
    assert!(!server.log().contains("s3cr3t"));
    setup(&web.url()).run_to_its_end().assert_fails(64, &["401", "--config-auth"]);
}

#[test]
fn a_key_in_a_bucket_is_taken_as_it_is_put() {
    let Some(nats) = Nats::start() else { return };
    let url = format!("{}/site/tftp.yaml", nats.url());
    let revision = nats.put("site", "tftp.yaml", &denying("a"));
    let server = setup(&url).flag("--watch").start();
    assert_eq!(denied(&server), Some("a"));
    assert_eq!(server.status()["revision"]["revision"], revision.to_string());
    nats.put("site", "other.yaml", "roots: 7\n");
    let revision = nats.put("site", "tftp.yaml", &denying("b"));
    comes_to_deny(&server, "b");
    assert_eq!(server.status()["revision"]["revision"], revision.to_string());
    nats.put("site", "tftp.yaml", "listeners: {}\n");
    let line = server.logged("the reload was refused; the previous configuration stays in force");
    assert!(line["reasons"].as_str().unwrap().contains("tftp.yaml:1:12"), "{line}");
    // NATS is killed: the server goes on, and follows again.
    nats.kill();
    assert_eq!(denied(&server), Some("b"));
    nats.again();
    nats.put("site", "tftp.yaml", &denying("a"));
    let begun = std::time::Instant::now();
    comes_to_deny(&server, "a");
    assert!(begun.elapsed() < SOON);
}

/// What a server would fetch is checked before it does.
#[test]
fn a_check_names_the_revision() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir(&root).unwrap();
    let good = format!(
        "roots: [{{ name: a, path: {} }}]\nlisteners: [{{ address: 127.0.0.1:0 }}]\n",
        root.display()
    );
    let web = Web::new(good.clone());
    let ran = tuffet(["check", &web.url()]);
    ran.assert_good();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.starts_with(&format!("{}: good, revision \"v1\", digest ", web.url())), "{said}");
    web.publish("roots: 7\n");
    tuffet(["check", &web.url()]).assert_fails(64, &["/tuffet.yaml:1:8"]);
    // A token from a file; a wrong one, and none.
    web.publish(&good);
    web.set(|page| page.token = Some("s3cr3t"));
    let auth = folder.path().join("token");
    std::fs::write(&auth, "s3cr3t\n").unwrap();
    tuffet(["check", &web.url(), "--config-auth", auth.to_str().unwrap()]).assert_good();
    tuffet(["check", &web.url()]).assert_fails(64, &["401", "--config-auth"]);
    // Away: nothing is checked, and a configuration that was kept is no answer.
    web.set(|page| page.away = true);
    tuffet(["check", &web.url()]).assert_fails(64, &["/tuffet.yaml: the server answered 503"]);
    let ran = tuffet(["check", "https://me:s3cr3t@127.0.0.1:1/x?token=s3cr3t"]);
    ran.assert_fails(64, &["https://127.0.0.1:1/x: a command line is no place for secrets"]);
    assert!(!ran.stderr.contains("s3cr3t"), "{}", ran.stderr);
    let file = folder.path().join("tuffet.yaml");
    std::fs::write(&file, &good).unwrap();
    let file = file.to_str().unwrap();
    tuffet(["check", file, "--config-auth", auth.to_str().unwrap()])
        .assert_fails(64, &["--config-auth is for a configuration from a URL"]);
    let Some(nats) = Nats::start() else { return };
    let url = format!("{}/site/tftp.yaml", nats.url());
    let revision = nats.put("site", "tftp.yaml", &good);
    let ran = tuffet(["check", &url]);
    ran.assert_good();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.starts_with(&format!("{url}: good, revision {revision}, digest ")), "{said}");
}

/// A server that answers each path with a redirect or a text, and keeps the heads of its requests.
struct Redirecting(Arc<Mutex<Vec<String>>>, SocketAddr);

impl Redirecting {
    fn new(answer: impl Fn(&str) -> Result<String, String> + Clone + Send + 'static) -> Redirecting {
        let listener = loopback();
        let server = Redirecting(Arc::default(), listener.local_addr().unwrap());
        let heads = server.0.clone();
        serve_http(listener, move |request, connection| {
            heads.lock().unwrap().push(request.head.to_lowercase());
            match answer(request.path()) {
                Ok(text) => connection.answer(200, "", text.as_bytes()),
                Err(to) => connection.answer(302, &format!("location: {to}\r\n"), b""),
            }
        });
        server
    }

    fn logins(&self) -> Vec<bool> {
        self.0.lock().unwrap().iter().map(|head| head.contains("s3cr3t")).collect()
    }
}

/// The token is for the server that was named, whatever redirects it sends.
#[test]
fn a_token_goes_to_no_other_server() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "s3cr3t\n").unwrap();
    let path = folder.path().display();
    let good = format!("roots: [{{ name: a, path: {path} }}]\nlisteners: [{{ address: 127.0.0.1:0 }}]\n");
    let other = Redirecting::new(move |path| match path {
        "/step" => Err("/real".to_owned()),
        _ => Ok(good.clone()),
    });
    let to = format!("http://{}/step", other.1);
    let first = Redirecting::new(move |path| match path {
        "/tuffet.yaml" => Err("/moved".to_owned()),
        "/moved" => Err(to.clone()),
        _ => Err("/loop".to_owned()),
    });
    let check = |path: &str| {
        let token = folder.path().join("token");
        tuffet(["check", &format!("http://{}{path}", first.1), "--config-auth", token.to_str().unwrap()])
    };
    check("/tuffet.yaml").assert_good();
    assert_eq!((first.logins(), other.logins()), (vec![true, true], vec![false, false]));
    check("/loop").assert_fails(64, &["redirects more than"]);
}
