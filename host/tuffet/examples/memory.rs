//! A TFTP server with one file in memory: `cargo run --example memory`, then `curl tftp://127.0.0.1:6969/hello`.

use std::error::Error;
use std::time::Duration;
use tuffet::{Handle, Listener, Server, Source, resolve_fn};

/// Answers every read request by its name.
pub fn start(address: &str) -> Result<Handle, Box<dyn Error>> {
    let answer = resolve_fn(|request| match request.path.as_str() {
        "hello" => Some(Source::bytes(b"hello, world\n".to_vec())),
        _ => None,
    });
    let server =
        Server::builder().listener(Listener::bind(address.parse()?)).resolve("files", answer).bind()?;
    Ok(server.start()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let handle = start("127.0.0.1:6969")?;
    println!("serving on {}; Ctrl-C ends it", handle.addresses()[0].1);
    tokio::signal::ctrl_c().await?;
    handle.drain(Duration::from_secs(10)).await;
    Ok(())
}
