//! Which section decides about the bounds of a request.

use super::*;
use std::net::IpAddr;
use tuffet_config::Config;
use tuffet_request::SessionValues;

/// The options of a client that wants large blocks.
const ASKS: OptionSet = OptionSet {
    tsize: None,
    blksize: Some(1428),
    windowsize: None,
    timeout: None,
    rollover: None,
    blksize2: None,
    utimeout: None,
    msftwindow: false,
};

fn request(listener: &str, client: &str, class: &str) -> Request {
    Request {
        listener: listener.into(),
        client: SocketAddr::new(client.parse::<IpAddr>().unwrap(), 2000),
        class: class.parse().unwrap(),
        ..Request::sample("a")
    }
}

/// The rules of a configuration without further files.
fn rules(yaml: &str) -> Negotiation {
    let head = "roots: [{ name: boot, path: / }]\n";
    let config = Config::read(format!("{head}{yaml}").as_bytes(), "<test>", &Default::default());
    Negotiation::of(&config.unwrap_or_else(|error| panic!("{error}")).settings, None)
}

const LISTENERS: &str = "listeners:\n\
    - { name: plain, address: 127.0.0.1:69 }\n\
    - { name: own, address: 127.0.0.2:69, max-blksize: 1000, max-windowsize: 9, burst: 5, options: { tsize: refuse } }\n";

#[test]
fn profiles_come_before_the_listener_and_that_before_transfer() {
    let rules = rules(&format!(
        "{LISTENERS}transfer: {{ max-blksize: 4000, max-windowsize: 40, options: {{ timeout: refuse, tsize: acknowledge }} }}\n\
         profiles:\n\
         - {{ clients: [10.0.0.0/8], max-blksize: 8000 }}\n\
         - {{ classes: [grub], max-blksize: 600, max-windowsize: 3, options: {{ timeout: acknowledge }} }}\n\
         - {{ max-windowsize: 20, classes: [pxe] }}\n"
    ));
    let of = |listener, client, class| {
        rules.bounds(&request(listener, client, class), &ASKS, &SessionProfile::default())
    };
    let bounds = of("plain", "192.0.2.1", "unknown");
    assert_eq!((bounds.limits.blksize, bounds.limits.windowsize, bounds.limits.burst), (4000, 40, None));
    assert_eq!((bounds.blksize_by, bounds.windowsize_by), (BoundSource::Transfer, BoundSource::Transfer));
    let bounds = of("own", "192.0.2.1", "unknown");
    assert_eq!((bounds.limits.blksize, bounds.limits.windowsize, bounds.limits.burst), (1000, 9, Some(5)));
    let bounds = of("own", "10.1.1.1", "grub");
    assert_eq!((bounds.limits.blksize, bounds.limits.windowsize, bounds.limits.burst), (8000, 3, Some(5)));
    assert_eq!((bounds.blksize_by, bounds.windowsize_by), (BoundSource::Profile(0), BoundSource::Profile(1)));
    let has = |bounds: Bounds, option| bounds.limits.acknowledged.has(option);
    assert!(!has(of("plain", "192.0.2.1", "unknown"), OptionName::Timeout), "transfer.options");
    assert!(has(of("plain", "192.0.2.1", "unknown"), OptionName::Tsize));
    assert!(!has(of("own", "192.0.2.1", "unknown"), OptionName::Tsize), "the listener's");
    assert!(has(of("own", "192.0.2.1", "grub"), OptionName::Timeout), "the profile's");
}

#[test]
fn profiles_of_the_server_lower_and_those_of_the_operator_replace_them() {
    let of = |yaml: &str, profile: &SessionProfile| {
        let bounds = rules(yaml).bounds(&request("plain", "192.0.2.1", "u-boot"), &ASKS, profile);
        (bounds.limits.windowsize, bounds.windowsize_by)
    };
    let none = SessionProfile::default();
    assert_eq!(of(LISTENERS, &none), (12, BoundSource::BuiltIn));
    let low = format!("{LISTENERS}transfer: {{ max-windowsize: 4 }}\n");
    assert_eq!(of(&low, &none), (4, BoundSource::Transfer), "lower anyway");
    let own = format!("{LISTENERS}profiles: [{{ classes: [u-boot], max-windowsize: 64 }}]\n");
    assert_eq!(of(&own, &none), (64, BoundSource::Profile(0)));
    let with = |ceilings, overrides| SessionProfile { ceilings, overrides, ..none };
    let window = |windowsize| SessionValues { windowsize: Some(windowsize), ..SessionValues::default() };
    assert_eq!(of(&own, &with(window(7), SessionValues::default())), (7, BoundSource::Policy));
    assert_eq!(of(&low, &with(SessionValues::default(), window(50))), (50, BoundSource::Policy));
    assert_eq!(of(&low, &with(window(9), window(50))), (9, BoundSource::Policy), "the ceiling holds");
}

#[test]
fn the_first_profile_with_times_sets_those_of_the_transfer() {
    let rules = rules(&format!(
        "{LISTENERS}transfer: {{ rollover: 1, retransmit: {{ cap: 8s }} }}\n\
         profiles:\n\
         - {{ clients: [10.0.0.0/8], burst: 3 }}\n\
         - {{ clients: [10.0.0.0/8], retransmit: {{ initial: 2s }} }}\n\
         - {{ retransmit: {{ initial: 1s, floor: 1s }} }}\n"
    ));
    let of = |client| {
        let bounds = rules.bounds(&request("plain", client, "unknown"), &ASKS, &SessionProfile::default());
        let settings = bounds.settings.expect("a profile sets them");
        let Retransmit { floor, initial, cap, .. } = bounds.retransmit;
        assert_eq!(
            *settings,
            transfer_settings(&FixedTransfer {
                rollover: 1,
                retransmit: bounds.retransmit,
                ..FixedTransfer::default()
            })
        );
        ([floor, initial, cap].map(|time| time.as_millis()), bounds.retransmit_by)
    };
    assert_eq!(of("10.1.1.1"), ([2, 2000, 8000], BoundSource::Profile(1)));
    assert_eq!(of("192.0.2.1"), ([1000, 1000, 8000], BoundSource::Profile(2)));
}

#[test]
fn netboot_switches_options_on_unless_something_refuses_them() {
    let has = |yaml: &str, option| {
        let rules = rules(&format!("{LISTENERS}{yaml}"));
        rules
            .bounds(&request("plain", "192.0.2.1", "unknown"), &ASKS, &SessionProfile::default())
            .limits
            .acknowledged
            .has(option)
    };
    for (option, key) in [
        (OptionName::Rollover, "tftp-hpa-options"),
        (OptionName::Blksize2, "tftp-hpa-options"),
        (OptionName::Utimeout, "tftp-hpa-options"),
        (OptionName::Msftwindow, "windows"),
    ] {
        assert!(!has("", option));
        assert!(has(&format!("netboot: {{ {key}: true }}\n"), option));
        let refused = format!(
            "netboot: {{ {key}: true }}\ntransfer: {{ options: {{ {}: refuse }} }}\n",
            option.as_str()
        );
        assert!(!has(&refused, option));
    }
}

#[test]
fn a_rate_comes_from_policy_a_profile_the_listener_or_transfer() {
    let rules = rules(
        "listeners:\n\
         - { name: plain, address: 127.0.0.1:69 }\n\
         - { name: own, address: 127.0.0.2:69, rate: 2MB }\n\
         transfer: { rate: 1MB }\n\
         profiles: [{ classes: [grub], max-windowsize: 3 }, { clients: [10.0.0.0/8], rate: 64KiB }]\n",
    );
    let of = |listener, client, rate| {
        let profile = SessionProfile { rate, ..SessionProfile::default() };
        let bounds = rules.bounds(&request(listener, client, "grub"), &ASKS, &profile);
        (bounds.limits.rate, bounds.rate_by)
    };
    assert_eq!(of("plain", "192.0.2.1", None), (Some(1_000_000), BoundSource::Transfer));
    assert_eq!(of("own", "192.0.2.1", None), (Some(2_000_000), BoundSource::Listener));
    assert_eq!(of("own", "10.1.1.1", None), (Some(65_536), BoundSource::Profile(1)));
    assert_eq!(of("own", "10.1.1.1", Some(9_000_000)), (Some(9_000_000), BoundSource::Policy));
    assert_eq!(of("own", "10.1.1.1", Some(1 << 40)), (None, BoundSource::Policy), "no limit at all");
}

#[test]
fn a_block_fills_a_packet_of_the_route() {
    assert_eq!(largest_block(([192, 0, 2, 1], 9).into(), 1500), 1468);
    assert_eq!(largest_block("[2001:db8::1]:9".parse().unwrap(), 1500), 1448);
    assert_eq!(largest_block("[::ffff:192.0.2.1]:9".parse().unwrap(), 1500), 1468);
    assert_eq!(largest_block(([127, 0, 0, 1], 9).into(), 65_536), MAX_BLKSIZE);
    assert_eq!(largest_block(([192, 0, 2, 1], 9).into(), 10), MIN_BLKSIZE);
    let rules = rules(&format!("{LISTENERS}transfer: {{ max-blksize: auto }}\n"));
    let bounds = |asks: bool| {
        let requested = if asks { ASKS } else { OptionSet::default() };
        rules.bounds(&request("plain", "127.0.0.1", "unknown"), &requested, &SessionProfile::default())
    };
    assert!(bounds(true).route.is_some_and(|mtu| mtu.is_some_and(|mtu| mtu > 1500)), "loopback");
    assert!(bounds(false).route.is_none(), "the kernel is not asked in vain");
}

#[test]
fn the_first_profile_with_a_total_rate_is_shared_and_kept_by_reloads() {
    let yaml = |branch: &str, rate: &str| {
        format!(
            "listeners: [{{ name: plain, address: 127.0.0.1:69 }}]\n\
             transfer: {{ rate: 5MB }}\n\
             profiles:\n\
             - {{ clients: [10.0.0.0/8], rate: 1MB }}\n\
             - {{ name: {branch}, clients: [10.1.0.0/16], total-rate: {rate} }}\n\
             - {{ name: all, clients: [10.0.0.0/8], total-rate: 3MB }}\n"
        )
    };
    let of = |rules: &Negotiation, client| {
        let request = request("plain", client, "unknown");
        let bounds = rules.bounds(&request, &ASKS, &SessionProfile::default());
        (bounds.limits.rate, bounds.total_rate_of, bounds.limits.total_rate)
    };
    let first = rules(&yaml("branch", "2MB"));
    assert_eq!(of(&first, "192.0.2.1"), (Some(5_000_000), None, None));
    let (rate, name, branch) = of(&first, "10.1.1.1");
    assert_eq!((rate, name.as_deref()), (Some(1_000_000), Some("branch")));
    assert_eq!(branch, of(&first, "10.1.1.2").2, "one for all of its clients");
    assert_ne!(branch, of(&first, "10.2.1.1").2);
    let shared_rate = |rules: &Negotiation| of(rules, "10.1.1.1").2.map(|total| total.rate());

    let config = |yaml: &str| {
        let yaml = format!("roots: [{{ name: boot, path: / }}]\n{yaml}");
        Config::read(yaml.as_bytes(), "<test>", &Default::default()).unwrap().settings
    };
    let next = Negotiation::of(&config(&yaml("branch", "4MB")), Some(&first));
    assert_eq!(of(&next, "10.1.1.1").2, branch, "with its transfers");
    assert_eq!(shared_rate(&first), Some(2_000_000), "a generation may still be refused");
    next.take_effect();
    assert_eq!(shared_rate(&first), Some(4_000_000), "also for running transfers");
    let mut unlimited = config(&yaml("branch", "4MB"));
    unlimited.service.profiles[1].total_rate = Some(1 << 32);
    assert_eq!(
        of(&Negotiation::of(&unlimited, Some(&next)), "10.1.1.1").2,
        None,
        "the next profile does not count"
    );
    let renamed = Negotiation::of(&config(&yaml("office", "4MB")), Some(&next));
    assert_ne!(of(&renamed, "10.1.1.1").2, branch);
}
