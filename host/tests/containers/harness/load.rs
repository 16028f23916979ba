//! The load generator, from the host.

use serde_json::Value;
use std::net::SocketAddr;
use std::process::Command;

/// Runs `tuffet-load` with these words; all transfers must complete with the right bytes. Its figures.
#[track_caller]
pub fn load(server: SocketAddr, words: &[&str]) -> Value {
    let program = std::env::var_os("TUFFET_LOAD").expect("TUFFET_LOAD names the load generator");
    let output =
        Command::new(program).args(["--json", "--server", &server.to_string()]).args(words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&said).unwrap()
}
