//! The secrets of `builtin:ask`: any setting may be one, and nothing shows them, whatever the service answers.

use super::service::{Service, answer, status};
use super::{RESOLVE, by_path, check, dropped, explain, get, refused, yaml};
use crate::harness::{Peer, Setup};
use serde_json::json;

#[test]
fn a_token_from_a_file_is_sent_and_never_logged() {
    const TOKEN: &str = "t0ken-of-the-service";
    let service = Service::new(|_| answer("", &json!({ "answer": "deny", "message": "no" })));
    let setup = Setup::new();
    setup.outside().write("token", format!("{TOKEN}\n").as_bytes());
    let secrets = "    secrets: { token: { file: token }, /headers/x-key: { file: token } }\n";
    let yaml = yaml(&service, RESOLVE, secrets, json!({ "when-away": "deny", "headers": {} }));
    let server = setup.yaml(&yaml).flag("--log=tuffet=trace").start();
    assert_eq!(refused(&server, "a", 2), "no");
    let (head, _) = service.asked().pop().unwrap();
    assert!(head.contains(&format!("authorization: Bearer {TOKEN}\r\n")), "{head}");
    assert!(head.contains(&format!("x-key: {TOKEN}\r\n")), "{head}");
    // A service that sends it back.
    service.says(|_| answer("", &json!({ TOKEN: 1 })));
    refused(&server, "b", 0);
    server.log_line("no usable answer from");
    let shown = explain(&server, "b");
    let all = format!("{}{}{}", server.log(), String::from_utf8_lossy(&shown.stdout), shown.stderr);
    assert!(all.contains("(hidden)") && !all.contains(TOKEN), "{all}");
}

/// A configuration whose `url` is in a file, with further secrets.
fn with_secret_url(service: &Service, secrets: &str) -> String {
    let authority = service.authority();
    format!(
        "roots: [{{ name: boot, path: root }}]\npolicy: {{ {RESOLVE}, time-limit: 40s }}\nplugins:\n  ask:\n    \
         component: builtin:ask\n    grants: [\"http/{authority}\"]\n    limits: {{ time: 20s, wall: 40s }}\n    \
         secrets: {{ {secrets} }}\n    settings: {{ time-limit: 30s }}\n",
    )
}

#[test]
fn the_url_may_be_a_secret() {
    let service = Service::new(by_path);
    for secrets in ["url: { file: url }", "/url: { file: url }"] {
        let setup = Setup::new().file("there", b"in the root");
        let yaml = with_secret_url(&service, secrets);
        setup
            .outside()
            .write("url", format!("http://{}/t0ken/of/ours?k3y=1\n", service.authority()).as_bytes());
        check(&setup, &yaml).assert_good();
        let server = setup.yaml(&yaml).flag("--log=tuffet=trace").start();
        assert_eq!(get(&server, "made"), "from the service");
        assert!(service.asked().pop().unwrap().0.starts_with("POST /t0ken/of/ours?k3y=1 "));
        // Its messages name the service.
        service.says(|_| status(503));
        let reason = dropped(&server, &mut Peer::new(server.address()), "there");
        assert!(reason.contains("no usable answer from (hidden): the answer has the status 503"), "{reason}");
        server.stop();
        assert!(!server.log().contains("t0ken") && !server.log().contains("k3y"), "{}", server.log());
        service.says(by_path);
    }
}

#[test]
fn a_secret_url_is_judged_as_any_other_one() {
    let service = Service::new(by_path);
    let setup = Setup::new();
    let fails = |yaml: &str, words: &[&str]| {
        let ran = check(&setup, yaml);
        ran.assert_fails(64, words);
        assert!(!ran.stderr.contains("t0ken"), "{}", ran.stderr);
    };
    setup.outside().write("token", b"t0ken-of-ours");
    let yaml = |secrets: &str| with_secret_url(&service, secrets);
    fails(&yaml("token: { file: token }"), &["the key `url` is missing; add it: The service"]);
    fails(&yaml("ulr: { file: token }"), &["checked.yaml:9:16: unknown key `ulr`; did you mean `url`?"]);
    // The plugin judges the text, and the server the host.
    fails(&yaml("url: { file: token }"), &["checked.yaml:9:", "is not a URL: write https://HOST:PORT/PATH"]);
    setup.outside().write("url", b"http://t0ken.example/");
    fails(&yaml("url: { file: url }"), &["checked.yaml:9:", "add it to the plugin's `grants`"]);
    setup.outside().write("url", format!("http://{}/t0ken", service.authority()).as_bytes());
    let twice =
        yaml("url: { file: url }").replace("settings: {", "settings: { url: \"http://other.example/\",");
    fails(&twice, &["`settings` has `/url` too; remove it there"]);
    fails(&yaml("url: { file: url }, tokn: { file: token }"), &["checked.yaml:9:", "did you mean `token`?"]);
    check(&setup, &yaml("url: { file: url }")).assert_good();
    assert_eq!(service.count(), 0);
}

/// A service that sends its login back, in every place of a usable answer.
#[test]
fn a_login_that_the_service_sends_back_reaches_nobody() {
    const TOKEN: &str = "t0ken-of-the-service";
    let echo = format!("you said Bearer {TOKEN}, user:pass-w0rd%21 and abc");
    let service = Service::new(move |question| {
        let serve = |candidate| json!({ "answer": "serve", "candidates": [candidate] });
        let its = match question["path"].as_str().unwrap_or_default() {
            "denied" => json!({ "answer": "deny", "message": &echo, "reason": &echo }),
            "dropped" => json!({ "answer": "drop", "reason": &echo }),
            "named" => serve(json!({ "text": "content", "name": &echo })),
            "file" => serve(json!({ "root": "boot", "file": format!("a/{TOKEN}.cfg") })),
            "root" => serve(json!({ "root": TOKEN, "file": "a" })),
            "rendered" => serve(json!({ "rendering": TOKEN })),
            // Content is the plugin's own. It is not kept with a secret in it.
            "made" => serve(json!({ "text": &echo })),
            _ => json!({ "answer": "abstain" }),
        };
        answer("", &its)
    });
    let setup = Setup::new();
    let folder = setup.outside();
    folder.write("token", TOKEN.as_bytes());
    folder.write("login", b"Basic dXNlcjpwYXNzLXcwcmQh");
    folder.write("short", b"abc");
    let secrets = "    secrets: { token: { file: token }, /headers/x-login: { file: login }, /headers/x: { file: short } }\n";
    let yaml = yaml(
        &service,
        &format!("{RESOLVE}, observe: [publish]"),
        secrets,
        json!({ "when-away": "last" }),
    ) + "  publish: { component: \"builtin:publish\", grants: [sinks/events], settings: { sink: events }, limits: { time: \
           20s, wall: 40s } }\nsinks: { events: { file: ./events } }\n";
    let server = setup.yaml(&yaml).flag("--log=tuffet=trace").start();

    let shown = "you said Bearer (hidden), user:(hidden) and abc";
    assert_eq!(refused(&server, "denied", 2), shown);
    let outcome = server.outcome("denied");
    assert_eq!(outcome["detail"], shown, "{outcome:#}");
    assert_eq!(dropped(&server, &mut Peer::new(server.address()), "dropped"), shown);
    assert_eq!(get(&server, "named"), "content");
    assert_eq!(server.outcome("named")["resolved"], format!("content/{shown}"));
    for name in ["file", "root", "rendered"] {
        assert_eq!(refused(&server, name, 0), "policy failure");
    }
    assert!(get(&server, "made").contains(TOKEN));

    let mut all = format!("{}{}{}", server.live(), server.status(), server.metrics());
    for name in ["denied", "dropped", "named", "file", "root", "rendered"] {
        let ran = explain(&server, name);
        all += &format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
    }
    server.stop();
    all += &server.log();
    let folder = server.outside();
    all += &String::from_utf8_lossy(&folder.read("events"));
    for file in folder_files(&folder.path("state")) {
        all += &String::from_utf8_lossy(&std::fs::read(file).unwrap());
    }
    for words in [
        shown,
        "a plugin failed: it answered with a root, path, key or label that contains its secret `token`",
        "the value contains the secret `token`: it is not stored",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
    for secret in [TOKEN, "dXNlcjpwYXNzLXcwcmQh", "pass-w0rd"] {
        let line = all.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
}

fn folder_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { folder_files(&path) } else { vec![path] }).collect()
}
