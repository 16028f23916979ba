//! The same maps and names in a newer in.tftpd and here.
//!
//! `TUFFET_NEWER_TFTPD` names an in.tftpd of version 6 or later, whose `--map-test` says what becomes of names without
//! serving any; no package of Debian 12 has one. `TUFFET_MAPS` and `TUFFET_SEED` choose how many random maps there are,
//! and which.

use crate::map::{Version, parse};
use crate::run::{DENIED, End, Surroundings, run};
use crate::template::Client;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tuffet_sdk::Operation;

/// The address of the client that `--map-test` plays.
const IPV4: &str = "192.0.2.34";
const IPV6: &str = "2001:db8::feed:face:dead:beef";

/// The program, if it is one that knows `--map-test`.
fn newer() -> Option<PathBuf> {
    let program = env::var_os("TUFFET_NEWER_TFTPD").map(PathBuf::from);
    let version = program.as_ref().and_then(|program| Command::new(program).arg("--version").output().ok());
    let version = version.map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned()).unwrap_or_default();
    let major =
        version.strip_prefix("tftp-hpa ").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    if major.is_none_or(|major| major < 6) {
        let line = "skipped: maps beside a newer in.tftpd: TUFFET_NEWER_TFTPD names no version from 6 on";
        eprintln!("{line}");
        if let Some(list) = env::var_os("TUFFET_SKIPPED") {
            let list = fs::OpenOptions::new().append(true).create(true).open(list);
            writeln!(list.unwrap(), "{line}").unwrap();
        }
        return None;
    }
    program
}

#[derive(Debug, Clone, Copy)]
struct Asking {
    operation: Operation,
    ipv6: bool,
}

const ASKING: [Asking; 3] = [
    Asking { operation: Operation::Read, ipv6: false },
    Asking { operation: Operation::Write, ipv6: false },
    Asking { operation: Operation::Read, ipv6: true },
];

/// What in.tftpd makes of the names; `Err` with its words if it refuses the map.
fn theirs(program: &Path, map: &str, names: &[String], asking: Asking) -> Result<Vec<String>, String> {
    // Tests run beside each other, each in a thread of its own.
    let thread = format!("tuffet-remap-{}-{:?}", std::process::id(), std::thread::current().id());
    let folder = env::temp_dir().join(thread);
    fs::create_dir_all(&folder).unwrap();
    let [rules, input] = ["map", "names"].map(|name| folder.join(name));
    fs::write(&rules, map).unwrap();
    fs::write(&input, names.join("\n") + "\n").unwrap();
    let mut command = Command::new(program);
    // Elsewhere `.` is a letter of several bytes.
    command.env("LC_ALL", "C").arg(if asking.ipv6 { "-6" } else { "-4" });
    if asking.operation == Operation::Write {
        command.arg("--create");
    }
    let ran =
        command.arg("-m").arg(&rules).arg("--map-test").arg(&input).stdin(Stdio::null()).output().unwrap();
    fs::remove_dir_all(folder).unwrap();
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
    }
    let lines: Vec<String> = String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), names.len(), "{lines:#?}");
    Ok(lines)
}

fn ours(map: &str, name: &str, asking: Asking) -> String {
    let rules = parse(map.as_bytes(), Version::V6_0).unwrap();
    let client = Client::new(if asking.ipv6 { IPV6 } else { IPV4 });
    let surroundings = Surroundings {
        operation: asking.operation,
        client: &client,
        any_case: false,
        steps: 4096,
        is_file: &|_| Ok(false),
    };
    match run(&rules, name.into(), &surroundings) {
        End::Name(name) => String::from_utf8(name).unwrap(),
        // Theirs is written for a rule without a text; on the wire both send their own words.
        End::Denied { text, .. } if text == DENIED => "ERROR: (null)".into(),
        End::Denied { text, .. } => format!("ERROR: {text}"),
    }
}

/// Compares what becomes of the names; returns how many were compared, and the differences.
fn compare(program: &Path, map: &str, names: &[String]) -> (usize, String) {
    let (mut compared, mut differences) = (0, String::new());
    for asking in ASKING {
        let theirs = theirs(program, map, names, asking).unwrap_or_else(|words| panic!("{map}\n{words}"));
        for (name, theirs) in names.iter().zip(theirs) {
            // Longer names do not fit into a request, and rules may not make any here.
            if theirs.len() > 4000 {
                continue;
            }
            let ours = ours(map, name, asking);
            compared += 1;
            if ours != theirs {
                let _ = writeln!(differences, "{asking:?} {name:?}: {theirs:?}, ours {ours:?}, with\n{map}");
            }
        }
    }
    (compared, differences)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn each_operation() {
    let Some(program) = newer() else { return };
    let asked = names(&["a", "ab", "abab", "b", "AB", "x/a", "/a", "secret", "a b", "a\\b", "zab"]);
    for map in [
        "r a x\n",
        "rg b c\n",
        "rgg ab ba\n",
        "rgg ^a -\n",
        "ri ab <\\0>\n",
        "re a x\nr x y\n",
        "r x a\nrs b x\nr $ -end\n",
        "rE a x\nr x y\n",
        "E ^a\nr $ -end\n",
        "a secret no\\ \\U\\0\\E\\ here\n",
        "a secret\n",
        "~a ^a only\\ a\n",
        "j ^a there\nr ^ not-\n:there\nr $ -end\n",
        "j ^(a|b)(.*) \\2\n:b\nr $ -b\n:ab\nr $ -ab\n:\n",
        ": there\nr $ 1\nj ^[^1]*1$ there\n",
        "r4 ^ four-\nr6 ^ six-\nrG $ -read\nrP $ -written\n",
        "r ^ \\i-\\x-\\U\\i-\\L\\x-\\E\\q\\\\\n",
        "r a \\9\\1|\\0\\ \\#\n",
        "r (a)|(b) [\\1\\2]\n",
        "r\ta\tb\\\n",
        "  r a b # a comment\n#\n\n\t\n",
        "r a b#c\nr b\\#c d\n",
        "r a\\ b c\r\nr \\\\ /\r\n",
        "g a\nr a b\n",
        "e~ ^a\nr $ -end\n",
        "s ^never\nr a b\n",
        "rs ^(.*)$ \\0\n",
    ] {
        let (_, differences) = compare(&program, map, &asked);
        assert!(differences.is_empty(), "{differences}");
    }
}

/// in.tftpd reads the bytes of a group like the text of the rule: the group ends at a `\`, and at bytes that are no
/// letters the rules end. Such names are of no use to anybody, so they are whole here.
#[test]
fn groups_are_not_cut() {
    let Some(program) = newer() else { return };
    let map = "r ^x(.*)$ <\\1>\n";
    let asked = names(&["xa\\b", "xa\u{e4}b"]);
    let theirs = theirs(&program, map, &asked, ASKING[0]).unwrap();
    assert_eq!(theirs, ["<a>", "ERROR: Remap table failure"]);
    let ours: Vec<String> = asked.iter().map(|name| ours(map, name, ASKING[0])).collect();
    assert_eq!(ours, ["<a\\b>", "<a\u{e4}b>"]);
}

#[test]
fn both_refuse_the_same_maps() {
    let Some(program) = newer() else { return };
    let combinations = [
        "r~", "ra", "rj", "aj", "as", "ej", "ae", "es", "eE", "Ej", "aE", "Es", "rE", "rs", "re", "~a", "~j",
        "~e", "~E", "~s", "is", "gg", "rggg", "4", "46", "GP", "x", "R", "",
    ];
    let maps = combinations.iter().map(|operations| format!(":a\n{operations} a a\n"));
    let others = [
        "r (a b\n",
        "r a{2,1} b\n",
        "r [[:foo:]] b\n",
        "r *a b\n",
        "r\n",
        "r a) b\n",
        "r []a]|| b\n",
        "es a",
    ];
    for map in maps.chain(others.map(str::to_owned)) {
        let theirs = theirs(&program, &map, &["none".into()], ASKING[0]);
        let ours = parse(map.as_bytes(), Version::V6_0);
        assert_eq!(theirs.is_ok(), ours.is_ok(), "{map:?}: {theirs:?}, ours {:?}", ours.err());
    }
}

/// A generator of numbers, by seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % most
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn times(&mut self, most: usize, mut work: impl FnMut(&mut Random) -> String) -> String {
        (0..1 + self.below(most)).map(|_| work(self)).collect()
    }

    /// What is repeated matches something: how glibc counts repetitions of nothing is not compared.
    fn regex(&mut self, depth: usize) -> String {
        let branch = |random: &mut Random| {
            random.times(3, |random| match random.below(if depth > 0 { 8 } else { 6 }) {
                0 => random.of(&[".", "[a-c]", "[^/]", "[[:alpha:]]", "[0-9A-F]"]).into(),
                1 => random.of(&["\\.", "/", "\\#", "a\\ ", "_"]).into(),
                2..6 => {
                    random.of(&["a", "b", "ab", "cfg", "1", "-", "x", "a+", "b*", "[ab]{1,2}", "x?"]).into()
                }
                _ => format!("({}{})", random.of(&["", "a", "/"]), random.regex(depth - 1)),
            })
        };
        let mut all = branch(self);
        while self.below(4) == 0 {
            all = format!("{all}|{}", branch(self));
        }
        all
    }

    /// No replacement of `g` or `s` may bring back what it replaces for ever: both then end, but after other names.
    fn rule(&mut self) -> String {
        let mut line =
            if self.below(5) == 0 { format!(":{}\n", self.of(&["a", "b", "l1"])) } else { String::new() };
        let case = self.of(&["", "", "i", "4", "6", "G", "P"]);
        let operation = self.of(&[
            "r", "r", "r", "r", "rgg", "rgg", "rg", "re", "rE", "rs", "e", "E", "~e", "~s", "j", "a", "~a",
            "s",
        ]);
        let (start, end) = (self.of(&["", "", "^"]), self.of(&["", "", "$"]));
        let regex = match operation {
            "rg" | "rs" => self.of(&["a", "[bc]", "//", "1|x", "^/", "b$"]).into(),
            _ => format!("{start}({}){end}", self.regex(2)),
        };
        let text = match operation {
            "rg" | "rs" => self.of(&["", "+", "_", "\\#"]).into(),
            "j" => self.of(&["a", "b", "l1", "\\1", "l\\2"]).into(),
            _ => self.times(4, |random| {
                let pieces = [
                    "", "a", "b/", "\\0", "\\1", "\\2", "\\3", "\\L", "\\U", "\\E", "-", "\\q", "\\i", "\\x",
                ];
                random.of(&pieces).into()
            }),
        };
        let _ = writeln!(line, "{operation}{case} {regex} {text}");
        line
    }

    fn name(&mut self) -> String {
        self.times(6, |random| {
            random.of(&["a", "b", "ab", "/", "A", "x1", ".cfg", "-", "c", "B/", "_"]).into()
        })
    }
}

#[test]
fn random_maps_and_names() {
    let Some(program) = newer() else { return };
    let number = |variable: &str| env::var(variable).ok().and_then(|number| number.parse::<u64>().ok());
    let (maps, seed) = (number("TUFFET_MAPS").unwrap_or(60), number("TUFFET_SEED").unwrap_or(1));
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ seed);
    let (mut compared, mut differences) = (0, String::new());
    for _ in 0..maps {
        // Each label of a jump exists: ours is refused otherwise, where theirs fails when it jumps.
        let map = random.times(6, Random::rule) + ":a\n:b\n:l1\n";
        let names: Vec<String> = (0..15).map(|_| random.name()).collect();
        let (count, its) = compare(&program, &map, &names);
        compared += count;
        differences += &its;
    }
    eprintln!("{compared} names compared, seed {seed}");
    assert!(differences.is_empty(), "{differences}");
    assert!(compared as u64 > maps * 40);
}
