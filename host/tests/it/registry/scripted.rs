//! A registry in this process that answers as a test wants.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use super::sha256;
use crate::harness::{HttpConnection, HttpRequest, loopback, serve_http};
use serde_json::{Value, json};

/// The answer to a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// 200 with this content.
    Content(Vec<u8>),
    /// This status, and headers, each with CR LF.
    Status(u16, String),
    /// Accepts the request, and never answers.
    Hang,
    /// The head and the first half of the content, and then the connection ends.
    Cut(Vec<u8>),
    /// The head and the first half of the content, and then nothing.
    Stall(Vec<u8>),
    /// Content without an end.
    Endless,
    /// 200 with this content for requests with this header, else 401 with this challenge.
    Locked(Vec<u8>, String, String),
}

/// A registry that runs until the process ends.
#[derive(Clone)]
pub struct Scripted {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// By path; everything else is not found.
    replies: HashMap<String, Reply>,
    /// The heads of all requests, in lower case.
    heads: Vec<String>,
}

impl Scripted {
    pub fn new() -> Scripted {
        let listener = loopback();
        let scripted = Scripted { address: listener.local_addr().unwrap(), state: Arc::default() };
        let its = scripted.clone();
        serve_http(listener, move |request, connection| its.serve(request, connection));
        scripted
    }

    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Sets the answer below `/v2/acl/`.
    pub fn reply(&self, path: &str, reply: Reply) {
        self.at(&format!("/v2/acl/{path}"), reply);
    }

    pub fn at(&self, path: &str, reply: Reply) {
        self.state.lock().unwrap().replies.insert(path.into(), reply);
    }

    /// Holds this component as `acl:1`, with these media types; returns its manifest's digest and its own.
    pub fn hold(&self, component: &[u8], config: &str, layer: &str) -> (String, String) {
        let (blob, manifest) = artifact(component, config, layer);
        self.reply(&format!("blobs/sha256:{blob}"), Reply::Content(component.to_vec()));
        (self.hold_manifest(&manifest), blob)
    }

    /// Holds a manifest as `acl:1`, and under its digest, which it returns.
    pub fn hold_manifest(&self, manifest: &Value) -> String {
        let text = manifest.to_string().into_bytes();
        let digest = sha256(&text);
        self.reply(&format!("manifests/sha256:{digest}"), Reply::Content(text.clone()));
        self.reply("manifests/1", Reply::Content(text));
        digest
    }

    pub fn heads(&self) -> Vec<String> {
        self.state.lock().unwrap().heads.clone()
    }

    fn serve(&self, request: &HttpRequest, connection: &mut HttpConnection) -> Option<()> {
        let head = request.head.to_lowercase();
        let path = request.path().split('?').next().unwrap_or_default();
        let reply = {
            let mut state = self.state.lock().unwrap();
            state.heads.push(head.clone());
            state.replies.get(path).cloned()
        };
        let half = |content: Vec<u8>| {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", content.len());
            [head.as_bytes(), &content[..content.len() / 2]].concat()
        };
        match reply.unwrap_or_else(|| Reply::Status(404, String::new())) {
            Reply::Content(content) => connection.answer(200, "", &content),
            Reply::Status(code, headers) => connection.answer(code, &headers, b""),
            Reply::Hang => connection.hang(),
            Reply::Cut(content) => {
                let _ = connection.send(&half(content));
                None
            }
            Reply::Stall(content) => {
                let _ = connection.send(&half(content));
                connection.hang()
            }
            Reply::Endless => {
                let mut going = connection.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                let chunk = [b"10000\r\n".to_vec(), vec![b' '; 0x1_0000], b"\r\n".to_vec()].concat();
                while going.is_some() {
                    going = connection.send(&chunk);
                }
                None
            }
            Reply::Locked(content, header, _) if head.contains(&header.to_lowercase()) => {
                connection.answer(200, "", &content)
            }
            Reply::Locked(_, _, challenge) => {
                connection.answer(401, &format!("www-authenticate: {challenge}\r\n"), b"")
            }
        }
    }
}

/// Returns the digest of a component, and a manifest with it.
pub fn artifact(component: &[u8], config: &str, layer: &str) -> (String, Value) {
    let blob = sha256(component);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": { "mediaType": config, "digest": format!("sha256:{}", sha256(b"{}")), "size": 2 },
        "layers": [{ "mediaType": layer, "digest": format!("sha256:{blob}"), "size": component.len() }],
    });
    (blob, manifest)
}

pub const CONFIG: &str = "application/vnd.wasm.config.v0+json";
pub const LAYER: &str = "application/wasm";
