//! `tuffet plugin wit`: the WIT of one plugin, for authors with a toolchain of their own.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::super::complain;
use super::build::world;
use super::new::EXIT_CANNOT_WRITE;
use tuffet_config::GrantKind;
use tuffet_policy::Hook;

#[derive(Debug, Args)]
pub(in crate::cli) struct WitArgs {
    /// The folder to write into. It is created if it does not exist; other files in it stay.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// A hook of the plugin. May be repeated [default: authorize].
    #[arg(long = "hook", value_enum, value_name = "HOOK")]
    hooks: Vec<Hook>,
    /// A kind of grant that its manifest requests: client-mac, clock, files, http, kv, random or sinks. May be
    /// repeated.
    #[arg(long = "grant", value_name = "GRANT", value_parser = kind)]
    grants: Vec<GrantKind>,
}

pub(super) fn wit(args: &WitArgs) -> ExitCode {
    let hooks = if args.hooks.is_empty() { &[Hook::Authorize][..] } else { &args.hooks };
    match world::write(&args.folder, hooks, &args.grants) {
        Ok(files) => {
            let paths = files.iter().map(|file| format!("{}\n", args.folder.join(file).display()));
            super::print(&paths.collect::<String>());
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(format_args!(
                "{}: the WIT cannot be written there: {error}; make room, or name another folder",
                args.folder.display()
            ));
            ExitCode::from(EXIT_CANNOT_WRITE)
        }
    }
}

/// Parses the word of a manifest for a kind of grant.
fn kind(word: &str) -> Result<GrantKind, String> {
    if [GrantKind::ClientHistory, GrantKind::Metrics, GrantKind::Upload]
        .iter()
        .any(|kind| kind.word() == word)
    {
        return Err("version 0.1.0, which this command writes, has no interface for it; 0.2.0 is in \
                    sdk/wit/v0.2/policy.wit"
            .into());
    }
    GrantKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
        let known = GrantKind::ALL.into_iter().filter(|kind| *kind != GrantKind::ClientHistory);
        let known = known.map(GrantKind::word).collect::<Vec<_>>().join(", ");
        match word.split_once('/') {
            Some((kind, _)) => format!("write the kind alone, such as `{kind}`: the operator names the rest"),
            None => format!("there is no such grant: there are {known}"),
        }
    })
}
