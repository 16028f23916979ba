mod python;
mod vectors;

use tuffet_sdk::{Candidate, Plugin, Resolution, Resolve, parse, testing};

use crate::hmac::hmac_md5;
use crate::tlv::Tlv;
use crate::{Docsis, file, mac};

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()).collect()
}

fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn docsis(settings: &str) -> Docsis {
    parse(settings).and_then(Docsis::configure).unwrap_or_else(|problems| unreachable!("{problems:?}"))
}

fn ask(docsis: &Docsis, path: &str, client: &str) -> Resolution {
    let mut request = testing::request(path);
    request.client.address = client.into();
    docsis.resolve(&request)
}

#[test]
fn files_are_those_of_another_encoder() {
    for (name, tlvs, expected) in vectors::VECTORS {
        let tlvs: Vec<Tlv> = tlvs.iter().map(|(kind, value)| Tlv::new(*kind, bytes(value))).collect();
        assert_eq!(shown(&file::encode(&tlvs, b"DOCSIS")), expected, "{name}");
    }
}

/// RFC 2202 section 2: test cases 1, 2, 3 and 6.
#[test]
fn hmac_is_that_of_rfc_2202() {
    assert_eq!(shown(&hmac_md5(&[0x0b; 16], b"Hi There")), "9294727a3638bb1c13f48ef8158bfc9d");
    assert_eq!(
        shown(&hmac_md5(b"Jefe", b"what do ya want for nothing?")),
        "750c783e6ab0b503eaa86e310a5db738"
    );
    assert_eq!(shown(&hmac_md5(&[0xaa; 16], &[0xdd; 50])), "56be34521d144c88dbb8c733f0e8b3f6");
    let message = b"Test Using Larger Than Block-Size Key - Hash Key First";
    assert_eq!(shown(&hmac_md5(&[0xaa; 80], message)), "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd");
}

#[test]
fn a_modem_gets_the_file_of_its_class_with_its_address() {
    testing::put_file("secrets", "key", "DOCSIS\n");
    let docsis = docsis(
        r#"{ "match": "cm/*", "secret": { "root": "secrets", "file": "key" }, "bind-address": true,
             "classes": { "gold": { "network-access": true, "upstream": 1 } },
             "modems": { "00:11:22:33:44:55": "gold" } }"#,
    );
    let made = ask(&docsis, "cm/0011.2233.4455.cm", "192.0.2.7");
    let Resolution::Serve(selection) = &made else { unreachable!("{made:?}") };
    let [Candidate::Content(content)] = &*selection.candidates else { unreachable!("{selection:?}") };
    let file = &content.data;
    assert_eq!(shown(&file[..24]), "030101180d010200010601070804000000011404c0000207");
    assert_eq!(file.len() % 4, 0);
    for denied in ["cm/001122334456", "cm/default.cm"] {
        assert!(matches!(ask(&docsis, denied, "192.0.2.7"), Resolution::Deny(_)), "{denied}");
    }
    let Resolution::Deny(denial) = ask(&docsis, "cm/001122334455", "2001:db8::7") else { unreachable!() };
    assert_eq!(denial.reason, "bind-address: 2001:db8::7 is no IPv4 address");
}

#[test]
fn without_a_secret_there_is_no_file() {
    let docsis = docsis(
        r#"{ "match": "*", "secret": { "root": "secrets", "file": "other" }, "default": "all",
             "classes": { "all": { "network-access": false } } }"#,
    );
    let reason = || match ask(&docsis, "001122334455", "192.0.2.7") {
        Resolution::Deny(denial) => denial.reason,
        other => unreachable!("{other:?}"),
    };
    assert_eq!(reason(), "the secret secrets:other is not there");
    testing::put_file("secrets", "other", "\n");
    assert_eq!(reason(), "the secret secrets:other is empty");
    testing::put_file("secrets", "other", vec![b'x'; 1025]);
    assert_eq!(
        reason(),
        "the secret secrets:other cannot be read: there are 1025 bytes, and 1024 may be read"
    );
}

#[test]
fn addresses_in_names() {
    for name in ["001122aabbcc", "00-11-22-AA-BB-CC.bin", "00:11:22:aa:bb:cc", "0011.22aa.bbcc.cm"] {
        assert_eq!(mac::in_name(name).as_deref(), Some("00:11:22:aa:bb:cc"), "{name}");
    }
    for name in ["", "001122aabbc", "001122aabbccd", "modem.001122aabbcc", "001122aabbcg", "001122aabbcc.a.b"]
    {
        assert_eq!(mac::in_name(name), None, "{name}");
    }
}

#[test]
fn every_mistake_is_pointed_at() {
    let long = "00".repeat(255);
    let settings = format!(
        r#"{{ "match": "a[", "secret": {{ "root": "", "file": "" }}, "bind-address": true, "default": "lead",
             "modems": {{ "here": "gold", "00-11-22-33-44-55": "silver", "001122334455": "gold" }},
             "classes": {{ "gold": {{ "max-cpe": 0, "tlvs": [
                 {{ "type": 7, "hex": "00" }}, {{ "type": 64, "hex": "0" }}, {{ "type": 20, "hex": "zz" }},
                 {{ "type": 43, "hex": "{long}" }}, {{ "type": 18, "hex": "02" }}, {{ "type": 255, "hex": "" }} ] }} }} }}"#
    );
    let problems = parse(&settings).and_then(Docsis::configure).err().unwrap();
    let pointers: Vec<_> = problems.into_vec().into_iter().map(|problem| problem.pointer).collect();
    let expected = [
        "/match",
        "/secret/root",
        "/secret/file",
        "/modems/00-11-22-33-44-55",
        "/modems/001122334455",
        "/modems/here",
        "/default",
        "/classes/gold/max-cpe",
        "/classes/gold/tlvs/0/type",
        "/classes/gold/tlvs/1/type",
        "/classes/gold/tlvs/1/hex",
        "/classes/gold/tlvs/2/type",
        "/classes/gold/tlvs/2/hex",
        "/classes/gold/tlvs/3/hex",
        "/classes/gold/tlvs/5/type",
        "/classes/gold/tlvs/5/hex",
        "/classes/gold",
        "/classes/gold/tlvs",
    ];
    assert_eq!(pointers, expected);
}
