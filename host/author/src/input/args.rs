//! The input of one call, from the command line or from the file that it names.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Deserialize;

use super::bytes::Bytes;
use super::events::WrittenEvent;
use super::hook_input::hook_input;
use super::host::WrittenHost;
use super::request::{WrittenMode, WrittenOperation, WrittenProtocol, WrittenRequest};
use tuffet_config::{ConfigError, Document};
use tuffet_wasm::{AnswerSource, Hook, HookInput, StagedAnswers};

/// The file of `--request`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RequestFile {
    hook: Option<Hook>,
    request: Option<WrittenRequest>,
    events: Option<Vec<WrittenEvent>>,
    #[serde(default)]
    host: WrittenHost,
}

#[derive(Debug, Args)]
pub(crate) struct RequestArgs {
    /// The hook to call; optional if the plugin has only one hook that answers.
    #[arg(long, value_enum)]
    hook: Option<Hook>,
    /// A YAML file with `request` and, if needed, `hook` and `host`; or with `events` for observe.
    #[arg(long, value_name = "FILE", conflicts_with_all = FLAGS)]
    request: Option<PathBuf>,
    /// The requested name.
    #[arg(long)]
    path: Option<String>,
    /// The operation.
    #[arg(long, value_enum, default_value = "read")]
    operation: WrittenOperation,
    /// The transfer mode.
    #[arg(long, value_enum, default_value = "octet")]
    mode: WrittenMode,
    /// The protocol of the request.
    #[arg(long, value_enum, default_value = "tftp")]
    protocol: WrittenProtocol,
    /// The client's address, with or without a port [default: 192.0.2.1].
    #[arg(long, value_name = "ADDR")]
    client: Option<String>,
    /// The name of the listener [default: default].
    #[arg(long, value_name = "NAME")]
    listener: Option<String>,
    /// The address that the request is sent to, for plugins that ask for it.
    #[arg(long, value_name = "IP")]
    local_address: Option<String>,
    /// The network interface that it arrives on, for plugins that ask for it.
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// The VLAN of that interface, for plugins that ask for it.
    #[arg(long, value_name = "ID")]
    vlan: Option<u16>,
    /// A MAC address of the client, as if from the neighbour table. May be repeated.
    #[arg(long = "mac", value_name = "MAC")]
    macs: Vec<String>,
    /// The class of the client, such as ipxe [default: unknown].
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// An option of the request, such as blksize=1428. May be repeated.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
}

const FLAGS: [&str; 12] = [
    "path",
    "operation",
    "mode",
    "protocol",
    "client",
    "listener",
    "local_address",
    "interface",
    "vlan",
    "macs",
    "class",
    "options",
];

/// The input of a call.
pub(crate) struct CallInput {
    pub hook: Option<Hook>,
    pub input: HookInput,
    pub given: StagedAnswers,
}

/// The problems of an input.
pub(crate) enum CallInputError {
    File(ConfigError),
    Flag(String),
}

impl RequestArgs {
    /// Returns the hook to call, if it is named.
    pub fn hook(&self) -> Option<Hook> {
        self.hook
    }

    /// Returns whether neither a name nor a file is given.
    pub fn is_empty(&self) -> bool {
        self.path.is_none() && self.request.is_none()
    }

    /// Reads the request.
    pub fn call(&self) -> Result<CallInput, CallInputError> {
        let Some(path) = &self.request else { return self.flags() };
        let file = Document::read(path, "the key `request`").map_err(CallInputError::File)?;
        let written: RequestFile = file.parse().map_err(CallInputError::File)?;
        let at = |section: &'static str| {
            let file = &file;
            move |(pointer, message)| {
                CallInputError::File(file.error([(format!("{section}{pointer}"), message)]))
            }
        };
        let hook = self.hook.or(written.hook);
        let given = written.host.given(AnswerSource::World).map_err(at("/host"))?;
        let (request, events) = (written.request.as_ref(), written.events.as_deref());
        let (hook, input) = hook_input(hook, request, events, given.clock).map_err(at(""))?;
        Ok(CallInput { hook, input, given })
    }

    fn flags(&self) -> Result<CallInput, CallInputError> {
        let options = self.options.iter().map(|(name, value)| (name.clone(), value.clone().into()));
        let Some(path) = self.path.clone() else {
            return Err(CallInputError::Flag(
                "no request is named; give --path PATH or --request FILE".into(),
            ));
        };
        let written = WrittenRequest {
            path: Bytes::Text(path),
            operation: self.operation,
            mode: self.mode,
            protocol: self.protocol,
            client: self.client.clone(),
            listener: self.listener.clone(),
            local_address: self.local_address.clone(),
            interface: self.interface.clone(),
            vlan: self.vlan,
            any_case: false,
            lease: None,
            macs: self.macs.clone(),
            class: self.class.clone(),
            options: options.collect(),
            at: None,
            labels: BTreeMap::new(),
            upload: None,
        };
        let (request, upload) = written.resolve(Duration::ZERO).map_err(|(pointer, message)| {
            let flag = pointer.split('/').nth(1).unwrap_or_default();
            CallInputError::Flag(format!("--{}: {message}", if flag == "macs" { "mac" } else { flag }))
        })?;
        let input = HookInput::Request(Box::new(request), upload);
        Ok(CallInput { hook: self.hook, input, given: StagedAnswers::default() })
    }
}

fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as blksize=1428")?;
    Ok((name.into(), value.into()))
}
