//! `tuffet generate`: man pages and shell completions, from the definition of the command line and the reference of
//! the configuration.

mod commands;
mod configuration;

use super::{Cli, print_stderr};
use clap::{CommandFactory, Subcommand};
use clap_complete::Shell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, iter};

/// A system call failed (EX_OSERR of sysexits.h).
const EXIT_OS: u8 = 71;

#[derive(Debug, Subcommand)]
pub(super) enum GenerateCommand {
    /// Write the man pages, tuffet(1), one for each subcommand, and tuffet.yaml(5), into a folder.
    ///
    /// `man -M DIR tuffet` shows them. Exit code 71 if a file cannot be written.
    Man {
        /// The folder; it and its subfolders `man1` and `man5` are created if they do not exist.
        dir: PathBuf,
    },
    /// Print the completions for a shell.
    ///
    /// Save them in the shell's folder: `/usr/share/bash-completion/completions/tuffet`,
    /// `/usr/share/zsh/site-functions/_tuffet`, `/usr/share/fish/vendor_completions.d/tuffet.fish`.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

pub(super) fn run(command: &GenerateCommand) -> ExitCode {
    match command {
        GenerateCommand::Man { dir } => man(dir),
        GenerateCommand::Completions { shell } => completions(*shell),
    }
}

fn man(dir: &Path) -> ExitCode {
    let pages = commands::pages(Cli::command()).into_iter();
    for (name, text) in pages.chain(iter::once(configuration::page())) {
        // `tuffet-serve.1` goes into `man1`.
        let section = dir.join(format!("man{}", name.rsplit_once('.').map_or("1", |(_, section)| section)));
        let path = section.join(name);
        if let Err(error) = fs::create_dir_all(&section).and_then(|()| fs::write(&path, text)) {
            print_stderr(format_args!("{}: {error}", path.display()));
            return ExitCode::from(EXIT_OS);
        }
    }
    ExitCode::SUCCESS
}

fn completions(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "tuffet", &mut script);
    // A reader that closes early, such as head(1), is not an error.
    let _ = io::stdout().write_all(&script);
    ExitCode::SUCCESS
}
