//! A TFTP server with one file in memory: `cargo run -p embed-memory`, then `curl tftp://127.0.0.1:6969/hello`.

use std::error::Error;
use std::time::Duration;
use tuffet::{Handle, Listener, Server, Source, resolve_fn};

/// Answers every read request by its name.
fn start(address: &str) -> Result<Handle, Box<dyn Error>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_testing::Client;

    #[tokio::test(flavor = "multi_thread")]
    async fn it_says_hello() {
        let handle = start("127.0.0.1:0").unwrap();
        let client = Client::new(handle.addresses()[0].1);
        let both = tokio::task::spawn_blocking(move || (client.get("hello"), client.get("else")));
        let (hello, missing) = both.await.unwrap();
        assert_eq!(hello.unwrap(), b"hello, world\n");
        assert_eq!(missing.unwrap_err().code(), Some(1));
    }
}
