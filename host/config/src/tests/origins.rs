//! Roots with `url`.

use super::*;

fn with(root: &str) -> String {
    format!("listeners: [{{ address: 127.0.0.1:6969 }}]\nroots:\n  - {root}\n")
}

#[test]
fn an_origin_has_a_location_a_login_and_a_cache() {
    let scene = Scene::new();
    fs::write(scene.path("s3.env"), "AWS_ACCESS_KEY_ID=AKID\nAWS_SECRET_ACCESS_KEY=hush\n").unwrap();
    let yaml = with(
        "{ name: images, url: \"s3://bucket/a/b/\", writable: true,\n      origin: { endpoint: \"https://s3.example:9000\", region: \
         eu-central-1, credentials: { file: s3.env } },\n      cache: { path: cache, bytes: 1GiB, revalidate: 5m } }",
    );
    let config = scene.load(&yaml).unwrap();
    let [origin] = &config.origins[..] else { panic!("{:?}", config.origins) };
    assert_eq!(origin.shown(), "s3://bucket/a/b");
    assert_eq!(
        origin.location,
        Location::S3 {
            bucket: "bucket".into(),
            prefix: "a/b".into(),
            endpoint: Some("https://s3.example:9000".parse().unwrap()),
            region: Some("eu-central-1".into())
        }
    );
    let Credentials::Settings(settings) = &origin.credentials else { panic!("{:?}", origin.credentials) };
    assert_eq!(settings[1], ("AWS_SECRET_ACCESS_KEY".into(), Secret::new("hush")));
    assert_eq!(origin.cache.path, scene.path("cache"));
    assert_eq!((origin.cache.bytes, origin.cache.whole), (1 << 30, 64 << 20));
    assert_eq!(origin.cache.stale_if_error, Duration::from_secs(86_400));
    let root = &config.roots[0];
    assert_eq!((root.elsewhere.as_deref(), &root.path), (Some("s3://bucket/a/b"), &origin.cache.path));
    assert!(!format!("{config:?}").contains("hush"));
}

#[test]
fn each_kind_of_url_is_read() {
    let scene = Scene::new();
    for (url, shown) in [
        ("gs://bucket", "gs://bucket"),
        ("az://box/a", "az://box/a"),
        ("https://files.example:8443/tftp/", "https://files.example:8443/tftp"),
        ("http://[::1]", "http://[::1]"),
        ("s3://under_score/x y", "s3://under_score/x y"),
    ] {
        let config =
            scene.load(&with(&format!("{{ name: a, url: \"{url}\", cache: {{ path: c }} }}"))).unwrap();
        assert_eq!(config.origins[0].shown(), shown);
    }
}

#[test]
fn unsupported_settings_of_origins_are_reported() {
    let scene = Scene::new();
    for (root, complaint) in [
        ("{ name: a }", "the root has neither `path` nor `url`"),
        ("{ name: a, path: files, url: \"s3://b\", cache: { path: c } }", "a root has `path` or `url`"),
        ("{ name: a, url: \"s3://b\" }", "needs a `cache`"),
        ("{ name: a, path: files, cache: { path: c } }", "`cache` has no effect without `url`"),
        ("{ name: a, path: files, origin: {} }", "`origin` has no effect without `url`"),
        ("{ name: a, url: \"ftp://b\", cache: { path: c } }", "the scheme `ftp` is not supported"),
        ("{ name: a, url: \"b/c\", cache: { path: c } }", "it is not a URL"),
        ("{ name: a, url: \"https://u:hush@h/\", cache: { path: c } }", "use `origin.credentials`"),
        ("{ name: a, url: \"https://h/?a=b\", cache: { path: c } }", "it has a query"),
        ("{ name: a, url: \"s3://b\", follow: true, cache: { path: c } }", "`follow` is for folders"),
        ("{ name: a, url: \"s3://b\", links: [x], cache: { path: c } }", "`links` is for folders"),
        ("{ name: a, url: \"s3://b\", case: insensitive, cache: { path: c } }", "`case` is for folders"),
        (
            "{ name: a, url: \"s3://b\", writable: true, write: { mode: \"0640\" }, cache: { path: c } }",
            "`write.mode` is for folders",
        ),
        (
            "{ name: a, url: \"https://h\", origin: { region: x }, cache: { path: c } }",
            "`region` has no effect",
        ),
        (
            "{ name: a, url: \"s3://b\", origin: { endpoint: \"nats://h\" }, cache: { path: c } }",
            "is not supported",
        ),
        (
            "{ name: a, url: \"s3://b\", origin: { credentials: { access-key-id: id, secret-access-key: hush } }, cache: { path: c } }",
            "`secret-access-key` is a secret",
        ),
        (
            "{ name: a, url: \"s3://b\", origin: { credentials: { user: \"${PATH}\" } }, cache: { path: c } }",
            "`user` is no login for s3://b",
        ),
        (
            "{ name: a, url: \"https://h\", origin: { credentials: { user: \"${PATH}\" } }, cache: { path: c } }",
            "`user` with `password`",
        ),
        ("{ name: a, url: \"s3://b\", origin: { ca: policy.wasm }, cache: { path: c } }", "no certificate"),
        ("{ name: a, url: \"s3://b\", cache: { path: c, bytes: 1KiB } }", "1KiB is out of range"),
        (
            "{ name: a, url: \"s3://b\", cache: { path: files/c } }\n  - { name: b, path: files }",
            "is not free for this cache",
        ),
        (
            "{ name: a, url: \"s3://b\", cache: { path: c } }\n  - { name: b, url: \"s3://c\", cache: { path: c } }",
            "another root has its cache there",
        ),
    ] {
        let complaints = scene.complaints(with(root));
        assert!(complaints.iter().any(|line| line.contains(complaint)), "{root}: {complaints:?}");
        assert!(!complaints.concat().contains("hush"), "{complaints:?}");
    }
}
