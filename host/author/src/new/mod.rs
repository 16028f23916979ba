//! `tuffet plugin new`: a project that builds, from the templates in `sdk/templates` or from an example.

mod ci;
mod example;
mod language;
mod lock;
mod name;
mod template;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Args;

use crate::error::EXIT_CANNOT_WRITE;
use crate::schema;
use ci::Ci;
use example::Example;
use language::Language;
use name::PluginName;
use template::Choice;
use tuffet_config::EXIT_CONFIG;
use tuffet_sdk_sources::files as sdk_files;
use tuffet_terminal::{print, print_stderr};
use tuffet_wasm::Hook;

#[derive(Debug, Args)]
pub struct NewArgs {
    /// The name of the plugin and of its folder: lower-case letters, digits and hyphens [default with --from: that of the
    /// example].
    #[arg(value_name = "NAME", required_unless_present = "from")]
    name: Option<PluginName>,
    /// Begin with a copy of an example plugin, such as ztp, docsis or raspberry-pi.
    #[arg(long, value_name = "EXAMPLE", value_parser = Example::parse, conflicts_with_all = ["hooks", "language"])]
    from: Option<Example>,
    /// A hook of the plugin. May be repeated [default: authorize].
    #[arg(long = "hook", value_enum, value_name = "HOOK")]
    hooks: Vec<Hook>,
    /// The plugin's language.
    #[arg(long, value_enum, default_value = "rust")]
    language: Language,
    /// The folder `sdk` of a copy of Tuffet's sources, used in place [default: the project gets a copy of
    /// this server's SDK].
    #[arg(long, value_name = "PATH")]
    sdk: Option<PathBuf>,
    /// Add the workflow of a CI that builds, tests, pushes and signs the plugin.
    #[arg(long, value_enum, value_name = "CI")]
    ci: Option<Ci>,
}

pub(crate) fn new(args: &NewArgs) -> ExitCode {
    let name = match (&args.name, &args.from) {
        (Some(name), _) => name.as_str(),
        (None, Some(example)) => example.name(),
        // The parser of the command line refuses this.
        (None, None) => "",
    };
    let folder = Path::new(name);
    let hooks = if args.hooks.is_empty() { &[Hook::Authorize][..] } else { &args.hooks };
    let sdk = match args.sdk.as_deref().map(|sdk| absolute_sdk(sdk, args.language)).transpose() {
        Ok(sdk) => sdk,
        Err(message) => {
            print_stderr(format_args!("--sdk {message}"));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let choice = Choice { name, hooks, language: args.language.word(), sdk: sdk.as_deref() };
    let mut files: Vec<(String, Vec<u8>)> = match &args.from {
        Some(example) => example.project(name, sdk.as_deref()),
        None => {
            args.language.project(&choice).into_iter().map(|(path, text)| (path, text.into_bytes())).collect()
        }
    };
    // Named in the first line of `cases.yaml`, for editors.
    files.push(("cases.schema.json".to_owned(), format!("{:#}\n", schema::of_cases()).into_bytes()));
    files.extend(args.ci.map(|ci| ci.workflow(&choice)));
    if sdk.is_none() {
        let its = args.language.sdk_folders();
        let its = sdk_files().filter(|(path, _)| its.iter().any(|folder| path.starts_with(folder)));
        files.extend(its.map(|(path, text)| (format!("sdk/{path}"), text.as_bytes().to_vec())));
    }
    match write(folder, &files) {
        Ok(()) => {
            let words: Vec<&str> =
                Hook::ALL.iter().filter(|hook| hooks.contains(hook)).map(|hook| hook.word()).collect();
            let what = match &args.from {
                Some(example) => format!("as {}", example.name()),
                None => words.join(", "),
            };
            // By default, root's server becomes a user that cannot write into the project.
            let user = if rustix::process::geteuid().is_root() { " --user root" } else { "" };
            print(&format!(
                "{0}: a plugin in {1} ({2}). Go on with\n\n    cd {0}\n{3}    tuffet plugin build\n    tuffet \
                 plugin test\n    tuffet serve --config tuffet.yaml{user}\n\nREADME.md says more.\n",
                name,
                args.language.called(),
                what,
                args.language.preparation(),
            ));
            ExitCode::SUCCESS
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            print_stderr(format_args!(
                "{name}: there is something of this name already; remove it, or choose another name"
            ));
            ExitCode::from(EXIT_CONFIG)
        }
        Err(error) => {
            print_stderr(format_args!(
                "{name}: the project cannot be written: {error}; remove the incomplete folder, and make room or let \
                 this user write here"
            ));
            ExitCode::from(EXIT_CANNOT_WRITE)
        }
    }
}

/// Returns the absolute path of the given SDK.
fn absolute_sdk(sdk: &Path, language: Language) -> Result<String, String> {
    let shown = sdk.display();
    let marker = sdk.join(language.sdk_marker());
    if !marker.is_file() {
        return Err(format!(
            "{shown}: {} is not there; name the folder `sdk` of Tuffet's sources, or leave --sdk out",
            marker.display()
        ));
    }
    let path = sdk.canonicalize().map_err(|error| format!("{shown}: {error}"))?;
    // It is written into files of the project, between quotes.
    path.to_str().filter(|path| !path.contains(['"', '\\', '\n'])).map(str::to_owned).ok_or_else(|| {
        format!(
            "{shown}: a path with quotes, backslashes, line breaks or bytes that are no UTF-8 cannot be used"
        )
    })
}

/// Creates the folder, which must not exist, and its files.
fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir(folder)?;
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text).map_err(|error| match error.kind() {
            // The user chose only the folder itself.
            io::ErrorKind::AlreadyExists => io::Error::other(error),
            _ => error,
        })?;
    }
    Ok(())
}
