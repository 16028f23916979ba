//! A plugin for tests: it misbehaves in the hook and for the paths that its settings name, so that the tests
//! can check that the host withstands it.
//!
//! ```yaml
//! do: loop          # see `Misdeed`
//! hook: authorize   # or resolve; the other hook abstains
//! when: "evil/**"   # a glob over the path; default every path
//! ```
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

use serde::Deserialize;
use tuffet_sdk::{
    Authorize, Denial, Glob, Level, Plugin, Problems, Profile, Request, Resolution, Resolve, SessionValues,
    Target, Verdict, files, log, log_with,
};

/// The misdeed, its hook and its paths.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    #[serde(rename = "do")]
    misdeed: Misdeed,
    #[serde(default)]
    hook: Hook,
    when: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Hook {
    #[default]
    Authorize,
    Resolve,
}

/// The misdeed. Those of the first group work in both hooks, and abstain if they return.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Misdeed {
    /// Computes for ever.
    Loop,
    /// Computes for some tens of milliseconds.
    Compute,
    /// Allocates memory for ever.
    Hog,
    /// Panics, with a message on standard error.
    Trap,
    /// Calls itself for ever.
    Recurse,
    /// Sleeps for an hour, without using CPU time.
    Sleep,
    /// Logs 100,000 long lines.
    LogFlood,
    /// Logs one line with line breaks, escape sequences and fields.
    LogOnce,
    /// Looks for files, environment and arguments; panics if it finds any. It does not look for a network:
    /// that would not build with Debian's compiler (plugins/build.sh).
    Escape,
    /// Calls `exit`.
    Exit,
    /// Refuses its settings, with two problems.
    RefuseSettings,
    /// Refuses its settings once the root `boot` contains a file `refuse`.
    RefuseLater,
    /// Panics in `configure`.
    TrapInConfigure,
    /// Computes for ever in `configure`.
    LoopInConfigure,

    /// Denies; the reason lists the MAC addresses that it received.
    Deny,
    /// Denies with the number of this call in its instance, counted from 1. For the paths `trap`, `loop`,
    /// `grow` (40 MiB, kept) and `flood` it first does what the path says.
    Count,
    /// Denies with a message of control characters and 400 bytes.
    DenyAtLength,

    /// Authorize: drops.
    Drop,
    /// Authorize: allows with low ceilings.
    Allow,
    /// Authorize: allows with impossible ceilings.
    AllowNonsense,

    /// Resolve: ten bytes of content.
    Content,
    /// Resolve: 8 MiB of content.
    TooMuchContent,
    /// Resolve: a file in an unknown root.
    UnknownRoot,
    /// Resolve: `../../etc/passwd` in the root `boot`.
    Traversal,
    /// Resolve: an empty list of files.
    NoFiles,
    /// Resolve: 100,000 files.
    ManyFiles,
}

/// The plugin with its settings.
pub struct Misbehave {
    misdeed: Misdeed,
    hook: Hook,
    when: Option<Glob>,
    /// Calls of this instance so far.
    calls: Cell<u32>,
}

impl Plugin for Misbehave {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        match settings.misdeed {
            Misdeed::RefuseSettings => {
                problems.add("/do", "refused as asked");
                problems.add("", "and once more");
            }
            Misdeed::RefuseLater if matches!(files::stat("boot", "refuse"), Ok(Some(_))) => {
                problems.add("/do", "refused as asked");
            }
            Misdeed::TrapInConfigure => trap(),
            Misdeed::LoopInConfigure => endless(),
            _ => {}
        }
        let when = settings.when.and_then(|glob| problems.check("/when", Glob::parse(&glob)));
        problems.or(Misbehave { misdeed: settings.misdeed, hook: settings.hook, when, calls: Cell::new(0) })
    }
}

impl Misbehave {
    fn is_on(&self, hook: Hook, request: &Request) -> bool {
        hook == self.hook && self.when.as_ref().is_none_or(|glob| glob.matches(&request.path))
    }

    fn count(&self, request: &Request) -> Denial {
        self.calls.set(self.calls.get() + 1);
        match request.path.as_str() {
            "trap" => trap(),
            "loop" => endless(),
            "grow" => std::mem::forget(black_box(vec![1_u8; 40 << 20])),
            "flood" => (0..100).for_each(|line| log(Level::Error, format!("line {line}"))),
            _ => {}
        }
        Denial::access_violation("counted", format!("call {}", self.calls.get()))
    }

    fn commit(&self) {
        match self.misdeed {
            Misdeed::Loop => endless(),
            Misdeed::Compute => compute(),
            Misdeed::Hog => hog(),
            Misdeed::Trap => trap(),
            Misdeed::Recurse => {
                black_box(recurse(1));
            }
            Misdeed::Sleep => std::thread::sleep(Duration::from_secs(3600)),
            Misdeed::LogFlood => (0..100_000).for_each(|_| log(Level::Error, "flood ".repeat(1000))),
            Misdeed::LogOnce => {
                let fields = [("colour", "r\ned"), ("tried", r#"["x"],"outcome":"served"#)];
                log_with(Level::Warn, "one\nline \u{1b}[31mred", &fields);
            }
            Misdeed::Escape => escape(),
            Misdeed::Exit => std::process::exit(0),
            _ => {}
        }
    }
}

impl Authorize for Misbehave {
    fn authorize(&self, request: &Request) -> Verdict {
        if !self.is_on(Hook::Authorize, request) {
            return Verdict::Abstain;
        }
        self.commit();
        match self.misdeed {
            Misdeed::Deny => Verdict::Deny(denial(request)),
            Misdeed::Count => Verdict::Deny(self.count(request)),
            Misdeed::DenyAtLength => Verdict::Deny(long_denial()),
            Misdeed::Drop => Verdict::Drop("dropped as asked".into()),
            Misdeed::Allow => allow(1024, 4, 1_000_000),
            Misdeed::AllowNonsense => allow(1, 0, 0),
            _ => Verdict::Abstain,
        }
    }
}

impl Resolve for Misbehave {
    fn resolve(&self, request: &Request) -> Resolution {
        if !self.is_on(Hook::Resolve, request) {
            return Resolution::Abstain;
        }
        self.commit();
        match self.misdeed {
            Misdeed::Deny => Resolution::Deny(denial(request)),
            Misdeed::Count => Resolution::Deny(self.count(request)),
            Misdeed::DenyAtLength => Resolution::Deny(long_denial()),
            Misdeed::Content => Resolution::content(b"0123456789".to_vec()),
            Misdeed::TooMuchContent => Resolution::content(vec![b'x'; 8 << 20]),
            Misdeed::UnknownRoot => Resolution::files([Target::new("no-such-root", &request.path)]),
            Misdeed::Traversal => Resolution::files([Target::new("boot", "../../etc/passwd")]),
            Misdeed::NoFiles => Resolution::files([]),
            Misdeed::ManyFiles => Resolution::files(vec![Target::new("boot", "a"); 100_000]),
            _ => Resolution::Abstain,
        }
    }
}

fn allow(blksize: u16, windowsize: u16, max_size: u64) -> Verdict {
    let (blksize, windowsize) = (Some(blksize), Some(windowsize));
    let ceilings = SessionValues { blksize, windowsize, timeout: None };
    Verdict::Allow(Profile { ceilings, max_size: Some(max_size), ..Profile::default() })
}

fn denial(request: &Request) -> Denial {
    let macs = request.client.any_macs();
    let macs: Vec<&str> = macs.map(|mac| mac.address.as_str()).collect();
    Denial::access_violation("denied as asked", format!("macs: [{}]", macs.join(", ")))
}

fn long_denial() -> Denial {
    Denial::file_not_found(format!("a\0b\r\n{}", "é".repeat(200)), "x".repeat(100_000))
}

fn endless() {
    let mut n = 0_u64;
    while black_box(n) != u64::MAX {
        n = black_box(n) / 2 + 1;
    }
}

fn compute() {
    let mut n = 0_u64;
    for i in 0..40_000_000 {
        n = black_box(n ^ i);
    }
}

fn hog() {
    let mut taken = Vec::new();
    loop {
        taken.push(vec![1_u8; 1 << 20]);
        black_box(&taken);
    }
}

#[allow(clippy::panic)] // the purpose of this misdeed
fn trap() {
    panic!("trapped as asked");
}

#[allow(unconditional_recursion)] // the purpose of this misdeed
fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    recurse(depth + 1) + frame[(depth % 64) as usize]
}

fn escape() {
    let found = std::env::vars().count() + std::env::args().count();
    assert_eq!(found, 0, "environment or arguments");
    assert!(std::fs::read_dir("/").is_err(), "a file system");
    assert!(std::fs::write("escaped", "x").is_err(), "a file system to write to");
    assert!(std::net::UdpSocket::bind("127.0.0.1:0").is_err(), "a socket");
}

tuffet_sdk::manifest! {
    name: "misbehave",
    version: env!("CARGO_PKG_VERSION"),
    description: "Does what a plugin should not, for the tests of the server",
    optional: [
        ("client-mac", "tells the addresses that it was told"),
        ("files", "looks whether it is to refuse its settings"),
    ],
}
tuffet_sdk::export!(Misbehave: authorize, resolve);
