//! `tuffet cache`: the files of origins on the local disk.

mod executor;
mod glob;

use super::control::{CommandError, ControlArgs, exit_code};
use super::{print, print_json, print_stderr};
use clap::{Args, Subcommand};
use executor::Executor;
use glob::matches;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, SystemTime};
use tuffet_daemon::CacheCommand as CacheRequest;
use tuffet_daemon::Reply;
use tuffet_server::origins::CachedRow;

/// Concurrent fetches.
const MAX_FETCHES: usize = 8;

#[derive(Debug, Subcommand)]
pub(super) enum CacheCommand {
    /// List the files in the caches.
    ///
    /// One line for each file below a line of titles: bytes in the cache, bytes of the file, how long ago the origin
    /// confirmed it, how long ago a client asked for it, and ROOT:PATH.
    Ls(LsArgs),
    /// Fetch files before clients request them.
    ///
    /// A path names a file at the origin; a glob names cached files, which are validated and completed. Exit code 0 if
    /// all files are in the cache afterwards, 1 if not, 69 without a server or a configuration file.
    Warm(WarmArgs),
    /// Remove files from the cache.
    ///
    /// Running transfers of these files continue. Exit code 0 if all were removed, 1 if one was not in the cache, 69
    /// without a server or a configuration file.
    Drop(DropArgs),
}

/// The server, or the caches of its configuration if none runs.
#[derive(Debug, Args)]
struct CacheSelection {
    #[command(flatten)]
    server: ControlArgs,
    /// The root. Default: all roots; for paths, the only root with a `url`.
    #[arg(long, value_name = "NAME")]
    root: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct LsArgs {
    #[command(flatten)]
    selection: CacheSelection,
    /// Only paths that match: `*` within a folder, `**` across folders, `?` for one character.
    #[arg(value_name = "GLOB")]
    globs: Vec<String>,
    /// Print JSON, one object for each file.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct WarmArgs {
    #[command(flatten)]
    selection: CacheSelection,
    /// Paths, or globs for cached files.
    #[arg(value_name = "PATH", required_unless_present = "list")]
    paths: Vec<String>,
    /// A file with one path per line; `-` for standard input. Empty lines and lines that begin with `#` are ignored.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct DropArgs {
    #[command(flatten)]
    selection: CacheSelection,
    /// Paths or globs: `*` within a folder, `**` across folders, `?` for one character.
    #[arg(value_name = "GLOB", required_unless_present = "all")]
    globs: Vec<String>,
    /// Remove all files.
    #[arg(long, conflicts_with = "globs")]
    all: bool,
}

pub(super) fn run(command: &CacheCommand) -> ExitCode {
    exit_code(match command {
        CacheCommand::Ls(args) => ls(args),
        CacheCommand::Warm(args) => warm(args),
        CacheCommand::Drop(args) => forget(args),
    })
}

impl CacheSelection {
    /// The files in the caches of the chosen roots.
    fn files(&self, executor: &Executor) -> Result<Vec<CachedRow>, CommandError> {
        let mut files = match executor.ask(&CacheRequest::List)? {
            Reply::Cached(files) => files,
            other => return Err(unexpected_reply(other)),
        };
        files.retain(|file| self.root.as_ref().is_none_or(|root| *root == file.root));
        Ok(files)
    }

    /// The root of paths that are not in the cache yet.
    fn root(&self, executor: &Executor) -> Result<String, CommandError> {
        match (&self.root, &executor.roots()?[..]) {
            (Some(root), _) => Ok(root.clone()),
            (None, [only]) => Ok(only.clone()),
            (None, []) => {
                Err(CommandError { why: "no root has a `url`, so there is no cache".into(), code: 1 })
            }
            (None, roots) => Err(CommandError {
                why: format!("several roots have a `url`; name one with --root: {}", roots.join(", ")),
                code: 64,
            }),
        }
    }
}

fn ls(args: &LsArgs) -> Result<bool, CommandError> {
    let executor = Executor::of(&args.selection.server)?;
    let mut files = args.selection.files(&executor)?;
    files.retain(|file| args.globs.is_empty() || args.globs.iter().any(|glob| matches(glob, &file.path)));
    if args.json {
        files.iter().for_each(|file| print_json(serde_json::json!(file)));
        return Ok(true);
    }
    let mut text = String::new();
    if !files.is_empty() {
        text += &row("CACHED BYTES", "FILE BYTES", "CONFIRMED", "USED", "FILE");
    }
    for file in &files {
        let CachedRow { root, path, size, stored, validated_seconds, used_unix_ms, .. } = file;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let used = now.saturating_sub(Duration::from_millis(*used_unix_ms)).as_secs();
        let [validated, used] = [*validated_seconds, used].map(ago);
        text += &row(&stored.to_string(), &size.to_string(), &validated, &used, &format!("{root}:{path}"));
    }
    print(&text);
    Ok(true)
}

/// Formats a line of the list.
fn row(stored: &str, size: &str, confirmed: &str, used: &str, file: &str) -> String {
    format!("{stored:>14} {size:>14}  {confirmed:>9}  {used:>9}  {file}\n")
}

/// Formats an age in its largest unit.
fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s ago"),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

fn warm(args: &WarmArgs) -> Result<bool, CommandError> {
    let mut named = args.paths.clone();
    if let Some(list) = &args.list {
        named.extend(listed(list)?);
    }
    let executor = Executor::of(&args.selection.server)?;
    let root = args.selection.root(&executor)?;
    let mut paths: Vec<String> = Vec::new();
    let mut all = true;
    let globs: Vec<&String> = named.iter().filter(|path| glob::is_glob(path)).collect();
    let cached = if globs.is_empty() { Vec::new() } else { args.selection.files(&executor)? };
    for name in &named {
        if name.ends_with('/') {
            // A web server would answer with an index page.
            print_stderr(format_args!(
                "{name}: this names a folder, and an origin cannot list it; name its files"
            ));
            all = false;
            continue;
        }
        if !glob::is_glob(name) {
            // The name as clients request it.
            paths.push(name.trim_start_matches('/').to_owned());
            continue;
        }
        let before = paths.len();
        let its = cached.iter().filter(|file| file.root == root && matches(name, &file.path));
        paths.extend(its.map(|file| file.path.clone()));
        if paths.len() == before {
            print_stderr(format_args!(
                "{name}: no file in the cache matches, and an origin cannot list files; name them by their paths, or give \
                 --list FILE"
            ));
            all = false;
        }
    }
    let fetched = fetch(&executor, &root, paths.into());
    Ok(fetched && all)
}

/// Fetches files, some of them at a time, and prints each result. Returns whether all were fetched.
fn fetch(executor: &Executor, root: &str, paths: VecDeque<String>) -> bool {
    let (paths, all) = (Mutex::new(paths), Mutex::new(true));
    let work = || {
        loop {
            // Not in the condition of a `while let`, which would keep the lock during the fetch.
            let Some(path) = paths.lock().pop_front() else { break };
            let request = CacheRequest::Warm { root: root.to_owned(), path: path.clone() };
            let why = match executor.ask(&request) {
                Ok(Reply::Warmed(size)) => {
                    print(&format!("{size:>14}  {root}:{path}\n"));
                    continue;
                }
                Ok(other) => unexpected_reply(other).why,
                Err(error) => error.why,
            };
            print_stderr(format_args!("{root}:{path}: {why}"));
            *all.lock() = false;
        }
    };
    thread::scope(|scope| {
        // If no further thread can start, this one does the work.
        for _ in 1..MAX_FETCHES {
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    all.into_inner()
}

fn listed(file: &Path) -> Result<Vec<String>, CommandError> {
    let mut text = String::new();
    let read = match file.to_str() {
        Some("-") => io::stdin().read_to_string(&mut text).map(drop),
        _ => std::fs::read_to_string(file).map(|read| text = read),
    };
    read.map_err(|error| CommandError {
        why: format!("{}: {error}; name a file of paths", file.display()),
        code: 66,
    })?;
    // Editors of some systems begin a file with U+FEFF.
    let lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

fn forget(args: &DropArgs) -> Result<bool, CommandError> {
    let executor = Executor::of(&args.selection.server)?;
    let files = args.selection.files(&executor)?;
    let mut all = true;
    for glob in &args.globs {
        if !files.iter().any(|file| matches(glob, &file.path)) {
            print_stderr(format_args!("{glob}: no file in the cache matches"));
            all = false;
        }
    }
    for CachedRow { root, path, .. } in files {
        if !args.all && !args.globs.iter().any(|glob| matches(glob, &path)) {
            continue;
        }
        match executor.ask(&CacheRequest::Forget { root: root.clone(), path: path.clone() })? {
            Reply::Forgotten(_) => print(&format!("{root}:{path}\n")),
            other => return Err(unexpected_reply(other)),
        }
    }
    Ok(all)
}

fn unexpected_reply(reply: Reply) -> CommandError {
    match reply {
        Reply::NotCached(why) => CommandError::new(1, why),
        _ => {
            CommandError { why: "the server does not know `cache`: it has another version".into(), code: 76 }
        }
    }
}
