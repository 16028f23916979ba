//! `tuffet plugin replay`: what a changed configuration would answer to earlier requests.

mod captured;

use super::control::{CommandError, exit_code, no_server};
use super::{print, print_json};
use captured::{Answer, CapturedRequest};
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tuffet_config::{Config, EXIT_CONFIG, reach};
use tuffet_daemon::Reply;
use tuffet_request::names;
use tuffet_server::explanation::{Explanation, Question};

/// The longest line of a log that is read.
const MAX_LINE: u64 = 1 << 20;

/// The most different requests.
const MAX_REQUESTS: usize = 1_000_000;

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// Files with one request in a line, as JSON: the server's log (`format: json`), or those of `audit` and `publish`; `-`
    /// for standard input. Other lines are skipped. Or captures, as of `tuffet capture` or tcpdump, which tell only whether
    /// a request was granted.
    #[arg(value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// The changed configuration.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// The control socket of the server whose last requests are replayed [default: that of the configuration].
    #[arg(long, value_name = "PATH", conflicts_with = "logs")]
    control: Option<PathBuf>,
    /// Print one line of JSON for each difference.
    #[arg(long)]
    json: bool,
}

/// A request and its answer, as the server tells them: in lines of the log, in audits, and in its live view.
#[derive(Debug, Deserialize)]
struct LoggedRequest {
    client: SocketAddr,
    operation: String,
    path: String,
    decision: String,
    requested: Option<String>,
    raw_name: Option<String>,
    listener: Option<String>,
    mac: Option<String>,
    #[serde(default)]
    macs: Vec<LoggedMac>,
    mode: Option<String>,
    asked: Option<String>,
    #[serde(default)]
    requested_options: Vec<(String, String)>,
    outcome: String,
    resolved: Option<String>,
    verdict_by: Option<String>,
}

#[derive(Debug, Deserialize)]
struct LoggedMac {
    address: String,
}

/// What a client got, or would get.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Got {
    /// `granted`, `denied`, `not-found`, `failed`, `dropped`, or of a capture `refused` with an ERROR.
    word: String,
    /// `ROOT:PATH`, if it was granted and this is known.
    resolved: Option<String>,
    by: Option<String>,
}

/// Equal requests with equal answers.
struct Replayed {
    question: Question,
    got: Got,
    times: u64,
}

/// Exit code: 0 if nothing differs, 1 if something does.
pub(super) fn run(args: &ReplayArgs) -> ExitCode {
    exit_code(replay(args).map(|differs| !differs))
}

fn replay(args: &ReplayArgs) -> Result<bool, CommandError> {
    reach::check_by_process(true);
    let config = Config::load(&args.config).map_err(|error| CommandError::new(EXIT_CONFIG, error))?;
    let mut all = Requests::of(&config);
    if args.logs.is_empty() {
        all.add_recent(args)?;
    }
    for log in &args.logs {
        all.add_log(log)
            .map_err(|error| CommandError::new(66, format_args!("{}: {error}", log.display())))?;
    }
    let questions: Vec<Question> = all.requests.iter().map(|replayed| replayed.question.clone()).collect();
    let mut requests = all.requests.iter();
    let mut table = Table { json: args.json, differing: 0 };
    let explained = tuffet_daemon::explain_all(&config, &questions, |_, explanation| {
        if let Some(replayed) = requests.next() {
            table.compare(replayed, explanation);
        }
    });
    explained.map_err(|error| CommandError::new(error.exit_code(), error))?;
    let requests: u64 = all.requests.iter().map(|replayed| replayed.times).sum();
    if !args.json {
        let mut rest = String::new();
        if all.skipped > 0 {
            rest += &format!("; {} lines are not requests", all.skipped);
        }
        if all.left_out > 0 {
            rest += &format!("; {} were left out, after {MAX_REQUESTS} different ones", all.left_out);
        }
        print(&format!("{} of {requests} requests would get another answer{rest}\n", table.differing));
    }
    Ok(table.differing > 0)
}

/// The requests to replay, each once.
struct Requests {
    listeners: Vec<String>,
    requests: Vec<Replayed>,
    places: HashMap<String, usize>,
    skipped: u64,
    /// Those beyond [`MAX_REQUESTS`].
    left_out: u64,
}

impl Requests {
    fn of(config: &Config) -> Requests {
        let listeners = config.settings.listeners.iter().map(|listener| listener.name.clone()).collect();
        Requests { listeners, requests: Vec::new(), places: HashMap::new(), skipped: 0, left_out: 0 }
    }

    /// Adds the last requests of the running server.
    fn add_recent(&mut self, args: &ReplayArgs) -> Result<(), CommandError> {
        let socket = match &args.control {
            Some(control) => Some(control.clone()),
            None => tuffet_config::control_of(Some(&args.config))
                .map_err(|error| CommandError::new(EXIT_CONFIG, error))?,
        };
        let Some(socket) = socket else {
            let why =
                "the configuration has no control socket; name that of the server with --control, or a LOG";
            return Err(CommandError::unavailable(why));
        };
        let asked = tuffet_daemon::send_command(&socket, "recent").map_err(|error| {
            let no_server = no_server(&socket, &error);
            CommandError::unavailable(format_args!("{no_server}; start it, or name its log: LOG"))
        })?;
        let Reply::Recent(rows) = asked else {
            return Err(CommandError::new(76, "the server does not know `recent`: it has another version"));
        };
        // Oldest first, as in a log.
        rows.iter().rev().for_each(|row| self.add(serde_json::json!(row)));
        Ok(())
    }

    fn add_log(&mut self, log: &Path) -> io::Result<()> {
        let source: Box<dyn Read + Send> =
            if log.to_str() == Some("-") { Box::new(io::stdin()) } else { Box::new(File::open(log)?) };
        let mut reader = BufReader::new(source);
        if captured::is_capture(reader.fill_buf()?) {
            return captured::read(reader, |captured| self.add_captured(captured));
        }
        loop {
            let mut line = Vec::new();
            if (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            match serde_json::from_slice(&line) {
                Ok(told) => self.add(told),
                Err(_) => self.skipped += 1,
            }
        }
    }

    /// Adds a request; other JSON, and requests without an answer, are skipped.
    fn add(&mut self, told: Value) {
        let told = LoggedRequest::deserialize(told).ok().filter(|told| told.decision != "undecided");
        let Some((question, got)) = told.and_then(|told| self.read(told)) else {
            self.skipped += 1;
            return;
        };
        self.count(question, got);
    }

    fn add_captured(&mut self, CapturedRequest { question, answer }: CapturedRequest) {
        let word = match answer {
            Answer::Granted => "granted",
            Answer::NotFound => "not-found",
            Answer::Refused => "refused",
            Answer::Absent => "dropped",
        };
        self.count(question, Got { word: word.into(), resolved: None, by: None });
    }

    fn count(&mut self, question: Question, got: Got) {
        // The port of a client does not matter to most policies, and each request has another one.
        let same = Question { client: SocketAddr::new(question.client.ip(), 0), ..question.clone() };
        let key = format!("{same:?} {got:?}");
        match self.places.get(&key) {
            Some(place) => self.requests[*place].times += 1,
            None if self.requests.len() == MAX_REQUESTS => self.left_out += 1,
            None => {
                self.places.insert(key, self.requests.len());
                self.requests.push(Replayed { question, got, times: 1 });
            }
        }
    }

    fn read(&self, told: LoggedRequest) -> Option<(Question, Got)> {
        let raw = match &told.raw_name {
            Some(digits) => Some(bytes(digits)?),
            None => None,
        };
        let name = match &raw {
            Some(raw) => names::decode(raw).into_owned(),
            None => told.requested.unwrap_or_else(|| told.path.clone()),
        };
        let mac = told.mac.or_else(|| told.macs.into_iter().next().map(|mac| mac.address));
        let options = match &told.asked {
            Some(asked) => {
                let option = |option: &str| {
                    let (name, value) = option.split_once('=')?;
                    Some((name.to_owned(), value.to_owned()))
                };
                asked.split(' ').filter_map(option).collect()
            }
            None => told.requested_options,
        };
        let question = Question {
            name,
            raw,
            client: told.client,
            mac: mac.and_then(|mac| bytes(&mac.replace(':', ""))?.try_into().ok()),
            // A listener without a name has that of its address, which another configuration need not have.
            listener: told.listener.filter(|listener| self.listeners.contains(listener)),
            write: told.operation == "write",
            netascii: told.mode.as_deref() == Some("netascii"),
            options,
            local_address: None,
            interface: None,
        };
        let got = match told.decision.as_str() {
            "granted" => Got { word: told.decision, resolved: told.resolved, by: told.verdict_by },
            "dropped" => Got { word: told.decision, resolved: None, by: told.verdict_by },
            _ => Got { word: told.outcome, resolved: None, by: told.verdict_by },
        };
        Some((question, got))
    }
}

/// Returns the bytes of hexadecimal digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

struct Table {
    json: bool,
    differing: u64,
}

impl Table {
    fn compare(&mut self, replayed: &Replayed, explained: Result<Explanation, String>) {
        let Replayed { question, got, times } = replayed;
        let (would, detail) = match explained {
            Ok(Explanation { outcome, .. }) => {
                let word = match (&outcome.outcome, outcome.decision.as_str()) {
                    (Some(word), "refused") => word.clone(),
                    (_, decision) => decision.to_owned(),
                };
                let resolved = outcome.resolved.filter(|_| word == "granted");
                (Got { word, resolved, by: outcome.verdict_by }, outcome.detail)
            }
            Err(why) => (Got { word: "invalid".into(), resolved: None, by: None }, Some(why)),
        };
        if got.is_as(&would) {
            return;
        }
        if self.json {
            print_json(serde_json::json!({
                "requests": times,
                "request": question,
                "was": { "answer": got.word, "resolved": got.resolved, "by": got.by },
                "would": { "answer": would.word, "resolved": would.resolved, "by": would.by, "detail": detail },
            }));
        } else {
            if self.differing == 0 {
                print("REQUESTS\n");
            }
            let operation = if question.write { "write" } else { "read" };
            let mac = question.mac.map(|mac| format!(" {}", tuffet_request::MacAddress(mac)));
            let detail = detail.map(|detail| format!(" {detail:?}")).unwrap_or_default();
            print(&format!(
                "{times:>8}  {operation} {:?} from {}{}: was {got}, would be {would}{detail}\n",
                question.name,
                question.client.ip(),
                mac.unwrap_or_default()
            ));
        }
        self.differing += times;
    }
}

impl Got {
    /// Returns whether this is what the other one is, as far as it is known.
    fn is_as(&self, would: &Got) -> bool {
        let is_refused = || !["granted", "dropped", "not-found"].contains(&would.word.as_str());
        let is_same_word = self.word == would.word || (self.word == "refused" && is_refused());
        is_same_word && (self.resolved.is_none() || self.resolved == would.resolved)
    }
}

impl fmt::Display for Got {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word)?;
        if let Some(resolved) = &self.resolved {
            write!(f, " {resolved:?}")?;
        }
        match &self.by {
            Some(by) => write!(f, " by {by}"),
            None => Ok(()),
        }
    }
}
