//! Renders the configuration of each device from a YAML inventory and Jinja-like templates. Both are read
//! through the grant `files` at each request. README.md shows the settings.
//!
//! If a rule matches the request and the inventory knows the device, the answer is the content, or a denial
//! whose reason names template, line and device, never half a configuration.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod inventory;
mod render;
mod settings;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use tuffet_sdk::{
    Content, Denial, Error, ErrorCode, Operation, Plugin, Problems, Request, Resolution, Resolve, files,
};

use inventory::Inventory;
use settings::{Rule, Settings};

/// Largest inventory, in bytes.
const MAX_INVENTORY: u64 = 32 << 20;
/// Largest template, in bytes.
const MAX_FILE: u64 = 4 << 20;

/// The rules, and the paths of the inventory and the templates.
pub struct Template {
    root: String,
    inventory: String,
    rules: Vec<Rule>,
    /// The inventory last read, and the version of its file. A reused instance reads the file again if it has changed.
    read: RefCell<Option<(String, Rc<Inventory>)>>,
}

impl Plugin for Template {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        let template = settings::check(settings)?;
        // Reads it now, so that the first request does not wait. Errors are reported to the requests that
        // need it.
        let _ = template.inventory();
        Ok(template)
    }
}

impl Resolve for Template {
    fn resolve(&self, request: &Request) -> Resolution {
        let rule = self.rules.iter().find(|rule| request.matches(&rule.matches));
        let Some(rule) = rule.filter(|_| request.operation == Operation::Read) else {
            return Resolution::Abstain;
        };
        match self.content(rule, request) {
            Ok(Some(content)) => Resolution::content(content),
            Ok(None) => Resolution::Abstain,
            Err(reason) => {
                let message = "the configuration cannot be made";
                Resolution::Deny(Denial::new(ErrorCode::NotDefined, message, reason))
            }
        }
    }
}

impl Template {
    /// Returns `None` for a device that the inventory does not know.
    fn content(&self, rule: &Rule, request: &Request) -> Result<Option<Content>, String> {
        let inventory = self.inventory()?;
        let at = || format!("{}:{}", self.root, self.inventory);
        let found = inventory.find(request).map_err(|error| format!("{}: {error}", at()))?;
        let Some((name, device)) = found else { return Ok(None) };
        let template = device.template.as_deref().unwrap_or(&rule.template);
        let context = inventory.context(&name, &device, request);
        let text = render::render(&self.root, template, context);
        let text = text.map_err(|error| format!("{error}, for device {name}"))?;
        Ok(Some(Content::named(&format!("{template} for {name}"), text)))
    }

    fn inventory(&self) -> Result<Rc<Inventory>, String> {
        let at = format!("{}:{}", self.root, self.inventory);
        let failed = |error: Error| format!("{at} cannot be read: {error}");
        let missing = || format!("{at} is not there");
        let now = files::stat(&self.root, &self.inventory).map_err(failed)?.ok_or_else(missing)?.version;
        if let Some((then, inventory)) = &*self.read.borrow()
            && *then == now
        {
            return Ok(Rc::clone(inventory));
        }
        let before = self.read.borrow_mut().take().and_then(|(_, inventory)| Rc::into_inner(inventory));
        let text = files::read(&self.root, &self.inventory, MAX_INVENTORY);
        let text = text.map_err(failed)?.ok_or_else(missing)?;
        let inventory = Inventory::parse(text, before).map_err(|error| format!("{at}: {error}"))?;
        let inventory = Rc::new(inventory);
        *self.read.borrow_mut() = Some((now, Rc::clone(&inventory)));
        Ok(inventory)
    }
}

tuffet_sdk::manifest! {
    name: "template",
    version: env!("CARGO_PKG_VERSION"),
    description: "Configuration that is rendered for each device from an inventory and templates",
    grants: [("files", "reads the inventory and the templates")],
    optional: [("client-mac", "knows devices by their MAC address")],
    reuse: true,
}
tuffet_sdk::export!(Template: resolve);
