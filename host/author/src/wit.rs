//! `tuffet plugin wit`: the WIT of one plugin, for authors with another toolchain.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::build::world;
use crate::error::EXIT_CANNOT_WRITE;
use crate::export::Export;
use tuffet_config::{EXIT_CONFIG, GrantKind};
use tuffet_terminal::{print, print_stderr, unwritten};

#[derive(Debug, Args)]
pub struct WitArgs {
    /// The folder to write into. It is created if it does not exist; other files in it stay. With --package, a file.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Write the interface alone, as a package in binary form: `tuffet plugin push` takes it to a registry, where `wkg`
    /// and other tools find it.
    #[arg(long, conflicts_with_all = ["hooks", "grants"])]
    package: bool,
    /// A hook of the plugin, or `render` or `render-parts`, which belong to resolve. May be repeated [default: authorize].
    #[arg(long = "hook", value_enum, value_name = "HOOK")]
    hooks: Vec<Export>,
    /// A kind of grant that its manifest requests: client-history, client-mac, clock, files, http, kv, metrics,
    /// random, sinks or upload. May be repeated.
    #[arg(long = "grant", value_name = "GRANT", value_parser = kind)]
    grants: Vec<GrantKind>,
}

pub(crate) fn wit(args: &WitArgs) -> ExitCode {
    let hooks = if args.hooks.is_empty() { &[Export::Authorize][..] } else { &args.hooks };
    if let Some(problem) = Export::problem_of(hooks) {
        print_stderr(format_args!("--hook {problem}"));
        return ExitCode::from(EXIT_CONFIG);
    }
    let written = match args.package {
        true => {
            world::package().and_then(|package| std::fs::write(&args.folder, package)).map(|()| Vec::new())
        }
        false => world::write(&args.folder, hooks, &args.grants),
    };
    match written {
        Ok(files) => {
            let paths = files.iter().map(|file| format!("{}\n", args.folder.join(file).display()));
            print(&paths.collect::<String>());
            ExitCode::SUCCESS
        }
        Err(error) => {
            let other = if args.package { "name another file" } else { "name another folder" };
            print_stderr(unwritten(&args.folder, &error, other));
            ExitCode::from(EXIT_CANNOT_WRITE)
        }
    }
}

/// Parses the word of a manifest for a kind of grant.
fn kind(word: &str) -> Result<GrantKind, String> {
    GrantKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
        let known = GrantKind::ALL.map(GrantKind::word).join(", ");
        match word.split_once('/') {
            Some((kind, _)) => format!("write the kind alone, such as `{kind}`: the operator names the rest"),
            None => format!("there is no such grant: there are {known}"),
        }
    })
}
