//! The files of a Tuffet server by HTTP and HTTPS, under the same policy.
//!
//! Boot loaders, UEFI HTTP Boot and installers load by HTTP what a PXE ROM loads by TFTP. This crate answers them from a
//! server of the crate `tuffet`: each request passes the same hooks, limits and roots, and is counted, logged and observed
//! like one by TFTP. There are no listings, no rewriting, no proxy and no scripts.
//!
//! ```
//! use std::time::Duration;
//! use tokio::net::TcpListener;
//! use tuffet::{Listener, Server, Source, resolve_fn};
//! use tuffet_http::{Files, HttpLimits, HttpServer};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let hello = resolve_fn(|request| match request.path.as_str() {
//!         "hello" => Some(Source::bytes(b"hello, world\n".to_vec())),
//!         _ => None,
//!     });
//!     let listener = Listener::bind("127.0.0.1:0".parse()?).name("main");
//!     let server = Server::builder().listener(listener).resolve("hello", hello).bind()?.start()?;
//!
//!     let mut http = HttpServer::new(HttpLimits::default());
//!     let socket = TcpListener::bind("127.0.0.1:0").await?;
//!     http.http(socket, Files::new(server.requests(), "main"));
//!
//!     http.drain(Duration::from_secs(10)).await;
//!     server.drain(Duration::from_secs(10)).await;
//!     Ok(())
//! }
//! ```
//!
//! # Requests
//!
//! The path of the URI, decoded, is the name that a client of TFTP would request. The query is ignored.
//!
//! - **GET and HEAD** know conditions and a single range (RFC 9110 sections 13 and 14), as far as the content has a version
//!   and can be read at offsets. A content that fails breaks the connection: a client never takes a part for the whole.
//! - **PUT** stores a file as an upload by TFTP is stored: 201, or 204 if it replaced one. The body has a length or comes in
//!   chunks. Policy decides before it is read, and an incomplete one leaves nothing. Of conditions, it
//!   knows `If-None-Match: *`: an upload that replaces nothing.
//! - **Refusals** have a line of text: 404 for a file that is not there, 403 for what policy or a root denies, 409 (with
//!   `If-None-Match: *` 412) for a file that exists, 507 for a full disk, 500 for the rest, 503 at the end of the server. A
//!   request that policy drops, or that exceeds a limit, ends its connection without an answer.
//!
//! # Connections
//!
//! [`HttpServer`] speaks HTTP/1.1 and 1.0, and TLS 1.2 and 1.3. Each client has a share of the connections; beyond the
//! limits, a new connection closes an idle one of the client with the most. Clients that take or send too little are cut
//! ([`HttpLimits::least_rate`]). [`HttpServer::connections`] counts them, and what the limits have cost. [`Files`] alone
//! answers the requests of another server, which has such limits of its own.

mod body;
mod conditions;
mod connection;
mod files;
#[doc(hidden)]
pub mod fuzzing;
mod limits;
mod media_type;
mod name;
mod pace;
mod range;
mod server;
mod slots;
mod tap;
mod tls;

pub use body::Body;
pub use files::Files;
pub use limits::HttpLimits;
pub use server::HttpServer;
pub use slots::{ConnectionCounts, Connections, LimitCounts, ListenerConnections};
pub use tap::{Segment, Tap};
pub use tls::{CertificateError, Certificates};
