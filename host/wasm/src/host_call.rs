//! Records the host call that a plugin waits for, for the message after a time-out.

/// The running host call of an instance, if any.
#[derive(Debug, Default)]
pub(super) struct CurrentHostCall(Option<String>);

impl CurrentHostCall {
    /// Resets the record for another call of a hook.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Records the start of a host call. The record stays if the call is abandoned.
    pub fn begin(&mut self, what: impl Into<String>) {
        self.0 = Some(what.into());
    }

    /// Records the end of the host call.
    pub fn end(&mut self) {
        self.0 = None;
    }

    /// The running host call; `None` during waits inside of WASI.
    pub fn current(&self) -> Option<&str> {
        self.0.as_deref()
    }
}
