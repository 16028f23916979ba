//! Boot menus whose host names and addresses are replaced for each site. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod replace;
mod settings;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use ipnet::IpNet;
use tuffet_sdk::{Denial, ErrorCode, Glob, Operation, Plugin, Problems, Request, Resolution, Resolve, files};

use replace::Replacement;
use settings::Settings;

/// The files, and the replacements of each site.
pub struct Substitute {
    root: String,
    matches: Vec<Glob>,
    /// Largest file before and after the replacements, in bytes.
    limit: u64,
    sites: Vec<Site>,
}

struct Site {
    /// Empty for all clients.
    clients: Vec<IpNet>,
    /// Longer names first.
    replacements: Vec<Replacement>,
}

impl Plugin for Substitute {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Resolve for Substitute {
    fn resolve(&self, request: &Request) -> Resolution {
        let read = request.operation == Operation::Read;
        if !read || !self.matches.iter().any(|glob| glob.matches(&request.path)) {
            return Resolution::Abstain;
        }
        let Some(site) = self.site(&request.client.address) else { return Resolution::Abstain };
        match self.content(site, &request.path) {
            Ok(Some(content)) => Resolution::Content(content),
            Ok(None) => Resolution::Abstain,
            Err(reason) => {
                let message = "the file cannot be made";
                Resolution::Deny(Denial::new(ErrorCode::NotDefined, message, reason))
            }
        }
    }
}

impl Substitute {
    fn site(&self, client: &str) -> Option<&Site> {
        let client = client.parse::<IpAddr>().ok()?;
        let is_in = |nets: &[IpNet]| nets.is_empty() || nets.iter().any(|net| net.contains(&client));
        self.sites.iter().find(|site| is_in(&site.clients))
    }

    /// Returns `None` if there is no such file.
    fn content(&self, site: &Site, path: &str) -> Result<Option<Vec<u8>>, String> {
        let at = || format!("{}:{path}", self.root);
        let file = match files::read(&self.root, path, self.limit) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(files::Error::TooLarge(bytes)) => {
                return Err(format!("{} has {bytes} bytes, more than `limit` ({})", at(), self.limit));
            }
            Err(error) => return Err(format!("{} cannot be read: {error:?}", at())),
        };
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        replace::replace(&file, &site.replacements, limit)
            .map(Some)
            .ok_or_else(|| format!("{} has more than `limit` ({limit}) bytes after the replacements", at()))
    }
}

tuffet_sdk::manifest! {
    name: "substitute",
    version: env!("CARGO_PKG_VERSION"),
    description: "Replaces host names and addresses in boot menus for each site",
    grants: [("files", "reads the boot menus")],
    reuse: true,
}
tuffet_sdk::export!(Substitute: resolve);
