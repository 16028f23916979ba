//! The languages of projects, each a folder of templates.

use clap::ValueEnum;

use super::lock;
use super::template::Choice;
use tuffet_wasm::Hook;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    Rust,
    Python,
    #[value(alias = "javascript")]
    Js,
    #[value(alias = "typescript")]
    Ts,
    Go,
    C,
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
            text: include_str!(concat!("../../templates/", $folder, "/", $file)),
            hook: $hook,
        }
    };
    ($folder:literal / $file:literal => $path:literal) => { template!($folder / $file => $path, None) };
    ($folder:literal / $file:literal, $hook:expr) => { template!($folder / $file => $file, Some($hook)) };
    ($folder:literal / $file:literal) => { template!($folder / $file => $file, None) };
}

const RUST: [Template; 11] = [
    template!("rust" / "Cargo.toml.txt" => "Cargo.toml"),
    template!("rust" / "README.md"),
    template!("common" / "cases.yaml"),
    template!("rust" / "gitignore" => ".gitignore"),
    template!("rust" / "src/accept_upload.rs", Hook::AcceptUpload),
    template!("rust" / "src/authorize.rs", Hook::Authorize),
    template!("rust" / "src/lib.rs"),
    template!("rust" / "src/observe.rs", Hook::Observe),
    template!("rust" / "src/resolve.rs", Hook::Resolve),
    template!("rust" / "settings.schema.json"),
    template!("common" / "tuffet.yaml"),
];

const PYTHON: [Template; 8] = [
    template!("common" / "cases.yaml"),
    template!("common" / "settings.schema.json"),
    template!("common" / "tuffet.yaml"),
    template!("python" / "README.md"),
    template!("python" / "gitignore" => ".gitignore"),
    template!("python" / "plugin.py"),
    template!("python" / "pyproject.toml"),
    template!("python" / "test_plugin.py"),
];

const JS: [Template; 8] = [
    template!("common" / "cases.yaml"),
    template!("common" / "settings.schema.json"),
    template!("common" / "tuffet.yaml"),
    template!("js" / "README.md"),
    template!("js" / "gitignore" => ".gitignore"),
    template!("js" / "package.json"),
    template!("js" / "plugin.js"),
    template!("js" / "plugin.test.js"),
];

const TS: [Template; 9] = [
    template!("common" / "cases.yaml"),
    template!("common" / "settings.schema.json"),
    template!("common" / "tuffet.yaml"),
    template!("ts" / "README.md"),
    template!("js" / "gitignore" => ".gitignore"),
    template!("ts" / "package.json"),
    template!("ts" / "plugin.ts"),
    template!("ts" / "plugin.test.ts"),
    template!("ts" / "tsconfig.json"),
];

const GO: [Template; 13] = [
    template!("common" / "cases.yaml"),
    template!("common" / "settings.schema.json"),
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

const C: [Template; 14] = [
    template!("common" / "cases.yaml"),
    template!("common" / "settings.schema.json"),
    template!("common" / "tuffet.yaml"),
    template!("c" / "README.md"),
    template!("c" / "accept_upload.c", Hook::AcceptUpload),
    template!("c" / "authorize.c", Hook::Authorize),
    template!("c" / "compile_flags.txt"),
    template!("c" / "gitignore" => ".gitignore"),
    template!("c" / "observe.c", Hook::Observe),
    template!("c" / "policy.c"),
    template!("c" / "policy.h"),
    template!("c" / "policy_test.c"),
    template!("c" / "resolve.c", Hook::Resolve),
    template!("c" / "tuffet.json"),
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
            Language::Js => "JavaScript",
            Language::Ts => "TypeScript",
            Language::Go => "Go",
            Language::C => "C",
        }
    }

    /// Returns the word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Python => "python",
            Language::Js => "js",
            Language::Ts => "ts",
            Language::Go => "go",
            Language::C => "c",
        }
    }

    /// Returns the command before the first build, as a line of a script.
    pub fn preparation(self) -> &'static str {
        match self {
            Language::Js | Language::Ts => "    npm install\n",
            Language::Rust | Language::Python | Language::Go | Language::C => "",
        }
    }

    /// Returns the parts of the SDK that a project needs.
    pub fn sdk_folders(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &["rust/", "wit/"],
            Language::Python => &["python/"],
            Language::Js | Language::Ts => &["js/"],
            Language::Go => &["go/"],
            Language::C => &["c/"],
        }
    }

    /// Returns a file that identifies the SDK.
    pub fn sdk_marker(self) -> &'static str {
        match self {
            Language::Rust => "rust/Cargo.toml",
            Language::Python => "python/__main__.py",
            Language::Js | Language::Ts => "js/build/main.js",
            Language::Go => "go/go.mod",
            Language::C => "c/tuffet.h",
        }
    }

    /// Returns the files of a project, except for its copy of the SDK: paths and texts.
    pub fn project(self, choice: &Choice<'_>) -> Vec<(String, String)> {
        let templates = match self {
            Language::Rust => &RUST[..],
            Language::Python => &PYTHON,
            Language::Js => &JS,
            Language::Ts => &TS,
            Language::Go => &GO,
            Language::C => &C,
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
            Language::Python => use_sdk(choice, &mut files, "sdk/python", "python"),
            Language::Js | Language::Ts => use_sdk(choice, &mut files, "sdk/js", "js"),
            Language::Go => {
                list_hooks(choice, &mut files);
                if let Some(sdk) = choice.sdk
                    && let Some((_, text)) = files.iter_mut().find(|(path, _)| path == "go.mod")
                {
                    *text = text.replace("./sdk/go", &format!("{:?}", format!("{sdk}/go")));
                }
            }
            Language::C => {
                list_hooks(choice, &mut files);
                use_sdk(choice, &mut files, "sdk/c", "c");
            }
        }
        files
    }
}

/// Replaces the path of the project's copy of the SDK with the chosen one.
fn use_sdk(choice: &Choice<'_>, files: &mut [(String, String)], copy: &str, folder: &str) {
    if let Some(sdk) = choice.sdk {
        for (_, text) in files {
            *text = text.replace(copy, &format!("{sdk}/{folder}"));
        }
    }
}

/// Lists the chosen hooks in the manifest.
fn list_hooks(choice: &Choice<'_>, files: &mut [(String, String)]) {
    let hooks = Hook::ALL.iter().filter(|hook| choice.hooks.contains(hook));
    let hooks: Vec<String> = hooks.map(|hook| format!("{:?}", hook.word())).collect();
    if let Some((_, text)) = files.iter_mut().find(|(path, _)| path == "tuffet.json") {
        *text = text.replace("HOOKS", &hooks.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// New projects have the tools that the SDK needs.
    #[test]
    fn projects_in_javascript_have_the_packages_of_the_sdk() {
        let json = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap_or_default() };
        let sdk = tuffet_sdk_sources::files().find(|(path, _)| *path == "js/package.json");
        let sdk = json(sdk.map_or("", |(_, text)| text));
        let wanted = sdk["peerDependencies"].as_object().cloned().unwrap_or_default();
        assert!(wanted.len() >= 2, "{sdk}");
        for language in [Language::Js, Language::Ts] {
            let files = language.project(&Choice {
                name: "x",
                hooks: &[Hook::Authorize],
                language: language.word(),
                sdk: None,
            });
            let text = files.iter().find(|(path, _)| path == "package.json").map(|(_, text)| text.as_str());
            let its = json(text.unwrap_or_default());
            for (package, version) in &wanted {
                assert_eq!(&its["devDependencies"][package], version, "{language:?}: {package}");
            }
        }
    }
}
