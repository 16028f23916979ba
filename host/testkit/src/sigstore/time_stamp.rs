//! A time-stamping authority (RFC 3161).

use super::der::{Certificate, SHA_256, der, ecdsa, extension, id, sequence, time};
use super::{BEGIN, Key, NOW, sha256};

const SIGNED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];
const TIME_STAMP_INFO: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04];
const CONTENT_TYPE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x03];
const MESSAGE_DIGEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x04];

pub(super) struct TimeStamping {
    key: Key,
    /// Its own, and that of the root that issued it.
    pub certificates: [Vec<u8>; 2],
}

impl TimeStamping {
    /// A new authority. `has_purpose`: whether its certificate is for time stamps.
    pub fn new(has_purpose: bool) -> TimeStamping {
        let (root, key) = (Key::new(), Key::new());
        let issuer = "time-root.example";
        let valid = [BEGIN, NOW * 2];
        let usage = sequence(&[&id(&[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x08])]);
        let extensions = Vec::from_iter(has_purpose.then(|| extension(&[0x55, 0x1d, 0x25], true, &usage)));
        let own = Certificate { issuer, subject: "time.example", key: &key, valid, extensions }.sign(&root);
        let root_certificate =
            Certificate { issuer, subject: issuer, key: &root, valid, extensions: Vec::new() }
                .authority()
                .sign(&root);
        TimeStamping { key, certificates: [own, root_certificate] }
    }

    /// The answer to a request for a time stamp of this signature.
    pub fn stamp(&self, signature: &[u8], at: u64) -> Vec<u8> {
        let algorithm = sequence(&[&id(SHA_256)]);
        let one = der(0x02, &[&[1]]);
        let info = sequence(&[
            &one,
            &id(&[0x2b, 0x06, 0x01]),
            &sequence(&[&algorithm, &der(0x04, &[&sha256(signature)])]),
            &one,
            &time(at),
        ]);
        let attribute = |name: &[u8], value: &[u8]| sequence(&[&id(name), &der(0x31, &[value])]);
        let attributes = [
            attribute(CONTENT_TYPE, &id(TIME_STAMP_INFO)),
            attribute(MESSAGE_DIGEST, &der(0x04, &[&sha256(&info)])),
        ]
        .concat();
        let signed = self.key.sign(&der(0x31, &[&attributes]));
        let signer = sequence(&[
            &one,
            &sequence(&[]),
            &algorithm,
            &der(0xa0, &[&attributes]),
            &ecdsa(),
            &der(0x04, &[&signed]),
        ]);
        let data = sequence(&[
            &der(0x02, &[&[3]]),
            &der(0x31, &[&algorithm]),
            &sequence(&[&id(TIME_STAMP_INFO), &der(0xa0, &[&der(0x04, &[&info])])]),
            &der(0x31, &[&signer]),
        ]);
        let token = sequence(&[&id(SIGNED_DATA), &der(0xa0, &[&data])]);
        sequence(&[&sequence(&[&der(0x02, &[&[0]])]), &token])
    }
}
