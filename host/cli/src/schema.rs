//! `tuffet schema`.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{print, print_stderr};
use clap::{Args, ValueEnum};
use tuffet_author::schema;
use tuffet_config::EXIT_CONFIG;

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// A configuration, for the settings of its plugins, as their components describe them.
    #[arg(value_name = "CONFIG", conflicts_with_all = ["of", "markdown"])]
    config: Option<PathBuf>,
    /// The file that the schema is for.
    #[arg(long = "for", value_enum, value_name = "FILE", default_value = "config")]
    of: SchemaOf,
    /// Print the reference of the configuration as Markdown instead.
    #[arg(long, conflicts_with = "of")]
    markdown: bool,
}

/// A file with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaOf {
    /// The server's configuration.
    Config,
    /// Cases of a plugin: `cases.yaml`.
    Cases,
    /// The manifest of a plugin: `tuffet.json`.
    Manifest,
}

pub(super) fn schema(args: &SchemaArgs) -> ExitCode {
    if args.markdown {
        print(&tuffet_config::reference());
        return ExitCode::SUCCESS;
    }
    let schema = match (&args.config, args.of) {
        (Some(file), _) => match schema::of_plugins(file) {
            Ok((plugins, warnings)) => {
                for warning in warnings {
                    print_stderr(format_args!("warning: {warning}"));
                }
                tuffet_config::schema_with(&plugins)
            }
            Err(error) => {
                print_stderr(error);
                return ExitCode::from(EXIT_CONFIG);
            }
        },
        (None, SchemaOf::Config) => tuffet_config::schema(),
        (None, SchemaOf::Cases) => schema::of_cases(),
        (None, SchemaOf::Manifest) => schema::of_manifest(),
    };
    print(&format!("{schema:#}\n"));
    ExitCode::SUCCESS
}
