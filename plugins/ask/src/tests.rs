use serde_json::{Value, json};
use tuffet_sdk::testing::{self, put_response, take_logged};
use tuffet_sdk::{
    Arrival, Authorize, Candidate, Content, ErrorCode, Lease, Mac, MacAddresses, Operation, Plugin, Profile,
    Render, RenderError, Rendering, Request, Resolution, Resolve, Selection, SessionValues, Target, Verdict,
    http, kv, mac_source, parse,
};

use crate::Ask;
use crate::question::Question;

const URL: &str = "https://boot.example:8443/decide?site=7";

fn configured(settings: &Value) -> Result<Ask, Vec<String>> {
    parse(&settings.to_string()).and_then(Ask::configure).map_err(|problems| {
        problems
            .into_vec()
            .iter()
            .map(|problem| format!("{}: {}", problem.pointer, problem.message))
            .collect()
    })
}

fn with(more: Value) -> Ask {
    let mut settings = json!({ "url": URL });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    configured(&settings).unwrap_or_else(|problems| unreachable!("{problems:?}"))
}

fn ask() -> Ask {
    with(json!({ "roots": [
        { "root": "images", "url": "https://images.example/boot" },
        { "root": "inner", "url": "https://images.example/boot/inner/" },
    ] }))
}

fn response(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> http::Response {
    let headers = vec![("content-type".to_owned(), kind.as_bytes().to_vec())];
    http::Response { status, headers, body: body.into() }
}

/// The service says this.
fn says(answer: impl ToString) {
    put_response(URL, response(200, "application/json; charset=utf-8", answer.to_string()));
}

/// A lease that says nothing.
fn lease() -> Lease {
    Lease {
        mac: None,
        client_id: None,
        uuid: None,
        hostname: None,
        vendor_class: None,
        architecture: None,
        expires: None,
        age: 3,
    }
}

fn resolution(answer: &Value) -> Resolution {
    says(answer);
    let resolution = ask().resolve(&testing::request("a"));
    assert_eq!(take_logged(), [], "{answer}");
    resolution
}

/// Why the answer to a request is not usable.
fn refused(request: &Request, answer: impl ToString) -> String {
    says(answer);
    match ask().resolve(request) {
        Resolution::Drop(reason) => {
            assert_eq!(take_logged().iter().map(|line| &line.message).collect::<Vec<_>>(), [&reason]);
            reason
        }
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_question_has_what_is_known() {
    let plain = serde_json::to_value(Question::of("authorize", &testing::write_request("a/b"))).unwrap();
    assert_eq!(
        plain,
        json!({
            "version": 1, "hook": "authorize", "id": "0000000000000001", "listener": "default", "operation": "write",
            "mode": "octet", "path": "a/b", "requested": "a/b", "options": {},
            "client": { "address": "192.0.2.1", "port": 49152, "class": "unknown" },
        })
    );
    let mac = |address: &str, source: &str| Mac { address: address.into(), source: source.into() };
    let mut request = testing::request("ab");
    request.attributes = vec![("raw-name".into(), "61e4".into())];
    request.options = vec![("blksize".into(), "1428".into())];
    request.client.macs = Some(MacAddresses {
        network: vec![mac("02:00:5e:10:00:01", mac_source::LEASE_FILE)],
        claimed: vec![mac("02:00:5e:10:00:02", mac_source::REQUESTED_NAME)],
    });
    request.client.lease = Some(Lease {
        mac: Some("02:00:5e:10:00:01".into()),
        client_id: Some("01:02".into()),
        hostname: Some("kitchen".into()),
        architecture: Some(7),
        ..lease()
    });
    request.arrival = Some(Arrival { address: None, interface_name: Some("eth0.7".into()), vlan: Some(7) });
    let whole = serde_json::to_value(Question::of("resolve", &request)).unwrap();
    assert_eq!(whole["raw-name"], "61e4");
    assert_eq!(whole["options"], json!({ "blksize": "1428" }));
    assert_eq!(
        whole["client"]["macs"],
        json!({
            "network": [{ "address": "02:00:5e:10:00:01", "source": "lease-file" }],
            "claimed": [{ "address": "02:00:5e:10:00:02", "source": "requested-name" }],
        })
    );
    let lease = json!({ "mac": "02:00:5e:10:00:01", "client-id": "01:02", "hostname": "kitchen", "architecture": 7, "age": 3 });
    assert_eq!(whole["client"]["lease"], lease);
    assert_eq!(whole["arrival"], json!({ "interface": "eth0.7", "vlan": 7 }));
    let key = serde_json::to_value(Question::of_key("menu 7")).unwrap();
    assert_eq!(key, json!({ "version": 1, "hook": "render", "key": "menu 7" }));
}

#[test]
fn answers_and_what_follows() {
    let file = |root: &str, path: &str| Candidate::File(Target::new(root, path));
    let profile = Profile { rate: Some(1_000_000), ..Profile::default() };
    assert_eq!(resolution(&json!({ "answer": "abstain" })), Resolution::Abstain);
    assert_eq!(resolution(&json!({ "answer": "allow" })), Resolution::Abstain);
    assert_eq!(
        resolution(&json!({ "answer": "allow", "profile": { "rate": 1_000_000 } })),
        Resolution::Serve(Selection { candidates: vec![], else_next: true, profile: Some(profile.clone()) })
    );
    assert_eq!(
        resolution(&json!({ "answer": "serve", "candidates": [
            { "root": "boot", "file": "own/a b" },
            { "url": "https://images.example/boot/x%20y/%C3%A4" },
            { "url": "https://images.example/boot/inner/z" },
            { "text": "a\tb\n", "name": "menu" },
        ] })),
        Selection::of([
            file("boot", "own/a b"),
            file("images", "x y/ä"),
            file("inner", "z"),
            Content::named("menu", "a\tb\n").into(),
        ])
        .into()
    );
    assert_eq!(
        resolution(
            &json!({ "answer": "serve", "candidates": [{ "base64": "AP8=" }], "profile": { "rate": 1_000_000 } })
        ),
        Selection::of([Candidate::Content(vec![0, 255].into())]).with(profile).into()
    );
    assert_eq!(
        resolution(
            &json!({ "answer": "serve", "candidates": [{ "root": "boot", "file": "a" }], "else-next": true })
        ),
        Selection::of([file("boot", "a")]).or_next().into()
    );
    assert_eq!(
        resolution(&json!({ "answer": "serve", "candidates": [{ "rendering": "menu 7" }] })),
        Resolution::rendered("menu 7")
    );
    assert_eq!(
        resolution(&json!({ "answer": "drop", "reason": "draining" })),
        Resolution::Drop("draining".into())
    );
    let Resolution::Deny(denial) = resolution(
        &json!({ "answer": "deny", "message": "not now", "code": "file-not-found", "reason": "why" }),
    ) else {
        unreachable!()
    };
    assert_eq!((denial.code, &*denial.message, &*denial.reason), (ErrorCode::FileNotFound, "not now", "why"));
    let Resolution::Deny(denial) = resolution(&json!({ "answer": "deny" })) else { unreachable!() };
    assert_eq!((denial.code, &*denial.message), (ErrorCode::AccessViolation, "access denied"));
}

#[test]
fn profiles() {
    says(json!({ "answer": "allow", "profile": {
        "ceilings": { "blksize": 1428, "windowsize": 8, "timeout": 5 }, "floors": { "windowsize": 4 },
        "overrides": { "blksize": 1200 }, "max-size": 9, "burst": 2, "rate": 1024, "refuse-options": ["tsize"],
    } }));
    let some = |blksize, windowsize, timeout| SessionValues { blksize, windowsize, timeout };
    assert_eq!(
        ask().authorize(&testing::request("a")),
        Verdict::Allow(Profile {
            ceilings: some(Some(1428), Some(8), Some(5)),
            floors: some(None, Some(4), None),
            overrides: some(Some(1200), None, None),
            max_size: Some(9),
            burst: Some(2),
            rate: Some(1024),
            refuse_options: vec!["tsize".into()],
            attributes: vec![],
        })
    );
    for (profile, problem) in [
        (json!({ "rate": 1 }), "`rate` is at least 1024"),
        (json!({ "burst": 0 }), "`burst` is at least 1"),
        (json!({ "ceilings": { "blksize": 7 } }), "`blksize` of `ceilings` is 8 to 65464"),
        (json!({ "floors": { "timeout": 0 } }), "a number of `floors` is 0"),
        (
            json!({ "floors": { "blksize": 99 }, "ceilings": { "blksize": 98 } }),
            "a floor of the profile is above",
        ),
        (json!({ "refuse-options": ["x"] }), "`refuse-options` takes blksize, "),
        (json!({ "max-size": -1 }), "invalid value"),
        (json!({ "speed": 1 }), "unknown field `speed`"),
    ] {
        let reason = refused(&testing::request("a"), json!({ "answer": "allow", "profile": profile }));
        assert!(reason.contains(problem), "{reason}");
    }
}

#[test]
fn an_answer_that_is_wrong_says_what_is_wrong() {
    let read = testing::request("a");
    let serve = |candidate: Value| json!({ "answer": "serve", "candidates": [candidate] }).to_string();
    let many = vec![json!({ "root": "boot", "file": "a" }); 65];
    for (answer, problem) in [
        ("<html>no</html>".to_owned(), "not as documented: expected value at line 1"),
        (String::new(), "EOF while parsing"),
        ("{\"answer\":\"allow\"} {}".into(), "trailing characters"),
        ("{\"answer\":\"allow\",\"answer\":\"deny\"}".into(), "duplicate field `answer`"),
        ("[".repeat(100_000), "not as documented"),
        (json!({ "anwser": "allow" }).to_string(), "unknown field `anwser`, expected one of `answer`"),
        (json!({ "answer": "maybe" }).to_string(), "unknown variant `maybe`"),
        (json!({ "answer": 1 }).to_string(), "not as documented"),
        (json!({ "answer": "allow", "message": "x" }).to_string(), "`message` does not belong to this kind"),
        (json!({ "answer": "content", "text": "x" }).to_string(), "answers the hook `render` alone"),
        (json!({ "answer": "deny", "message": "a\nb" }).to_string(), "`message` has a control character"),
        (json!({ "answer": "deny", "message": "" }).to_string(), "`message` has 0 bytes"),
        (json!({ "answer": "deny", "message": "x".repeat(201) }).to_string(), "`message` has 201 bytes"),
        (json!({ "answer": "drop", "reason": "\u{1b}[2J" }).to_string(), "`reason` has a control character"),
        (json!({ "answer": "deny", "code": "teapot" }).to_string(), "unknown variant `teapot`"),
        (json!({ "answer": "serve" }).to_string(), "no candidates and no `else-next`"),
        (json!({ "answer": "serve", "candidates": many }).to_string(), "`candidates` has 65 items: 64"),
        (
            json!({ "answer": "serve", "candidates": [{ "text": "" }, { "root": "b", "file": "a" }] })
                .to_string(),
            "a candidate follows content",
        ),
        (
            json!({ "answer": "serve", "candidates": [{ "text": "" }], "else-next": true }).to_string(),
            "`else-next` cannot follow content",
        ),
        (serve(json!({})), "candidate 1: give one of `file`, `url`"),
        (serve(json!({ "text": "", "rendering": "x" })), "give one of"),
        (serve(json!({ "text": "", "base64": "" })), "one of `text` and `base64`"),
        (serve(json!({ "file": "a" })), "`root` belongs to `file`"),
        (serve(json!({ "root": "boot", "text": "" })), "`root` belongs to `file`"),
        (serve(json!({ "root": "boot", "file": "a", "name": "x" })), "`name` belongs to"),
        (
            serve(json!({ "root": "boot", "file": "../etc/passwd" })),
            "\"../etc/passwd\", which is no plain path",
        ),
        (serve(json!({ "root": "boot", "file": "/etc/passwd" })), "no plain path"),
        (serve(json!({ "root": "boot", "file": "a//b" })), "no plain path"),
        (serve(json!({ "root": "boot", "file": "a\u{0}b" })), "`file` has a control character"),
        (serve(json!({ "url": "https://images.example/boot/%2e%2e/x" })), "no plain path"),
        (serve(json!({ "url": "https://images.example/boot/a%2" })), "not well encoded"),
        (serve(json!({ "url": "https://images.example/boot/a%ff" })), "not well encoded"),
        (serve(json!({ "url": "https://images.example/boot/a?x" })), "a query or a fragment"),
        (serve(json!({ "url": "https://images.example/bootx" })), "below no URL of the setting `roots`"),
        (serve(json!({ "url": "file:///etc/passwd" })), "below no URL"),
        (serve(json!({ "base64": "?" })), "`base64` is not Base64"),
        (serve(json!({ "text": "", "name": "a\r\nb" })), "`name` has a control character"),
        (serve(json!({ "rendering": "" })), "`rendering` has 0 bytes"),
    ] {
        let reason = refused(&read, &answer);
        let beginning = "no usable answer from https://boot.example:8443/decide: ";
        assert!(reason.starts_with(beginning) && reason.contains(problem), "{reason}");
        assert!(reason.len() < 400 && !reason.contains(char::is_control), "{reason:?}");
    }
    let reason = refused(&testing::write_request("a"), serve(json!({ "text": "" })));
    assert!(reason.contains("a write request gets no content"), "{reason}");
}

#[test]
fn status_type_and_size_are_checked() {
    let good = json!({ "answer": "allow" }).to_string();
    let large = format!("{{\"answer\":\"allow\"{}}}", " ".repeat(1 << 20));
    for (response, problem) in [
        (response(500, "application/json", good.clone()), "the answer has the status 500"),
        (response(204, "application/json", ""), "the answer has the status 204"),
        (response(302, "application/json", good.clone()), "the status 302, and redirects are not followed"),
        (response(200, "text/html", good.clone()), "of the type \"text/html\", not application/json"),
        (response(200, "application/jsonp", good), "of the type"),
        (http::Response { status: 200, ..Default::default() }, "of the type \"\""),
        (response(200, "application/json", large), "the answer has more than 1048576 bytes"),
    ] {
        put_response(URL, response);
        let Resolution::Drop(reason) = ask().resolve(&testing::request("a")) else { unreachable!() };
        assert!(reason.contains(problem), "{reason}");
    }
}

#[test]
fn when_the_service_is_away() {
    // Without a response of the stand-in, each request fails.
    let request = testing::request("a");
    let Verdict::Deny(denial) = with(json!({ "when-away": "deny" })).authorize(&request) else {
        unreachable!()
    };
    assert_eq!(denial.message, "the service that decides does not answer");
    assert!(denial.reason.starts_with("no usable answer from"), "{}", denial.reason);
    assert_eq!(with(json!({ "when-away": "abstain" })).authorize(&request), Verdict::Abstain);
    assert!(matches!(with(json!({ "when-away": "drop" })).authorize(&request), Verdict::Drop(_)));
    assert_eq!(take_logged().len(), 3);
}

#[test]
fn the_last_answer_to_the_same_request_counts() {
    let ask = with(json!({ "when-away": "last", "last-for": "5m" }));
    let (first, denied) = (testing::request("a"), Request { id: "2".into(), ..testing::request("a") });
    says(json!({ "answer": "serve", "candidates": [{ "text": "of before" }] }));
    assert_eq!(ask.resolve(&first), Resolution::content("of before".to_owned()));
    put_response(URL, response(503, "text/plain", ""));
    assert_eq!(ask.resolve(&denied), Resolution::content("of before".to_owned()));
    let line = take_logged().remove(0).message;
    assert!(line.ends_with("the status 503; its last answer to this request counts"), "{line}");
    // Another client, machine, class, listener, network, operation or name is another request.
    let mut others = vec![testing::write_request("a"), testing::request("b")];
    others.extend((2..11).map(|_| testing::request("a")));
    others[2].client.address = "192.0.2.2".into();
    others[3].client.class = "ipxe".into();
    others[4].listener = "other".into();
    testing::add_mac(&mut others[5], "02:00:5e:10:00:01");
    let arrival = Arrival { address: None, interface_name: None, vlan: None };
    others[6].arrival = Some(Arrival { address: Some("192.0.2.9".into()), ..arrival.clone() });
    others[7].arrival = Some(Arrival { interface_name: Some("eth1".into()), ..arrival.clone() });
    others[8].arrival = Some(Arrival { vlan: Some(7), ..arrival });
    others[9].client.lease = Some(Lease { mac: Some("02:00:5e:10:00:01".into()), ..lease() });
    others[10].client.lease = Some(Lease { client_id: Some("01:02".into()), ..lease() });
    for other in others {
        assert!(matches!(ask.resolve(&other), Resolution::Drop(_)), "{other:?}");
    }
    // An answer that is not to be stored is not.
    let mut private = response(200, "application/json", json!({ "answer": "allow" }).to_string());
    private.headers.push(("cache-control".into(), b"max-age=0, No-Store".to_vec()));
    put_response(URL, private);
    assert_eq!(ask.resolve(&testing::request("c")), Resolution::Abstain);
    put_response(URL, response(503, "text/plain", ""));
    assert!(matches!(ask.resolve(&testing::request("c")), Resolution::Drop(_)));
    // A store that is broken harms nothing else.
    testing::set_kv_calls(Some(0));
    says(json!({ "answer": "allow" }));
    assert_eq!(ask.resolve(&testing::request("d")), Resolution::Abstain);
    put_response(URL, response(503, "text/plain", ""));
    assert!(matches!(ask.resolve(&testing::request("d")), Resolution::Drop(_)));
}

#[test]
fn a_shorter_time_holds_for_earlier_answers() {
    let ask = |time: &str| with(json!({ "when-away": "last", "last-for": time }));
    let request = testing::request("a");
    says(json!({ "answer": "serve", "candidates": [{ "text": "of before" }] }));
    ask("1h").resolve(&request);
    put_response(URL, response(503, "text/plain", ""));
    assert!(matches!(ask("5m").resolve(&request), Resolution::Drop(_)));
    for time in ["1h", "2h"] {
        assert_eq!(ask(time).resolve(&request), Resolution::content("of before".to_owned()));
    }
}

#[test]
fn one_answer_serves_both_hooks_of_a_request() {
    let ask = ask();
    let first = testing::request("a");
    let second = Request { id: "2".into(), operation: Operation::Read, ..testing::request("a") };
    says(json!({ "answer": "serve", "candidates": [{ "text": "1" }], "profile": { "burst": 3 } }));
    let profile = Profile { burst: Some(3), ..Profile::default() };
    assert_eq!(ask.authorize(&first), Verdict::Allow(profile.clone()));
    says(json!({ "answer": "serve", "candidates": [{ "text": "2" }] }));
    assert_eq!(
        ask.resolve(&first),
        Selection::of([Candidate::Content("1".to_owned().into())]).with(profile).into()
    );
    assert_eq!(ask.resolve(&second), Resolution::content("2".to_owned()));
    assert_eq!(ask.resolve(&first), Resolution::content("2".to_owned()), "a note serves once");
    // Many requests between the two calls: the oldest notes are gone.
    for id in 10..40 {
        ask.authorize(&Request { id: id.to_string(), ..testing::request("a") });
    }
    says(json!({ "answer": "serve", "candidates": [{ "text": "3" }] }));
    let content = |id: &str| ask.resolve(&Request { id: id.into(), ..testing::request("a") });
    assert_eq!(content("39"), Resolution::content("2".to_owned()));
    assert_eq!(content("10"), Resolution::content("3".to_owned()));
}

/// The server may cache what `resolve` says without an exchange.
#[test]
fn an_answer_that_is_not_to_be_kept_serves_one_hook() {
    let content = |text: &str| json!({ "answer": "serve", "candidates": [{ "text": text }] }).to_string();
    for line in ["no-store", "max-age=0", "public"] {
        let (ask, request) = (ask(), testing::request("a"));
        let mut first = response(200, "application/json", content("1"));
        first.headers.push(("cache-control".into(), line.into()));
        put_response(URL, first);
        assert_eq!(ask.authorize(&request), Verdict::Allow(Profile::default()));
        says(content("2"));
        assert_eq!(ask.resolve(&request), Resolution::content("2".to_owned()), "{line}");
    }
    for when in ["abstain", "last"] {
        let (ask, request) = (with(json!({ "when-away": when })), testing::request("a"));
        if when == "last" {
            says(content("of before"));
            ask.resolve(&request);
        }
        put_response(URL, response(503, "text/plain", ""));
        ask.authorize(&request);
        says(content("2"));
        assert_eq!(ask.resolve(&request), Resolution::content("2".to_owned()), "{when}");
    }
    let rehearsal = Request { id: "0".repeat(16), ..testing::request("a") };
    says(content("1"));
    let ask = ask();
    ask.authorize(&rehearsal);
    says(content("2"));
    assert_eq!(ask.resolve(&rehearsal), Resolution::content("2".to_owned()));
}

/// Made-up names would use up the keys, and an answer that no longer holds must not come back.
#[test]
fn only_answers_that_serve_are_kept_for_later() {
    let ask = with(json!({ "when-away": "last" }));
    let request = testing::request("a");
    let kept = || kv::list("last/", None, 10).unwrap().len();
    for answer in [json!({ "answer": "deny" }), json!({ "answer": "drop" }), json!({ "answer": "abstain" })] {
        says(&answer);
        ask.resolve(&request);
        assert_eq!(kept(), 0, "{answer}");
        says(json!({ "answer": "allow" }));
        assert_eq!(ask.resolve(&request), Resolution::Abstain);
        assert_eq!(kept(), 1);
        says(&answer);
        ask.resolve(&request);
        put_response(URL, response(503, "text/plain", ""));
        assert!(matches!(ask.resolve(&request), Resolution::Drop(_)), "{answer}");
    }
}

/// The message of a denial.
fn denied(rendered: Result<Rendering, RenderError>) -> String {
    match rendered {
        Err(RenderError::Denied(denial)) => denial.message,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn content_for_a_key() {
    let ask = with(json!({ "renderings": "5m" }));
    says(json!({ "answer": "content", "text": "menu", "name": "menu of 7" }));
    let rendering = ask.render("7").unwrap();
    assert_eq!((&*rendering.content.data, rendering.ttl_seconds), (&b"menu"[..], Some(300)));
    says(json!({ "answer": "deny", "message": "no such menu" }));
    assert_eq!(denied(ask.render("7")), "no such menu");
    says(json!({ "answer": "allow" }));
    assert_eq!(denied(ask.render("7")), "the service that decides does not answer");
    assert!(take_logged()[0].message.contains("the hook `render` takes `content` or `deny`"));
}

#[test]
fn secrets_stay_out_of_messages() {
    let ask = with(json!({ "token": "t0ken-0123", "headers": { "x-key": "k3y-4567" } }));
    says(json!({ "t0ken-0123": 1 }));
    ask.resolve(&testing::request("a"));
    says(json!({ "answer": "serve", "candidates": [{ "url": "http://k3y-4567/" }] }));
    ask.resolve(&Request { id: "2".into(), ..testing::request("a") });
    let lines: String = take_logged().into_iter().map(|line| line.message).collect();
    assert!(lines.contains("`(hidden)`") && lines.contains("http://(hidden)/"), "{lines}");
    assert!(!lines.contains("t0ken") && !lines.contains("k3y"), "{lines}");
}

#[test]
fn settings_that_are_wrong() {
    for (more, problem) in [
        (json!({ "url": "boot.example" }), "/url: \"boot.example\" is not a URL"),
        (json!({ "url": "ftp://boot.example/" }), "/url: "),
        (json!({ "url": "https:///x" }), "/url: "),
        (json!({ "url": "https://u:p@boot.example/" }), "/url: a URL with a login would be in logs"),
        (json!({ "url": "https://boot.example/a b" }), "/url: "),
        (json!({ "time-limit": "5" }), "/time-limit: \"5\" is no time"),
        (json!({ "time-limit": "2m" }), "/time-limit: 2m is out of bounds: 1ms to 60s"),
        (json!({ "last-for": "1h" }), "/last-for: last answers count with `when-away: last` alone"),
        (json!({ "when-away": "last", "last-for": "99999999999999999999d" }), "/last-for: "),
        (json!({ "when-away": "maybe" }), "/when-away: unknown variant"),
        (json!({ "token": "a\nb" }), "/token: a token has visible ASCII"),
        (json!({ "token": "a", "headers": { "Authorization": "b" } }), "/token: the token goes into"),
        (json!({ "headers": { "a b": "c" } }), "/headers/a b: \"a b\" is not the name of a header"),
        (json!({ "headers": { "Host": "c" } }), "/headers/Host: the header `Host` is set already"),
        (json!({ "headers": { "x": "c\r\ny: z" } }), "/headers/x: the value of `x` has a character"),
        (json!({ "roots": [{ "root": "", "url": "https://a/" }] }), "/roots/0/root: "),
        (json!({ "roots": [{ "root": "a", "url": "s3://a/" }] }), "/roots/0/url: "),
        (
            json!({ "roots": [{ "root": "a", "url": "https://a/?b" }] }),
            "/roots/0/url: a root has files alone",
        ),
        (json!({ "timeout": "1s" }), "unknown field `timeout`"),
    ] {
        let mut settings = json!({ "url": URL });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let problems = configured(&settings).err().unwrap_or_default();
        assert!(problems.len() == 1 && problems[0].contains(problem), "{more}: {problems:?}");
    }
}
