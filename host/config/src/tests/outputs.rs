//! Sinks, grants and telemetry, and their secrets.

use super::*;
use crate::sinks::SyslogAddress;
use crate::{LogSpec, LogTarget};

#[test]
fn sinks_and_grants_name_existing_things() {
    let scene = Scene::new();
    let yaml = minimal(
        "\
policy: { observe: [a] }
plugins: { a: { component: builtin:acl, grants: [files/bot, sinks/audio, sinks/mail] } }
sinks:
  audit: { file: audit.jsonl }
  both: { file: x, udp: '127.0.0.1:9' }
  none: {}
  far: { udp: 'example.org:9' }
  lost: { file: nowhere/x }
  fold: { file: files, queue: 0 }
",
    );
    let shape = scene.complaints(&yaml);
    assert!(shape[0].starts_with("9:15: `example.org` is not an IP address"), "{shape:#?}");
    assert_eq!(shape[1], "11:31: 0 is out of range; give a whole number from 1 to 1000000");
    let yaml = yaml.replace("example.org:9", "192.0.2.1:9").replace("queue: 0", "queue: 1");
    let at = |name: &str| scene.path(name).display().to_string();
    assert_eq!(
        scene.complaints(&yaml),
        [
            "4:50: unknown root `bot`; did you mean `boot`? Known here: `boot`".to_owned(),
            "4:61: unknown sink `audio`; did you mean `audit`? Known here: `audit`, `far`, `fold` and `lost`"
                .into(),
            "4:74: unknown sink `mail`; add it below `sinks`, such as `mail: { file: mail.jsonl }`".into(),
            "7:25: the sink `both` has both `file` and `udp`; split it into two sinks".into(),
            "8:9: the sink `none` leads nowhere; add `file: PATH`, `stdout: true`, `udp: IP:PORT`, `syslog: { address: … }`, `http: { url: … }`, `nats: { url: …, subject: … }` or `otlp: { endpoint: … }`".into(),
            format!("10:17: there is no folder {}; create it or correct the path", at("nowhere")),
            format!("11:17: {} is a folder; name a file in it", at("files")),
        ]
    );
}

#[test]
fn keys_and_events_on_nats_servers() {
    let found = Scene::new().complaints(minimal(
        "\
kv:
  nats:
    servers: http://h
    bucket: a.b
    token: s3cr3t
events: { nats: { servers: nats://h, subject: 'a.*' } }
",
    ));
    let starts = [
        "5:14: the scheme `http` is not supported",
        "6:13: ",
        "7:12: a token is a secret",
        "8:47: it is not a valid subject",
    ];
    assert!(
        found.len() == starts.len()
            && found.iter().zip(starts).all(|(found, start)| found.starts_with(start)),
        "{found:#?}"
    );
    assert!(!found.concat().contains("s3cr3t"), "{found:#?}");
}

#[test]
fn far_sinks_and_their_secrets() {
    let scene = Scene::new();
    fs::write(scene.path("key"), "s3cr3t-of-file\n").expect("written");
    fs::write(scene.path("nothing"), "\n").expect("written");
    let bad = minimal(
        "\
sinks:
  a: { http: { url: 'http://u:s3cr3t@h/', headers: { authorization: s3cr3t, 'x y': z, host: h } } }
  b: { http: { url: 'ftp://h', headers: { x-token: { file: no }, cookie: '${NO_SUCH_NAME}' } } }
  c: { nats: { url: [nats://h, http://h], subject: 'a.*', token: s3cr3t, user: me, password: { file: nothing } } }
  d: { nats: { url: nats://h, subject: a, user: me } }
  e: { udp: '192.0.2.1:9', rotate: {}, fsync: each, spool: { path: x } }
  f: { stdout: true, spool: { path: x } }
  g: { otlp: { endpoint: 'h:4318', headers: { authorization: s3cr3t } } }
  h: { otlp: { endpoint: 'http://u:s3cr3t@h', protocol: grpc } }
  i: { nats: { url: nats://h, subject: a, credentials: key } }
",
    );
    let complaints = scene.complaints(&bad);
    assert!(!complaints.concat().contains("s3cr3t"), "{complaints:#?}");
    let starts = [
        "4:21: it contains a user or a password, but this file must not contain secrets; use the header `authorization`",
        "4:69: the header `authorization` is a secret, and this file must not contain secrets; write `${NAME}`",
        "4:77: `x y` is not a header name; use letters, digits and dashes",
        "4:87: the header `host` is set by the server; remove it",
        "5:21: the scheme `ftp` is not supported; write http://HOST:PORT/PATH, or https://",
        &format!("5:60: {} cannot be read", scene.path("no").display()),
        "5:74: the environment variable `NO_SUCH_NAME` is not set, or not UTF-8; set it for the server",
        "6:32: the scheme `http` is not supported; write nats://HOST:PORT, or tls://",
        "6:52: it is not a valid subject",
        "6:66: a token is a secret",
        "6:80: `token` and `user` exclude each other; keep one",
        &format!("6:102: {} is empty", scene.path("nothing").display()),
        "7:49: a `user` needs a `password`; add it, or remove both",
        "8:28: `rotate` has no effect without `file`; remove it",
        "8:36: it has no condition; add `size`, `every` or both, or remove it",
        "8:40: `fsync` has no effect without `file`; remove it",
        "9:37: the sinks `e` and `f` have the same spool; give each its own `path`",
        "10:26: `h:4318` is no",
        "10:62: the header `authorization` is a secret",
        "11:26: a user and password in a URL would be shown",
        "12:56: it is not a NATS credentials file",
    ];
    assert_eq!(complaints.len(), starts.len(), "{complaints:#?}");
    for (complaint, start) in complaints.iter().zip(starts) {
        assert!(complaint.starts_with(start), "{complaint:?} should start with {start:?}: {complaints:#?}");
    }

    let shape = scene.complaints(minimal(
        "\
sinks:
  a: { http: { url: 'http://h', headers: { authorization: 5316 } }, fsync: sometimes }
  b: { file: x, fsync: 1us, spool: { bytes: 1 } }
",
    ));
    assert_eq!(
        shape,
        [
            "4:59: give `${NAME}` for an environment variable, or `{ file: PATH }`",
            "4:76: `sometimes` is invalid; give `never`, `each`, or a time with its unit, such as 1s",
            "5:24: 1us is out of range; give 1ms to 1h",
            "5:45: 1 is out of range; give 4KiB to 1TiB",
        ]
    );

    let good = minimal(
        "\
state: keys
sinks:
  a: { http: { url: 'https://h/', headers: { authorization: 'Bearer ${PATH}', x-key: { file: key } } }, spool: {} }
",
    );
    let config = scene.load(&good).expect("good");
    assert!(!format!("{config:?}").contains("s3cr3t"), "a secret is not shown");
    let spool = config.sinks[0].spool.as_ref().expect("it has one");
    assert_eq!(spool.path, scene.path("keys/sinks/a.spool"));
    let SinkTarget::Http(http) = &config.sinks[0].target else { unreachable!("{:?}", config.sinks) };
    assert_eq!(http.headers["x-key"], Secret::new("s3cr3t-of-file"));

    let good = minimal(
        "\
telemetry: { service-name: boot, resource: { site: lab } }
sinks:
  a: { otlp: { endpoint: 'https://h:4317', protocol: grpc, headers: { x-key: { file: key } } } }
",
    );
    let config = scene.load(&good).expect("good");
    assert!(!format!("{config:?}").contains("s3cr3t"), "a secret is not shown");
    let SinkTarget::Otlp(otlp) = &config.sinks[0].target else { unreachable!("{:?}", config.sinks) };
    assert_eq!(otlp.protocol, OtlpProtocol::Grpc);
    let resource = [("service.name", "boot"), ("site", "lab")];
    assert_eq!(otlp.resource, resource.map(|(key, value)| (key.into(), value.into())));
}

#[test]
fn telemetry_and_its_secrets() {
    let scene = Scene::new();
    let of = |rest: &str| scene.complaints(minimal(&format!("telemetry: {rest}\n")));
    let starts = |complaints: Vec<String>, due: &[&str]| {
        assert_eq!(complaints.len(), due.len(), "{complaints:#?}");
        for (complaint, start) in complaints.iter().zip(due) {
            assert!(complaint.starts_with(start), "{complaint:?} should start with {start:?}");
        }
        assert!(!complaints.concat().contains("s3cr3t"), "{complaints:#?}");
    };
    starts(
        of(
            "{ endpoint: 'https://h:4317', protocol: grpc, headers: { authorization: s3cr3t, 'x y': z }, service-name: ' ' }",
        ),
        &[
            "3:84: the header `authorization` is a secret, and this file must not contain secrets",
            "3:92: `x y` is not a header name",
            "3:118: the name is empty",
        ],
    );
    starts(of("{ endpoint: 'http://u:s3cr3t@h' }"), &["3:24: a user and password in a URL would be shown"]);
    starts(of("{ endpoint: 'h:4318' }"), &["3:24: `h:4318` is no"]);
    starts(
        of("{ traces: { sample: 1.5 }, metrics: { interval: 1ms }, protocol: http/json, logs: 1 }"),
        &[
            "3:32: 1.5 is out of range; give a number from 0 to 1",
            "3:60: 1ms is out of range",
            "3:77: ",
            "3:94: ",
        ],
    );
    let config =
        scene.load(&minimal("telemetry: { traces: { sample: 0.25 }, logs: false }\n")).expect("good");
    let telemetry = config.telemetry.expect("there is one");
    assert_eq!(
        (telemetry.traces, telemetry.logs),
        (Traces { enabled: true, sample: 0.25, per_second: 100 }, false)
    );
    assert_eq!(telemetry.metrics, Metrics { enabled: true, interval: Duration::from_secs(60) });
    assert!(scene.load(&minimal("telemetry: {}\n")).expect("good").telemetry.is_some());
    assert!(scene.load(&minimal("")).expect("good").telemetry.is_none());
}

#[test]
fn syslog_servers_and_how_to_get_there() {
    let scene = Scene::new();
    let good = minimal(
        "\
sinks:
  a: { syslog: { address: 'udp:[::1]:514', facility: local7, app-name: boot } }
  b: { syslog: { address: 'unix:/dev/log' } }
",
    );
    let config = scene.load(&good).expect("good");
    let SinkTarget::Syslog(first) = &config.sinks[0].target else { unreachable!("{:?}", config.sinks) };
    assert_eq!(first.address, SyslogAddress::Udp("[::1]:514".parse().expect("an address")));
    assert_eq!((first.facility.number(), &*first.app_name), (23, "boot"));
    let SinkTarget::Syslog(second) = &config.sinks[1].target else { unreachable!("{:?}", config.sinks) };
    assert_eq!(second.address, SyslogAddress::Unix("/dev/log".into()));
    assert_eq!((second.facility.number(), &*second.app_name), (3, "tuffet"));
    let bad = minimal(
        "\
sinks:
  a: { syslog: { address: '192.0.2.1:514' } }
  b: { syslog: { address: 'tcp:192.0.2.1', app-name: 'a b' } }
  c: { syslog: { address: 'unix:' } }
",
    );
    let complaints = scene.complaints(&bad);
    let expected = [
        "`192.0.2.1:514` has no transport; write `udp:IP:PORT`, `tcp:IP:PORT` or `unix:PATH`",
        "`192.0.2.1` has no port",
        "visible ASCII characters",
        "it has no path; write `unix:/dev/log`",
    ];
    assert_eq!(complaints.len(), expected.len(), "{complaints:#?}");
    for expected in expected {
        assert!(
            complaints.iter().any(|complaint| complaint.contains(expected)),
            "{expected}: {complaints:#?}"
        );
    }
}

#[test]
fn the_log_goes_to_one_place() {
    let scene = Scene::new();
    let log = |yaml: &str| scene.load(&minimal(&format!("log: {yaml}\n"))).expect(yaml).log;
    assert_eq!(log("{}"), LogSpec::default());
    let LogTarget::File(file) = log(
        "{ level: warn, format: json, to: { file: log.json, rotate: { size: 1MiB, every: 1d, keep: 3 } } }",
    )
    .to
    else {
        panic!("a file")
    };
    assert_eq!(file.path, scene.path("log.json"));
    let rotate = file.rotate.expect("rotated");
    assert_eq!((rotate.size, rotate.keep), (Some(1 << 20), Some(3)));
    for local in ["{ to: syslog }", "{ to: { syslog: {} } }"] {
        let LogTarget::Syslog(local) = log(local).to else { panic!("syslog") };
        assert_eq!((local.address, &*local.app_name), (SyslogAddress::Unix("/dev/log".into()), "tuffet"));
    }
    for (yaml, complaint) in [
        ("{ to: { file: none/log } }", "there is no folder"),
        ("{ to: { file: log, syslog: {} } }", "the log has both `file` and `syslog`"),
        ("{ to: { file: log } }\nsinks: { lines: { file: log } }", "the sink `lines` has the same file"),
        ("{ to: { file: log, rotate: { keep: 3 } } }", "it has no condition"),
        ("{ to: {} }", "it names no place; write `to: stderr`, `to: syslog` or `to: { file: PATH }`"),
        ("{ to: { syslog: {}, rotate: { every: 1d } } }", "`rotate` has no effect without `file`; remove it"),
        ("{ to: { rotate: { size: 1MiB } } }", "`rotate` has no effect without `file`; add `file: PATH`"),
    ] {
        let complaints = scene.complaints(minimal(&format!("log: {yaml}\n")));
        assert!(complaints.len() == 1 && complaints[0].contains(complaint), "{yaml}: {complaints:#?}");
    }
}
