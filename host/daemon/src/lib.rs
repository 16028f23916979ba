//! The process around a Tuffet server: signals, privileges, the service manager, the source of the configuration,
//! reloads, the control socket and the log.

pub mod logging;
pub mod privileges;
mod serve;
mod socket_file;
pub mod source;
mod systemd;

pub use serve::{
    CacheCommand, CaptureStream, Configure, KeyRow, KeyValue, KeysAction, KeysCommand, ReloadCheck, Reply,
    ServeError, StartOptions, begin_capture, catch_signals, check, check_plugins, control_runtime,
    count_inherited, explain, explain_all, may_fill_code_cache, require_folder, run_cache_command,
    run_keys_command, send_command, serve, supervise, unknown_keys,
};
