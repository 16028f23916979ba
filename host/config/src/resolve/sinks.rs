//! Sinks, and the grants that name sinks and roots.

use std::collections::BTreeMap;
use std::path::Path;

use http::HeaderName;
use url::Url;

use super::super::address::{check_name, parse_address};
use super::super::grant::Grant;
use super::super::source::Finding;
use super::super::suggest::{closest, unknown};
use super::super::tree::join;
use super::super::written;
use super::{Resolver, secrets};
use crate::secret::Secret;
use crate::sinks::{
    Batch, FileTarget, Format, Fsync, HttpTarget, NatsLogin, NatsTarget, Rotate, SinkSpec, SinkTarget,
    SpoolSpec,
};
use tuffet_request::RootSpec;

impl Resolver<'_> {
    /// Checks that each granted root and sink exists.
    pub(super) fn grants(&mut self, plugin: &str, grants: &[Grant], roots: &[RootSpec], sinks: &[SinkSpec]) {
        let roots = || roots.iter().map(|root| root.name.as_str());
        let sinks = || sinks.iter().map(|sink| sink.name.as_str());
        for (index, grant) in grants.iter().enumerate() {
            let message = match grant {
                Grant::Files(name) if !roots().any(|root| root == name) => {
                    unknown("root", name, closest(name, roots()), roots())
                }
                Grant::Sinks(name) if !sinks().any(|sink| sink == name) => match closest(name, sinks()) {
                    Some(like) => unknown("sink", name, Some(like), sinks()),
                    None => format!(
                        "unknown sink `{name}`; add it below `sinks`, such as `{name}: {{ file: {name}.jsonl }}`"
                    ),
                },
                _ => continue,
            };
            self.wrong(format!("{}/grants/{index}", join("/plugins", plugin)), message);
        }
    }

    pub(super) fn sinks(&mut self, written: BTreeMap<String, written::Sink>, state: &Path) -> Vec<SinkSpec> {
        let mut sinks: Vec<SinkSpec> = Vec::new();
        for (name, sink) in written {
            let pointer = join("/sinks", &name);
            if let Err(complaint) = check_name(&name) {
                self.findings.push(Finding::key(&pointer, complaint));
            }
            self.needs_file(&pointer, &sink);
            let spool = sink.spool.as_ref().map(|spool| SpoolSpec {
                path: match &spool.path {
                    Some(path) => self.absolute(path),
                    None => state.join("sinks").join(format!("{name}.spool")),
                },
                bytes: spool.bytes.0,
                fsync: fsync(spool.fsync),
            });
            let Some(target) = self.target(&pointer, &name, &sink) else { continue };
            let same = |other: &&SinkSpec| {
                spool.is_some()
                    && other.spool.as_ref().map(|spool| &spool.path)
                        == spool.as_ref().map(|spool| &spool.path)
            };
            if let Some(other) = sinks.iter().find(same) {
                let message = format!(
                    "the sinks `{}` and `{name}` have the same spool; give each a `path` of its own",
                    other.name
                );
                self.wrong(join(&join(&pointer, "spool"), "path"), message);
            }
            sinks.push(SinkSpec { name, target, queue: sink.queue, spool });
        }
        sinks
    }

    /// Refuses keys that have no effect without `file`.
    fn needs_file(&mut self, pointer: &str, sink: &written::Sink) {
        let keys = [("rotate", sink.rotate.is_some()), ("fsync", sink.fsync.is_some())];
        for (key, _) in keys.iter().filter(|(_, given)| *given && sink.file.is_none()) {
            let message = format!("`{key}` has no effect without `file`; remove it");
            self.findings.push(Finding::key(join(pointer, key), message));
        }
        if let Some(written::Rotate { size: None, every: None, .. }) = sink.rotate {
            self.wrong(
                join(pointer, "rotate"),
                "it has no condition; add `size`, `every` or both, or remove it",
            );
        }
    }

    fn target(&mut self, pointer: &str, name: &str, sink: &written::Sink) -> Option<SinkTarget> {
        let given = [
            ("file", sink.file.is_some()),
            ("stdout", sink.stdout),
            ("udp", sink.udp.is_some()),
            ("http", sink.http.is_some()),
            ("nats", sink.nats.is_some()),
            ("otlp", sink.otlp.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key);
        let Some(key) = given.next() else {
            let message = format!(
                "the sink `{name}` leads nowhere; add `file: PATH`, `stdout: true`, `udp: IP:PORT`, `http: {{ url: … }}`, \
                 `nats: {{ url: …, subject: … }}` or `otlp: {{ endpoint: … }}`"
            );
            self.wrong(pointer, message);
            return None;
        };
        if let Some(other) = given.next() {
            let message =
                format!("the sink `{name}` has both `{key}` and `{other}`; split it into two sinks");
            self.wrong(join(pointer, other), message);
            return None;
        }
        let pointer = join(pointer, key);
        if let Some(file) = &sink.file {
            return Some(self.sink_file(&pointer, file, sink));
        }
        if let Some(address) = &sink.udp {
            return match parse_address(address) {
                Ok(address) => Some(SinkTarget::Udp(address)),
                Err(complaint) => {
                    self.wrong(pointer, complaint);
                    None
                }
            };
        }
        if let Some(http) = &sink.http {
            return self.sink_http(&pointer, http);
        }
        if let Some(otlp) = &sink.otlp {
            return self.sink_otlp(&pointer, otlp);
        }
        match &sink.nats {
            Some(nats) => self.sink_nats(&pointer, nats),
            None => Some(SinkTarget::Stdout),
        }
    }

    /// The file itself is created when the server starts.
    fn sink_file(&mut self, pointer: &str, file: &Path, sink: &written::Sink) -> SinkTarget {
        let path = self.absolute(file);
        let complaint = if path.is_dir() {
            Some(format!("{} is a folder; name a file in it", path.display()))
        } else {
            path.parent().filter(|folder| !folder.is_dir()).map(|folder| {
                format!("there is no folder {}; create it or correct the path", folder.display())
            })
        };
        if let Some(complaint) = complaint {
            self.wrong(pointer, complaint);
        }
        SinkTarget::File(FileTarget {
            path,
            rotate: sink.rotate.as_ref().map(|rotate| Rotate {
                size: rotate.size.map(|size| size.0),
                every: rotate.every.map(|every| every.0),
                keep: rotate.keep,
            }),
            fsync: sink.fsync.map_or(Fsync::Never, fsync),
        })
    }

    fn sink_http(&mut self, pointer: &str, http: &written::Http) -> Option<SinkTarget> {
        let before = self.findings.len();
        self.url(&join(pointer, "url"), &http.url, ["http", "https"], "http://HOST:PORT/PATH");
        let headers = self.headers(&join(pointer, "headers"), &http.headers);
        (self.findings.len() == before).then(|| {
            SinkTarget::Http(HttpTarget {
                url: http.url.clone(),
                headers,
                batch: batch(&http.batch),
                timeout: http.timeout.0,
                format: match http.format {
                    written::HttpFormat::Ndjson => Format::Ndjson,
                    written::HttpFormat::JsonArray => Format::JsonArray,
                },
            })
        })
    }

    /// Returns the headers with valid names and values.
    pub(super) fn headers(
        &mut self,
        pointer: &str,
        written: &BTreeMap<String, written::SecretText>,
    ) -> Vec<(String, Secret)> {
        let mut headers = Vec::new();
        for (name, value) in written {
            let pointer = join(pointer, name);
            if HeaderName::from_bytes(name.as_bytes()).is_err() {
                self.findings
                    .push(Finding::key(&pointer, format!("`{name}` is not a header name; correct it")));
                continue;
            }
            if ["content-length", "host", "transfer-encoding", "connection"]
                .contains(&&*name.to_ascii_lowercase())
            {
                let message = format!("the header `{name}` is set by the server; remove it");
                self.findings.push(Finding::key(&pointer, message));
                continue;
            }
            let what = secrets::is_secret(name).then(|| format!("the header `{name}`"));
            let Some(value) = self.secret(&pointer, value, what.as_deref()) else { continue };
            if !value.is_header() {
                self.wrong(&pointer, "the value contains a line break or a control character; remove it");
            }
            headers.push((name.clone(), value));
        }
        headers
    }

    fn sink_nats(&mut self, pointer: &str, nats: &written::Nats) -> Option<SinkTarget> {
        let before = self.findings.len();
        let at = |key: &str| join(pointer, key);
        let urls = match &nats.url {
            written::OneOrMore::One(url) => vec![(at("url"), url)],
            written::OneOrMore::More(urls) => urls
                .iter()
                .enumerate()
                .map(|(index, url)| (join(&at("url"), &index.to_string()), url))
                .collect(),
        };
        for (pointer, url) in &urls {
            self.url(pointer, url, ["nats", "tls"], "nats://HOST:PORT");
        }
        let plain = |part: &str| {
            !part.is_empty() && !part.contains(['*', '>']) && !part.contains(char::is_whitespace)
        };
        if !nats.subject.split('.').all(plain) || nats.subject.chars().any(char::is_control) {
            let message =
                "it is not a valid subject; write words with dots between them, such as `tuffet.events`";
            self.wrong(at("subject"), message);
        }
        let token = nats.token.as_ref().and_then(|token| self.secret(&at("token"), token, Some("a token")));
        let user = nats.user.as_ref().and_then(|user| self.secret(&at("user"), user, None));
        let password = nats
            .password
            .as_ref()
            .and_then(|password| self.secret(&at("password"), password, Some("a password")));
        let credentials =
            nats.credentials.as_ref().and_then(|file| self.secret_file(&at("credentials"), file));
        // Its last line must end in a line feed.
        let credentials = credentials.map(|credentials| Secret::new(format!("{}\n", credentials.reveal())));
        if let Some(credentials) = &credentials
            && !credentials.is_nats()
        {
            let message = "it is not a NATS credentials file, with a token and the seed of a key; let `nsc generate \
                           creds` write one";
            self.wrong(at("credentials"), message);
        }
        if nats.user.is_some() != nats.password.is_some() {
            let (there, missing) =
                if nats.user.is_some() { ("user", "password") } else { ("password", "user") };
            self.wrong(at(there), format!("a `{there}` needs a `{missing}`; add it, or remove both"));
        }
        let given = [
            ("token", nats.token.is_some()),
            ("user", nats.user.is_some()),
            ("credentials", nats.credentials.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect();
        if let [first, second, ..] = given[..] {
            self.wrong(at(second), format!("`{first}` and `{second}` exclude each other; keep one"));
        }
        (self.findings.len() == before).then(|| {
            SinkTarget::Nats(NatsTarget {
                urls: urls.into_iter().map(|(_, url)| url.clone()).collect(),
                subject: nats.subject.clone(),
                login: match (token, user.zip(password), credentials) {
                    (Some(token), ..) => NatsLogin::Token(token),
                    (_, Some((name, password)), _) => NatsLogin::User { name, password },
                    (.., Some(credentials)) => NatsLogin::Credentials(credentials),
                    (None, None, None) => NatsLogin::None,
                },
                timeout: nats.timeout.0,
            })
        })
    }

    /// Checks a URL. Errors do not show it: it may hold a secret.
    fn url(&mut self, pointer: &str, url: &str, schemes: [&str; 2], form: &str) {
        let complaint = match Url::parse(url) {
            Err(error) => format!("it is not a URL ({error}); write {form}"),
            Ok(url) if !schemes.contains(&url.scheme()) => {
                format!("the scheme `{}` is not supported; write {form}, or {}://", url.scheme(), schemes[1])
            }
            Ok(url) if url.host().is_none() => format!("it has no host; write {form}"),
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                let instead = if schemes[0] == "http" {
                    "the header `authorization` below `headers`"
                } else {
                    "`user` and `password`, or `token`"
                };
                format!(
                    "it contains a user or a password, but this file must not contain secrets; use {instead}"
                )
            }
            Ok(_) => return,
        };
        self.wrong(pointer, complaint);
    }
}

pub(super) fn batch(written: &written::Batch) -> Batch {
    Batch {
        lines: written.lines,
        bytes: usize::try_from(written.bytes.0).unwrap_or(usize::MAX),
        wait: written.wait.0,
    }
}

fn fsync(written: written::FsyncPolicy) -> Fsync {
    match written {
        written::FsyncPolicy::Never => Fsync::Never,
        written::FsyncPolicy::Each => Fsync::Each,
        written::FsyncPolicy::Within(time) => Fsync::Every(time.0),
    }
}
