//! Panics of the program, which end its own call and nothing else.

use std::any::Any;
use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// What a call of the program panicked with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it panicked: {0}")]
pub struct Panicked(String);

impl Panicked {
    fn with(payload: Box<dyn Any + Send>) -> Panicked {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        // Its drop is code of the program, too. What that panics with is not dropped: it could go on for ever.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(again);
        }
        Panicked(text.unwrap_or_else(|| "without a message".into()))
    }
}

/// Calls the program.
///
/// # Errors
/// It panicked.
pub fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(call)).map_err(Panicked::with)
}

/// Waits for the program.
///
/// # Errors
/// It panicked.
pub async fn catch_panic_async<T>(call: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut call = pin!(call);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
        Ok(polled) => polled.map(Ok),
        Err(payload) => Poll::Ready(Err(Panicked::with(payload))),
    })
    .await
}

/// As [`catch_panic_async`], for input and output of the program: a panic is an error.
pub async fn panic_as_error<T>(call: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    catch_panic_async(call).await.unwrap_or_else(|panicked| Err(io::Error::other(panicked)))
}
