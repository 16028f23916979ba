//! Case files: requests, what the host answers meanwhile, and the verdicts that are expected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::host::WrittenHost;
use super::lab::{self, Plan};
use super::request::WrittenRequest;
use crate::config::{ComponentSource, ConfigError, Document, Grant};
use crate::policy::{CallLimits, Hook, Uploaded};
use crate::request::Request;

/// A case file as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenFile {
    /// `builtin:NAME`, or a path relative to the file.
    component: Option<String>,
    #[serde(default)]
    settings: Map<String, Value>,
    #[serde(default)]
    grants: Vec<Grant>,
    /// The roots that the plugin may answer with; none allows any.
    #[serde(default)]
    roots: Vec<String>,
    #[serde(default)]
    host: WrittenHost,
    cases: Vec<WrittenCase>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenCase {
    name: String,
    hook: Option<Hook>,
    request: WrittenRequest,
    /// In place of those of the file.
    settings: Option<Map<String, Value>>,
    /// Added to that of the file.
    #[serde(default)]
    host: WrittenHost,
    expect: Value,
    /// Payloads by sink; when given, all that is sent.
    emits: Option<BTreeMap<String, Vec<Value>>>,
}

/// A case, ready to be tried.
pub(super) struct Case {
    pub name: String,
    pub hook: Option<Hook>,
    pub plan: Plan,
    pub request: Request,
    pub upload: Option<Uploaded>,
    pub expect: Value,
    pub emits: Option<BTreeMap<String, Vec<Value>>>,
}

/// Reads a case file. `component` stands in for the one that the file names.
///
/// # Errors
/// What is wrong in it, each with its place.
pub(super) fn read(
    path: &Path,
    component: Option<&str>,
    limits: CallLimits,
) -> Result<Vec<Case>, ConfigError> {
    let document = Document::read(path, "the key `cases`")?;
    let file: WrittenFile = document.parse()?;
    let source = component_of(&document, &file, path, component)?;
    let mut wrong = Vec::new();
    let mut cases = Vec::new();
    for (index, written) in file.cases.iter().enumerate() {
        let at = |section: &str| {
            let place = format!("/cases/{index}{section}");
            move |(pointer, message): (String, String)| (place + &pointer, message)
        };
        if written.hook == Some(Hook::Observe) {
            let message = "observe gives no answer, so there is nothing to expect; name another hook";
            wrong.push(at("/hook")((String::new(), message.into())));
        }
        if written.hook == Some(Hook::AcceptUpload) && !written.request.has_upload() {
            let message =
                "accept-upload is asked about an upload; add `upload: { root: NAME, content: TEXT }`";
            wrong.push(at("/request")((String::new(), message.into())));
        }
        let request = written.request.resolve().map_err(at("/request"));
        let given = file.host.with(&written.host).given(true).map_err(at("/host"));
        match (request, given) {
            (Ok((request, upload)), Ok(given)) => cases.push(Case {
                name: written.name.clone(),
                hook: written.hook,
                plan: Plan {
                    name: lab::name_of(&source),
                    component: source.clone(),
                    settings: written.settings.as_ref().unwrap_or(&file.settings).clone().into(),
                    grants: file.grants.clone(),
                    roots: Vec::new(),
                    named_roots: file.roots.clone(),
                    given,
                    limits,
                    reuse: None,
                },
                request,
                upload,
                expect: written.expect.clone(),
                emits: written.emits.clone(),
            }),
            (request, given) => wrong.extend([request.err(), given.err()].into_iter().flatten()),
        }
    }
    if wrong.is_empty() { Ok(cases) } else { Err(document.error(wrong)) }
}

fn component_of(
    document: &Document,
    file: &WrittenFile,
    path: &Path,
    given: Option<&str>,
) -> Result<ComponentSource, ConfigError> {
    match (given, &file.component) {
        (Some(given), _) => Ok(lab::source(given, Path::new(""))),
        (None, Some(its)) => Ok(lab::source(its, path.parent().unwrap_or(Path::new("")))),
        (None, None) => {
            let message = "no component is named; write `component: ./NAME.wasm`, or give --component";
            Err(document.error([(String::new(), message.into())]))
        }
    }
}

/// The file itself, or the case files in a folder: all that end in `.yaml`, by name.
///
/// # Errors
/// It cannot be read.
pub(super) fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
