//! `sha256`, which pins any component.

use super::{Kept, acl, another_acl, assert_denies, sha256};

#[test]
fn another_file_than_the_pinned_one_is_refused() {
    let kept = Kept::new();
    let file = kept.write("own.wasm", std::fs::read(acl()).unwrap());
    let (good, other) = (sha256(&std::fs::read(&file).unwrap()), sha256(&another_acl("other")));
    let yaml = |digest: &str| kept.yaml(file.to_str().unwrap(), &format!("    sha256: {digest}"), "");
    let server = kept.setup(&yaml(&good)).start();
    assert_denies(&server);
    std::fs::write(&file, another_acl("other")).unwrap();
    let ran = server.ask("reload");
    ran.assert_fails(1, &["tuffet.yaml:10:13", &good, &other, "`sha256` pins"]);
    assert_denies(&server);
    server.rewrite(&yaml(&format!("sha256:{other}")));
    server.ask("reload").assert_good();
    assert_eq!(server.status()["plugins"][0]["sha256"], other);
    server.rewrite(&yaml(&other.to_uppercase()));
    server.ask("reload").assert_fails(1, &["64 hexadecimal digits in lower case"]);
}
