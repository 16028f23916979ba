//! File names with variables in them.

use tuffet_sdk::Request;

use tuffet_leases::Mac;

/// A checked template: what it renders to stays below the root, whatever the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Variable(Variable),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    Mac,
    MacUpper,
    MacDashes,
    MacColons,
    Path,
    Name,
    Ip,
}

const VARIABLES: [(&str, Variable); 7] = [
    ("mac", Variable::Mac),
    ("MAC", Variable::MacUpper),
    ("mac-dashes", Variable::MacDashes),
    ("mac-colons", Variable::MacColons),
    ("path", Variable::Path),
    ("name", Variable::Name),
    ("ip", Variable::Ip),
];

impl Template {
    pub fn parse(text: &str) -> Result<Template, String> {
        check_path(text)?;
        if text.ends_with('/') {
            return Err(format!("{text:?} is a folder: end it in a file name, such as \"{text}{{name}}\""));
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("{text:?} has \"{{\" without \"}}\""));
            };
            pieces.push(Piece::Text(before.to_string()));
            pieces.push(Piece::Variable(variable(name)?));
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_string()));
        if pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains('}'))) {
            return Err(format!("{text:?} has \"}}\" without \"{{\""));
        }
        Ok(Template(pieces))
    }

    /// Whether it says anything about the MAC address.
    pub fn needs_mac(&self) -> bool {
        use Variable::{Mac, MacColons, MacDashes, MacUpper};
        let needs = |piece: &Piece| matches!(piece, Piece::Variable(Mac | MacUpper | MacDashes | MacColons));
        self.0.iter().any(needs)
    }

    /// The path for this request; `None` when it needs a MAC address and there is none.
    pub fn render(&self, request: &Request, mac: Option<Mac>) -> Option<String> {
        let mut path = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => path.push_str(text),
                Piece::Variable(Variable::Mac) => path.push_str(&mac?.joined("")),
                Piece::Variable(Variable::MacUpper) => path.push_str(&mac?.joined("").to_uppercase()),
                Piece::Variable(Variable::MacDashes) => path.push_str(&mac?.joined("-")),
                Piece::Variable(Variable::MacColons) => path.push_str(&mac?.joined(":")),
                Piece::Variable(Variable::Path) => path.push_str(&request.path),
                Piece::Variable(Variable::Name) => {
                    path.push_str(request.path.rsplit('/').next().unwrap_or_default());
                }
                Piece::Variable(Variable::Ip) => path.push_str(&request.client.address),
            }
        }
        Some(path)
    }
}

/// Refuses what would leave the root, or never be found in it.
pub(crate) fn check_path(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("write a path below the root".into());
    }
    if text.starts_with('/') {
        return Err(format!("paths are below the root: write {:?}", text.trim_start_matches('/')));
    }
    if text.split(['/', '\\']).any(|part| part == "..") {
        return Err(format!("{text:?} leaves the root: leave \"..\" out"));
    }
    let folder = text.strip_suffix('/').unwrap_or(text);
    if folder.split('/').any(|part| part.is_empty() || part == ".") {
        return Err(format!("{text:?} has an empty part or \".\": leave it out"));
    }
    if text.contains(['\\', '\0']) {
        return Err(format!("{text:?}: write \"/\" between the parts of a path"));
    }
    Ok(())
}

fn variable(name: &str) -> Result<Variable, String> {
    let found = VARIABLES.iter().find(|(known, _)| *known == name).map(|(_, variable)| *variable);
    found.ok_or_else(|| {
        let known = VARIABLES.map(|(known, _)| format!("{{{known}}}")).join(", ");
        format!("there is no variable {{{name}}}: there are {known}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::request;

    #[test]
    fn every_variable() {
        let template = Template::parse("{mac}/{MAC}/{mac-dashes}/{mac-colons}/{path}/{name}/{ip}.x").unwrap();
        let mac = Mac::parse("02:00:5e:10:00:0a").unwrap();
        assert_eq!(
            template.render(&request("a/b.cfg"), Some(mac)).unwrap(),
            "02005e10000a/02005E10000A/02-00-5e-10-00-0a/02:00:5e:10:00:0a/a/b.cfg/b.cfg/192.0.2.1.x"
        );
        assert!(template.needs_mac());
        assert_eq!(template.render(&request("a"), None), None);
    }

    #[test]
    fn without_variables() {
        let template = Template::parse("phones/default.cfg").unwrap();
        assert!(!template.needs_mac());
        assert_eq!(template.render(&request("a"), None).unwrap(), "phones/default.cfg");
    }

    #[test]
    fn bad_templates_are_refused() {
        for bad in [
            "", "/a", "../a", "a/../b", "a\\..\\b", "a\\b", "a//b", "./a", "a/", "{who}", "{mac", "mac}",
            "{}", "{{mac}}",
        ] {
            assert!(Template::parse(bad).is_err(), "{bad:?} must be refused");
        }
    }
}
