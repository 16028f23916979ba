//! Renders a template to a file.
//!
//! Templates are ordinary files of a project named `plugin-name` that has every hook. Lines between a mark
//! and the next `% end` are kept if one of the words of the mark was chosen: a hook, `vendored` if the
//! project has a copy of the SDK, or `elsewhere` if it has none, or its language. A mark is a comment that begins with a percent sign: `//% resolve`, `#%
//! resolve`, `<!--% resolve -->`.

use tuffet_wasm::Hook;

/// The choices for a project.
pub(super) struct Choice<'a> {
    pub name: &'a str,
    pub hooks: &'a [Hook],
    /// The word of its language.
    pub language: &'a str,
    /// The path of the SDK, if the project has no copy of it.
    pub sdk: Option<&'a str>,
}

impl Choice<'_> {
    /// Returns whether a mark with these words keeps its lines.
    pub fn keeps(&self, words: &str) -> bool {
        words.split_ascii_whitespace().any(|word| match word {
            "vendored" => self.sdk.is_none(),
            "elsewhere" => self.sdk.is_some(),
            _ if word == self.language => true,
            _ => self.hooks.iter().any(|hook| hook.word() == word),
        })
    }

    /// Renders the text of a file.
    pub fn render(&self, template: &str) -> String {
        let mut text = String::with_capacity(template.len());
        let mut keep = true;
        for line in template.lines() {
            match mark(line) {
                Some("end") => keep = true,
                Some(words) => keep = self.keeps(words),
                None if keep => {
                    text += line;
                    text.push('\n');
                }
                None => {}
            }
        }
        self.named(text)
    }

    /// Replaces the name of the project, and the list of all hooks with the chosen ones.
    fn named(&self, text: String) -> String {
        let chosen = Hook::ALL.iter().filter(|hook| self.hooks.contains(hook));
        let chosen: Vec<String> = chosen.map(|hook| hook.word().replace('-', "_")).collect();
        text.replace("authorize, resolve, accept_upload, observe", &chosen.join(", "))
            .replace("plugin-name", self.name)
            .replace("plugin_name", &self.name.replace('-', "_"))
    }
}

/// Returns the words of a mark.
fn mark(line: &str) -> Option<&str> {
    let line = line.trim();
    let words = ["//%", "#%", "<!--%"].iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(words.trim_end_matches("-->").trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_where_a_word_of_their_mark_was_chosen() {
        let template = "a plugin-name\n  //% resolve\nb\n//% end\n#% observe authorize\nc\n#% end\n\
                        <!--% vendored -->\nd plugin_name\n<!--% end -->\n\
                        #% elsewhere\ne\n#% end\n\
                        Policy: authorize, resolve, accept_upload, observe;\n";
        let choice = Choice {
            name: "x-y",
            hooks: &[Hook::AcceptUpload, Hook::Authorize],
            language: "rust",
            sdk: Some("/sdk"),
        };
        assert_eq!(choice.render(template), "a x-y\nc\ne\nPolicy: authorize, accept_upload;\n");
        let choice = Choice { name: "x-y", hooks: &[Hook::Resolve], language: "go", sdk: None };
        assert_eq!(choice.render(template), "a x-y\nb\nd x_y\nPolicy: resolve;\n");
    }
}
