//! Downloads a file into the folder that it runs in: `cargo run --example download tftp://127.0.0.1:6969/hello`.

use std::error::Error;
use tuffet_client::{Client, Url};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url: Url = std::env::args().nth(1).ok_or("which URL?")?.parse()?;
    let client = Client::new();
    let download = client.get(&url).progress(|progress| eprint!("\r{} bytes", progress.bytes));
    let report = download.file(url.file_name()).await?;
    eprintln!("\r{} bytes in {:.3} s", report.bytes, report.duration.as_secs_f64());
    client.wait_idle().await;
    Ok(())
}
