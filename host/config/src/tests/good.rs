//! Valid configurations and their resolved values.

use super::*;
use tuffet_request::settings::{Ceilings, Limits, ListenerRules, MaxBlksize, PerClient};
use tuffet_request::{
    Bounds, Case, FileMode, FolderQuota, Links, Quota, RootSpec, UploadRules, VersionNames,
};

#[test]
fn the_example_resolves_to_its_values() {
    let scene = Scene::new();
    let config = scene.load(EXAMPLE).expect("the example is good");
    let address = "127.0.0.1:6969".parse().expect("an address");
    let ceilings = Ceilings { burst: Some(64), ..Ceilings::default() };
    let rules = ListenerRules { ceilings, roots: None };
    let lan = Listener { rules, ..Listener::at("lan", address) };
    assert_eq!(config.settings.listeners, [lan]);
    let boot = RootSpec::read_only("boot", scene.path("files"));
    let incoming =
        RootSpec { name: "incoming".into(), path: scene.path("incoming"), writable: true, ..boot.clone() };
    let dhcp = RootSpec { name: "dhcp".into(), path: scene.path("dhcp"), private: true, ..boot.clone() };
    assert_eq!(config.roots, [boot, incoming, dhcp]);
    assert_eq!(config.settings.workers, 2);
    assert_eq!(config.policy.default, DefaultVerdict::Allow);
    assert_eq!((config.policy.authorize[0].as_str(), config.policy.resolve[0].as_str()), ("acl", "mac-map"));

    let [acl, _, mac_map, _] = config.policy.plugins.as_slice() else { unreachable!("four plugins") };
    assert_eq!(acl.component, ComponentSource::Builtin("acl".into()));
    assert_eq!(acl.settings["deny"][0]["names"][0], "secret/**");
    assert_eq!((acl.on_error, acl.grants.as_slice()), (OnError::Deny, &[][..]));
    assert_eq!((mac_map.on_error, mac_map.grants.as_slice()), (OnError::Abstain, &[Grant::ClientMac][..]));
    assert_eq!(mac_map.limits, acl.limits, "written out and by default");
}

#[test]
fn the_first_lines_are_a_configuration() {
    let folders = FIRST.replace("/srv/tftp", "files").replace("/srv/incoming", "incoming");
    let config = Scene::new().load(&folders).expect("the first lines are good");
    assert_eq!((config.settings.listeners.len(), config.roots.len(), FIRST.lines().count()), (2, 2, 20));
}

/// The example writes out every default, so a change of only one of the two is noticed.
#[test]
fn missing_keys_take_the_defaults() {
    let scene = Scene::new();
    let (full, least) = (scene.load(EXAMPLE).expect("good"), scene.load(&minimal("")).expect("good"));
    let of_service = |config: &Config| config.settings.service.clone();
    assert_eq!(of_service(&least).transfer, of_service(&full).transfer);
    // Rates have no default.
    let rates = |config: &Config| [config.bounds().per_second, config.bounds().client_per_second];
    assert!(rates(&full).iter().all(Option::is_some) && rates(&least).iter().all(Option::is_none));
    let rateless = |config: &Config| Bounds { per_second: None, client_per_second: None, ..config.bounds() };
    assert_eq!(rateless(&least), rateless(&full));
    let written = |config: &Config| {
        let Limits { per_client, .. } = of_service(config).limits;
        let per_client = PerClient { per_second: None, burst: None, ..per_client };
        Limits { per_second: None, burst: None, per_client, ..of_service(config).limits }
    };
    let Limits { half_open, per_client, .. } = written(&full);
    assert_eq!(Limits { half_open, per_client, ..written(&least) }, written(&full));
    assert!(least.policy.plugins.is_empty() && least.policy.default == DefaultVerdict::Allow);
    let least = &least.settings;
    assert_eq!(least.capacity, full.settings.capacity);
    assert_eq!(least.listeners[0].name, "127.0.0.1:6969");
    assert!(least.workers >= 1);
    assert_eq!(least.transfer.retransmit, full.settings.transfer.retransmit);
    assert_eq!(least.transfer.retransmit.initial, Duration::from_millis(250));
    assert_eq!(least.service.transfer.max_blksize, MaxBlksize::Bytes(65464));
}

/// The share of one client follows from the total.
#[test]
fn shares_follow_from_the_whole() {
    let bounds = |limits: &str| {
        let config = Scene::new().load(&minimal(&format!("limits: {{ {limits} }}\n"))).expect("good");
        config.bounds()
    };
    let shares = |limits: &str| {
        let bounds = bounds(limits);
        (bounds.half_open, bounds.client_transfers, bounds.client_pending)
    };
    assert_eq!(shares(""), (10_000, 15_000, 3072));
    assert_eq!(shares("transfers: 1, pending: 1"), (1, 1, 1));
    assert_eq!(shares("transfers: 5, pending: 8"), (3, 4, 6));
    assert_eq!(shares("half-open: 7, per-client: { transfers: 3, pending: 2 }"), (7, 3, 2));
    let rate = bounds("per-second: 50, per-client: { per-second: 5, burst: 9 }");
    let [all, client] = [rate.per_second, rate.client_per_second].map(|rate| rate.expect("configured"));
    assert_eq!((all.per_second, all.burst, client.per_second, client.burst), (50, 50, 5, 9));
}

/// A folder that is missing is no mistake: a disk may be mounted later.
#[test]
fn folders_that_links_may_lead_to_are_read() {
    let scene = Scene::new();
    let base = "listeners: [{ address: 127.0.0.1:6969 }]\n";
    let config =
        scene.load(&format!("{base}roots: [{{ name: in, path: incoming, links: [files, ./none] }}]\n"));
    let config = config.expect("good");
    let folders = &config.roots[0].link_folders;
    assert!(folders.iter().all(|folder| folder.answers && folder.path.is_absolute()));
    assert!(folders[1].path.ends_with("none"), "{folders:?}");
    let (pointer, message) = &config.warnings[0];
    assert_eq!(pointer, "/roots/0/links/1");
    assert!(message.contains("there is no folder") && message.contains("lead nowhere"), "{message}");
}

#[test]
fn upload_rules_are_read() {
    let scene = Scene::new();
    let root = |rules: &str| {
        let roots = format!("roots: [{{ name: in, path: incoming, writable: true, {rules} }}]\n");
        let config =
            scene.load(&format!("listeners: [{{ address: 127.0.0.1:6969 }}]\n{roots}")).expect(rules);
        (config.roots[0].write.mode.map(|mode| mode.0), config.roots[0].write.links)
    };
    assert_eq!(root("write: {}"), (None, Links::Refuse));
    // YAML reads digits after a zero as text, quoted or not.
    for mode in ["\"0640\"", "'640'", "0640"] {
        assert_eq!(root(&format!("write: {{ mode: {mode} }}")), (Some(0o640), Links::Refuse));
    }
    assert_eq!(root("overwrite: true, write: { links: follow }"), (None, Links::Follow));
    assert_eq!(root("overwrite: true, write: { links: replace }"), (None, Links::Replace));
    let spec = |rules: &str| {
        let roots =
            format!("roots: [{{ name: in, path: incoming, writable: true, overwrite: true, {rules} }}]\n");
        let listeners = "listeners: [{ address: 127.0.0.1:6969 }]\nstate: kept\n";
        scene.load(&format!("{listeners}{roots}")).expect(rules).roots.remove(0)
    };
    for (umask, bits) in [("\"000\"", 0), ("'0027'", 0o027)] {
        let UploadRules { mode, umask, .. } = spec(&format!("write: {{ umask: {umask} }}")).write;
        assert_eq!((mode, umask), (None, Some(FileMode(bits))));
    }
    assert_eq!(spec("write: { in-place: true }").staging, Some(scene.path("kept/uploads")));
    assert_eq!(spec("write: { in-place: false }").staging, None);
}

#[test]
fn rules_for_backups_are_read() {
    let scene = Scene::new();
    let spec = |rules: &str| {
        let its =
            format!("{{ name: in, path: incoming, writable: true, overwrite: true, write: {{ {rules} }} }}");
        let config = scene.load(&format!("listeners: [{{ address: 127.0.0.1:6969 }}]\nroots: [{its}]\n"));
        config.expect(rules).roots.remove(0)
    };
    let root = |rules: &str| {
        let UploadRules { versions, folders, quota, .. } = spec(rules).write;
        let versions = versions.map(|its| (its.keep, its.names));
        (versions, folders.map(|folders| (folders.depth, folders.count)), quota.bytes, quota.files)
    };
    assert_eq!(root(""), (None, None, None, None));
    let (by_number, by_time) = (Some((20, VersionNames::Number)), Some((20, VersionNames::Time)));
    assert_eq!(root("versions: { keep: 20 }, folders: true"), (by_number, Some((4, 1000)), None, None));
    assert_eq!(root("versions: { keep: 20, names: time }"), (by_time, None, None, None));
    assert_eq!(root("folders: false"), (None, None, None, None));
    assert_eq!(root("folders: { depth: 2 }"), (None, Some((2, 1000)), None, None));
    let quota = root("folders: {}, quota: { bytes: 1KiB, files: 7 }");
    assert_eq!(quota, (None, Some((4, 1000)), Some(1024), Some(7)));
    let quota = spec("quota: { bytes: 9KiB, per-folder: { bytes: 1KiB, files: 7 } }").write.quota;
    let per_folder = FolderQuota { bytes: Some(1024), files: Some(7) };
    let expected = Quota { bytes: Some(9216), files: None, per_folder };
    assert_eq!(quota, expected);
}

#[test]
fn rules_of_files_are_read() {
    let scene = Scene::new();
    let root = |rules: &str| {
        let roots = format!("roots: [{{ name: in, path: incoming, {rules} }}]\n");
        let config =
            scene.load(&format!("listeners: [{{ address: 127.0.0.1:6969 }}]\n{roots}")).expect(rules);
        (config.roots[0].world_readable, config.roots[0].write.create)
    };
    assert_eq!(root("writable: false"), (false, true));
    assert_eq!(root("world-readable: true"), (true, true));
    assert_eq!(root("writable: true, overwrite: true, write: { create: false }"), (false, false));
    let yaml = "listeners: [{ address: 127.0.0.1:6969 }]\nroots: [{ name: in, path: incoming, case: insensitive, also-at: \
                [/tftpboot, //srv//x/] }]\n";
    let config = scene.load(yaml).expect("good");
    assert_eq!(
        (config.roots[0].case, &config.roots[0].also_at[..]),
        (Case::Insensitive, &["tftpboot".to_owned(), "srv/x".to_owned()][..])
    );
}

#[test]
fn files_from_windows_are_read() {
    let scene = Scene::new();
    let config = scene.load(&minimal("workers: 3\n").replace('\n', "\r\n")).expect("good");
    assert_eq!(
        (config.settings.workers, config.position("/workers")),
        (3, Some(Position { line: 3, column: 10 }))
    );
    let config = scene.load(&format!("\u{feff}{}", minimal("workers: 4\n"))).expect("good");
    assert_eq!(
        (config.settings.workers, config.position("/workers")),
        (4, Some(Position { line: 3, column: 10 }))
    );
}

#[test]
fn a_component_is_a_path_beside_the_file() {
    let scene = Scene::new();
    let yaml = minimal("policy: { resolve: [own] }\nplugins: { own: { component: ./policy.wasm } }\n");
    let config = scene.load(&yaml).expect("good");
    assert_eq!(config.policy.plugins[0].component, ComponentSource::Path(scene.path("policy.wasm")));
}

#[test]
fn a_state_is_relative_to_the_file() {
    let scene = Scene::new();
    let config = scene.load(&minimal("state: ./keys/here\n")).expect("good");
    assert_eq!(config.state, scene.path("keys/here"));
}
