//! Content that a plugin makes.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use super::content_parts::ContentParts;
use super::failure::Failure;
use tuffet_request::Denial;
use tuffet_store::OpenFile;

/// Content that a plugin made, shared by all requests that it answers.
#[derive(Debug)]
pub struct PluginContent {
    pub(crate) resolved: Arc<str>,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Body {
    Whole {
        bytes: Arc<[u8]>,
        /// Encoded as netascii, while a transfer uses it.
        netascii: Mutex<Weak<[u8]>>,
    },
    /// Whoever has the file open has the parts.
    Parts { file: Arc<OpenFile>, parts: Weak<ContentParts> },
}

impl PluginContent {
    /// Content with a name, or without one.
    pub fn new(name: Option<&str>, bytes: Arc<[u8]>) -> PluginContent {
        let none: Weak<[u8]> = Weak::<[u8; 0]>::new();
        PluginContent { resolved: resolved(name), body: Body::Whole { bytes, netascii: Mutex::new(none) } }
    }

    /// Content that is made in parts.
    pub(crate) fn in_parts(
        name: Option<&str>,
        file: Arc<OpenFile>,
        parts: &Arc<ContentParts>,
    ) -> PluginContent {
        let parts = Arc::downgrade(parts);
        PluginContent { resolved: resolved(name), body: Body::Parts { file, parts } }
    }

    /// What it is, for logs and observers: `content/NAME`, or `content`. No root has such a name.
    pub fn resolved(&self) -> &Arc<str> {
        &self.resolved
    }

    /// Its name, if the plugin gave it one.
    pub fn name(&self) -> Option<&str> {
        self.resolved.strip_prefix("content/")
    }

    /// The number of bytes as the plugin makes them.
    #[allow(clippy::len_without_is_empty, reason = "an empty content is a content")]
    pub fn len(&self) -> u64 {
        match &self.body {
            Body::Whole { bytes, .. } => bytes.len() as u64,
            Body::Parts { file, .. } => file.size(),
        }
    }

    /// The bytes as the plugin made them, if it made them as a whole.
    pub fn bytes(&self) -> Option<&Arc<[u8]>> {
        match &self.body {
            Body::Whole { bytes, .. } => Some(bytes),
            Body::Parts { .. } => None,
        }
    }

    /// The file in which they arrive, if it makes them in parts.
    pub fn file(&self) -> Option<&Arc<OpenFile>> {
        match &self.body {
            Body::Whole { .. } => None,
            Body::Parts { file, .. } => Some(file),
        }
    }

    /// Whether making it has failed.
    pub(crate) fn has_failed(&self) -> bool {
        match &self.body {
            Body::Whole { .. } => false,
            Body::Parts { parts, .. } => parts.upgrade().is_none_or(|parts| parts.has_failed()),
        }
    }

    /// The bytes as netascii, encoded once for all transfers that need them at the same time.
    pub fn netascii(&self, encode: impl FnOnce(&[u8]) -> Arc<[u8]>) -> Option<Arc<[u8]>> {
        let Body::Whole { bytes, netascii } = &self.body else { return None };
        let mut encoded = netascii.lock().unwrap_or_else(PoisonError::into_inner);
        Some(encoded.upgrade().unwrap_or_else(|| {
            let bytes = encode(bytes);
            *encoded = Arc::downgrade(&bytes);
            bytes
        }))
    }
}

fn resolved(name: Option<&str>) -> Arc<str> {
    match name {
        Some(name) => ["content/", name].concat().into(),
        None => "content".into(),
    }
}

impl PartialEq for PluginContent {
    fn eq(&self, other: &PluginContent) -> bool {
        let same_body = match (&self.body, &other.body) {
            (Body::Whole { bytes, .. }, Body::Whole { bytes: others, .. }) => bytes == others,
            (Body::Parts { file, .. }, Body::Parts { file: others, .. }) => Arc::ptr_eq(file, others),
            _ => false,
        };
        same_body && self.resolved == other.resolved
    }
}

impl Eq for PluginContent {}

/// A rendering, and how long it holds.
#[derive(Debug, Clone)]
pub struct Rendering {
    /// The content.
    pub content: Arc<PluginContent>,
    /// `None` if it holds for the generation.
    pub ttl: Option<Duration>,
}

/// The end of a call of `render`.
pub type Rendered = Result<Result<Rendering, Denial>, Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn netascii_is_shared_while_it_is_used() {
        let content = PluginContent::new(None, b"a\n"[..].into());
        let encode = |bytes: &[u8]| Arc::from([bytes, b"!"].concat());
        let first = content.netascii(encode).unwrap();
        assert!(Arc::ptr_eq(&first, &content.netascii(|_| unreachable!("it is there")).unwrap()));
        let freed = Arc::downgrade(&first);
        drop(first);
        assert!(freed.upgrade().is_none(), "nobody uses it");
        assert_eq!(content.netascii(encode).as_deref(), Some(&b"a\n!"[..]));
    }
}
