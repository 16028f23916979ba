//! tuffet.yaml(5): the reference of the configuration, in the format of man pages.
//!
//! The reference is Markdown that the server generates itself (`tuffet schema --markdown`). This module supports only
//! its elements: paragraphs, headings, one code block after the introduction, tables with four columns, and inline
//! code.

use super::commands::{bold_code, title};

/// Returns the name and the text of the page.
pub(super) fn page() -> (String, String) {
    ("tuffet.yaml.5".to_owned(), rendered(&tuffet_config::reference()))
}

fn rendered(reference: &str) -> String {
    let mut page = title("tuffet.yaml", 5);
    page += ".SH NAME\ntuffet.yaml \\- configuration of the TFTP server tuffet\n.SH DESCRIPTION\n";
    let mut code = false;
    let mut keys = false;
    for line in reference.lines() {
        match line {
            _ if line.starts_with("```") => {
                code = !code;
                page += if code { ".SH EXAMPLE\n.EX\n" } else { ".EE\n" };
            }
            _ if code => page += &format!("{}\n", escaped(line)),
            "" => page += if page.ends_with(".PP\n") { "" } else { ".PP\n" },
            // The title is the name of the page; comments are for editors of the file.
            _ if line.starts_with("# ") || line.starts_with("<!--") => {}
            _ if line.starts_with("## ") => {
                if !keys {
                    page += ".SH KEYS\n";
                    keys = true;
                }
                page += &format!(".SS {}\n", escaped(&line[3..].replace('`', "")));
            }
            _ if line.starts_with('|') => page += &row(line),
            _ => page += &format!("{}\n", bold_code(&escaped(line))),
        }
    }
    page += ".SH \"SEE ALSO\"\n.BR tuffet (1),\n.BR tuffet\\-check (1),\n.BR tuffet\\-reload (1)\n";
    // Some readers report an empty paragraph as an error.
    tidied(&page)
}

/// Renders a row of a table: the key, then its type and default, then its meaning. The table's head and the line below
/// it render as nothing.
fn row(line: &str) -> String {
    let line = line.replace("\\|", "\0");
    let cells: Vec<String> =
        line.trim_matches('|').split('|').map(|cell| escaped(&cell.trim().replace('\0', "|"))).collect();
    let [key, kind, default, meaning] = &cells[..] else { return String::new() };
    if key == "Key" || line.starts_with("|-") {
        return String::new();
    }
    let default = match default.as_str() {
        "" => String::new(),
        "required" => "; required".to_owned(),
        default => format!("; default {default}"),
    };
    format!(".TP\n{} ({})\n{}\n", bold_code(key), bold_code(&format!("{kind}{default}")), bold_code(meaning))
}

/// Escapes characters that roff would read as a request or an escape.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', r"\e").replace('-', r"\-").replace('\'', r"\(aq");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}

fn tidied(page: &str) -> String {
    let lines: Vec<&str> = page.lines().collect();
    let mut tidy = String::with_capacity(page.len());
    for (index, line) in lines.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| lines.get(index)).copied().unwrap_or_default();
        let after = lines.get(index + 1).copied().unwrap_or(".SH");
        let heading = |line: &str| line.starts_with(".SH") || line.starts_with(".SS");
        let opens = [".SH", ".SS", ".TP", ".EX"].iter().any(|request| after.starts_with(request));
        if *line != ".PP" || !(opens || heading(before)) {
            tidy += line;
            tidy.push('\n');
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_reference_consists_of() {
        let page = rendered(
            "# Configuration\n\n<!-- Generated. -->\n\nOne `file`.\n\n```yaml\na: 'b'\n.c: \\d\n```\n\n## Top level\n\n\
             | Key | Type | Default | Meaning |\n|---|---|---|---|\n| `a` | text | required | First. |\n\
             | `b` | `x` or `y` | `x` | This \\| that. |\n\n## `b.c`\n\nIts parts.\n\n\
             | Key | Type | Default | Meaning |\n|---|---|---|---|\n| `d-e` | mapping |  | Last. |\n",
        );
        let (_, body) = page.split_once(".SH DESCRIPTION\n").unwrap();
        assert_eq!(
            body,
            "One \\fBfile\\fR.\n.SH EXAMPLE\n.EX\na: \\(aqb\\(aq\n\\&.c: \\ed\n.EE\n.SH KEYS\n.SS Top level\n\
             .TP\n\\fBa\\fR (text; required)\nFirst.\n.TP\n\\fBb\\fR (\\fBx\\fR or \\fBy\\fR; default \\fBx\\fR)\n\
             This | that.\n.SS b.c\nIts parts.\n.TP\n\\fBd\\-e\\fR (mapping)\nLast.\n\
             .SH \"SEE ALSO\"\n.BR tuffet (1),\n.BR tuffet\\-check (1),\n.BR tuffet\\-reload (1)\n"
        );
    }
}
