//! The examples of the crate.

use crate::{get, off, refused};
use std::time::Duration;

#[path = "../../examples/memory.rs"]
#[expect(dead_code, reason = "its `main` is for people")]
mod memory;

#[tokio::test(flavor = "multi_thread")]
async fn the_example_with_one_file_in_memory_says_hello() {
    let handle = memory::start("127.0.0.1:0").unwrap();
    let server = handle.addresses()[0].1;
    off(move || {
        assert_eq!(get(server, "hello").unwrap(), b"hello, world\n");
        assert_eq!(get(server, "else"), Err(refused(1, "file not found")));
    })
    .await;
    handle.drain(Duration::ZERO).await;
}
