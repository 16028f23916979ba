//! Command lines and files of in.tftpd, and what is written for them.

use super::{from_defaults, from_flags};
use crate::server::Version;
use crate::testing::{self, Imported, refused, words};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A served folder with a file that anybody may write, whose place is `DIR` in command lines.
fn served() -> TempDir {
    let folder = testing::folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for (path, mode) in [(&*file, 0o666), (folder.path(), 0o777)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    folder
}

fn import(line: &str, folder: &TempDir) -> Imported {
    let line = line.replace("DIR", folder.path().to_str().unwrap());
    let target = from_flags(&words(&line), None).unwrap_or_else(|error| panic!("{line}: {error}"));
    Imported::new(target, super::ORIGIN)
}

fn fails(line: &str, folder: &TempDir) -> String {
    refused(from_flags(&words(&line.replace("DIR", folder.path().to_str().unwrap())), None))
}

#[test]
fn each_flag() {
    let own = json!({ "windowsize": "refuse", "rollover": "acknowledge", "blksize2": "acknowledge",
        "utimeout": "acknowledge" });
    let none = ["blksize", "tsize", "timeout", "windowsize"].map(|option| (option, "refuse"));
    let none: Value = none.into_iter().map(|(option, how)| (option.to_owned(), json!(how))).collect();
    let cases: [(&str, &str, Value); 59] = [
        ("-4 -l -s DIR", "/listeners", json!([{ "address": "0.0.0.0:69" }])),
        ("-4 -l -s DIR", "/log", json!({ "format": "tftp-hpa" })),
        ("-6 -L -s DIR", "/listeners", json!([{ "address": "[::]:69" }])),
        ("--ipv4 --listen --secure DIR", "/listeners", json!([{ "address": "0.0.0.0:69" }])),
        ("--ipv4 --foreground --secure DIR", "/listeners", json!([{ "address": "0.0.0.0:69" }])),
        ("-l -a 192.0.2.1 -s DIR", "/listeners", json!([{ "address": "192.0.2.1:69" }])),
        ("-l -a 192.0.2.1:1069 -s DIR", "/listeners/0/address", json!("192.0.2.1:1069")),
        ("-l --address [2001:db8::1]:70 -s DIR", "/listeners", json!([{ "address": "[2001:db8::1]:70" }])),
        ("-4 -l -a :6969 -s DIR", "/listeners/0/address", json!("0.0.0.0:6969")),
        ("-4 -l -S 6970 -s DIR", "/listeners/0/address", json!("0.0.0.0:6970")),
        ("-l -a 192.0.2.1 -a 192.0.2.2:70 -s DIR", "/listeners/1/address", json!("192.0.2.2:70")),
        ("-4 -l -R 30000:30999 -s DIR", "/listeners/0/tid-ports", json!("30000-30999")),
        ("-l --port-range=30000:30999 -a 192.0.2.1 -s DIR", "/listeners/0/tid-ports", json!("30000-30999")),
        ("-l -s DIR", "/roots/0/world-readable", json!(true)),
        ("-l -s DIR", "/roots/0/also-at", Value::Null),
        ("-l -s DIR", "/plugins", Value::Null),
        ("-l -s -p DIR", "/roots/0/world-readable", Value::Null),
        ("-l -s --permissive DIR", "/roots/0/world-readable", Value::Null),
        ("-l -s DIR", "/roots/0/write", json!({ "create": false })),
        ("-l -s -c DIR", "/roots/0/write", json!({ "umask": "000" })),
        ("-l -s --create -U 027 DIR", "/roots/0/write", json!({ "umask": "027" })),
        ("-l -s -c -p -u root DIR", "/roots/0/write", Value::Null),
        ("-l -s -c --umask=18 DIR", "/roots/0/write/umask", json!("022")),
        ("-l -s DIR", "/roots/0/overwrite", json!(true)),
        ("-l -s DIR", "/privileges", json!({ "user": "nobody" })),
        ("-l -s -u tftp DIR", "/privileges", json!({ "user": "tftp" })),
        ("-l -s --user=0 DIR", "/privileges", json!({ "user": "0" })),
        ("-l -s -B 1468 DIR", "/transfer/max-blksize", json!(1468)),
        ("-l -s --blocksize 512 DIR", "/transfer/max-blksize", json!(512)),
        ("-l -s -W 16 DIR", "/transfer/max-windowsize", json!(16)),
        ("-l -s --windowsize 65535 DIR", "/transfer/max-windowsize", json!(32_767)),
        ("-l -s DIR", "/transfer/options", own.clone()),
        ("-l -s -r blksize -r TSIZE DIR", "/transfer/options/blksize", json!("refuse")),
        ("-l -s -r blksize -r TSIZE DIR", "/transfer/options/tsize", json!("refuse")),
        (
            "-l -s --refuse blksize2 -r utimeout DIR",
            "/transfer/options",
            json!({ "windowsize": "refuse", "rollover": "acknowledge" }),
        ),
        (
            "-l -s -r blksize2 -r utimeout -r rollover DIR",
            "/transfer",
            json!({ "least-rate": 0, "max-duration": "0s", "options": { "windowsize": "refuse" } }),
        ),
        (
            "-l -j -r blksize2 -r utimeout -r rollover DIR",
            "/transfer",
            json!({ "max-windowsize": 256, "least-rate": 0, "max-duration": "0s" }),
        ),
        ("-4 -l -R 4096:32767 -s DIR", "/listeners/0/tid-ports", json!("32256-32767")),
        ("-l -s DIR", "/roots/0/max-upload", json!("1EiB")),
        ("-l -s --max-upload=5000 DIR", "/transfer/options/windowsize", Value::Null),
        (
            "-l -s -T 2000000 DIR",
            "/transfer/retransmit",
            json!({ "initial": "2000ms", "give-up": "126000ms" }),
        ),
        ("--systemd --jail DIR", "/roots/0/also-at", Value::Null),
        ("--systemd -j DIR", "/plugins", Value::Null),
        ("-l --jail --path-prefix / DIR", "/roots/0/also-at", Value::Null),
        ("-l -s --chroot --validate DIR", "/plugins", Value::Null),
        ("-l -s --normalize DIR", "/plugins", Value::Null),
        ("-l -s --normalize=none DIR", "/plugins", Value::Null),
        ("-l -s --read-only DIR", "/roots/0/writable", json!(false)),
        ("-l -s --ro -c DIR", "/roots/0/write", Value::Null),
        ("-l -s --max-size 0 DIR", "/roots/0/writable", json!(false)),
        ("-l -s --max-upload=5000 DIR", "/roots/0/max-upload", json!(5000)),
        ("-l -s -B mtu DIR", "/transfer/max-blksize", json!("auto")),
        ("-4 -l --ports 30000:30999 -s DIR", "/listeners/0/tid-ports", json!("30000-30999")),
        ("-l -s --reject blksize DIR", "/transfer/options/blksize", json!("refuse")),
        ("-l -s --reject-all -r utimeout DIR", "/transfer/options", none),
        ("-l -s -T 1000000 DIR", "/transfer/retransmit", Value::Null),
        ("-l -s -T 250500 DIR", "/transfer/retransmit", json!({ "initial": "251ms" })),
        ("-l -s -T 10000 DIR", "/transfer/retransmit", json!({ "initial": "10ms", "floor": "10ms" })),
        (
            "-l -s --retransmit 60000000 DIR",
            "/transfer/retransmit",
            json!({ "initial": "60000ms", "cap": "60000ms", "give-up": "3600000ms" }),
        ),
    ];
    let folder = served();
    for (line, pointer, expected) in cases {
        let read = import(line, &folder);
        assert_eq!(read.at(pointer), expected, "{line}\n{}", read.text);
        assert!(read.is_complete, "{line}");
    }
}

#[test]
fn flags_without_a_key_are_reported() {
    let cases = [
        ("-l -s -P /run/tftpd.pid DIR", "differs: -P /run/tftpd.pid: Tuffet writes no pid file"),
        ("-l -s -vvv DIR", "differs: -v: Tuffet logs every request"),
        ("-l -s --verbosity 3 DIR", "differs: --verbosity 3: Tuffet logs every request"),
        ("-l -s --window-bytes 100000 DIR", "differs: --window-bytes 100000: windows are bounded in blocks"),
        ("-l -s --stderr=tag DIR", "differs: --stderr=tag: Tuffet logs every request"),
        (
            "-l -s --logfile /var/log/tftpd DIR",
            "differs: --logfile /var/log/tftpd: Tuffet logs every request",
        ),
        ("-l -s --validate DIR", "differs: --validate: names need not begin with a slash"),
        ("-l -s -B mtu-40 DIR", "differs: -B mtu-40: `auto` is the whole MTU of the route"),
        (
            "-l --normalize=root DIR",
            "not carried over: --normalize=root: names that begin with no slash are refused",
        ),
        ("-s DIR", "differs: without --listen, inetd or systemd holds the port"),
        ("-l -s -u root DIR", "differs: --user root: Tuffet stays root, but without its capabilities"),
        ("-l -s -a localhost DIR", "differs: localhost: host names are resolved by the import"),
        ("-l DIR", "differs: without --secure, in.tftpd compares names with the text"),
    ];
    let folder = served();
    for (line, expected) in cases {
        let read = import(line, &folder);
        let found =
            read.remarks.iter().any(|remark| remark.starts_with(&format!("command line: {expected}")));
        assert!(found, "{line}: {:?}", read.remarks);
        // Every remark is a comment, too.
        let comments = read.comments();
        assert!(read.remarks.iter().all(|remark| comments.contains(remark.as_str())), "{}", read.text);
    }
    // In listen mode the time-out of inetd means nothing, and nothing differs.
    assert_eq!(import("-l -t 5 -s DIR", &folder).remarks, [""; 0]);
}

#[test]
fn wrong_flags_are_refused() {
    let cases = [
        ("-l -s", "-s needs a folder"),
        ("-l --jail", "--jail needs a folder"),
        ("-l -s DIR /other", "-s allows one folder only"),
        (
            "-l -s --max-upload much DIR",
            "--max-upload much: expected a number from 0 to 18446744073709551615",
        ),
        ("-l -s -B 511 DIR", "-B 511: expected a number from 512 to 65464"),
        ("-l -s -B 65465 DIR", "-B 65465: expected a number from 512 to 65464"),
        ("-l -s -R 5 DIR", "-R 5: expected FIRST:LAST, two ports"),
        ("-l -s -R 9:8 DIR", "-R 9:8: expected FIRST:LAST, two ports"),
        ("-l -s -r window DIR", "-r window: unknown option"),
        ("-l -s -T 9999 DIR", "-T 9999: expected a number from 10000 to 255000000"),
        ("-l -s -c -U 08 DIR", "-U 08: expected an octal number from 0 to 0777"),
        ("-l -s --what DIR", "unknown flag --what"),
        (
            "-l -s -m /nonexistent/map DIR",
            "map file /nonexistent/map: No such file or directory (os error 2)",
        ),
        ("-V", "-V serves nothing"),
        ("--map-test x -l -s DIR", "--map-test x serves nothing"),
        ("-4 -l -a [::1] -s DIR", "--address [::1]: no address of the wanted family"),
    ];
    let folder = served();
    for (line, expected) in cases {
        assert_eq!(fails(line, &folder), format!("invalid: command line: {expected}"), "{line}");
    }
    assert!(
        fails("-l", &folder)
            .starts_with("impossible: command line: without a folder, in.tftpd serves every file")
    );
}

#[test]
fn a_short_range_of_ports_limits_the_workers() {
    let folder = served();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let expected = if cores > 1 { json!(1) } else { Value::Null };
    assert_eq!(import("-l -s -R 3000:3000 DIR", &folder).at("/workers"), expected);
    assert_eq!(import("-l -s -R 3000:9000 DIR", &folder).at("/workers"), Value::Null);
}

#[test]
fn a_folder_that_is_a_link_is_followed() {
    let (folder, around) = (served(), testing::folder());
    let link = around.path().join("current");
    std::os::unix::fs::symlink(folder.path(), &link).unwrap();
    let line = format!("-l -s {}", link.display());
    assert_eq!(import(&line, &folder).at("/roots/0/follow"), json!(true));
    assert_eq!(import("-l -s DIR", &folder).at("/roots/0/follow"), Value::Null);
}

#[test]
fn folders_without_secure() {
    let (folder, other) = (served(), served());
    let line = format!("-l DIR {}/", other.path().display());
    let read = import(&line, &folder);
    let path = |folder: &TempDir| folder.path().to_str().unwrap().to_owned();
    for (number, folder) in [&folder, &other].into_iter().enumerate() {
        let root = read.at(&format!("/roots/{number}"));
        let also_at = read.at(&format!("/plugins/remap/settings/also-at/{number}"));
        assert_eq!((&root["path"], &also_at["path"]), (&json!(path(folder)), &json!(path(folder))));
        assert_eq!(root["name"], also_at["root"]);
    }
    assert_eq!(read.at("/plugins/remap/settings/map"), Value::Null);
    assert_eq!(read.at("/policy/resolve"), json!(["remap"]));
}

#[test]
fn a_folder_without_anything_to_write_is_read_only() {
    let folder = testing::folder();
    fs::write(folder.path().join("file"), "").unwrap();
    for line in ["-l -s DIR", "-l -s -c DIR"] {
        let read = import(line, &folder);
        assert_eq!(read.at("/roots/0/writable"), json!(false), "{}", read.text);
        assert!(read.remarks[0].contains("the user nobody can upload nothing"), "{:?}", read.remarks);
        assert_eq!(read.at("/roots/0/overwrite"), Value::Null);
    }
    // A file that the user may write, and not replace.
    fs::set_permissions(folder.path().join("file"), fs::Permissions::from_mode(0o666)).unwrap();
    let in_place = json!({ "create": false, "in-place": true });
    for (line, write) in
        [("-l -s DIR", in_place), ("-l -s -c DIR", json!({ "in-place": true, "umask": "000" }))]
    {
        let read = import(line, &folder);
        assert_eq!(
            (read.at("/roots/0/writable"), read.at("/roots/0/write")),
            (json!(true), write),
            "{}",
            read.text
        );
        assert!(read.remarks.is_empty() && read.comments().contains("which is not atomic"), "{}", read.text);
    }
    // A folder below it that takes uploads.
    fs::set_permissions(folder.path().join("file"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(folder.path().join("backups")).unwrap();
    fs::set_permissions(folder.path().join("backups"), fs::Permissions::from_mode(0o777)).unwrap();
    let read = import("-l -s -c -p DIR", &folder);
    assert_eq!((read.at("/roots/0/writable"), read.at("/roots/0/write")), (json!(true), Value::Null));
    assert!(read.remarks.is_empty(), "{:?}", read.remarks);
    // A folder that is not here may be full of files to write.
    let target = from_flags(&words("-l -s /nonexistent/tftp"), None).unwrap();
    assert_eq!(Imported::new(target, super::ORIGIN).at("/roots/0/writable"), json!(true));
}

#[test]
fn maps_are_copied_and_their_dialect_is_found() {
    let folder = served();
    let map = folder.path().join("map");
    let cases: [(&str, &str, &str, usize); 7] = [
        ("", "rg \\\\ /\n", "tftpd-hpa-5.2", 0),
        ("", "# all\nr ^/ \\1 # x\n", "tftpd-hpa-5.2", 0),
        ("", "rs a b\nr c d\na ^x\na ^y no!\n", "tftpd-hpa-5.2", 2),
        ("", ":top\nr a b\nj ^ top", "tftpd-hpa-6.0", 0),
        ("", "rgg a b", "tftpd-hpa-6.0", 0),
        ("-W 8", "r a b", "tftpd-hpa-6.0", 0),
        ("", "rE a b", "tftpd-hpa-6.0", 0),
    ];
    for (flags, text, dialect, doubtful) in cases {
        fs::write(&map, text).unwrap();
        let line = format!("-l -s -m {} {flags} DIR", map.display()).replace("  ", " ");
        let read = import(&line, &folder);
        let settings = read.at("/plugins/remap");
        assert_eq!(settings["component"], json!("builtin:remap"));
        assert_eq!(settings["settings"]["dialect"], json!(dialect), "{text}");
        let expected = if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
        assert_eq!(settings["settings"]["map"], json!(expected));
        let root = read.at("/roots/0/name");
        assert_eq!(settings["settings"]["root"], root);
        let grants = text.contains('E').then(|| json!([format!("files/{}", root.as_str().unwrap())]));
        assert_eq!(settings.get("grants").cloned(), grants, "{text}");
        let doubts: Vec<_> = read.remarks.iter().filter(|it| it.contains("--server-version")).collect();
        assert_eq!(doubts.len(), doubtful, "{text}: {doubts:?}");
        if doubtful > 0 {
            assert!(doubts[0].starts_with(&format!("{}:1: differs: ", map.display())), "{doubts:?}");
            assert!(doubts[1].starts_with(&format!("{}:4: ", map.display())), "{doubts:?}");
        }
        let words = words(&line.replace("DIR", folder.path().to_str().unwrap()));
        let named = Imported::new(from_flags(&words, Some(Version::Hpa6)).unwrap(), super::ORIGIN);
        assert_eq!(named.at("/plugins/remap/settings/dialect"), json!("tftpd-hpa-6.0"));
        assert!(!named.remarks.iter().any(|it| it.contains("--server-version")));
    }
    fs::write(&map, "r a b\n").unwrap();
    let steps = |steps: &str| {
        let read = import(&format!("-l -s -m {} --map-steps {steps} DIR", map.display()), &folder);
        read.at("/plugins/remap/settings/steps")
    };
    assert_eq!((steps("100"), steps("1000000")), (json!(100), json!(65_536)));
    fs::write(&map, "# nothing\n").unwrap();
    assert_eq!(
        import(&format!("-l -s -m {} DIR", map.display()), &folder).at("/plugins/remap/settings/map"),
        Value::Null
    );
}

/// The plugin reads the file where it can, from a served root or from one of its own.
#[test]
fn maps_stay_in_their_files() {
    let (served, around) = (testing::folder(), testing::folder());
    fs::write(served.path().join("file"), "").unwrap();
    let outside = around.path().join("tftpd.map");
    let inside = served.path().join("below");
    fs::create_dir(&inside).unwrap();
    let inside = inside.join("map");
    for map in [&outside, &inside] {
        fs::write(map, "rE a b\n").unwrap();
        fs::set_permissions(map, fs::Permissions::from_mode(0o644)).unwrap();
    }
    let read = |map: &std::path::Path| import(&format!("-l -s -m {} DIR", map.display()), &served);
    let root = read(&inside).at("/roots/0/name");
    let name = root.as_str().unwrap();
    let [other, own] = [read(&outside), read(&inside)];
    assert_eq!(own.at("/plugins/remap/settings/map-file"), json!({ "root": root, "path": "below/map" }));
    assert_eq!(own.at("/plugins/remap/grants"), json!([format!("files/{name}"), "clock"]));
    assert_eq!(own.at("/roots/1"), Value::Null);
    assert_eq!(other.at("/plugins/remap/settings/map-file"), json!({ "root": "maps", "path": "tftpd.map" }));
    assert_eq!(other.at("/plugins/remap/grants"), json!([format!("files/{name}"), "files/maps", "clock"]));
    let folder = around.path().canonicalize().unwrap();
    assert_eq!(other.at("/roots/1"), json!({ "name": "maps", "path": folder, "private": true }));
    for read in [&own, &other] {
        assert_eq!(read.at("/plugins/remap/settings/map"), Value::Null);
        let remark = "again within a second of a change; in.tftpd does so on SIGHUP";
        assert!(read.remarks.iter().any(|it| it.contains(remark)), "{:?}", read.remarks);
        assert!(read.comments().contains(remark), "{}", read.text);
    }
    // The name of the root is free.
    let maps = around.path().join("maps");
    fs::create_dir(&maps).unwrap();
    let line = format!("-l -s -m {} {}", outside.display(), maps.display());
    assert_eq!(import(&line, &served).at("/roots/1/name"), json!("maps-2"));

    // Where it cannot, or where clients could change it, it is copied.
    let copied = |map: &std::path::Path, why: &str| {
        let read = read(map);
        assert_eq!(read.at("/plugins/remap/settings/map"), json!("rE a b\n"), "{}", read.text);
        assert_eq!(
            (read.at("/plugins/remap/settings/map-file"), read.at("/roots/1")),
            (Value::Null, Value::Null)
        );
        let remark = format!("is copied here, because {why}: import it again");
        assert!(read.remarks.iter().any(|it| it.contains(&remark)), "{:?}", read.remarks);
    };
    let link = around.path().join("link");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    copied(&link, "it is a symbolic link");
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o640)).unwrap();
    copied(&outside, "not everybody may read it");
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(around.path(), fs::Permissions::from_mode(0o700)).unwrap();
    copied(&outside, "not everybody may read it");
    for path in [served.path().join("file"), served.path().to_owned()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    copied(&inside, "clients may write to its folder");
}

#[test]
fn files_as_the_start_script_reads_them() {
    let folder = served();
    let defaults = folder.path().join("defaults");
    let text = "# comment\n\nTFTP_USERNAME=\"tftp\"\nTFTP_DIRECTORY='HERE'\nTFTP_ADDRESS=\"192.0.2.1:69\"\n\
                TFTP_OPTIONS=\"--secure --create\n  -B 1468\"\n";
    fs::write(&defaults, text.replace("HERE", folder.path().to_str().unwrap())).unwrap();
    let read = Imported::new(from_defaults(&defaults, None).unwrap(), super::ORIGIN);
    assert_eq!(read.at("/listeners"), json!([{ "address": "192.0.2.1:69" }]));
    assert_eq!(read.at("/privileges/user"), json!("tftp"));
    assert_eq!(read.at("/transfer/max-blksize"), json!(1468));
    assert_eq!(read.at("/roots/0/write/umask"), json!("000"));
    let origin = format!("# {}:6: -B 1468", defaults.display());
    assert!(read.comments().contains(&origin[2..]), "{}", read.text);

    // Of Alpine, Arch and older Debians, and files that start the server.
    let here = folder.path().to_str().unwrap();
    for text in [
        "INTFTPD_PATH=\"HERE\"\nINTFTPD_OPTS=\"-R 4096:32767 -c -B 1468 -s ${INTFTPD_PATH}\"\n",
        "TFTPD_ARGS=\"--secure -c -B 1468 HERE\"\n",
        "RUN_DAEMON=\"yes\"\nOPTIONS=\"-l -c -B 1468 -s HERE\"\n",
        "[Service]\nExecStart=/usr/sbin/in.tftpd -L -c -B 1468 -s HERE\n",
        "tftp dgram udp wait root /usr/sbin/in.tftpd in.tftpd -c -B 1468 -s HERE\n",
        "service tftp\n{\n\tserver = /usr/sbin/in.tftpd\n\tserver_args = -c -B 1468 -s HERE\n}\n",
    ] {
        fs::write(&defaults, text.replace("HERE", here)).unwrap();
        let read = Imported::new(from_defaults(&defaults, None).unwrap(), super::ORIGIN);
        assert_eq!(read.at("/transfer/max-blksize"), json!(1468), "{text}");
        assert_eq!(
            (read.at("/roots/0/path"), read.at("/roots/0/write/umask")),
            (json!(here), json!("000")),
            "{text}"
        );
    }

    for (text, line, expected) in [
        ("A=1\nSERVER_FLAGS=\"-s /srv\"\n", 2, "SERVER_FLAGS has flags, and is none of the variables"),
        ("TFTP_OPTIONS=\"-s\n", 1, "the quote \" is not closed"),
        ("\nTFTP_OPTIONS=\"-s -x\"\n", 2, "unknown flag -x"),
        ("TFTP_DIRECTORY=/srv\nTFTP_OPTIONS=\"-s -B 1\"\n", 2, "-B 1: expected a number"),
        ("TFTP_DIRECTORY=/srv\nif true; then\n", 2, "only assignments"),
    ] {
        fs::write(&defaults, text).unwrap();
        let error = refused(from_defaults(&defaults, None));
        assert!(error.starts_with(&format!("invalid: {}:{line}: {expected}", defaults.display())), "{error}");
    }
}
