//! The languages of projects, each a folder of templates.

use clap::ValueEnum;

use super::lock;
use super::template::Choice;
use tuffet_policy::Hook;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    Rust,
    Python,
    Go,
}

/// A file of a project.
struct Template {
    path: &'static str,
    text: &'static str,
    /// The file exists only with this hook.
    hook: Option<Hook>,
}

macro_rules! template {
    ($folder:literal / $file:literal => $path:literal, $hook:expr) => {
        Template {
            path: $path,
            text: include_str!(concat!("../../../../../sdk/templates/", $folder, "/", $file)),
            hook: $hook,
        }
    };
    ($folder:literal / $file:literal => $path:literal) => { template!($folder / $file => $path, None) };
    ($folder:literal / $file:literal, $hook:expr) => { template!($folder / $file => $file, Some($hook)) };
    ($folder:literal / $file:literal) => { template!($folder / $file => $file, None) };
}

const RUST: [Template; 10] = [
    template!("rust" / "Cargo.toml"),
    template!("rust" / "README.md"),
    template!("common" / "cases.yaml"),
    template!("rust" / "gitignore" => ".gitignore"),
    template!("rust" / "src/accept_upload.rs", Hook::AcceptUpload),
    template!("rust" / "src/authorize.rs", Hook::Authorize),
    template!("rust" / "src/lib.rs"),
    template!("rust" / "src/observe.rs", Hook::Observe),
    template!("rust" / "src/resolve.rs", Hook::Resolve),
    template!("common" / "tuffet.yaml"),
];

const PYTHON: [Template; 7] = [
    template!("common" / "cases.yaml"),
    template!("common" / "tuffet.yaml"),
    template!("python" / "README.md"),
    template!("python" / "gitignore" => ".gitignore"),
    template!("python" / "plugin.py"),
    template!("python" / "pyproject.toml"),
    template!("python" / "test_plugin.py"),
];

const GO: [Template; 12] = [
    template!("common" / "cases.yaml"),
    template!("common" / "tuffet.yaml"),
    template!("go" / "README.md"),
    template!("go" / "accept_upload.go", Hook::AcceptUpload),
    template!("go" / "authorize.go", Hook::Authorize),
    template!("go" / "gitignore" => ".gitignore"),
    template!("go" / "go.mod.txt" => "go.mod"),
    template!("go" / "observe.go", Hook::Observe),
    template!("go" / "policy.go"),
    template!("go" / "policy_test.go"),
    template!("go" / "resolve.go", Hook::Resolve),
    template!("go" / "tuffet.json"),
];

/// The files that `tuffet.yaml` serves.
const FILES: [(&str, &str); 2] =
    [("files/firmware/1.4.1.bin", "version 1.4.1\n"), ("files/firmware/1.4.2.bin", "version 1.4.2\n")];

impl Language {
    /// Returns the name in a sentence.
    pub fn called(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::Python => "Python",
            Language::Go => "Go",
        }
    }

    /// Returns the parts of the SDK that a project needs.
    pub fn sdk_folders(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &["rust/", "wit/"],
            Language::Python => &["python/"],
            Language::Go => &["go/"],
        }
    }

    /// Returns a file that identifies the SDK.
    pub fn sdk_marker(self) -> &'static str {
        match self {
            Language::Rust => "rust/Cargo.toml",
            Language::Python => "python/__main__.py",
            Language::Go => "go/go.mod",
        }
    }

    /// Returns the files of a project, except for its copy of the SDK: paths and texts.
    pub fn project(self, choice: &Choice<'_>) -> Vec<(String, String)> {
        let templates = match self {
            Language::Rust => &RUST[..],
            Language::Python => &PYTHON,
            Language::Go => &GO,
        };
        let chosen =
            templates.iter().filter(|file| file.hook.is_none_or(|hook| choice.hooks.contains(&hook)));
        let mut files: Vec<(String, String)> =
            chosen.map(|file| (file.path.to_owned(), choice.render(file.text))).collect();
        files.extend(FILES.map(|(path, text)| (path.to_owned(), text.to_owned())));
        match self {
            Language::Rust => {
                files.push(("Cargo.lock".into(), lock::of(choice.name)));
                if let Some(sdk) = choice.sdk
                    && let Some((_, manifest)) = files.iter_mut().find(|(path, _)| path == "Cargo.toml")
                {
                    *manifest = manifest
                        .replace(r#"path = "sdk/rust""#, &format!(r#"path = "{sdk}/rust""#))
                        .replace("\nexclude = [\"sdk\"]\n", "\n");
                }
            }
            Language::Python => {
                if let Some(sdk) = choice.sdk {
                    for (_, text) in &mut files {
                        *text = text.replace("sdk/python", &format!("{sdk}/python"));
                    }
                }
            }
            Language::Go => {
                let hooks = Hook::ALL.iter().filter(|hook| choice.hooks.contains(hook));
                let hooks: Vec<String> = hooks.map(|hook| format!("{:?}", hook.word())).collect();
                for (path, text) in &mut files {
                    match (path.as_str(), choice.sdk) {
                        ("tuffet.json", _) => *text = text.replace("HOOKS", &hooks.join(", ")),
                        ("go.mod", Some(sdk)) => {
                            *text = text.replace("./sdk/go", &format!("{:?}", format!("{sdk}/go")));
                        }
                        _ => {}
                    }
                }
            }
        }
        files
    }
}
