//! The client and its settings.

use crate::driver::Shared;
use crate::error::ClientError;
use crate::get::Get;
use crate::group::Interface;
use crate::options::Options;
use crate::put::Put;
use crate::url::Url;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// A TFTP client. Its copies are one client. Each transfer has a socket of its own.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

impl Client {
    /// Creates a client with the default options: see [`Options`].
    pub fn new() -> Client {
        Client::builder().build()
    }

    /// Creates a client with other options.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tuffet_client::Client;
    ///
    /// let client = Client::builder().blksize(8192).windowsize(64).patience(Duration::from_secs(5)).build();
    /// // As in RFC 1350: no options at all.
    /// let plain = Client::builder().blksize(None).windowsize(None).tsize(false).build();
    /// ```
    pub fn builder() -> Builder {
        Builder { options: Options::default(), multicast: None }
    }

    /// Downloads a file. The URL is a [`Url`] or a text such as `tftp://192.0.2.1/boot/image`; its errors come with those of
    /// the transfer.
    pub fn get<'a, U>(&self, url: U) -> Get<'a>
    where
        U: TryInto<Url>,
        ClientError: From<U::Error>,
    {
        Get::new(Arc::clone(&self.shared), url.try_into().map_err(ClientError::from))
    }

    /// Uploads a file; the URL is as in [`Client::get`].
    pub fn put<'a, U>(&self, url: U) -> Put<'a>
    where
        U: TryInto<Url>,
        ClientError: From<U::Error>,
    {
        Put::new(Arc::clone(&self.shared), url.try_into().map_err(ClientError::from))
    }

    /// Waits until no download stays for its last ACK any more: see [`Options::dally`]. A program that ends before lets the
    /// server repeat its last block in vain, if that ACK is lost.
    pub async fn wait_idle(&self) {
        // The sender is here, so there is no error.
        let _ = self.shared.dallying.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Default for Client {
    fn default() -> Self {
        Client::new()
    }
}

/// The options of a [`Client`].
#[derive(Debug, Clone)]
#[must_use]
pub struct Builder {
    options: Options,
    multicast: Option<Interface>,
}

impl Builder {
    /// Sets the bytes in a block, 8 to 65464, or `None` for the 512 of RFC 1350 without an option. Default: 1428. Blocks that are
    /// larger than the path's MTU minus 32 are fragmented.
    pub fn blksize(mut self, bytes: impl Into<Option<u16>>) -> Self {
        self.options.blksize = bytes.into();
        self
    }

    /// Sets the blocks in a window, 1 to 65535, or `None` for one block without an option. Default: 16.
    pub fn windowsize(mut self, blocks: impl Into<Option<u16>>) -> Self {
        self.options.windowsize = blocks.into();
        self
    }

    /// Sets the seconds before a retransmission, 1 to 255 (RFC 2349). Default: none; both ends choose their own.
    pub fn timeout(mut self, seconds: impl Into<Option<u8>>) -> Self {
        self.options.timeout = seconds.into();
        self
    }

    /// Sets whether the size of a file is requested or announced (RFC 2349). Default: true.
    pub fn tsize(mut self, tsize: bool) -> Self {
        self.options.tsize = tsize;
        self
    }

    /// Sets how long the server may be silent. Default: 15 s.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.options.patience = patience;
        self
    }

    /// Sets how long a download stays at its end, in the background, to repeat its last ACK. Default: 50 ms.
    pub fn dally(mut self, dally: Duration) -> Self {
        self.options.dally = dally;
        self
    }

    /// Sets the most bytes that a download may have. Default: no limit.
    pub fn limit(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.options.limit = bytes.into();
        self
    }

    /// Requests downloads from a multicast group (RFC 2090), whose blocks arrive on this interface. A server without the group
    /// sends the file by unicast, and so do all servers in the mode netascii. Default: no.
    pub fn multicast(mut self, interface: impl Into<Option<Interface>>) -> Self {
        self.multicast = interface.into();
        self
    }

    /// Creates the client.
    pub fn build(self) -> Client {
        let Builder { options, multicast } = self;
        let dallying = watch::Sender::new(0);
        Client { shared: Arc::new(Shared { options, multicast, dallying }) }
    }
}
