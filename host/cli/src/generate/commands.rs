//! The man pages of the command and its subcommands.

use clap::Command;
use clap_mangen::Man;

/// Follows the page of the command itself.
const MORE: &str = "\
.SH FILES
.TP
.I /etc/tuffet/tuffet.yaml
The configuration, in packages and with the systemd unit; see
.BR tuffet.yaml (5).
.TP
.I /run/tuffet/control
The control socket of a server that root or the systemd unit started.
.SH \"SEE ALSO\"
.BR tuffet.yaml (5)
";

/// Returns the name and the text of each page.
pub(super) fn pages(command: Command) -> Vec<(String, String)> {
    let mut command = command.disable_help_subcommand(true);
    // Prefixes the names of subcommands with those of their parents.
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages);
    if let Some((_, text)) = pages.first_mut() {
        *text += MORE;
    }
    pages
}

fn collect(command: &Command, pages: &mut Vec<(String, String)>) {
    let page = Man::new(command.clone());
    let name = page.get_filename();
    let mut text = Vec::new();
    // Writing to a Vec cannot fail.
    let _ = page.render(&mut text);
    let text = String::from_utf8_lossy(&text);
    // Everything before the name is replaced: a title with the version instead of the date, and a definition of the
    // apostrophe, for which roff has an escape.
    let body = text.split_once("\n.SH NAME\n").map_or(&*text, |(_, body)| body).replace(r"\*(Aq", r"\(aq");
    let title = title(name.trim_end_matches(".1"), 1);
    pages.push((name, format!("{title}.SH NAME\n{}", bold_code(&body))));
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        collect(subcommand, pages);
    }
}

/// Returns the first line of a page. It has no date, so that builds are reproducible.
pub(super) fn title(name: &str, section: u8) -> String {
    format!(
        ".TH {} {section} \"\" \"tuffet {}\" \"Tuffet\"\n",
        name.replace('-', r"\-"),
        env!("CARGO_PKG_VERSION")
    )
}

/// Sets text between backticks in bold, as man pages do. An unpaired backtick stays.
pub(super) fn bold_code(text: &str) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, behind)) = after.split_once('`').filter(|(code, _)| !code.contains('\n')) else {
            done += before;
            done.push('`');
            rest = after;
            continue;
        };
        done += before;
        done += r"\fB";
        done += code;
        done += r"\fR";
        rest = behind;
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_bold() {
        assert_eq!(bold_code("run `a b` or `c`."), r"run \fBa b\fR or \fBc\fR.");
        assert_eq!(bold_code("one ` and\n`two` more"), "one ` and\n\\fBtwo\\fR more");
        assert_eq!(bold_code("none"), "none");
    }

    #[test]
    fn subcommands_have_the_names_of_their_parents() {
        let command =
            Command::new("a").subcommand(Command::new("b").subcommand(Command::new("c").hide(true)));
        let names: Vec<_> = pages(command).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a.1", "a-b.1"]);
    }
}
