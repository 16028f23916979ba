//! The settings as written, and their check.

use serde::Deserialize;
use tuffet_sdk::{Problems, Request, code, files};

use crate::Remap;
use crate::map::unknown_labels;
use crate::place::{Folder, Places, without_padding};
use crate::regex::{Regex, Syntax};
use crate::rule::{Only, Rewrite, Rule, Rules, in_any_case};
use crate::source::{Dialect, Source, Table};
use crate::template::Template;
use crate::unique::Unique;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    root: Option<String>,
    prefix: Option<String>,
    also_at: Option<Vec<FolderSettings>>,
    dialect: Option<Dialect>,
    map: Option<String>,
    map_file: Option<FileSettings>,
    rules: Option<Vec<RuleSettings>>,
    name: Option<Name>,
    backslashes: Option<bool>,
    lowercase: Option<bool>,
    unique_root: Option<Unique>,
    steps: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FolderSettings {
    path: String,
    root: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FileSettings {
    root: String,
    path: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleSettings {
    #[serde(rename = "match")]
    matches: Option<String>,
    unless: Option<String>,
    replace: Option<String>,
    deny: Option<String>,
    goto: Option<String>,
    label: Option<String>,
    flags: Option<Vec<Flag>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Flag {
    IgnoreCase,
    Global,
    Repeat,
    Stop,
    StopIfFile,
    Restart,
    ReadsOnly,
    WritesOnly,
    Ipv4Only,
    Ipv6Only,
}

/// The form of a name that rules begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Name {
    /// As the client sent it.
    Requested,
    /// The path below the roots: no slash in front, `/` between parts.
    Path,
}

impl Name {
    /// `whole`: with what DHCP leaves at its end.
    pub fn of(self, request: &Request, whole: bool) -> Vec<u8> {
        if self == Name::Path {
            return request.path.clone().into_bytes();
        }
        let raw = request.attribute("raw-name").and_then(unhex);
        let name = raw.unwrap_or_else(|| request.requested.clone().into_bytes());
        if whole { name } else { without_padding(&name).to_vec() }
    }
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = hex.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    Some(digits?.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

const MAX_STEPS: u32 = 65_536;

pub(crate) fn check(settings: Settings) -> Result<Remap, Problems> {
    let mut problems = Problems::new();
    let places = check_places(&mut problems, &settings);
    let given = [settings.map.is_some(), settings.map_file.is_some(), settings.rules.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        problems.add("", "use one of map, map-file and rules: for several, name the plugin several times");
    }
    let rewrites = given.contains(&true)
        || settings.unique_root.is_some()
        || settings.prefix.is_some()
        || settings.lowercase == Some(true)
        || settings.also_at.is_some();
    if !rewrites {
        problems.add(
            "",
            "the plugin does nothing: add rules, map, map-file, unique-root, lowercase, prefix or also-at",
        );
    }
    let dialect = settings.dialect.unwrap_or(Dialect::TftpdHpa6);
    if settings.dialect.is_some() && !given[0] && !given[1] {
        problems.add("/dialect", "the dialect is that of map or map-file: leave it out");
    }
    let steps = settings.steps.unwrap_or(4096);
    if !(1..=MAX_STEPS).contains(&steps) {
        problems.add("/steps", format!("write 1 to {MAX_STEPS}"));
    }
    let mut source = Source::Fixed(Table::default());
    if let Some(map) = &settings.map {
        match dialect.parse(map.as_bytes()) {
            Ok(table) => source = Source::Fixed(table),
            Err(its) => its.into_iter().for_each(|what| problems.add("/map", what)),
        }
    }
    if let Some(FileSettings { root, path }) = settings.map_file {
        match Source::of_file(root, path, dialect) {
            Ok(its) => source = its,
            Err(its) => its.into_iter().for_each(|what| problems.add("/map-file", what)),
        }
    }
    if let Some(rules) = settings.rules {
        source = Source::Fixed(Table::Rules(check_rules(&mut problems, rules)));
    }
    check_grants(&mut problems, &places, &source, settings.unique_root);
    problems.or(Remap {
        places,
        source,
        name: settings.name.unwrap_or(Name::Requested),
        whole: given[0] || given[1],
        backslashes: settings.backslashes.unwrap_or(false),
        lowercase: settings.lowercase.unwrap_or(false),
        unique: settings.unique_root,
        steps,
    })
}

/// Some settings need to know which files exist.
fn check_grants(problems: &mut Problems, places: &Places, source: &Source, unique: Option<Unique>) {
    let mut roots: Vec<&String> = places.root.iter().collect();
    if unique.is_some() && roots.is_empty() {
        problems.add("/unique-root", "name the root that the folders of clients are in: add `root`");
    }
    let whence = source.needs_files();
    if whence.is_some() {
        roots.extend(places.folders.iter().map(|folder| &folder.root));
    }
    let pointer = match (&whence, unique) {
        (Some(pointer), _) => pointer.as_str(),
        (None, Some(_)) => "/unique-root",
        (None, None) => return,
    };
    roots.sort();
    roots.dedup();
    for root in roots {
        // Too long for a path, which is only noticed with the grant.
        if let Err(error) = files::stat(root, &"x".repeat(5000))
            && error.is(code::NOT_GRANTED)
        {
            let what = "this depends on which files exist";
            problems
                .add(pointer, format!("{what}, and {error}: add files/{root} to the grants of the plugin"));
        }
    }
}

fn check_places(problems: &mut Problems, settings: &Settings) -> Places {
    if settings.root.as_ref().is_some_and(String::is_empty) {
        problems.add("/root", "write the name of a root");
    }
    if settings.root.is_none() && settings.also_at.is_none() {
        problems.add("", "missing field `root`: name the root that the files are in");
    }
    let prefix = settings.prefix.as_deref().unwrap_or_default().trim_matches('/');
    let good = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\\');
    if settings.prefix.is_some() && !prefix.split('/').all(good) {
        problems.add("/prefix", "write a folder of the root, such as images/lab");
    }
    let mut folders = Vec::new();
    for (index, folder) in settings.also_at.iter().flatten().enumerate() {
        let at = format!("/also-at/{index}");
        let parts: Vec<String> = folder.path.split('/').skip(1).map(str::to_owned).collect();
        let path = folder.path.strip_suffix('/').unwrap_or(&folder.path);
        if !path.starts_with('/') || !path[1..].split('/').all(good) {
            problems.add(format!("{at}/path"), "write an absolute folder, such as /tftpboot");
        }
        let Some(root) = folder.root.as_ref().or(settings.root.as_ref()) else {
            problems.add(
                at,
                "name the root that has the files of this folder: add `root` here, or for all names",
            );
            continue;
        };
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        folders.push(Folder { parts, root: root.clone() });
    }
    if settings.also_at.as_ref().is_some_and(Vec::is_empty) {
        problems.add("/also-at", "name a folder, or leave the key out");
    }
    let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
    Places { root: settings.root.clone(), prefix, folders }
}

fn check_rules(problems: &mut Problems, settings: Vec<RuleSettings>) -> Rules {
    if settings.is_empty() {
        problems.add("/rules", "an empty list changes nothing: write a rule, or leave the key out");
    }
    let mut rules = Rules::default();
    for (index, rule) in settings.into_iter().enumerate() {
        let at = format!("/rules/{index}");
        rules.all.extend(check_rule(problems, &at, format!("rule {}", index + 1), rule));
    }
    for unknown in unknown_labels(&rules) {
        let (rule, what) = unknown.split_once(": ").unwrap_or_default();
        let index = rule.trim_start_matches("rule ").parse().unwrap_or(1) - 1;
        problems.add(format!("/rules/{index}/goto"), format!("{what}: add it to the rule to go on with"));
    }
    rules
}

fn check_rule(problems: &mut Problems, at: &str, whence: String, rule: RuleSettings) -> Option<Rule> {
    let flags = rule.flags.unwrap_or_default();
    let has = |flag| flags.contains(&flag);
    let (key, pattern) = match (&rule.matches, &rule.unless) {
        (Some(pattern), None) => ("match", pattern),
        (None, Some(pattern)) => ("unless", pattern),
        (Some(_), Some(_)) => {
            problems.add(at, "a rule has `match` or `unless`, not both: write two rules");
            return None;
        }
        (None, None) => {
            problems
                .add(at, "when does the rule apply? Add `match` with an expression; '^' matches every name");
            return None;
        }
    };
    let stops = has(Flag::Stop) || has(Flag::StopIfFile);
    let actions = [rule.replace.is_some(), rule.deny.is_some(), rule.goto.is_some()];
    match actions.iter().filter(|action| **action).count() {
        0 if !stops && !has(Flag::Restart) => {
            problems.add(at, "the rule does nothing: add `replace`, `deny`, `goto`, or the flag stop");
        }
        0 | 1 => {}
        _ => problems.add(at, "a rule has one of `replace`, `deny` and `goto`: write two rules"),
    }
    if rule.unless.is_some() && rule.replace.is_some() {
        problems.add(
            format!("{at}/replace"),
            "nothing matched that could be replaced: use `match` instead of `unless`",
        );
    }
    for (first, second, what) in [
        (Flag::Stop, Flag::StopIfFile, "stop and stop-if-file"),
        (Flag::Stop, Flag::Restart, "stop and restart"),
        (Flag::StopIfFile, Flag::Restart, "stop-if-file and restart"),
        (Flag::Global, Flag::Repeat, "global and repeat"),
        (Flag::ReadsOnly, Flag::WritesOnly, "reads-only and writes-only"),
        (Flag::Ipv4Only, Flag::Ipv6Only, "ipv4-only and ipv6-only"),
    ] {
        if has(first) && has(second) {
            problems.add(format!("{at}/flags"), format!("{what} exclude each other: leave one out"));
        }
    }
    if rule.replace.is_none() && (has(Flag::Global) || has(Flag::Repeat)) {
        problems.add(format!("{at}/flags"), "global and repeat are for rules with `replace`: leave them out");
    }
    if rule.replace.is_none() && rule.goto.is_none() && rule.deny.is_some() && (stops || has(Flag::Restart)) {
        problems.add(format!("{at}/flags"), "a denial is the end: leave the flag out");
    }
    if rule.goto.is_some() && (stops || has(Flag::Restart)) {
        problems.add(format!("{at}/flags"), "`goto` says where to go on: leave the flag out");
    }
    let at_pattern = format!("{at}/{key}");
    if let Some(found) = confusable(pattern) {
        problems.add(&at_pattern, found);
        return None;
    }
    let matches =
        problems.check(&at_pattern, Regex::new(pattern.as_bytes(), Syntax::Posix, has(Flag::IgnoreCase)))?;
    let text = rule.replace.as_ref().or(rule.deny.as_ref()).or(rule.goto.as_ref());
    let text = Template::of_map(text.map_or(&[][..], |text| text.as_bytes()));
    if text.last_group() > matches.groups() {
        let (named, has) = (text.last_group(), matches.groups());
        let key = if rule.replace.is_some() { "replace" } else { "deny" };
        problems.add(
            format!("{at}/{key}"),
            format!("it names the group \\{named}, and the expression has {has}"),
        );
    }
    Some(Rule {
        whence,
        operations: String::new(),
        matches,
        inverted: rule.unless.is_some(),
        only: Only {
            reads: has(Flag::ReadsOnly),
            writes: has(Flag::WritesOnly),
            ipv4: has(Flag::Ipv4Only),
            ipv6: has(Flag::Ipv6Only),
        },
        rewrites: rule.replace.is_some().then_some(if has(Flag::Global) {
            Rewrite::Global
        } else if has(Flag::Repeat) {
            Rewrite::Repeat
        } else {
            Rewrite::First
        }),
        denies: rule.deny.is_some(),
        in_any_case: if rule.deny.is_some() && rule.unless.is_none() {
            problems.check(&at_pattern, in_any_case(pattern.as_bytes()))
        } else {
            None
        },
        stops: has(Flag::Stop),
        stops_at_file: has(Flag::StopIfFile),
        restarts: has(Flag::Restart),
        jumps: rule.goto.is_some(),
        text,
        labels: rule.label.into_iter().map(String::into_bytes).collect(),
    })
}

/// Escapes of other notations, which mean something else here. Maps may have them; new rules need not.
fn confusable(pattern: &str) -> Option<String> {
    let mut letters = pattern.chars().enumerate();
    while let Some((index, letter)) = letters.next() {
        if letter != '\\' {
            continue;
        }
        let (_, escaped) = letters.next()?;
        let instead = match escaped {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            't' | 'n' | 'r' | 'x' | 'u' | 'A' | 'z' | 'Z' | 'Q' | 'E' | 'p' => "the character itself",
            _ => continue,
        };
        return Some(format!("character {}: write {instead} for `\\{escaped}`", index + 1));
    }
    None
}
