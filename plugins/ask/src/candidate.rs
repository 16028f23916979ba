//! What an answer offers to a client: files, content, URLs of roots, keys of renderings.

use serde::Deserialize;
use tuffet_sdk::{Candidate, Operation, Target};

use crate::made::bytes;
use crate::words::{check_line, one_line};

/// The most candidates that the server takes.
const MAX_CANDIDATES: usize = 64;
/// The most bytes of a path in a root.
const MAX_PATH: usize = 1024;
/// The most bytes of the name of a root.
const MAX_ROOT: usize = 64;
/// The most bytes of the key of a rendering.
const MAX_KEY: usize = 1024;

/// A root whose origin is a folder of a web server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlRoot {
    pub root: String,
    /// The URL of that folder, with `/` at its end.
    pub url: String,
}

/// A candidate as written; one of `file`, `url`, `text`, `base64` and `rendering`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct WrittenCandidate {
    root: Option<String>,
    file: Option<String>,
    url: Option<String>,
    text: Option<String>,
    base64: Option<String>,
    name: Option<String>,
    rendering: Option<String>,
}

/// The candidates for a request of this kind, in order.
pub(crate) fn all(
    list: Vec<WrittenCandidate>,
    operation: Operation,
    roots: &[UrlRoot],
) -> Result<Vec<Candidate>, String> {
    if list.len() > MAX_CANDIDATES {
        return Err(format!("`candidates` has {} items: {MAX_CANDIDATES} are allowed", list.len()));
    }
    let last = list.len().saturating_sub(1);
    let mut candidates = Vec::with_capacity(list.len());
    for (number, written) in list.into_iter().enumerate() {
        let candidate =
            written.read(roots).map_err(|problem| format!("candidate {}: {problem}", number + 1))?;
        if !matches!(candidate, Candidate::File(_)) {
            if operation == Operation::Write {
                return Err("an upload goes to a file: a write request gets no content".into());
            }
            if number < last {
                return Err("a candidate follows content, which always exists".into());
            }
        }
        candidates.push(candidate);
    }
    Ok(candidates)
}

impl WrittenCandidate {
    fn read(self, roots: &[UrlRoot]) -> Result<Candidate, String> {
        let WrittenCandidate { root, file, url, text, base64, name, rendering } = self;
        let is_content = text.is_some() || base64.is_some();
        let kinds = [file.is_some(), url.is_some(), is_content, rendering.is_some()];
        if kinds.iter().filter(|given| **given).count() != 1 {
            return Err("give one of `file`, `url`, `text`, `base64` and `rendering`".into());
        }
        if root.is_some() != file.is_some() {
            return Err("`root` belongs to `file`, and a file is in a root".into());
        }
        if name.is_some() && !is_content {
            return Err("`name` belongs to `text` and `base64`".into());
        }
        if let (Some(root), Some(path)) = (root, &file) {
            check_line("root", &root, MAX_ROOT)?;
            check_path("file", path)?;
            return Ok(Candidate::file(root, path));
        }
        if let Some(url) = url {
            return file_of(&url, roots).map(Candidate::File);
        }
        if let Some(key) = rendering {
            check_line("rendering", &key, MAX_KEY)?;
            return Ok(Candidate::rendering(key));
        }
        bytes(text, base64, name).map(Candidate::Content)
    }
}

/// The file that a URL is, in the root whose origin has it.
fn file_of(url: &str, roots: &[UrlRoot]) -> Result<Target, String> {
    let found = roots.iter().find_map(|its| Some((&its.root, url.strip_prefix(&*its.url)?)));
    let Some((root, path)) = found else {
        return Err(format!("{:?} is below no URL of the setting `roots`", one_line(url)));
    };
    if path.contains(['?', '#']) {
        return Err(format!("{:?} has a query or a fragment: a root has files alone", one_line(url)));
    }
    let path = decoded(path).ok_or_else(|| format!("{:?} is not well encoded", one_line(url)))?;
    check_path("url", &path)?;
    Ok(Target::new(root, path))
}

/// The text that is written with `%XX` (RFC 3986 section 2.1).
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?].map(|digit| char::from(digit).to_digit(16));
        let [high, low] = [digits[0]?, digits[1]?];
        bytes.push(u8::try_from(16 * high + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// The server itself lets no path out of its root; here the log line says whose fault it is.
fn check_path(key: &str, path: &str) -> Result<(), String> {
    check_line(key, path, MAX_PATH)?;
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(format!("`{key}` is {:?}, which is no plain path below a root", one_line(path)));
    }
    Ok(())
}
