//! `tuffet explain`: the outcome of a request, and the reasons.

use super::control::ControlArgs;
use super::{print, print_json, print_stderr};
use clap::Args;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;
use tuffet_config::{Config, EXIT_CONFIG, Overrides, reach};
use tuffet_daemon::{Reply, ServeError};
use tuffet_engine::worker::MAX_REQUEST;
use tuffet_request::names;
use tuffet_server::explanation::{Explanation, Question, text};

/// The default port of a client.
const PORT: u16 = 49152;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The requested name, as the client sends it.
    path: OsString,
    #[command(flatten)]
    server: ControlArgs,
    /// Ask the running server through its control socket, with its present limits, configuration and keys.
    #[arg(long)]
    live: bool,
    /// The address of the client: IP, IP:PORT or [IPv6]:PORT.
    #[arg(long, value_name = "ADDR", value_parser = client, default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT))]
    client: SocketAddr,
    /// The client's MAC address [default: from the neighbour table].
    #[arg(long, value_name = "MAC", value_parser = mac)]
    mac: Option<Mac>,
    /// The name of the listener that receives the request [default: the first one].
    #[arg(long, value_name = "NAME")]
    listener: Option<String>,
    /// Explain an upload instead of a download.
    #[arg(long)]
    write: bool,
    /// Explain a request in the mode netascii instead of octet.
    #[arg(long)]
    netascii: bool,
    /// The destination address of the request, for plugins that need it.
    #[arg(long, value_name = "IP")]
    local_address: Option<IpAddr>,
    /// The network interface of the request, for plugins that need it [default: that of the listener].
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// An option of the request, such as `blksize=1428`; may be repeated.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
    /// The user that would serve if root started the server, as with `tuffet serve --user`.
    #[arg(long, value_name = "USER", conflicts_with = "live")]
    user: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy)]
struct Mac([u8; 6]);

/// Explains a request. Exit code: 0 if the request would be granted, 1 if not; those of `check` if a server could not
/// start; 69 if no server answers.
pub(super) fn explain(args: &ExplainArgs) -> ExitCode {
    let name = args.path.as_bytes();
    let question = Question {
        name: names::decode(name).into_owned(),
        raw: args.path.to_str().is_none().then(|| name.to_vec()),
        client: args.client,
        mac: args.mac.map(|mac| mac.0),
        listener: args.listener.clone(),
        write: args.write,
        netascii: args.netascii,
        options: args.options.clone(),
        local_address: args.local_address,
        interface: args.interface.clone(),
    };
    // The server does not read such requests, so there is nothing to explain.
    if question.packet().len() > MAX_REQUEST {
        print_stderr(format_args!("the server answers ERROR 4 to requests of more than {MAX_REQUEST} bytes"));
        return ExitCode::from(EXIT_CONFIG);
    }
    if args.live { explain_live(args, &question) } else { explain_offline(args, &question) }
}

fn explain_live(args: &ExplainArgs, question: &Question) -> ExitCode {
    let socket = match args.server.socket() {
        Ok(socket) => socket,
        Err(error) => {
            print_stderr(&error);
            return ExitCode::from(error.code());
        }
    };
    match tuffet_daemon::send_command(&socket, &format!("explain {}", serde_json::json!(question))) {
        Ok(Reply::Explained(explained)) => show(args, &explained),
        Ok(Reply::Unexplained(why)) => {
            print_stderr(why);
            ExitCode::from(EXIT_CONFIG)
        }
        Ok(_) => {
            print_stderr("the server does not know `explain`: it has another version");
            ExitCode::from(76)
        }
        Err(error) => {
            print_stderr(format_args!(
                "no server answers at {}: {error}; start it, leave out --live, or name its socket with --control or its \
                 file with --config",
                socket.display()
            ));
            ExitCode::from(69)
        }
    }
}

fn explain_offline(args: &ExplainArgs, question: &Question) -> ExitCode {
    let Some(file) = args.server.file() else {
        print_stderr("name the configuration with --config FILE, or ask the running server with --live");
        return ExitCode::from(EXIT_CONFIG);
    };
    reach::check_by_process(true);
    let overrides = Overrides { user: args.user.clone(), ..Overrides::default() };
    let config = Config::load_with(file, &overrides);
    match config.map_err(ServeError::from).and_then(|config| tuffet_daemon::explain(&config, question)) {
        Ok(explained) => show(args, &explained),
        Err(error) => {
            print_stderr(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

fn show(args: &ExplainArgs, explained: &Explanation) -> ExitCode {
    if args.json {
        print_json(format_args!("{:#}", serde_json::json!(explained)));
    } else {
        print(&text(explained));
    }
    ExitCode::from(u8::from(!explained.outcome.is_granted()))
}

fn client(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse().map(|address| SocketAddr::new(address, PORT));
    let client: Result<SocketAddr, _> = address.or_else(|_| text.parse());
    client.map_err(|_| "write an address such as 192.0.2.7 or [2001:db8::7]:2000".into())
}

fn mac(text: &str) -> Result<Mac, String> {
    let part = |part: &str| (part.len() == 2).then(|| u8::from_str_radix(part, 16).ok()).flatten();
    let bytes: Option<Vec<u8>> = text.split([':', '-']).map(part).collect();
    let mac = bytes.and_then(|bytes| bytes.try_into().ok());
    mac.map(Mac).ok_or_else(|| "write a MAC address such as 02:00:5e:10:00:01".into())
}

fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as blksize=1428")?;
    let sendable = |part: &str| !part.contains('\0');
    if name.is_empty() || !sendable(name) || !sendable(value) {
        return Err("write NAME=VALUE, such as blksize=1428".into());
    }
    Ok((name.to_owned(), value.to_owned()))
}
