//! `http`: batches, retries, and the spool.

use super::{Kept, ask, asked, first_of_each, wait_for_queued};
use crate::harness::{Certificate, Endpoint, HttpAnswer, own_loopback, skipped, wait_until};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const GOOD: HttpAnswer = HttpAnswer::Status(200, "");

#[test]
fn lines_are_posted_in_batches_with_headers_whose_secrets_nobody_sees() {
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[GOOD]));
    std::fs::write(kept.path("key"), "of-a-file-hush\n").unwrap();
    let sink = format!(
        "{{ http: {{ url: \"{}\", batch: {{ lines: 5, wait: 1m }}, headers: {{ authorization: 'Bearer ${{HUSH}}', \
         x-key: {{ file: '{}' }}, x-site: '7' }} }} }}",
        endpoint.url(),
        kept.path("key").display()
    );
    let server = kept.setup(&sink).variable("HUSH", "of-a-variable-hush").flag("--log=debug").start();
    ask(&server, 0..12);
    // The last two do not wait for more when the server stops.
    wait_until("two batches came", || endpoint.posts().len() == 2);
    let status = server.status().to_string();
    server.stop();
    let posts = endpoint.posts();
    let sizes: Vec<usize> = posts.iter().map(|(post, _)| post.body.lines().count()).collect();
    assert_eq!(sizes, [5, 5, 2]);
    assert_eq!(asked(&endpoint.lines()), (0..12).collect::<Vec<u32>>());
    let head = &posts[0].0.head;
    for line in [
        "post /lines http/1.1",
        "content-type: application/x-ndjson",
        "authorization: bearer of-a-variable-hush",
        "x-key: of-a-file-hush",
        "x-site: 7",
        "user-agent: tuffet/",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    assert!(!server.log().contains("hush") && !status.contains("hush"));
    let totals = server.log().lines().find(|line| line.contains("sink totals")).unwrap().to_owned();
    assert!(totals.contains(r#""delivered":12"#) && totals.contains(r#""dropped":0"#), "{totals}");
}

#[test]
fn a_batch_may_be_an_array() {
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[GOOD]));
    let url = endpoint.url();
    let sink =
        format!("{{ http: {{ url: \"{url}\", format: json-array, batch: {{ lines: 3, wait: 1m }} }} }}");
    let server = kept.setup(&sink).start();
    ask(&server, 0..3);
    wait_until("it came", || endpoint.posts().len() == 1);
    let post = &endpoint.posts()[0].0;
    let array: Vec<serde_json::Value> = serde_json::from_str(&post.body).unwrap();
    assert_eq!((array.len(), &array[2]["path"]), (3, &"n2".into()));
    assert!(post.head.contains("content-type: application/json\r\n"), "{}", post.head);
}

/// Slow, failing, overloaded, hanging, closing: all of it is retried, in order, and nothing is lost.
#[test]
fn what_may_pass_is_tried_again() {
    let answers = [
        HttpAnswer::Status(500, ""),
        HttpAnswer::Status(429, "retry-after: 1\r\n"),
        HttpAnswer::Close,
        HttpAnswer::Slow(200, Duration::from_millis(50)),
        HttpAnswer::Status(503, ""),
        HttpAnswer::Hang,
        HttpAnswer::Status(401, ""),
        GOOD,
    ];
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&answers));
    let url = endpoint.url();
    let sink = format!("{{ http: {{ url: \"{url}\", timeout: 500ms, batch: {{ lines: 4, wait: 20ms }} }} }}");
    let server = kept.setup(&sink).start();
    ask(&server, 0..20);
    wait_until("all came", || first_of_each(asked(&endpoint.lines())).len() == 20);
    assert_eq!(first_of_each(asked(&endpoint.lines())), (0..20).collect::<Vec<u32>>());
    server.logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    server.logged("the sink works again");
    wait_until("all is counted", || server.sink()["delivered"] == 20);
    let sink = server.sink();
    assert!(sink["retried"].as_u64().unwrap() >= 6, "{sink}");
    assert_eq!((&sink["dropped"], &sink["waiting"]), (&0.into(), &0.into()), "{sink}");
}

#[test]
fn what_is_refused_is_dropped_counted_and_told_once() {
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[HttpAnswer::Status(400, "")]));
    let sink = format!("{{ http: {{ url: \"{}\", batch: {{ lines: 1 }} }} }}", endpoint.url());
    let server = kept.setup(&sink).start();
    ask(&server, 0..5);
    wait_until("all were dropped", || server.sink()["dropped"] == 5);
    endpoint.answer(GOOD);
    ask(&server, 5..7);
    wait_until("what is wanted again comes", || asked(&endpoint.lines()) == [5, 6]);
    server.wait_for_log("refuses lines");
    let told = server.log().lines().filter(|line| line.contains("refuses lines")).count();
    assert_eq!(told, 1, "{}", server.log());
}

/// Batches that are too large are sent in parts; a line that is too large by itself is dropped.
#[test]
fn what_is_too_large_is_sent_in_parts() {
    let too_large = HttpAnswer::Status(413, "");
    // Four, two, one and one, two.
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[too_large, too_large, GOOD, too_large, GOOD]));
    let url = endpoint.url();
    let sink = format!("{{ http: {{ url: \"{url}\", batch: {{ lines: 4, wait: 1m }} }} }}");
    let server = kept.setup(&sink).start();
    ask(&server, 0..4);
    wait_until("all are done with", || server.sink()["waiting"] == 0 && server.sink()["queued"] == 4);
    assert_eq!(asked(&endpoint.lines()), [0, 2, 3]);
    assert_eq!(server.sink()["dropped"], 1);
}

/// Returns an address at which nothing listens until the test starts it.
fn nobody() -> (TcpListener, String) {
    let listener = TcpListener::bind((own_loopback(), 0)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// SIGKILL of the server while the receiver is down: lines in the spool arrive after the next start, in
/// order, and some may arrive twice.
#[test]
fn a_spool_outlives_the_server() {
    let (kept, (listener, address)) = (Kept::new(), nobody());
    drop(listener);
    let sink = format!(
        "{{ http: {{ url: \"http://{address}/lines\", batch: {{ lines: 7, wait: 10ms }} }}, spool: {{ bytes: 1MiB }} }}"
    );
    for run in 0..3 {
        let server = kept.setup(&sink).start();
        ask(&server, run * 30..run * 30 + 30);
        wait_for_queued(&server, 30);
        let spooled = server.sink();
        assert_eq!(spooled["waiting"], (run + 1) * 30, "{spooled}");
        assert!(spooled["spooled_bytes"].as_u64().unwrap() > 1000, "{spooled}");
        // SIGKILL.
        drop(server);
    }
    let endpoint = Endpoint::at(TcpListener::bind(&address).unwrap(), &[GOOD]);
    let server = kept.setup(&sink).start();
    wait_until("all came", || first_of_each(asked(&endpoint.lines())).len() == 90);
    assert_eq!(first_of_each(asked(&endpoint.lines())), (0..90).collect::<Vec<u32>>());
    wait_until("nothing is left", || server.sink()["waiting"] == 0);
    // Delivered lines do not arrive again.
    let came = endpoint.lines().len();
    server.stop();
    let server = kept.setup(&sink).start();
    ask(&server, 90..91);
    wait_until("the next came", || endpoint.lines().len() > came);
    assert_eq!(asked(&endpoint.lines()[came..]), [90]);
}

/// SIGKILL while lines are in flight: each arrives at least once.
#[test]
fn nothing_is_lost_between_two_processes() {
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[HttpAnswer::Slow(200, Duration::from_millis(30))]));
    let url = endpoint.url();
    let sink = format!(
        "{{ http: {{ url: \"{url}\", batch: {{ lines: 3, wait: 0s }} }}, spool: {{ bytes: 1MiB }} }}"
    );
    let mut asked_for = 0;
    for _ in 0..4 {
        let server = kept.setup(&sink).start();
        ask(&server, asked_for..asked_for + 25);
        wait_for_queued(&server, 25);
        asked_for += 25;
        drop(server);
    }
    let server = kept.setup(&sink).start();
    wait_until("nothing is left", || server.sink()["waiting"] == 0);
    let mut came = first_of_each(asked(&endpoint.lines()));
    came.sort_unstable();
    assert_eq!(came, (0..asked_for).collect::<Vec<u32>>());
}

/// A receiver that accepts connections and never answers, under load: memory stays bounded, plugins get an
/// error that the sink is full, and requests are answered.
#[test]
fn a_hung_endpoint_costs_bounded_memory() {
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[HttpAnswer::Hang]));
    let sink = format!(
        "{{ http: {{ url: \"{}\", timeout: 1m, batch: {{ lines: 10 }} }}, queue: 200 }}",
        endpoint.url()
    );
    let server = kept.setup(&sink).start();
    ask(&server, 0..300);
    let heard = || {
        let sink = server.sink();
        sink["queued"].as_u64().unwrap() + sink["refused"].as_u64().unwrap()
    };
    wait_until("the plugin was told of all", || heard() == 300);
    let before = server.memory();
    ask(&server, 300..1000);
    wait_until("the plugin was told of all", || heard() == 1000);
    let sink = server.sink();
    assert_eq!((&sink["waiting"], &sink["delivered"]), (&200.into(), &0.into()), "{sink}");
    let grown = server.memory().saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes more than {before}");
}

/// The next generation has another batch, and takes the spool over.
#[test]
fn a_reload_hands_the_spool_over() {
    let (kept, endpoint) = (Kept::new(), Endpoint::new(&[HttpAnswer::Status(503, "")]));
    let sink = |lines: u32| {
        format!(
            "{{ http: {{ url: \"{}\", batch: {{ lines: {lines}, wait: 10ms }} }}, spool: {{ bytes: 1MiB }} }}",
            endpoint.url()
        )
    };
    let server = kept.setup(&sink(5)).start();
    ask(&server, 0..10);
    wait_for_queued(&server, 10);
    let yaml = String::from_utf8(server.outside().read("tuffet.yaml")).unwrap();
    server.rewrite(&yaml.replace("lines: 5", "lines: 100"));
    server.ask("reload").assert_good();
    ask(&server, 10..20);
    wait_for_queued(&server, 20);
    endpoint.answer(GOOD);
    wait_until("all came", || endpoint.lines().len() == 20);
    assert_eq!(asked(&endpoint.lines()), (0..20).collect::<Vec<u32>>());
    let sizes: Vec<usize> = endpoint.posts().iter().map(|(post, _)| post.body.lines().count()).collect();
    assert!(sizes[0] <= 5 && sizes.last().is_some_and(|last| *last > 5), "{sizes:?}");
}

/// A server with TLS: writes each body to the given file, and its port to standard output.
const TLS_SERVER: &str = r#"
import http.server, ssl, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open(sys.argv[3], "ab") as out:
            out.write(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(204)
        self.end_headers()
    def log_message(self, *_):
        pass

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2], sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// A process, killed on drop.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `https://`, with a certificate that only this test trusts.
#[test]
fn tls_by_the_scheme() {
    let kept = Kept::new();
    let Some(certificate) = Certificate::make(&kept.path("")) else { return };
    let bodies = kept.path("bodies");
    let python = Command::new("python3")
        .args(["-c", TLS_SERVER])
        .args([&certificate.key, &certificate.certificate, &bodies])
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut python) = python else {
        skipped("python3 is not installed: HTTPS of sinks is not tested");
        return;
    };
    let mut port = String::new();
    let pipe = python.stdout.take().unwrap();
    let _python = Process(python);
    BufReader::new(pipe).read_line(&mut port).unwrap();
    let sink = format!("{{ http: {{ url: 'https://localhost:{}/', batch: {{ wait: 0s }} }} }}", port.trim());
    let server = kept.setup(&sink).variable("SSL_CERT_FILE", certificate.trusted()).start();
    ask(&server, 0..3);
    wait_until("all came", || server.sink()["delivered"] == 3);
    let text = std::fs::read_to_string(&bodies).unwrap();
    assert_eq!(asked(&text.lines().map(str::to_owned).collect::<Vec<_>>()), [0, 1, 2]);
    drop(server);
    // A server with an unknown certificate receives nothing.
    let server = kept.setup(&sink).start();
    ask(&server, 3..4);
    let line = server
        .logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    assert!(line["error"].as_str().unwrap().contains("certificate"), "{line}");
    assert_eq!(std::fs::read_to_string(&bodies).unwrap(), text);
}
