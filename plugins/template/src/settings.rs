//! The settings as written, and their check.

use std::cell::RefCell;

use serde::Deserialize;
use tuffet_sdk::{Glob, Problems};

use crate::Template;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    root: String,
    inventory: String,
    rules: Vec<RuleSettings>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleSettings {
    #[serde(rename = "match")]
    matches: String,
    template: String,
}

/// Maps paths to a template.
pub(crate) struct Rule {
    pub matches: Glob,
    pub template: String,
}

pub(crate) fn check(settings: Settings) -> Result<Template, Problems> {
    let mut problems = Problems::new();
    if settings.root.is_empty() {
        problems.add("/root", "write the name of the root that inventory and templates are in");
    }
    problems.check("/inventory", check_path(&settings.inventory));
    if settings.rules.is_empty() {
        problems.add("/rules", "without a rule the plugin does nothing: write one, or leave the plugin out");
    }
    let mut rules = Vec::new();
    for (i, rule) in settings.rules.into_iter().enumerate() {
        problems.check(format!("/rules/{i}/template"), check_path(&rule.template));
        let matches = problems.check(format!("/rules/{i}/match"), Glob::parse(&rule.matches));
        rules.extend(matches.map(|matches| Rule { matches, template: rule.template }));
    }
    let (root, inventory) = (settings.root, settings.inventory);
    problems.or(Template { root, inventory, rules, read: RefCell::new(None) })
}

/// Reports mistyped paths early. The host itself ensures that no path leaves its root.
pub(crate) fn check_path(path: &str) -> Result<(), String> {
    if path.is_empty() || path.ends_with('/') {
        return Err("write the path of a file below the root".into());
    }
    if path.starts_with('/') {
        return Err(format!("paths are below the root: write {:?}", path.trim_start_matches('/')));
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(format!("{path:?} has an empty part, \".\" or \"..\": leave it out"));
    }
    Ok(())
}
