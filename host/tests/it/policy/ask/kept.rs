//! How long answers are kept: the decision cache and renderings, which `Cache-Control` shortens.

use super::*;

/// Serves the name `path`, twice. Returns how many questions that took.
fn twice(server: &Server, service: &Service, path: &str) -> usize {
    service.count();
    for _ in 0..2 {
        get(server, path);
    }
    service.count()
}

fn with_cache(service: &Service, settings: Value) -> Server {
    start(service, RESOLVE, "    cache: { ttl: 1d, key: [path] }\n", settings)
}

#[test]
fn a_decision_is_kept_as_long_as_the_answer_allows() {
    let service = Service::new(|question| {
        let path = question["path"].as_str().unwrap();
        let (headers, _) = path.split_once('/').unwrap();
        let headers = match headers {
            "silent" => String::new(),
            headers => format!("Cache-Control: {headers}\r\n"),
        };
        answer(&headers, &json!({ "answer": "serve", "candidates": [{ "text": path }] }))
    });
    let server = with_cache(&service, json!({}));
    for (headers, questions) in [
        ("silent", 1),
        ("max-age=3600", 1),
        ("public, max-age=3600", 1),
        ("no-store", 2),
        ("max-age=0", 2),
        ("private, max-age=3600", 2),
        ("max-age=3600, no-cache", 2),
    ] {
        assert_eq!(twice(&server, &service, &format!("{headers}/x")), questions, "{headers}");
    }
}

/// `resolve` keeps its decision, though the answer came to `authorize`.
#[test]
fn what_is_not_to_be_kept_is_not_kept_by_way_of_the_other_hook() {
    let service = Service::new(|question| match question["path"].as_str() {
        Some("there") => status(503),
        _ => answer(
            "cache-control: no-store\r\n",
            &json!({ "answer": "serve", "candidates": [{ "text": "a" }] }),
        ),
    });
    let both = "authorize: [ask], resolve: [ask]";
    let cache = "    cache: { ttl: 1d, key: [path] }\n";
    let server = start(&service, both, cache, json!({ "when-away": "abstain" }));
    for name in ["a", "there"] {
        assert_eq!(twice(&server, &service, name), 4, "{name}: each hook of each request asks");
    }
}

/// They wait for the first one, which may not be shared; none of them gets its answer.
#[test]
fn an_answer_that_is_not_to_be_kept_serves_none_of_those_that_wait() {
    let service = Service::new(|question| {
        // The others have arrived meanwhile, or ask later: each gets its own.
        thread::sleep(Duration::from_millis(20));
        let text = question["client"]["address"].as_str().unwrap();
        answer("cache-control: no-store\r\n", &json!({ "answer": "serve", "candidates": [{ "text": text }] }))
    });
    let server = with_cache(&service, json!({}));
    let mut peers: Vec<Peer> = (0..20).map(|number| Peer::from(address(number), server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("same", &[])));
    for (number, peer) in peers.iter_mut().enumerate() {
        assert_eq!(peer.read_on(1), address(number).to_string().into_bytes());
    }
    assert_eq!(service.count(), 20);
}

#[test]
fn what_counts_while_the_service_is_away_is_not_kept() {
    let service = Service::new(|_| status(503));
    let server = with_cache(&service, json!({ "when-away": "abstain" }));
    assert_eq!(twice(&server, &service, "there"), 2);
    service.says(|_| Said::Last(Vec::new()));
    assert!(twice(&server, &service, "there") >= 2);
    service.says(|_| answer("", &json!({ "answer": "abstain" })));
    assert_eq!(twice(&server, &service, "there"), 1);
}

/// Its head may be kept, but it is no answer.
#[test]
fn what_counts_instead_of_half_an_answer_is_not_kept() {
    let half = || {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncache-control: max-age=3600\r\n";
        format!("{head}content-length: 99\r\n\r\n{{\"answer\":").into_bytes()
    };
    let service = Service::new(move |_| Said::Last(half()));
    let server = with_cache(&service, json!({ "when-away": "abstain", "time-limit": "300ms" }));
    assert_eq!(twice(&server, &service, "there"), 2, "it breaks");
    service.says(move |_| Said::Bytes(half()));
    assert_eq!(twice(&server, &service, "there"), 2, "it stalls");
}

#[test]
fn a_rendering_is_kept_as_long_as_the_answer_allows() {
    let service = Service::new(|question| match question["key"].as_str() {
        None => {
            let candidates = json!([{ "rendering": question["path"] }]);
            answer("", &json!({ "answer": "serve", "candidates": candidates }))
        }
        Some(key) => {
            let headers = if key == "private" { "cache-control: no-store\r\n" } else { "" };
            answer(headers, &json!({ "answer": "content", "base64": "YQBi" }))
        }
    });
    let server = start(&service, RESOLVE, "", json!({ "renderings": "1d" }));
    assert_eq!(Peer::new(server.address()).read_plainly("first"), b"a\0b");
    assert_eq!(twice(&server, &service, "first"), 2, "questions of `resolve` alone");
    assert_eq!(twice(&server, &service, "private"), 4, "each renders");
}
