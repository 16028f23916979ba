//! Maps of old servers, and names as clients of all kinds send them: imported maps make of each name what the original
//! makes of it.
//!
//! `TUFFET_MAPS` and `TUFFET_SEED` choose how many random maps there are, and which. For each, in.tftpd and atftpd
//! answer 500 random names, and so does Tuffet with the imported configuration.

use crate::harness::{Setup, skipped, tuffet};
use crate::import::beside::{Pair, Started, installed};
use crate::policy::remap::random::{Random, maps_and_seed};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{SocketAddr, UdpSocket};
use std::process::{Command, Stdio};
use std::time::Duration;
use tuffet_request::names::normalise;

/// Random names for each map.
const NAMES: usize = 500;

/// Ends a map: denies each name, in the words of the name.
const TELLS: &str = "a ^.*$ =\\0\n";

/// The code and text of the ERROR for a name; `None` without an answer.
fn ask(server: SocketAddr, name: &[u8], attempts: usize) -> Option<(u16, Vec<u8>)> {
    // A late answer to an earlier request must not be taken for that to this one.
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
    let packet = [b"\0\x01", name, b"\0octet\0"].concat();
    let mut buffer = [0; 2048];
    for _ in 0..attempts {
        socket.send_to(&packet, server).unwrap();
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            match &buffer[..length] {
                [0, 5, high, low, text @ .., 0] if from.ip() == server.ip() => {
                    return Some((u16::from_be_bytes([*high, *low]), text.to_vec()));
                }
                _ => {}
            }
        }
    }
    None
}

/// As the server shortens the words of a plugin: on one line.
fn one_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).replace(char::is_control, " ").trim().to_owned()
}

#[test]
fn in_tftpd_makes_the_same_of_random_names() {
    let (maps, seed) = maps_and_seed(2);
    let mut random = Random::new(seed);
    let (mut compared, mut unanswered, mut differences) = (0, 0, String::new());
    for _ in 0..maps {
        let map = random.times(6, Random::rule) + TELLS;
        let started = Started {
            name: "in.tftpd -m",
            program: "in.tftpd",
            package: "tftpd-hpa",
            server: "tftpd-hpa",
            variable: None,
            import: &[],
            flags: "-l -a ADDR:69 -u root -m AROUND/map HERE",
            foreground: "-L -4",
            code: 0,
        };
        let beside = |folder: &std::path::Path| {
            std::fs::write(folder.ancestors().nth(2).unwrap().join("map"), &map).unwrap();
        };
        let Some(pair) = Pair::start(started, beside) else { return };
        for _ in 0..NAMES {
            let name = random.name();
            // in.tftpd 5.2 crashes at some rules.
            let Some(theirs) = ask(pair.theirs, &name, 3) else {
                unanswered += 1;
                continue;
            };
            // Messages of the server have 200 bytes at most.
            if theirs.1.len() > 190 {
                continue;
            }
            // A busy machine may drop calls of plugins.
            let Some(ours) = ask(pair.ours, &name, 20) else {
                panic!("no answer to {} with\n{map}", name.escape_ascii())
            };
            compared += 1;
            let told = |(code, text): &(u16, Vec<u8>)| match text.first() {
                Some(b'=') => (*code, Some(one_line(text))),
                // Where the rules stop before the last one, each server has its own words.
                _ => (*code, None),
            };
            if told(&theirs) != told(&ours) {
                let shown = [&theirs, &ours].map(|(code, text)| format!("{code} {}", text.escape_ascii()));
                let [theirs, ours] = shown;
                let _ = writeln!(differences, "{}: {theirs}, ours {ours}, with\n{map}", name.escape_ascii());
            }
        }
    }
    eprintln!("{compared} names compared, {unanswered} without an answer of in.tftpd, seed {seed}");
    assert!(differences.is_empty(), "{differences}");
    assert!(compared > maps * NAMES / 2);
}

/// A file of atftpd's `--pcre`.
fn patterns(random: &mut Random) -> String {
    let line = |random: &mut Random| {
        let (start, end) = (random.of(&["", "", "^"]), random.of(&["", "", "$"]));
        let pattern = random.of(&[
            "a",
            "(a|b)+",
            "[a-z]:",
            "[Cc]:\\\\",
            "/+",
            "([^/]*)/(.*)",
            "\\.\\.",
            "[^!-~].*",
            "(.*)[^!-~]",
            "x1|cfg",
            "(.)b",
        ]);
        let text = random.of(&["x", "$0", "$1", "$1/$2", "x$1y", "/"]);
        let groups = pattern.matches('(').count();
        let text = match groups {
            0 => text.replace("$1", "u").replace("$2", "v"),
            1 => text.replace("$2", "v"),
            _ => text.to_owned(),
        };
        format!("{start}{pattern}{end} {text}\n")
    };
    // The test of atftpd shows a name that no line matches as it shows an empty one.
    random.times(3, line) + "^(.*)$ $1\n"
}

/// What `atftpd --pcre-test` makes of the names.
fn substituted(program: &std::path::Path, file: &std::path::Path, names: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut child = Command::new(program)
        .arg("--pcre-test")
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines = names.join(&b'\n');
    let writing = std::thread::spawn(move || input.write_all(&[&lines[..], b"\n"].concat()));
    let ran = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    let answers: Vec<Vec<u8>> = ran
        .stdout
        .split(|byte| *byte == b'\n')
        .zip(names)
        .map(|(line, name)| {
            let begin = [b"Substitution: \"", &name[..], b"\" -> \""].concat();
            let rest = line.strip_prefix(&begin[..]).and_then(|rest| rest.strip_suffix(b"\""));
            rest.unwrap_or_else(|| panic!("{} for {}", line.escape_ascii(), name.escape_ascii())).to_vec()
        })
        .collect();
    assert_eq!(answers.len(), names.len());
    answers
}

/// The content of a file, or the code of the ERROR; `None` without an answer.
fn fetch(server: SocketAddr, name: &[u8]) -> Option<Result<Vec<u8>, u16>> {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
    let packet = [b"\0\x01", name, b"\0octet\0"].concat();
    let mut buffer = [0; 2048];
    for _ in 0..20 {
        socket.send_to(&packet, server).unwrap();
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            match &buffer[..length] {
                [0, 3, 0, 1, content @ ..] => {
                    socket.send_to(&[0, 4, 0, 1], from).unwrap();
                    return Some(Ok(content.to_vec()));
                }
                [0, 5, high, low, ..] => return Some(Err(u16::from_be_bytes([*high, *low]))),
                _ => {}
            }
        }
    }
    None
}

/// Whether a difference is one of those that docs/migrate/atftpd.md names. Codes of ERRORs are among them.
fn is_named(names: [&[u8]; 2], theirs: &Result<Vec<u8>, u16>, ours: &Result<Vec<u8>, u16>) -> bool {
    // Tuffet has a file of a name that atftpd takes literally.
    let is_reading = |content: &[u8]| {
        names.iter().any(|name| {
            normalise(name).is_ok_and(|path| path.as_bytes() == content && path.as_bytes() != *name)
        })
    };
    match (theirs, ours) {
        // A rule makes another name of one with `..`, which atftpd refuses before.
        (Err(2), _) => names[0].windows(2).any(|pair| pair == b".."),
        (Err(_), Ok(content)) => is_reading(content),
        (Err(_), Err(_)) => true,
        // A folder is an empty file.
        (Ok(theirs), _) => theirs.is_empty(),
    }
}

#[test]
fn atftpd_serves_the_same_of_random_names() {
    let Some(program) = installed("atftpd", "atftpd") else {
        return skipped("atftpd beside Tuffet: atftpd 0.8 is not installed");
    };
    let (maps, seed) = maps_and_seed(2);
    let mut random = Random::new(seed);
    let (mut compared, mut served, mut named, mut differences) = (0, 0, 0, String::new());
    for _ in 0..maps {
        let map = patterns(&mut random);
        let outside = Setup::new();
        outside.outside().write("patterns", map.as_bytes());
        // Its test reads names by lines.
        let names = std::iter::repeat_with(|| random.name()).filter(|name| !name.contains(&b'\n'));
        let names: Vec<Vec<u8>> = names.take(NAMES).collect();
        let rewritten = substituted(&program, &outside.outside().path("patterns"), &names);
        // Most of what the patterns lead to is there, and some of what they would lead away from.
        let files: Vec<String> = rewritten
            .iter()
            .chain(names.iter().step_by(7))
            .filter_map(|name| normalise(name).ok().filter(|path| name.ends_with(path.as_bytes())))
            .collect();
        let started = Started {
            name: "atftpd --pcre",
            program: "atftpd",
            package: "atftpd",
            server: "atftpd",
            variable: None,
            import: &[],
            flags: "--daemon --port 69 --bind-address ADDR --pcre AROUND/map HERE",
            foreground: "--no-fork",
            code: 0,
        };
        let prepare = |folder: &std::path::Path| {
            std::fs::write(folder.ancestors().nth(2).unwrap().join("map"), &map).unwrap();
            for file in &files {
                let path = folder.join(file);
                // One name may be a folder on the way to another.
                let _ = std::fs::create_dir_all(path.parent().unwrap());
                let _ = std::fs::write(path, file);
            }
        };
        let Some(pair) = Pair::start(started, prepare) else { return };
        for (name, rewritten) in names.iter().zip(&rewritten) {
            let theirs = fetch(pair.theirs, name);
            let theirs = theirs.unwrap_or_else(|| panic!("no answer of atftpd to {}", name.escape_ascii()));
            let ours = fetch(pair.ours, name);
            let ours = ours.unwrap_or_else(|| panic!("no answer to {} with\n{map}", name.escape_ascii()));
            compared += 1;
            served += usize::from(theirs.is_ok());
            if theirs == ours {
                continue;
            }
            if is_named([name, rewritten], &theirs, &ours) {
                named += 1;
                continue;
            }
            let shown = [name, rewritten].map(|name| name.escape_ascii().to_string());
            let _ = writeln!(differences, "{shown:?}: {theirs:?}, ours {ours:?}, with\n{map}");
        }
    }
    eprintln!(
        "{compared} names compared, {served} served by atftpd, {named} differ as documented, seed {seed}"
    );
    assert!(differences.is_empty(), "{differences}");
    assert!(served > compared / 10, "{served} of {compared}");
}

/// What the plugin has to answer, if atftpd makes `rewritten` of a name; `None` if that is up to the rules for names.
fn expected(name: &[u8], rewritten: &[u8]) -> Option<Value> {
    let path = |name: &[u8]| normalise(name).ok().map(|path| format!("boot:{path}"));
    if rewritten == name {
        return Some("abstain".into());
    }
    // atftpd has a file of the requested name only if that is literally its path.
    let ends_in_folder = [&b"/"[..], b"/."].iter().any(|end| name.ends_with(end));
    let is_literal = std::str::from_utf8(name).is_ok() && !name.contains(&b'\\') && !ends_in_folder;
    let own = path(name).filter(|_| is_literal);
    match (own, path(rewritten)) {
        (own, Some(rewritten)) => {
            Some(json!({ "files": own.into_iter().chain([rewritten]).collect::<Vec<_>>() }))
        }
        (Some(_), None) => Some("abstain".into()),
        (None, None) => None,
    }
}

#[test]
fn atftpd_makes_the_same_of_random_names() {
    let Some(program) = installed("atftpd", "atftpd") else {
        return skipped("atftpd beside remap: atftpd 0.8 is not installed");
    };
    let (maps, seed) = maps_and_seed(2);
    let mut random = Random::new(seed);
    let (mut compared, setup) = (0, Setup::new());
    for _ in 0..maps {
        let map = patterns(&mut random);
        setup.outside().write("patterns", map.as_bytes());
        // It reads names by lines.
        let named = std::iter::repeat_with(|| random.name()).filter(|name| !name.contains(&b'\n'));
        let names: Vec<Vec<u8>> = named.take(NAMES).collect();
        let answers = substituted(&program, &setup.outside().path("patterns"), &names);
        let cases = names.iter().zip(&answers).filter_map(|(name, rewritten)| {
            let hex: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
            Some(json!({
                "name": format!("{} -> {}", name.escape_ascii(), rewritten.escape_ascii()),
                "request": { "path": { "hex": hex } },
                "expect": expected(name, rewritten)?,
            }))
        });
        let cases: Vec<Value> = cases.collect();
        let count = cases.len();
        let settings = json!({ "root": "boot", "dialect": "atftpd", "map": map });
        let file =
            json!({ "component": "builtin:remap", "roots": ["boot"], "settings": settings, "cases": cases });
        setup.outside().write("cases.yaml", file.to_string().as_bytes());
        let ran = tuffet(["plugin", "test", setup.outside().path("cases.yaml").to_str().unwrap()]);
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        let failed = text
            .split("\nok    ")
            .flat_map(|case| case.split("\nFAILED"))
            .filter(|its| its.contains("differs"));
        let failed: Vec<&str> = failed.take(5).collect();
        assert!(
            text.ends_with(&format!("\n{count} passed, 0 failed\n")),
            "{map}\n{failed:#?}\n{}",
            ran.stderr
        );
        compared += count;
    }
    eprintln!("{compared} names compared, seed {seed}");
    assert!(compared > maps * NAMES / 2);
}
