//! HMAC-MD5 (RFC 2104).

use md5::{Digest, Md5};

/// Octets of a block of MD5.
const BLOCK: usize = 64;

/// Returns the digest of a message under a key of any length.
pub(crate) fn hmac_md5(key: &[u8], message: &[u8]) -> [u8; 16] {
    let mut padded = [0; BLOCK];
    if key.len() > BLOCK {
        padded[..16].copy_from_slice(&Md5::digest(key));
    } else {
        padded[..key.len()].copy_from_slice(key);
    }
    let inner = Md5::new().chain_update(padded.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Md5::new().chain_update(padded.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}
