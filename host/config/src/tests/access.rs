//! The admin listener, and the privileges.

use super::*;

#[test]
fn the_admin_listener_is_open_to_this_host_alone_or_has_a_token() {
    let scene = Scene::new();
    let admin = |yaml: &str| scene.load(&minimal(yaml)).expect("good").admin;
    assert_eq!(admin(""), None);
    let tcp = |address: &str| AdminAddress::Tcp(address.parse().expect("an address"));
    let default = Admin { address: tcp("127.0.0.1:6980"), token: None };
    assert_eq!(admin("admin: {}\n"), Some(default.clone()));
    fs::write(scene.path("token"), "0123456789abcdef\n").expect("a file");
    let token = Some(AdminToken::new("0123456789abcdef"));
    let everywhere = Admin { address: tcp("[::]:80"), token };
    // A socket in the file system needs no token: its permissions decide.
    let socket = Admin { address: AdminAddress::Unix("/run/tuffet/admin".into()), token: None };
    assert_eq!(admin("admin: { address: \"unix:/run/tuffet/admin\" }\n"), Some(socket));
    assert_eq!(admin("admin: { address: \"[::]:80\", token: { file: token } }\n"), Some(everywhere));
    assert!(std::env::var("PATH").is_ok_and(|path| path.len() >= 16 && !path.contains(' ')));
    assert!(admin("admin: { token: \"${PATH}\" }\n").is_some_and(|admin| admin.token.is_some()));

    fs::write(scene.path("short"), "0123456789abcde\n").expect("a file");
    for (yaml, complaint) in [
        ("admin: { address: 0.0.0.0:6980 }", "3:19: 0.0.0.0:6980 is not a loopback address"),
        ("admin: { address: 192.0.2.1:1 }", "or listen on `127.0.0.1:1`"),
        ("admin: { address: \"unix:\" }", "3:19: the path after `unix:` is missing"),
        ("admin: { address: 6980 }", "3:19: found the number 6980"),
        (
            "admin: { token: plain-text-of-a-token }",
            "3:17: a token is a secret, and this file must not contain secrets",
        ),
        ("admin: { token: \"${NO_SUCH_VARIABLE_HERE}\" }", "variable `NO_SUCH_VARIABLE_HERE` is not set"),
        ("admin: { token: { file: short } }", "3:17: the token has 15 characters"),
        ("admin: { token: { file: missing } }", "missing cannot be read"),
        ("admin: { token: { files: token } }", "3:19: unknown key `files`"),
        ("admin:", "3:1"),
    ] {
        let found = scene.complaints(minimal(yaml));
        assert!(found.len() == 1 && found[0].contains(complaint), "{yaml}: {found:#?}");
        assert!(!found[0].contains("plain-text"), "secrets are not shown: {found:?}");
    }
}

#[test]
fn users_and_dropped_privileges() {
    let scene = Scene::new();
    let privileges = |yaml: &str| scene.load(&minimal(yaml)).expect("good").privileges;
    let default = privileges("");
    assert_eq!((&default.user, default.seccomp, default.landlock), (&None, SeccompMode::On, true));
    assert_eq!(privileges("privileges: { user: 65532 }\n").user, Some(UserOrGroup::Number(65532)));
    assert_eq!(privileges("privileges: { user: '65532' }\n").user, Some(UserOrGroup::Number(65532)));
    let all = privileges("privileges: { user: tuffet, group: boot, seccomp: off, readable: [more] }\n");
    assert_eq!(
        (all.user, all.group),
        (Some(UserOrGroup::Name("tuffet".into())), Some(UserOrGroup::Name("boot".into())))
    );
    assert_eq!((all.seccomp, all.readable), (SeccompMode::Off, vec![scene.path("more")]));
    for (yaml, complaint) in [
        ("privileges: { user: -1 }", "-1 is out of range"),
        ("privileges: { user: 4294967295 }", "4294967295 is out of range"),
        ("privileges: { user: '4294967295' }", "4294967295 is not a valid id"),
        ("privileges: { group: boot }", "`group` needs a `user`"),
        ("privileges: { seccomp: maybe }", "unknown word `maybe`"),
        ("privileges: { landlock: on }", "3:25"),
    ] {
        let complaints = scene.complaints(minimal(yaml).as_bytes());
        assert!(complaints.iter().any(|it| it.contains(complaint)), "{yaml}: {complaints:?}");
    }
}
