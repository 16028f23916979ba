//! Rewrites requested names: by map files of in.tftpd and atftpd, by rules of its own, and as dnsmasq does.
//!
//! The rules are applied to the name as the client sent it; the result is a file in a root. If nothing
//! changes, the plugin abstains. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod atftpd;
mod map;
mod place;
mod regex;
mod rule;
mod run;
mod settings;
mod source;
mod template;
#[cfg(test)]
mod tests;
mod unique;

use tuffet_sdk::{
    Denial, ErrorCode, Operation, Plugin, Problems, Request, Resolution, Resolve, Target, code, files,
};

use place::{Place, Places};
use run::{End, Surroundings};
use settings::{Name, Settings};
use source::{Source, Table};
use template::Client;
use unique::Unique;

/// The rules, and where their results lie.
pub struct Remap {
    places: Places,
    source: Source,
    name: Name,
    /// Whether what DHCP leaves at the end of a name counts, as for the servers whose maps these are.
    whole: bool,
    backslashes: bool,
    lowercase: bool,
    unique: Option<Unique>,
    steps: u32,
}

impl Plugin for Remap {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Resolve for Remap {
    fn resolve(&self, request: &Request) -> Resolution {
        self.answer(request).unwrap_or_else(Resolution::Deny)
    }
}

impl Remap {
    fn answer(&self, request: &Request) -> Result<Resolution, Denial> {
        let requested = self.name.of(request, self.whole);
        let mut name = requested.clone();
        if self.backslashes {
            name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
        }
        if self.lowercase {
            name.make_ascii_lowercase();
        }
        if name.len() > run::MAX_LENGTH {
            return Err(Denial::access_violation("file name too long", "the requested name is too long"));
        }
        let client = Client::new(&request.client.address);
        let table = self.source.table().map_err(|reason| failure("the rules cannot be read", reason))?;
        match &*table {
            Table::Rules(rules) => {
                let around = Surroundings {
                    operation: request.operation,
                    client: &client,
                    any_case: request.any_case(),
                    steps: self.steps,
                    is_file: &|name| self.is_file(name),
                };
                match run::run(rules, name, &around) {
                    End::Name(name) => {
                        self.resolution(request, std::slice::from_ref(&name), name != requested)
                    }
                    End::Denied { text, reason } => Err(Denial::access_violation(text, reason)),
                }
            }
            Table::Pcre(rules) => match atftpd::rewrite(rules, &name, &client) {
                Some(rewritten) if request.operation == Operation::Read && rewritten != name => {
                    // A name that is not safe is that of no file.
                    if is_unsafe(request) || !atftpd::is_literal(&name) {
                        return self.resolution(request, &[rewritten], true);
                    }
                    // A rewritten name that leads nowhere must not hide a file of the requested one.
                    match self.places.find(&rewritten) {
                        Ok(_) => self.resolution(request, &[name, rewritten], true),
                        Err(_) => self.resolution(request, std::slice::from_ref(&name), name != requested),
                    }
                }
                _ => self.resolution(request, std::slice::from_ref(&name), name != requested),
            },
        }
    }

    /// The files of these names, in the order in which they are tried.
    fn resolution(&self, request: &Request, names: &[Vec<u8>], changed: bool) -> Result<Resolution, Denial> {
        // The server refuses it, and says why.
        if !changed && is_unsafe(request) {
            return Ok(Resolution::Abstain);
        }
        let folder = match (self.unique, &self.places.root) {
            (Some(unique), Some(root)) => unique
                .folder(request, root, &self.places.prefix)
                .map_err(|why| failure("the folder cannot be looked up", why))?,
            _ => None,
        };
        let mut places = Vec::new();
        for name in names {
            let place = self.places.find(name)?;
            places.push(match &folder {
                Some(folder) => self.in_folder(place, folder),
                None => place,
            });
        }
        let leaves = !changed && folder.is_none() && self.places.prefix.is_empty();
        if leaves && places.iter().all(|place| !place.by_folder) {
            return Ok(Resolution::Abstain);
        }
        Ok(Resolution::files(places.into_iter().map(Target::from)))
    }

    /// The place in the folder of a client, unless the name says so already.
    fn in_folder(&self, place: Place, folder: &str) -> Place {
        if self.places.root.as_ref() != Some(&place.root) || place.path.starts_with(folder) {
            return place;
        }
        let below = place.path.strip_prefix(&self.places.prefix).unwrap_or(&place.path);
        Place { path: format!("{folder}{below}"), ..place }
    }

    fn is_file(&self, name: &[u8]) -> Result<bool, String> {
        let Ok(place) = self.places.find(name) else { return Ok(false) };
        match files::stat(&place.root, &place.path) {
            Ok(found) => Ok(found.is_some()),
            Err(error) if NO_FILE.contains(&&*error.code) => Ok(false),
            Err(error) => Err(error.message),
        }
    }
}

/// Errors about a name that is that of no file, or of none that this plugin may know of.
const NO_FILE: [&str; 3] = [code::NOT_A_FILE, code::BAD_PATH, code::NOT_GRANTED];

/// Whether the server refuses the requested name, unless a rule makes another one of it.
fn is_unsafe(request: &Request) -> bool {
    request.attribute("unsafe-name").is_some()
}

fn failure(message: &str, reason: String) -> Denial {
    Denial::new(ErrorCode::NotDefined, message, reason)
}

tuffet_sdk::manifest! {
    name: "remap",
    version: env!("CARGO_PKG_VERSION"),
    description: "Rewrites requested names by rules, as in.tftpd, atftpd and dnsmasq do",
    grants: [],
    optional: [
        ("files", "reads `map-file`, and knows which files exist for `E`, `stop-if-file` and `unique-root`"),
        ("client-mac", "finds the folder of a machine, with `unique-root: mac`"),
        ("clock", "looks for a changed `map-file` once a second, not for each request"),
    ],
    reuse: true,
}
tuffet_sdk::export!(Remap: resolve);
