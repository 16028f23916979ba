//! The secrets of `builtin:ask`: any setting may be one, and nothing shows them, whatever the service answers.

use super::service::{Service, answer};
use super::{RESOLVE, by_path, check, explain, get, refused, yaml};
use crate::harness::Setup;
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
