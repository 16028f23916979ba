//! Writes the host's answers into a case file. Only the block `host` of each case changes; comments and order are
//! preserved.

use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

use crate::files;
use crate::input::WrittenHost;
use tuffet_config::Document;

/// Replaces the block `host` of cases, by their number, in a file; returns how many have changed.
///
/// # Errors
/// The reason, and the remedy.
pub(crate) fn write(path: &Path, hosts: &[(usize, WrittenHost)]) -> Result<usize, String> {
    let unwritten = |error: io::Error| {
        format!("the recorded answers cannot be written: {error}; make room, or let this user write it")
    };
    let document = Document::read(path, "the key `cases`").map_err(|error| error.to_string())?;
    let mut text = fs::read_to_string(path).map_err(unwritten)?;
    let mut wanted = document.value().clone();
    let mut changed = 0;
    // From the end, so that earlier positions stay valid.
    for (index, host) in hosts.iter().rev() {
        let host = json!(host);
        let case = wanted.pointer_mut(&format!("/cases/{index}")).and_then(Value::as_object_mut);
        let Some(case) = case else { continue };
        if case.get("host").unwrap_or(&json!({})) == &host {
            continue;
        }
        case.insert("host".into(), host.clone());
        text = edited(&text, &document, *index, &host)?;
        changed += 1;
    }
    if changed == 0 {
        return Ok(0);
    }
    // The text was edited line by line: verify the result.
    if serde_yaml::from_str::<Value>(&text).ok().as_ref() != Some(&wanted) {
        return Err("its layout is too unusual to be edited; write each case on separate lines, with two \
                    spaces for each step inwards"
            .into());
    }
    files::replace(path, text.as_bytes()).map_err(unwritten)?;
    Ok(changed)
}

/// Returns the text with another `host` in one case.
fn edited(text: &str, document: &Document, index: usize, host: &Value) -> Result<String, String> {
    let case = format!("/cases/{index}");
    let in_braces = || {
        let name = document.value().pointer(&format!("{case}/name")).and_then(Value::as_str);
        format!(
            "the case {:?} is not written on separate lines, so nothing can be recorded in it; write `- name: …` \
             and each further key on the next line",
            name.unwrap_or_default()
        )
    };
    let lines: Vec<&str> = text.lines().collect();
    let start = document.position(&case).ok_or_else(in_braces)?;
    let (first, column) = (start.line - 1, start.column - 1);
    let head = lines.get(first).copied().unwrap_or_default();
    let before: String = head.chars().take(column).collect();
    if before.trim() != "-" || head.chars().nth(column) == Some('{') {
        return Err(in_braces());
    }
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let skipped = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    // The last line of the node that begins at `line`. Its keys are indented by at least `least`.
    let end = |line: usize, least: usize| {
        let rest = lines.iter().enumerate().skip(line + 1);
        let inside = rest.take_while(|(_, line)| skipped(line) || indent(line) >= least);
        // A comment with this indentation may be the text of a block.
        let its = |line: &str| !line.trim().is_empty() && indent(line) >= least;
        inside.filter(|(_, line)| its(line)).map(|(index, _)| index).last().unwrap_or(line)
    };
    let (from, to) = match document.key_position(&format!("{case}/host")) {
        None => {
            let end = end(first, column) + 1;
            (end, end)
        }
        Some(key) if key.line - 1 == first => return Err(in_braces()),
        Some(key) => (key.line - 1, end(key.line - 1, column + 1) + 1),
    };
    let block = serde_yaml::to_string(&json!({ "host": host })).map_err(|error| error.to_string())?;
    let block = block.lines().map(|line| match line {
        "" => String::new(),
        line => format!("{}{line}", " ".repeat(column)),
    });
    let kept = |range: &[&str]| range.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let all = [kept(&lines[..from]), block.collect(), kept(&lines[to..])].concat();
    Ok(all.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn host(yaml: &str) -> WrittenHost {
        serde_yaml::from_str(yaml).unwrap()
    }

    fn recorded(text: &str, hosts: &[(usize, WrittenHost)]) -> Result<(usize, String), String> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("cases.yaml");
        fs::write(&path, text).unwrap();
        let changed = write(&path, hosts)?;
        Ok((changed, fs::read_to_string(path).unwrap()))
    }

    const CASES: &str = "\
# of the file
cases:
  # of the first
  - name: a
    request: { path: x } # beside
    expect: >
      text
       # no comment

  # of the second
  - name: b
    host:
      keys: { k: v }
      # of the host
    expect: abstain
# at the end
other: 1
";

    #[test]
    fn only_the_hosts_change() {
        let first = host("{ files: { boot/a: \"1\\n2\\n\" } }");
        let (changed, text) =
            recorded(CASES, &[(0, first), (1, host("{ keys: { k: v, l: null } }"))]).unwrap();
        let expected = CASES
            .replace(
                "       # no comment\n",
                "       # no comment\n    host:\n      files:\n        boot/a: |\n          1\n          2\n",
            )
            .replace(
                "      keys: { k: v }\n      # of the host\n",
                "      keys:\n        k: v\n        l: null\n",
            );
        assert_eq!((changed, text.as_str()), (2, expected.as_str()), "{text}");
        let (changed, again) = recorded(&text, &[(1, host("{ keys: { k: v, l: null } }"))]).unwrap();
        assert_eq!((changed, again), (0, text));
    }

    #[test]
    fn what_cannot_be_edited_is_left_alone() {
        for cases in [
            "cases:\n  - { name: a, expect: 1 }\n",
            "cases: [{ name: a }]\n",
            "cases:\n- host: {}\n  name: a\n",
        ] {
            let refused = recorded(cases, &[(0, host("{ keys: { k: v } }"))]);
            assert!(refused.is_err_and(|why| why.contains("separate lines")), "{cases}");
        }
    }
}
