//! Contents that a program supplies from a back end that takes its time, beside the same bytes in a folder: megabytes per
//! second of one client, by size and window; and the reads of the back end for many clients at once.

#![allow(clippy::print_stdout, reason = "the results")]

use async_trait::async_trait;
use clap::Parser;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::time::sleep;
use tuffet::{BoxFuture, Bytes, Folder, Limits, Listener, ReadAt, Root, RootError, Server, Source, Version};
use tuffet_testing::Client;

#[derive(Parser)]
struct Arguments {
    /// Milliseconds that each read of the back end takes.
    #[arg(long, default_value_t = 50)]
    delay: u64,
    /// MiB of the files of one client.
    #[arg(long, value_delimiter = ',', default_values_t = [16, 64])]
    sizes: Vec<usize>,
    /// KiB of a piece, and pieces ahead at most, as for `Source::pieces`; by default those of the library.
    #[arg(long, num_args = 2, value_names = ["KIB", "AHEAD"])]
    pieces: Vec<usize>,
    /// Clients at once, each with a file of 512 KiB.
    #[arg(long, default_value_t = 400)]
    clients: usize,
    /// Times each measurement.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Only serves at this address until Ctrl-C: for other clients.
    #[arg(long)]
    serve: Option<SocketAddr>,
}

/// The file of each of many clients.
const SMALL: usize = 512 << 10;

#[derive(Clone)]
struct BackEnd {
    delay: Duration,
    content: Bytes,
    pieces: Vec<usize>,
    reads: Arc<AtomicUsize>,
}

struct Object(BackEnd, usize);

impl ReadAt for Object {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            let Object(end, size) = self;
            end.reads.fetch_add(1, Relaxed);
            sleep(end.delay).await;
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(*size);
            Ok(end.content.slice(start..start.saturating_add(length).min(*size)))
        })
    }
}

#[async_trait]
impl Root for BackEnd {
    /// `large-N` has N MiB; `small` has one version, `small-N` one for each N.
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        let size = match path.strip_prefix("large-").map(str::parse::<usize>) {
            Some(Ok(size)) => size << 20,
            None if path.starts_with("small") => SMALL,
            _ => return Err(RootError::NotFound),
        };
        let size = size.min(self.content.len());
        let source = Source::ranged(size as u64, Version::new(path), Object(self.clone(), size));
        Ok(match *self.pieces {
            [piece, ahead] => source.pieces(piece << 10, ahead),
            _ => source,
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let size = arguments.sizes.iter().map(|size| size << 20).max().unwrap_or(0).max(SMALL);
    let content: Vec<u8> = (0..size).map(|n| (n / 7) as u8).collect();
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join("folder"))?;
    for size in &arguments.sizes {
        std::fs::write(folder.path().join(format!("folder/large-{size}")), &content[..size << 20])?;
    }
    let reads = Arc::<AtomicUsize>::default();
    let delay = Duration::from_millis(arguments.delay);
    let end =
        BackEnd { delay, content: content.into(), pieces: arguments.pieces.clone(), reads: reads.clone() };
    // Nothing is kept in memory.
    let limits = Limits { cache: 0, ..Limits::default() };
    let address = arguments.serve.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
    let handle = Server::builder()
        .listener(Listener::bind(address).name("bench"))
        .root("back-end", end)
        .folder(Folder::new("folder", folder.path()))
        .limits(limits)
        .bind()?
        .start()?;
    let server = handle.addresses()[0].1;
    if arguments.serve.is_some() {
        println!("large-16, small, small-1, small-2 and so on, and folder/large-16 at {server}");
        tokio::signal::ctrl_c().await?;
        return Ok(());
    }
    println!(
        "| MiB | windowsize | back end of {} ms, MB/s | folder, MB/s | ratio |\n|--:|--:|--:|--:|--:|",
        arguments.delay
    );
    for size in &arguments.sizes {
        for window in [1, 4, 16, 64] {
            let supplied = median(server, &format!("large-{size}"), window, &arguments).await?;
            let stored = median(server, &format!("folder/large-{size}"), window, &arguments).await?;
            println!("| {size} | {window} | {supplied:.1} | {stored:.1} | {:.2} |", supplied / stored);
        }
    }
    for (name, what) in [("small", "one content"), ("small-", "a content each")] {
        let before = reads.load(Relaxed);
        let began = Instant::now();
        let clients = (0..arguments.clients).map(|number| {
            let name = if name == "small" { name.to_owned() } else { format!("{name}{number}") };
            tokio::task::spawn_blocking(move || fetch(server, &name, 16))
        });
        for client in clients.collect::<Vec<_>>() {
            client.await??;
        }
        println!(
            "{} clients, {what} of 512 KiB: {:.2} s, {} reads",
            arguments.clients,
            began.elapsed().as_secs_f64(),
            reads.load(Relaxed) - before
        );
    }
    handle.drain(Duration::from_secs(1)).await;
    Ok(())
}

async fn median(
    server: SocketAddr,
    name: &str,
    window: u16,
    arguments: &Arguments,
) -> Result<f64, Box<dyn Error>> {
    let mut rates = Vec::new();
    for _ in 0..arguments.runs {
        let began = Instant::now();
        let name = name.to_owned();
        let bytes = tokio::task::spawn_blocking(move || fetch(server, &name, window)).await??;
        rates.push(bytes as f64 / 1e6 / began.elapsed().as_secs_f64());
    }
    rates.sort_by(f64::total_cmp);
    Ok(rates[rates.len() / 2])
}

fn fetch(server: SocketAddr, name: &str, window: u16) -> Result<usize, tuffet_testing::ClientError> {
    let client = Client::new(server).blksize(1428).patience(Duration::from_secs(60));
    let client = if window > 1 { client.windowsize(window) } else { client };
    Ok(client.get(name)?.len())
}
