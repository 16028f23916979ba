//! Components are pulled by the user that the server becomes, and belong to it.

use super::debian::Registry;
use super::{Kept, acl, assert_denies, plugin, push};
use crate::harness::{Setup, is_root, skipped};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

#[test]
fn root_pulls_as_the_user_of_the_server() {
    if !is_root() {
        return skipped("only root can become another user");
    }
    let Some(mut registry) = Registry::start() else { return };
    let kept = Kept::new();
    fs::set_permissions(kept.0.path(), Permissions::from_mode(0o755)).unwrap();
    let pinned = push(&acl(), &registry.reference("acl:1"), &[]);
    let yaml = kept.yaml(&pinned, "", "privileges: { user: \"65534\" }");
    let config = kept.config(&yaml);
    fs::set_permissions(kept.path("root"), Permissions::from_mode(0o755)).unwrap();
    plugin(&["pull", "--config", config.to_str().unwrap()]).assert_good();
    let owner = |name: &str| fs::metadata(kept.path(name)).unwrap().uid();
    assert_eq!((owner("state"), owner("state/components/blobs")), (65534, 65534));
    let serve = |kept: &Kept| {
        let setup = Setup::new().file("a", b"a").yaml(&kept.yaml(&pinned, "", "")).user(Some("65534"));
        fs::set_permissions(setup.outside().0, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(setup.root().0, Permissions::from_mode(0o755)).unwrap();
        setup
    };
    // At a start: after privileges are dropped, inside the sandbox.
    let other = Kept::new();
    fs::set_permissions(other.0.path(), Permissions::from_mode(0o755)).unwrap();
    let server = serve(&other).start();
    assert_denies(&server);
    assert_eq!(fs::metadata(other.path("state/components/blobs")).unwrap().uid(), 65534);
    registry.kill();
    assert_denies(&serve(&kept).start());
}
