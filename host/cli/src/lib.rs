//! The command line: `tuffet serve | reload | restart | status | top | cache | capture | check | explain | doctor | import | plugin |
//! schema | generate | get | put | faults`.

mod cache;
mod capture;
mod check;
mod compilers;
mod control;
mod doctor;
mod explain;
mod faults;
mod generate;
mod import;
mod keys;
mod plugin;
mod replay;
mod schema;
mod serve;
mod status_text;
mod top;
mod transfer;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use tuffet_config::{EXIT_CONFIG, reach};
use tuffet_terminal::{print, print_json, print_stderr};

/// A TFTP server for machines that boot from the network, phones and switches: fast, safe, and with the reason of each
/// failure in one line.
#[derive(Debug, Parser)]
#[command(name = "tuffet", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve files.
    ///
    /// With a YAML file, or without one: `tuffet serve --root DIR --listen 127.0.0.1:6969`. Flags override
    /// the keys of the file.
    Serve(serve::ServeArgs),
    /// Reload the configuration of the running server.
    ///
    /// The new configuration replaces the old one as a whole, or the server refuses it and changes nothing.
    /// Running transfers keep their old configuration. SIGHUP reloads too, without an answer. Exit code 0 if
    /// the server reloaded, or with --check would; 1 if it refused, 64 if FILE cannot be read, 69 if no server answers.
    Reload(control::ReloadArgs),
    /// Replace the running server by a new process, without a gap: after an upgrade, or for a change that a reload refuses.
    ///
    /// The server must run with `--restartable`. The new process takes its ports over once it could start; the old one
    /// ends when its transfers have. Exit code 0 if the new one answers requests, 1 if it could not start and the old
    /// one goes on, 64 if FILE cannot be read, 69 if no server answers.
    Restart(control::ServerArgs),
    /// Show the status of the running server.
    ///
    /// Exit code 0 if the server is ready, 1 if not, 64 if FILE cannot be read, 69 if no server
    /// answers.
    Status(control::StatusArgs),
    /// Watch the running server: transfers, ended requests with their reasons, plugins, queues.
    ///
    /// Updates the screen each second; if the output is not a terminal, prints one frame as plain text. Exit
    /// code 69 if no server answers.
    Top(top::TopArgs),
    /// List, fetch and remove cached files of roots with an origin.
    ///
    /// Uses the running server; without one, and with --config, accesses the caches itself.
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    /// Capture the datagrams of chosen clients of the running server, in the format of Wireshark.
    ///
    /// The server copies its own datagrams, so no privilege is needed. It builds the IP and UDP headers from the
    /// addresses. Exit code 0 when the capture is complete, 69 if no server answers or another capture runs.
    Capture(capture::CaptureArgs),
    /// Check a configuration, including its plugins and file permissions, without opening a socket.
    ///
    /// Without FILE, it is the installed one, /etc/tuffet/tuffet.yaml.
    ///
    /// Run by root, it checks with the rights of the user that would serve. Exit code 0 if a server could start,
    /// 64 if the configuration is invalid, 66 if a root cannot be opened, 77 if that user lacks a permission.
    Check(check::CheckArgs),
    /// Explain the outcome of a request, and the reasons: limits, plugins, files, options.
    ///
    /// Needs no running server (`--config FILE`), or asks the running one (`--live`). Has no effects: nothing is
    /// stored, logged or counted. Run by root, it uses the rights of the user that would serve. Exit code 0 if the
    /// request would be granted, 1 if not, those of `check` if a server could not start, 69 if no server answers.
    Explain(explain::ExplainArgs),
    /// Check the host settings that a server depends on, and print the commands to fix them.
    ///
    /// Run it as the server's user. Exit code 0 if nothing is wrong, 1 if something is, 64 if the
    /// configuration is invalid.
    Doctor(doctor::DoctorArgs),
    /// Import the configuration of another TFTP server: writes an equivalent YAML file.
    ///
    /// Reads the flags after `--`, or the file of the service, and writes a configuration with comments. Each
    /// difference is a comment at its key, and a line on standard error with the file and line it comes from. Exit
    /// code 0 if everything is carried over, perhaps with differences, 1 if something is not, 64 if the input is
    /// invalid.
    Import(tuffet_import::ImportArgs),
    /// Create, build, inspect, pull, push, check, run, test and measure plugins.
    #[command(subcommand)]
    Plugin(plugin::PluginCommand),
    /// Print the JSON Schema of the configuration, of cases or of a manifest, for editors.
    ///
    /// Exit code 0, or 64 if CONFIG cannot be read.
    Schema(schema::SchemaArgs),
    /// Generate man pages and shell completions.
    #[command(subcommand)]
    Generate(generate::GenerateCommand),
    /// Download a file by TFTP, HTTP or HTTPS.
    Get(transfer::GetArgs),
    /// Upload a file by TFTP, HTTP or HTTPS.
    Put(transfer::PutArgs),
    /// Test a client: a network that loses, doubles, reorders and delays datagrams on purpose, or answers wrongly.
    ///
    /// Stands between clients and a server, and prints a line for each datagram that it altered. Runs until it is ended.
    /// Exit code 71 if the address cannot be bound.
    Faults(faults::FaultsArgs),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let name = words.next();
    if name.as_ref().is_some_and(|name| name == reach::NAME) {
        close_inherited();
        reach::answer_as_process(words);
        return ExitCode::SUCCESS;
    }
    if let Some(code) = name.as_ref().and_then(|name| compilers::work_as_process(name, &mut words)) {
        return code;
    }
    if name.is_some_and(|name| name == doctor::WALKER) {
        close_inherited();
        doctor::work_as_process(words);
        return ExitCode::SUCCESS;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            // --help and --version are not errors.
            return ExitCode::from(if error.use_stderr() { EXIT_CONFIG } else { 0 });
        }
    };
    match cli.command {
        Command::Serve(args) => serve::serve(&args),
        Command::Reload(args) => control::reload(&args),
        Command::Restart(args) => control::restart(&args),
        Command::Status(args) => control::status(&args),
        Command::Top(args) => top::top(&args),
        Command::Cache(command) => cache::run(&command),
        Command::Capture(args) => capture::capture(&args),
        Command::Check(args) => check::check(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Import(args) => import::import(&args),
        Command::Plugin(command) => plugin::run(&command),
        Command::Schema(args) => schema::schema(&args),
        Command::Generate(command) => generate::run(&command),
        Command::Get(args) => transfer::get(&args),
        Command::Put(args) => transfer::put(&args),
        Command::Faults(args) => faults::faults(&args),
    }
}

/// Closes all but the standard streams: a hanging process must not keep sockets that the server inherited.
fn close_inherited() {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return };
    let numbers = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let inherited: Vec<i32> = numbers.filter(|number| *number > 2).collect();
    for number in inherited {
        // The descriptor of the listing is already closed.
        let _ = nix::unistd::close(number);
    }
}
