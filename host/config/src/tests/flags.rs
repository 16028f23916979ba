//! Configurations from flags, alone and on top of a file.

use super::*;

#[test]
fn flags_alone_are_a_configuration() {
    let scene = Scene::new();
    let flags = Overrides {
        root: Some(scene.path("files")),
        listen: vec!["127.0.0.1:0".into(), "[::1]:0".into()],
        workers: Some(3),
        single_port: true,
        writable: true,
        user: Some("65534".into()),
        ..Overrides::default()
    };
    let config = Config::from_flags(&flags).expect("good");
    assert_eq!(config.roots.len(), 1);
    assert_eq!((config.roots[0].name.as_str(), &config.roots[0].path), ("root", &scene.path("files")));
    assert!(
        config.roots[0].writable && config.settings.listeners.iter().all(|listener| listener.single_port)
    );
    assert_eq!((config.settings.listeners.len(), config.settings.workers), (2, 3));
    assert_eq!(config.privileges.user, Some(UserOrGroup::Number(65534)));
    assert_eq!(config.position("/roots/0/path"), None);

    let alone = Overrides { root: Some(scene.path("files")), ..Overrides::default() };
    let everywhere = &Config::from_flags(&alone).expect("good").settings.listeners[0];
    assert_eq!((everywhere.address.to_string(), everywhere.ipv4_too), ("[::]:69".to_owned(), true));

    let relative = Overrides { root: Some(".".into()), ..flags };
    let config = Config::from_flags(&relative).expect("good");
    assert_eq!(config.roots[0].path, std::env::current_dir().expect("a folder"));
}

#[test]
fn bad_flags_are_named() {
    let bad = Overrides {
        listen: vec!["localhost".into(), "1.2.3.4".into()],
        workers: Some(0),
        ..Overrides::default()
    };
    assert_eq!(
        complaints(Config::from_flags(&bad)),
        [
            "--listen: `localhost` is not an address; write IP:PORT, such as `0.0.0.0:69` or `[::]:69`",
            "--listen: `1.2.3.4` has no port; write `1.2.3.4:69`",
            "--workers: 0 is out of range; give a whole number from 1 to 1024",
        ]
    );
    let twice = Overrides {
        root: Some("/nowhere/at/all".into()),
        listen: vec!["127.0.0.1:69".into(); 2],
        ..Overrides::default()
    };
    assert_eq!(
        complaints(Config::from_flags(&twice)),
        [
            "--listen: 127.0.0.1:69 has two listeners; remove one",
            "--root: there is no folder /nowhere/at/all; create it or correct the path",
        ]
    );
    let nothing = complaints(Config::from_flags(&Overrides::default()));
    assert!(nothing.iter().all(|line| line.starts_with("the command line: there is no ")), "{nothing:?}");
}

/// The settings are those of the file's listeners and roots.
#[test]
fn settings_may_name_a_key_that_a_flag_replaces() {
    let scene = Scene::new();
    let path = scene.write(minimal(
        "\
policy: { authorize: [acl], resolve: [map] }
plugins:
  acl: { component: builtin:acl, settings: { deny: [{ listeners: [lan] }] } }
  map: { component: builtin:mac-map, settings: { root: bot, rules: [{ templates: [x] }] } }
",
    ));
    let found = |flags: &Overrides| complaints(Config::load_with(&path, flags));
    assert_eq!(
        found(&Overrides::default()),
        [
            "5:67: unknown listener `lan`; remove or replace it. Known here: `127.0.0.1:6969`",
            "6:56: unknown root `bot`; did you mean `boot`? Known here: `boot`",
        ]
    );
    let listen = Overrides { listen: vec!["127.0.0.1:0".into()], ..Overrides::default() };
    assert_eq!(found(&listen).len(), 1);
    let both = Overrides { root: Some(scene.path("files")), ..listen };
    Config::load_with(&path, &both).expect("good");
}

#[test]
fn flags_take_the_place_of_keys() {
    let scene = Scene::new();
    let path = scene.write(
        "\
listeners: [{ address: 127.0.0.1:69 }]
roots: [{ name: boot, path: nowhere, overwrite: true }]
workers: 7
transfer: { max-windowsize: 9 }
",
    );
    let flags = Overrides {
        root: Some(scene.path("files")),
        listen: vec!["127.0.0.1:70".into()],
        workers: Some(2),
        ..Overrides::default()
    };
    let config = Config::load_with(&path, &flags).expect("the replaced value is ignored");
    assert_eq!(config.settings.listeners[0].address.port(), 70);
    assert_eq!(config.roots[0].path, scene.path("files"));
    assert_eq!((config.settings.workers, config.settings.service.transfer.max_windowsize), (2, 9));

    let path = scene.write(
        "listeners: [{ address: 127.0.0.1:69 }]\nroots: [{ name: boot, path: files, overwrite: true }]\n",
    );
    let flags = Overrides { writable: true, single_port: true, ..Overrides::default() };
    let config = Config::load_with(&path, &flags).expect("writable, so overwrite means something");
    assert!(
        config.roots[0].writable && config.roots[0].overwrite && config.settings.listeners[0].single_port
    );
}

#[test]
fn flags_of_the_log_override_its_keys() {
    let scene = Scene::new();
    let file = scene.write(minimal("log: { level: warn, format: json, to: { file: log.json } }\n"));
    let flags = Overrides {
        log: Some("debug".into()),
        log_format: Some(LogFormat::Dnsmasq),
        log_to: Some("stderr".into()),
        ..Overrides::default()
    };
    let log = Config::load_with(&file, &flags).expect("good").log;
    let expected =
        LogSpec { level: "debug".into(), format: LogFormat::Dnsmasq, to: LogTarget::Stderr, started: false };
    assert_eq!(log, expected);
    let flags = Overrides { log_to: Some("/no/such/folder/log".into()), ..Overrides::default() };
    let error = Config::load_with(&file, &flags).expect_err("no folder").to_string();
    assert!(error.starts_with("--log-to: there is no folder /no/such/folder"), "{error}");
}
