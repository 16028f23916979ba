//! Transfers by TFTP.

use super::{CommonArgs, Done, Failure, PIECE, run, show};
use indicatif::ProgressBar;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use tokio::io::BufWriter;
use tuffet_client::{Builder, Client, ClientError, Interface, Report, Url};

pub(super) fn get(
    url: &Url,
    options: &CommonArgs,
    multicast: Option<Interface>,
    output: &Path,
    bar: &ProgressBar,
) -> Result<Done, Failure> {
    let is_multicast = multicast.is_some();
    let client = builder(options).multicast(multicast).build();
    run(async {
        let get = client.get(url).progress(|progress| show(bar, progress.bytes, progress.total));
        let result = if output == Path::new("-") {
            get.writer(&mut BufWriter::with_capacity(PIECE, tokio::io::stdout())).await
        } else {
            get.file(output).await
        };
        // The server may need this client still.
        client.wait_idle().await;
        match result {
            Ok(report) => Ok(done(&report, is_multicast)),
            Err(error) => Err(Failure::of_output(&error).unwrap_or_else(|| failure(url, &error))),
        }
    })
}

pub(super) fn put(url: &Url, options: &CommonArgs, file: &Path, bar: &ProgressBar) -> Result<Done, Failure> {
    let client = builder(options).build();
    run(async {
        let put = client.put(url).progress(|progress| show(bar, progress.bytes, progress.total));
        let failed = |error| ClientError::File { path: file.to_owned(), error };
        let result = match content(file).map_err(failed) {
            Ok(Some(content)) => put.bytes(content).await,
            Ok(None) => put.file(file).await,
            Err(error) => Err(error),
        };
        result.map(|report| done(&report, false)).map_err(|error| failure(url, &error))
    })
}

/// Returns the content of an input whose size its metadata do not tell; `None` for others, which are read as they are sent.
fn content(input: &Path) -> io::Result<Option<Vec<u8>>> {
    if input == Path::new("-") {
        let mut content = Vec::new();
        io::stdin().read_to_end(&mut content)?;
        return Ok(Some(content));
    }
    if fs::metadata(input)?.is_file() { Ok(None) } else { fs::read(input).map(Some) }
}

/// Returns a client with the options. Defaults of the protocol are not requested: some servers support no options at all.
fn builder(options: &CommonArgs) -> Builder {
    Client::builder()
        .blksize(Some(options.blksize.unwrap_or(1428)).filter(|blksize| *blksize != 512))
        .windowsize(Some(options.windowsize.unwrap_or(16)).filter(|windowsize| *windowsize != 1))
        .patience(options.patience())
}

fn failure(url: &Url, error: &ClientError) -> Failure {
    let text = match error {
        ClientError::Host { .. } | ClientError::File { .. } => error.to_string(),
        ClientError::NoBlocks { .. } => {
            format!("{url}: {error} Without --multicast the file comes by unicast")
        }
        _ => format!("{url}: {error}"),
    };
    Failure { code: exit_code(error), text }
}

fn exit_code(error: &ClientError) -> u8 {
    match error {
        ClientError::Refused { code: 1, .. } => 2,
        ClientError::Refused { .. } => 1,
        ClientError::Url(_) | ClientError::Name => 64,
        ClientError::Host { .. } => 68,
        ClientError::Silent { .. } | ClientError::Closed { .. } | ClientError::NoBlocks { .. } => 69,
        ClientError::Network(_) | ClientError::Group { .. } => 71,
        ClientError::File { .. } | ClientError::Local(_) => 74,
        ClientError::Protocol(_) => 76,
        // EX_SOFTWARE: there are no others here.
        _ => 70,
    }
}

fn done(report: &Report, multicast: bool) -> Done {
    let group = match report.group {
        Some(group) => format!(", group {group}"),
        None if multicast => ", unicast: the server named no group".to_owned(),
        None => String::new(),
    };
    let details = format!(
        "blksize {}, windowsize {}, {} retransmissions{group}",
        report.blksize, report.windowsize, report.retransmissions
    );
    Done { bytes: report.bytes, duration: report.duration, details }
}
