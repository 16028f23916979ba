//! Boot menus whose host names and addresses are replaced for each site. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod replace;
mod settings;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use ipnet::IpNet;
use tuffet_sdk::{
    Content, Denial, ErrorCode, Glob, Operation, Plugin, Problems, Render, RenderError, Rendering, Request,
    Resolution, Resolve, code, files,
};

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
        match files::stat(&self.root, &request.path) {
            // All clients of a site get the same, until the file changes.
            Ok(Some(file)) => Resolution::rendered(format!("{site} {} {}", file.version, request.path)),
            Ok(None) => Resolution::Abstain,
            Err(error) => Resolution::Deny(failed(format!("{}:{}: {error}", self.root, request.path))),
        }
    }
}

impl Render for Substitute {
    fn render(&self, key: &str) -> Result<Rendering, RenderError> {
        let mut parts = key.splitn(3, ' ');
        let site = parts.next().and_then(|site| self.sites.get(site.parse::<usize>().ok()?));
        let (Some(site), Some(path)) = (site, parts.nth(1)) else {
            return Err(failed(format!("{key:?} is no key of this plugin")).into());
        };
        let content = self.content(site, path).map_err(failed)?;
        let gone = || Denial::file_not_found("no such file", format!("{}:{path} is gone", self.root));
        Ok(Content::named(path, content.ok_or_else(gone)?).into())
    }
}

fn failed(reason: String) -> Denial {
    Denial::new(ErrorCode::NotDefined, "the file cannot be made", reason)
}

impl Substitute {
    /// The place of the client's site in the settings.
    fn site(&self, client: &str) -> Option<usize> {
        let client = client.parse::<IpAddr>().ok()?;
        let is_in = |nets: &[IpNet]| nets.is_empty() || nets.iter().any(|net| net.contains(&client));
        self.sites.iter().position(|site| is_in(&site.clients))
    }

    /// Returns `None` if there is no such file.
    fn content(&self, site: &Site, path: &str) -> Result<Option<Vec<u8>>, String> {
        let at = || format!("{}:{path}", self.root);
        let file = match files::read(&self.root, path, self.limit) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(error) if error.is(code::TOO_LARGE) => {
                return Err(format!("{} is larger than `limit`: {error}", at()));
            }
            Err(error) => return Err(format!("{} cannot be read: {error}", at())),
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
tuffet_sdk::export!(Substitute: resolve, render);
