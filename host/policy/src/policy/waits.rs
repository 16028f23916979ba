//! What a call waits for, to name it where its time is over.

/// The host call that an instance is in, if any.
#[derive(Debug, Default)]
pub(super) struct Waits(Option<String>);

impl Waits {
    /// Begins another call of a hook.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// A host call begins. It stays noted if the call is abandoned in it.
    pub fn begin(&mut self, what: impl Into<String>) {
        self.0 = Some(what.into());
    }

    /// The host call is over.
    pub fn end(&mut self) {
        self.0 = None;
    }

    /// What it waits for now; nothing for what WASI does for it.
    pub fn now(&self) -> Option<&str> {
        self.0.as_deref()
    }
}
