//! Serves a bucket: `AWS_ENDPOINT=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… cargo run -p embed-s3 BUCKET`.

use embed_s3::Bucket;
use object_store::aws::AmazonS3Builder;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tuffet::{Listener, Server};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let bucket = std::env::args().nth(1).ok_or("name a bucket: embed-s3 BUCKET")?;
    let store = AmazonS3Builder::from_env().with_allow_http(true).with_bucket_name(bucket).build()?;
    let server = Server::builder()
        .listener(Listener::bind("127.0.0.1:6969".parse()?))
        .writable_root("bucket", 1 << 30, Bucket(Arc::new(store)))
        .bind()?;
    let handle = server.start()?;
    tokio::signal::ctrl_c().await?;
    handle.drain(Duration::from_secs(10)).await;
    Ok(())
}
