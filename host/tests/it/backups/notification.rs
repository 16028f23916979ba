//! A notification for each upload: `builtin:publish` and a sink `http`.

use super::{put, put_plainly, yaml};
use crate::harness::{Endpoint, HttpAnswer, Peer, Setup, until, wrq};
use serde_json::{Value, json};

/// The receiver fails at first; refused uploads are not announced.
#[test]
fn each_stored_upload_is_posted_in_the_form_of_a_template() {
    let endpoint = Endpoint::new(&[HttpAnswer::Status(500, ""), HttpAnswer::Status(200, "")]);
    let template = json!({ "text": "{resolved}: {bytes} bytes", "bytes": "{bytes}" });
    let rest = format!(
        r#"
sinks: {{ hook: {{ http: {{ url: "{}", batch: {{ lines: 1 }}, headers: {{ content-type: application/json }} }} }} }}
policy: {{ observe: [publish] }}
plugins:
  publish:
    component: builtin:publish
    grants: [sinks/hook]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ sink: hook, events: [uploaded], template: {template} }}
"#,
        endpoint.url()
    );
    let server = Setup::new().yaml(&(yaml("versions: { keep: 3 }") + &rest)).start();
    put(&server, "sw.cfg", b"one");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("sw.cfg.~1~", &[]));
    peer.expect_error(2);
    put_plainly(&server, "\"}\u{20ac}{path}", b"four");
    let lines = until("both lines came", || endpoint.lines(), |lines| lines.len() >= 2);
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = [
        json!({ "text": "in:sw.cfg: 3 bytes", "bytes": 3 }),
        json!({ "text": "in:\"}\u{20ac}{path}: 4 bytes", "bytes": 4 }),
    ];
    assert_eq!(lines, expected);
    let heads: Vec<String> = endpoint.posts().iter().map(|(post, _)| post.head.clone()).collect();
    assert!(heads.iter().all(|head| head.contains("content-type: application/json\r\n")), "{heads:?}");
}
