//! `tuffet plugin keys`: the keys of a plugin, in the running server or without one.

use super::control::{CommandError, ControlArgs, Place, exit_code, no_server};
use super::{print, print_json, print_stderr};
use clap::{Args, Subcommand};
use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use tuffet_config::EXIT_CONFIG;
use tuffet_daemon::privileges::become_server;
use tuffet_daemon::{KeyRow, KeyValue, KeysAction, KeysCommand, Reply};
use tuffet_kv::MAX_VALUE;
use tuffet_server::watch::unix_ms;
use tuffet_wasm::KeySpace;

/// The longest line of an export: a key and a value, in Base64 and with escapes.
const MAX_LINE: u64 = 160 << 10;

#[derive(Debug, Args)]
pub(super) struct KeysArgs {
    /// The plugin, by its name in the configuration; `shared/NAME` for keys that plugins share.
    plugin: String,
    #[command(flatten)]
    server: ControlArgs,
    #[command(subcommand)]
    command: KeysVerb,
}

#[derive(Debug, Subcommand)]
enum KeysVerb {
    /// List keys, with their sizes, lifetimes and values.
    List {
        /// Only keys with this prefix.
        #[arg(default_value = "")]
        prefix: String,
        /// Print one line of JSON for each key, as `export` does.
        #[arg(long)]
        json: bool,
    },
    /// Print the value of a key. Exit code 1 if there is none.
    Get {
        key: String,
        /// Print the bytes as they are.
        #[arg(long)]
        raw: bool,
    },
    /// Set a key.
    Set(SetArgs),
    /// Remove keys. Exit code 1 if one of them was not there.
    Delete {
        #[arg(value_name = "KEY", required_unless_present_any = ["prefix", "all"], conflicts_with_all = ["prefix", "all"])]
        keys: Vec<String>,
        /// Remove all keys with this prefix.
        #[arg(long, conflicts_with = "all")]
        prefix: Option<String>,
        /// Remove all keys of the plugin.
        #[arg(long)]
        all: bool,
    },
    /// Print keys for `import`: one line of JSON for each.
    Export {
        /// Only keys with this prefix.
        #[arg(default_value = "")]
        prefix: String,
    },
    /// Set the keys of an export. Keys whose time is over are left out; others stay as they are.
    Import {
        /// The export; `-` for standard input.
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
struct SetArgs {
    key: String,
    /// The value, as text.
    #[arg(required_unless_present_any = ["counter", "file"], conflicts_with_all = ["counter", "file"])]
    value: Option<String>,
    /// The value is this counter.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "file")]
    counter: Option<i64>,
    /// The value is the content of this file; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The key disappears after this time, such as `10m`.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    ttl: Option<Duration>,
}

/// Exit code: 0; 1 if a key is missing; 64 for a mistake in the arguments or the configuration, 66 for a file that cannot be
/// read, 69 if neither a server nor the store is there.
pub(super) fn run(args: &KeysArgs) -> ExitCode {
    exit_code(Keys::of(args).and_then(|keys| match &args.command {
        KeysVerb::List { prefix, json } => keys.list(prefix, *json),
        KeysVerb::Get { key, raw } => keys.get(key, *raw),
        KeysVerb::Set(args) => keys.set(args),
        KeysVerb::Delete { keys: named, prefix, all } => match prefix {
            Some(prefix) => keys.delete_prefix(prefix),
            None if *all => keys.delete_prefix(""),
            None => keys.delete(named),
        },
        KeysVerb::Export { prefix } => keys.list(prefix, true),
        KeysVerb::Import { file } => keys.import(file),
    }))
}

/// The keys of a plugin: those of a running server, or opened here.
struct Keys {
    plugin: String,
    executor: Executor,
}

/// The executor of commands about keys.
enum Executor {
    /// The server behind this socket.
    Server(PathBuf),
    /// This process, with the store open.
    Local(KeySpace, tokio::runtime::Runtime),
}

impl Keys {
    /// Finds the running server. Without one, this process permanently becomes the server's user, and opens the keys.
    fn of(args: &KeysArgs) -> Result<Keys, CommandError> {
        let plugin = args.plugin.clone();
        let (config, failed) = match args.server.place()? {
            Place::Server(socket) => return Ok(Keys { plugin, executor: Executor::Server(socket) }),
            Place::Here(config, failed) => (config, failed),
        };
        // The file of the keys belongs to the server's user.
        become_server(&config).map_err(CommandError::unavailable)?;
        let runtime = tuffet_daemon::control_runtime().map_err(CommandError::unavailable)?;
        let _inside = runtime.enter();
        let opened = tuffet_wasm::open_keys(&config, &plugin)
            .map_err(|error| CommandError::unavailable(format!("{failed}; without it: {error}")))?;
        match opened {
            Some(space) => Ok(Keys { plugin, executor: Executor::Local(space, runtime) }),
            None => Err(CommandError::new(
                EXIT_CONFIG,
                tuffet_daemon::unknown_keys(&plugin, &tuffet_wasm::key_names(&config)),
            )),
        }
    }

    fn ask(&self, action: KeysAction) -> Result<Reply, CommandError> {
        let reply = match &self.executor {
            Executor::Server(socket) => {
                let command = KeysCommand { plugin: self.plugin.clone(), action };
                tuffet_daemon::send_command(socket, &format!("keys {}", serde_json::json!(command)))
                    .map_err(|error| CommandError::unavailable(no_server(socket, &error)))?
            }
            Executor::Local(space, runtime) => {
                runtime.block_on(tuffet_daemon::run_keys_command(space, action))
            }
        };
        match reply {
            Reply::NoKeys(why) => Err(CommandError::new(EXIT_CONFIG, why)),
            reply => Ok(reply),
        }
    }

    fn rows(&self, action: KeysAction) -> Result<Vec<KeyRow>, CommandError> {
        match self.ask(action)? {
            Reply::Keys(rows) => Ok(rows),
            _ => Err(other_version()),
        }
    }

    fn change(&self, action: KeysAction) -> Result<u32, CommandError> {
        match self.ask(action)? {
            Reply::KeysChanged(count) => Ok(count),
            _ => Err(other_version()),
        }
    }

    fn list(&self, prefix: &str, json: bool) -> Result<bool, CommandError> {
        let mut after = None;
        loop {
            let rows = self.rows(KeysAction::List { prefix: prefix.to_owned(), after: after.clone() })?;
            let Some(last) = rows.last() else { return Ok(true) };
            if !json && after.is_none() {
                print(&format!("{:>7}  {:>9}  {}\n", "BYTES", "LEFT", "KEY AND VALUE"));
            }
            after = Some(last.key.clone());
            for row in &rows {
                if json {
                    print_json(serde_json::json!(row));
                } else {
                    print(&line(row));
                }
            }
        }
    }

    fn get(&self, key: &str, raw: bool) -> Result<bool, CommandError> {
        let rows = self.rows(KeysAction::Get(key.to_owned()))?;
        let Some(row) = rows.into_iter().next() else {
            print_stderr(format_args!("{}: there is no key {key:?}", self.plugin));
            return Ok(false);
        };
        if raw {
            let bytes = row.value.bytes().map_err(|why| CommandError::new(76, why))?;
            io::stdout().write_all(&bytes).map_err(|error| CommandError::new(74, error))?;
        } else {
            print(&format!("{}\n", Shown(&row.value)));
        }
        Ok(true)
    }

    fn set(&self, args: &SetArgs) -> Result<bool, CommandError> {
        let value = match (&args.value, args.counter, &args.file) {
            (Some(text), ..) => KeyValue::of(text.clone().into_bytes()),
            (None, Some(counter), _) => KeyValue::Counter(counter),
            (None, None, file) => KeyValue::of(content(file.as_ref())?),
        };
        let until = |ttl: Duration| unix_ms(SystemTime::now() + ttl);
        let row = KeyRow { key: args.key.clone(), value, expires_unix_ms: args.ttl.map(until) };
        self.store(row).map(|()| true)
    }

    fn store(&self, row: KeyRow) -> Result<(), CommandError> {
        let value = row.value.bytes().map_err(|why| CommandError::new(EXIT_CONFIG, why))?;
        // A command with more would not fit.
        if value.len() > MAX_VALUE {
            let why = format!("the value of {:?} has more than {MAX_VALUE} bytes", row.key);
            return Err(CommandError::new(EXIT_CONFIG, why));
        }
        self.change(KeysAction::Set(row)).map(drop)
    }

    fn delete(&self, keys: &[String]) -> Result<bool, CommandError> {
        let mut all = true;
        for key in keys {
            if self.change(KeysAction::Delete(key.clone()))? == 0 {
                print_stderr(format_args!("{}: there is no key {key:?}", self.plugin));
                all = false;
            }
        }
        Ok(all)
    }

    fn delete_prefix(&self, prefix: &str) -> Result<bool, CommandError> {
        let mut removed = 0;
        loop {
            match self.change(KeysAction::DeletePrefix(prefix.to_owned()))? {
                0 => break,
                more => removed += more,
            }
        }
        print(&format!("{removed} removed\n"));
        Ok(true)
    }

    fn import(&self, file: &PathBuf) -> Result<bool, CommandError> {
        let mut reader = io::BufReader::new(open(file)?);
        let (mut set, mut over) = (0, 0);
        for number in 1.. {
            let mut line = String::new();
            let wrong = |why: &dyn fmt::Display| {
                let set = if set > 0 { format!("; the {set} keys before it are set") } else { String::new() };
                CommandError::new(EXIT_CONFIG, format!("{}, line {number}: {why}{set}", file.display()))
            };
            (&mut reader).take(MAX_LINE).read_line(&mut line).map_err(|error| wrong(&error))?;
            if line.is_empty() {
                break;
            }
            if line.trim().is_empty() {
                continue;
            }
            let row: KeyRow = serde_json::from_str(&line).map_err(|error| wrong(&error))?;
            if row.expires_unix_ms.is_some_and(|until| until <= unix_ms(SystemTime::now())) {
                over += 1;
                continue;
            }
            self.store(row).map_err(|failed| wrong(&failed.why))?;
            set += 1;
        }
        let over = if over > 0 { format!(", {over} left out, whose time is over") } else { String::new() };
        print(&format!("{set} set{over}\n"));
        Ok(true)
    }
}

fn other_version() -> CommandError {
    CommandError::new(76, "the server does not know `keys`: it has another version")
}

fn open(file: &PathBuf) -> Result<Box<dyn Read>, CommandError> {
    if file.to_str() == Some("-") {
        return Ok(Box::new(io::stdin()));
    }
    let opened = std::fs::File::open(file);
    let opened = opened.map_err(|error| CommandError::new(66, format!("{}: {error}", file.display())))?;
    Ok(Box::new(opened))
}

/// Reads a value; the server says how long it may be.
fn content(file: Option<&PathBuf>) -> Result<Vec<u8>, CommandError> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    open(file)?
        .take(MAX_VALUE as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::new(66, format!("{}: {error}", file.display())))?;
    Ok(bytes)
}

/// Returns a line of the list for people.
fn line(row: &KeyRow) -> String {
    let bytes = row.value.bytes().map_or(0, |bytes| bytes.len());
    let left = match row.expires_unix_ms {
        None => "-".to_owned(),
        Some(until) => {
            let seconds = until.saturating_sub(unix_ms(SystemTime::now())) / 1000;
            humantime::format_duration(Duration::from_secs(seconds)).to_string().replace(' ', "")
        }
    };
    let mut value = format!("{:?}", Shown(&row.value).to_string());
    if let Some((cut, _)) = value.char_indices().nth(100) {
        value.truncate(cut);
        value.push('…');
    }
    let value =
        if matches!(row.value, KeyValue::Text(_)) { value } else { value.trim_matches('"').to_owned() };
    format!("{bytes:>7}  {left:>9}  {:?} {value}\n", row.key)
}

/// A value for people.
struct Shown<'a>(&'a KeyValue);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            KeyValue::Text(text) => f.write_str(text),
            KeyValue::Counter(count) => write!(f, "{count}"),
            KeyValue::Base64(text) => write!(f, "base64:{text}"),
        }
    }
}
