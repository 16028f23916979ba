//! The interface of plugins is frozen: `tuffet:policy@0.1.0` does not change any more.

use sha2::{Digest, Sha256};

/// The digest of the interface without comments and white space.
const DIGEST: &str = "55b30540820de47057b67cc725dd18f783b23181bebde0e28bbd6fd73c61cda1";

#[test]
fn the_interface_is_what_plugins_were_built_for() {
    let wit = include_str!("../../../../../sdk/wit/policy.wit");
    let code = wit.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
    let digest: String = Sha256::digest(words.join(" ")).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        digest, DIGEST,
        "sdk/wit/policy.wit is frozen as 0.1.0: plugins that were built for it must go on working. New facts \
         go into `attributes`; anything else is a new version of the package, beside this one"
    );
}
