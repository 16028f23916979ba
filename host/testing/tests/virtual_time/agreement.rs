//! The server, another protocol and an explanation say the same about a request: all are one search.

use async_trait::async_trait;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use tempfile::TempDir;
use tuffet_server::admission::{Circumstances, explain};
use tuffet_server::daemon::BuilderParts;
use tuffet_server::explanation::{ExplainedOutcome, Question};
use tuffet_server::generation::Generation;

use tuffet::{
    Ask, Builder, Decided, DefaultVerdict, Denial, ErrorCode, Folder, Handle, Listener, Netboot, Outcome,
    Protocol, ReadTransfer, Resolution, Root, RootError, Selection, Server, SessionProfile, Source, Summary,
    Target, Verdict, authorize_fn, resolve_fn,
};

use tuffet_testing::virtual_time::{Path, Request, World};

const CONFIGURATIONS: u64 = 40;
const REQUESTS: u64 = 250;

/// Parts of names, of files and of requests.
const PARTS: [&str; 14] = [
    "a",
    "b",
    "A",
    "boot",
    "Boot",
    "x.lst",
    "X.LST",
    "server.key",
    "a.~1~",
    "c~",
    "..",
    "C:",
    ".",
    "g\u{e4}",
];

/// A number below `end` that depends on the seed and on the thing alone.
fn pick(seed: u64, thing: impl Hash, end: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, thing).hash(&mut hasher);
    hasher.finish() % end
}

fn name(random: &mut fastrand::Rng) -> String {
    let separator = |random: &mut fastrand::Rng| if random.u8(..10) == 0 { "\\" } else { "/" };
    let mut name = String::new();
    for _ in 0..random.u8(..3) / 2 {
        name += separator(random);
    }
    let parts = random.usize(1..4);
    for number in 0..parts {
        if number > 0 {
            name += separator(random);
        }
        name += PARTS[random.usize(..PARTS.len())];
    }
    if random.u8(..40) == 0 {
        name.push('\u{1}');
    }
    name
}

/// A root of the program, which has some names, and does not answer for others.
struct Partial(u64);

#[async_trait]
impl Root for Partial {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        match pick(self.0, path, 5) {
            0 | 1 => Ok(Source::bytes(path.as_bytes().repeat(20))),
            2 => Err(RootError::Unavailable("on purpose".into())),
            _ => Err(RootError::NotFound),
        }
    }
}

/// The server of a seed; `folder` has its roots.
fn server(seed: u64, folder: &TempDir) -> Builder {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut builder = Server::builder()
        .listener(Listener::bind(([127, 0, 0, 1], 0).into()).name("test"))
        .netboot(Netboot { empty_lists: random.bool(), name_tails: random.bool(), ..Netboot::default() });
    if random.u8(..4) == 0 {
        builder = builder.default_verdict(DefaultVerdict::Deny);
    }
    let roots = random.u8(1..4);
    for number in 0..roots {
        let name = format!("root{number}");
        let root = Folder::new(&name, folder.path().join(&name));
        let root = root.any_case(random.u8(..4) == 0).private(number > 0 && random.u8(..4) == 0);
        builder =
            builder.folder(if random.bool() { root.writable(600).overwrite(random.bool()) } else { root });
    }
    if random.bool() {
        builder = builder.root("program", Partial(seed));
    }
    if random.bool() {
        let allow = |most| Verdict::Allow(SessionProfile { bytes: most, ..SessionProfile::default() });
        builder = builder.authorize(
            "judge",
            authorize_fn(move |request| match pick(seed, &request.path, 8) {
                0 => Verdict::deny("on purpose"),
                1 => Verdict::Drop("on purpose".into()),
                2 => allow(Some(100)),
                3 | 4 => allow(None),
                _ => Verdict::Abstain,
            }),
        );
    }
    for hook in 0..random.u64(..3) {
        let target = move |number: u64, path: &str| Target {
            root: ["root0", "root1", "root2", "program"][pick(seed, (hook, number, path), 4) as usize].into(),
            path: PARTS[pick(seed, (number, hook, path), PARTS.len() as u64) as usize].into(),
        };
        builder = builder.resolve(
            &format!("names{hook}"),
            resolve_fn(move |request| {
                let path = &*request.path;
                let files = || Selection::of((0..pick(seed, path, 3)).map(|number| target(number, path)));
                match pick(seed, (path, hook), 8) {
                    0 => Resolution::Serve(
                        Selection::of([]).or_content(Source::bytes(path.repeat(9).into_bytes())),
                    ),
                    1 | 2 => Resolution::Serve(files().or_next()),
                    3 => Resolution::Serve(files()),
                    4 => Resolution::Deny(Denial {
                        code: ErrorCode::FileNotFound,
                        message: "not here".into(),
                        reason: "on purpose".into(),
                    }),
                    5 if hook > 0 => Resolution::Drop("on purpose".into()),
                    _ => Resolution::Abstain,
                }
            }),
        );
    }
    builder
}

/// Folders with some files for a seed.
fn folders(seed: u64) -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut random = fastrand::Rng::with_seed(!seed);
    for root in ["root0", "root1", "root2"] {
        let root = folder.path().join(root);
        std::fs::create_dir(&root).unwrap();
        for _ in 0..random.u8(2..9) {
            let name = name(&mut random).trim_start_matches(['/', '\\']).to_owned();
            let path = root.join(&name);
            let _ = std::fs::create_dir_all(path.parent().unwrap());
            if !path.exists() && !name.split(['/', '\\']).any(|part| part == "..") {
                let _ = std::fs::write(path, "0123456789".repeat(random.usize(..50)));
            }
        }
    }
    folder
}

async fn explained(generation: &Arc<Generation>, name: &str, write: bool) -> ExplainedOutcome {
    let question = Question {
        name: name.into(),
        raw: None,
        client: ([192, 0, 2, 9], 9).into(),
        mac: None,
        listener: None,
        write,
        netascii: false,
        options: Vec::new(),
        local_address: None,
        interface: None,
    };
    let circumstances = Circumstances {
        listener: "test".into(),
        protocol: Protocol::Tftp,
        single_port: false,
        interface: None,
        vlan: None,
        neighbour: None,
        limits: Vec::new(),
        last_requests: Vec::new(),
        user: String::new(),
        runs: false,
    };
    explain(generation, &question, circumstances).await.unwrap().outcome
}

async fn decided(server: &Handle, name: &str) -> Decided<ReadTransfer> {
    let client = ([192, 0, 2, 9], 9).into();
    server.requests().read(Ask::http("test", client, name.as_bytes())).await.unwrap()
}

/// Whether an explanation says what a request got. The log completes only the reasons of the first refusals of a second.
fn is_explained(explained: &ExplainedOutcome, summary: &Summary) -> bool {
    let record = &summary.record;
    let detail = summary.ending.detail.as_deref().unwrap_or_default();
    let theirs = explained.detail.as_deref().unwrap_or_default();
    let decided = match summary.ending.outcome {
        Outcome::Served | Outcome::Stored => {
            explained.is_granted() && explained.resolved.as_deref() == record.resolved.as_deref()
        }
        outcome => explained.outcome.as_deref() == Some(outcome.as_str()) && theirs.starts_with(detail),
    };
    decided && explained.verdict_by.as_deref() == record.verdict_by.as_deref()
}

#[test]
fn server_other_protocols_and_explanations_agree() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut outcomes = std::collections::BTreeMap::<_, u64>::new();
    for seed in 0..CONFIGURATIONS {
        let folder = folders(seed);
        let entered = runtime.enter();
        let generation = server(seed, &folder).unbound().unwrap();
        let handle = server(seed, &folder).bind().unwrap().start().unwrap();
        drop(entered);
        let mut world = World::new(server(seed, &folder), Path::default(), seed).unwrap();
        let mut random = fastrand::Rng::with_seed(seed << 32);
        for number in 0..REQUESTS {
            let (name, write) = (name(&mut random), random.u8(..5) == 0);
            let what = format!("seed {seed}, request {number}, {name:?}, write: {write}");
            let explained = runtime.block_on(explained(&generation, &name, write));
            let decided = (!write).then(|| runtime.block_on(decided(&handle, &name)));
            let request = if write { Request::put(&name, *b"written") } else { Request::get(&name) };
            let got = world.request(request.listener("test").client([192, 0, 2, 9].into()));
            let summary = Arc::clone(world.summaries().last().unwrap());
            *outcomes.entry(summary.ending.outcome.as_str()).or_default() += 1;
            assert!(is_explained(&explained, &summary), "{what}: {explained:#?}\n{summary:#?}");
            let reason = explained.detail.as_deref().unwrap_or_default();
            match decided {
                None => {}
                Some(Decided::Granted(content)) => {
                    assert!(explained.is_granted(), "{what}: {explained:#?}");
                    assert_eq!(Some(content.resolved()), explained.resolved.as_deref(), "{what}");
                    assert_eq!(Some(content.size()), explained.size, "{what}");
                    let bytes = runtime.block_on(content.read_at(0, 4096)).unwrap();
                    assert_eq!(bytes, got.unwrap().bytes, "{what}");
                }
                Some(Decided::Refused(denial)) => {
                    assert_eq!(explained.code, Some(denial.code as u16), "{what}: {explained:#?}");
                    assert_eq!(explained.message.as_deref(), Some(&*denial.message), "{what}");
                    assert!(reason.starts_with(&denial.reason), "{what}: {reason}, {}", denial.reason);
                }
                Some(Decided::Dropped(why)) => {
                    assert_eq!((&*explained.decision, reason), ("dropped", &*why), "{what}");
                }
            }
        }
    }
    // Each way to end was taken many times.
    let all = ["denied", "failed", "not-found", "served", "stored"];
    assert!(all.iter().all(|outcome| outcomes.get(outcome).is_some_and(|&count| count > 50)), "{outcomes:?}");
}
