use tuffet_sdk::{
    Candidate, Denial, MacAddresses, Plugin, RenderError, RenderParts, Request, Resolution, Resolve, parse,
    testing,
};

use crate::Initrd;

const SETTINGS: &str = r#"{
    "root": "boot", "match": ["initrd*.img"], "base": "initrd.gz",
    "files": {
        "etc/hostname": { "text": "{name}.example\n" },
        "etc/keys": { "copy": "keys/{name}", "mode": "0600" }
    },
    "hosts": { "02:00:5e:10:00:01": { "name": "node-1" } }
}"#;

fn plugin() -> Initrd {
    Initrd::configure(parse(SETTINGS).unwrap()).unwrap()
}

fn request(path: &str, mac: &str) -> Request {
    let mut request = testing::request(path);
    testing::add_mac(&mut request, mac);
    request
}

fn key(plugin: &Initrd) -> String {
    let resolution = plugin.resolve(&request("initrd.img", "02:00:5e:10:00:01"));
    let Resolution::Serve(selection) = &resolution else { panic!("{resolution:?}") };
    let [Candidate::Rendering(key)] = &*selection.candidates else { panic!("{selection:?}") };
    key.clone()
}

/// Puts a content together from parts of this length, each made by a plugin of its own.
fn whole(key: &str, length: u32) -> Vec<u8> {
    let size = plugin().begin(key).unwrap().unwrap().size;
    let mut content = Vec::new();
    while (content.len() as u64) < size {
        let left = u32::try_from(size - content.len() as u64).unwrap();
        let part = plugin().part(key, content.len() as u64, length.min(left)).unwrap();
        assert!((1..=length as usize).contains(&part.len()), "{}", part.len());
        content.extend(part);
    }
    content
}

#[test]
fn an_image_is_the_same_however_it_is_divided() {
    testing::put_file("boot", "initrd.gz", b"compressed".repeat(9));
    testing::put_file("boot", "keys/node-1", "secret");
    let key = key(&plugin());
    let image = whole(&key, 1 << 20);
    assert!(image.starts_with(&b"compressed".repeat(9)));
    assert_eq!(&image[90..98], b"\0\x00070701", "the archive begins at a multiple of four");
    for text in ["node-1.example\n", "secret", "etc/keys", "TRAILER!!!"] {
        assert!(image.windows(text.len()).any(|window| window == text.as_bytes()), "{text}");
    }
    for length in [1, 3, 89, 91, 92, 93, 200] {
        assert!(whole(&key, length) == image, "{length}");
    }
}

#[test]
fn others_get_the_file_as_it_is() {
    let plugin = plugin();
    for (path, mac) in [("initrd.img", "02:00:5e:10:00:02"), ("vmlinuz", "02:00:5e:10:00:01")] {
        assert_eq!(plugin.resolve(&request(path, mac)), Resolution::Abstain);
    }
}

#[test]
fn the_name_says_which_machine_it_is_where_the_network_does_not() {
    testing::put_file("boot", "initrd.gz", "base");
    testing::put_file("boot", "keys/node-1", "secret");
    let mut request = request("initrd-02-00-5e-10-00-01.img", "02:00:5e:10:00:01");
    let macs = request.client.macs.take().unwrap();
    request.client.macs = Some(MacAddresses { network: vec![], claimed: macs.network });
    assert_eq!(plugin().resolve(&request), Resolution::rendered(key(&plugin())));
}

#[test]
fn what_is_missing_or_has_changed_is_named() {
    let plugin = plugin();
    testing::put_file("boot", "initrd.gz", "base");
    let missing = plugin.resolve(&request("initrd.img", "02:00:5e:10:00:01"));
    assert!(
        matches!(&missing, Resolution::Deny(its) if its.reason == "boot:keys/node-1 is missing"),
        "{missing:?}"
    );
    testing::put_file("boot", "keys/node-1", "secret");
    let key = key(&plugin);
    testing::put_file("boot", "initrd.gz", "another");
    let its = denied(plugin.part(&key, 0, 4));
    assert!(its.reason.starts_with("boot:initrd.gz has changed"), "{}", its.reason);
    testing::put_file("boot", "keys/node-1", "public");
    let its = denied(plugin.begin(&key));
    assert!(its.reason.starts_with("a file of the archive has changed"), "{}", its.reason);
    for other in ["", "02:00:5e:10:00:01", "02:00:5e:10:00:01 4 6", "x 4 6 v", "02:00:5e:10:00:01 x 6 v"] {
        assert!(denied(plugin.begin(other)).reason.contains("is no key"), "{other}");
    }
    testing::put_file("boot", "keys/node-1", vec![0; (4 << 20) + 1]);
    let large = self::key(&plugin);
    assert!(denied(plugin.begin(&large)).reason.contains("4194304 are allowed"));
}

#[test]
fn braces_of_scripts_stay() {
    let template = crate::template::Template::parse("${name} {name}{mac} {} {Name} { x } {");
    let values = [("name".to_owned(), "n".to_owned())].into();
    assert_eq!(template.fill("m", &values), "${name} nm {} {Name} { x } {");
    assert_eq!(template.names().collect::<Vec<_>>(), ["name", "mac"]);
}

#[test]
fn problems_are_at_their_places() {
    for (wrong, right, pointer) in [
        ("\"root\": \"boot\"", "\"root\": \"\"", "/root"),
        ("[\"initrd*.img\"]", "[]", "/match"),
        ("\"0600\"", "\"0800\"", "/files/etc~1keys/mode"),
        ("\"text\": ", "\"copy\": \"x\", \"text\": ", "/files/etc~1hostname"),
        ("\"etc/keys\"", "\"../keys\"", "/files/..~1keys"),
        ("{name}.example", "{nmae}.example", "/hosts/02:00:5e:10:00:01"),
        ("02:00:5e:10:00:01", "02-00-5E-10-00-01", "/hosts/02-00-5E-10-00-01"),
    ] {
        let settings = SETTINGS.replacen(wrong, right, 1);
        let problems = Initrd::configure(parse(&settings).unwrap()).err().unwrap().into_vec();
        assert_eq!(problems[0].pointer, pointer, "{problems:?}");
    }
}

fn denied<T: std::fmt::Debug>(made: Result<T, RenderError>) -> Denial {
    match made {
        Err(RenderError::Denied(denial)) => denial,
        other => unreachable!("a denial was expected, not {other:?}"),
    }
}
