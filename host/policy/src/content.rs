//! Content made by a plugin.

use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::content_parts::ContentParts;
use super::failure::Failure;
use tuffet_request::Denial;
use tuffet_store::OpenFile;

/// Content made by a plugin, shared by all requests that it answers.
#[derive(Debug)]
pub struct PluginContent {
    pub(crate) resolved: Arc<str>,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Body {
    Whole {
        bytes: Arc<[u8]>,
        /// The netascii encoding, while a transfer uses it.
        netascii: Mutex<Weak<[u8]>>,
    },
    /// Content that the program supplies.
    Opened(Arc<OpenFile>),
    /// The open file owns the parts.
    Parts { file: Arc<OpenFile>, parts: Weak<ContentParts> },
}

impl PluginContent {
    /// Creates content, with an optional name.
    pub fn new(name: Option<&str>, bytes: Arc<[u8]>) -> PluginContent {
        let none: Weak<[u8]> = Weak::<[u8; 0]>::new();
        PluginContent { resolved: resolved(name), body: Body::Whole { bytes, netascii: Mutex::new(none) } }
    }

    /// Creates content that the program supplies.
    pub fn opened(file: Arc<OpenFile>) -> PluginContent {
        PluginContent { resolved: resolved(None), body: Body::Opened(file) }
    }

    /// Returns the content that the program supplies.
    pub fn supplied(&self) -> Option<&Arc<OpenFile>> {
        match &self.body {
            Body::Opened(file) => Some(file),
            Body::Whole { .. } | Body::Parts { .. } => None,
        }
    }

    /// Creates content that is made in parts.
    pub(crate) fn in_parts(
        name: Option<&str>,
        file: Arc<OpenFile>,
        parts: &Arc<ContentParts>,
    ) -> PluginContent {
        let parts = Arc::downgrade(parts);
        PluginContent { resolved: resolved(name), body: Body::Parts { file, parts } }
    }

    /// Returns the label for logs and observers: `content/NAME`, or `content`. No root has such a name.
    pub fn resolved(&self) -> &Arc<str> {
        &self.resolved
    }

    /// Returns the name that the plugin gave it.
    pub fn name(&self) -> Option<&str> {
        self.resolved.strip_prefix("content/")
    }

    /// Returns the size in bytes, before encoding.
    #[allow(clippy::len_without_is_empty, reason = "an empty content is a content")]
    pub fn len(&self) -> u64 {
        match &self.body {
            Body::Whole { bytes, .. } => bytes.len() as u64,
            Body::Parts { file, .. } | Body::Opened(file) => file.size(),
        }
    }

    /// Returns the bytes before encoding; `None` for content in parts.
    pub fn bytes(&self) -> Option<&Arc<[u8]>> {
        match &self.body {
            Body::Whole { bytes, .. } => Some(bytes),
            Body::Parts { .. } | Body::Opened(_) => None,
        }
    }

    /// Returns the file that receives the parts; `None` for content as a whole.
    pub fn file(&self) -> Option<&Arc<OpenFile>> {
        match &self.body {
            Body::Whole { .. } => None,
            Body::Parts { file, .. } | Body::Opened(file) => Some(file),
        }
    }

    /// Returns whether the plugin failed to complete it.
    pub(crate) fn has_failed(&self) -> bool {
        match &self.body {
            Body::Whole { .. } | Body::Opened(_) => false,
            Body::Parts { parts, .. } => parts.upgrade().is_none_or(|parts| parts.has_failed()),
        }
    }

    /// Returns the bytes as netascii, encoded once for all concurrent transfers; `None` for content in parts.
    pub fn netascii(&self, encode: impl FnOnce(&[u8]) -> Arc<[u8]>) -> Option<Arc<[u8]>> {
        let Body::Whole { bytes, netascii } = &self.body else { return None };
        let mut encoded = netascii.lock();
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
            (Body::Parts { file, .. }, Body::Parts { file: others, .. })
            | (Body::Opened(file), Body::Opened(others)) => Arc::ptr_eq(file, others),
            _ => false,
        };
        same_body && self.resolved == other.resolved
    }
}

impl Eq for PluginContent {}

/// Rendered content and its lifetime.
#[derive(Debug, Clone)]
pub struct Rendering {
    /// The content.
    pub content: Arc<PluginContent>,
    /// How long it is valid; `None`: until the next reload.
    pub ttl: Option<Duration>,
}

/// The result of a call of `render`.
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
        assert!(freed.upgrade().is_none(), "it is unused");
        assert_eq!(content.netascii(encode).as_deref(), Some(&b"a\n!"[..]));
    }
}
