//! Workflows of CI for a project.

use clap::ValueEnum;

use super::template::Choice;

/// A CI that `tuffet plugin new` writes a workflow for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "clap would show it in the help")]
pub(super) enum Ci {
    Github,
    Gitlab,
}

impl Ci {
    /// Returns the path and the content of the workflow.
    pub fn workflow(self, choice: &Choice<'_>) -> (String, Vec<u8>) {
        let (path, template) = match self {
            Ci::Github => (".github/workflows/plugin.yml", include_str!("../../templates/ci/github.yml")),
            Ci::Gitlab => (".gitlab-ci.yml", include_str!("../../templates/ci/gitlab.yml")),
        };
        (path.to_owned(), choice.render(template).into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use tuffet_wasm::Hook;

    use super::*;

    #[test]
    fn a_workflow_has_the_steps_of_its_language() {
        for (language, word) in [
            ("rust", "wasm32-wasip2"),
            ("python", "pip install"),
            ("ts", "npm"),
            ("go", "go test"),
            ("c", "./policy_test"),
        ] {
            for ci in [Ci::Github, Ci::Gitlab] {
                let choice = Choice { name: "quota", hooks: &[Hook::Authorize], language, sdk: None };
                let (_, text) = ci.workflow(&choice);
                let text = String::from_utf8(text).unwrap();
                let value: serde_json::Value = serde_yaml::from_str(&text).unwrap();
                assert!(value.is_object() && text.contains(word), "{text}");
                for each in [
                    "tuffet plugin build",
                    "tuffet plugin test",
                    "tuffet plugin push quota.wasm",
                    "--sign-key",
                ] {
                    assert!(text.contains(each), "{each}: {text}");
                }
                assert!(!text.contains("#%"), "{text}");
                assert_eq!(text.contains("npm"), language == "ts", "{text}");
            }
        }
    }
}
