//! The objects of a bucket as a root: read by ranges with bounded memory, written by parts, visible when complete.

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, WriteMultipart};
use std::io;
use std::sync::Arc;
use tuffet::{Bytes, Destination, ReadAt, Root, RootError, Sink, Source, Version};

/// Parts of an upload that are sent at the same time. With parts of 5 MiB, an upload takes at most 15 MiB of memory.
const PARTS: usize = 2;

/// A bucket.
pub struct Bucket(pub Arc<dyn ObjectStore>);

#[async_trait]
impl Root for Bucket {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        let path = Path::from(path);
        let ObjectMeta { size, e_tag, last_modified, .. } = self.0.head(&path).await.map_err(why)?;
        let version = format!("{path} {} {last_modified}", e_tag.as_deref().unwrap_or_default());
        let object = Object { store: Arc::clone(&self.0), path, e_tag };
        Ok(Source::ranged(size, Version::new(version), object))
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, RootError> {
        let upload = self.0.put_multipart(&Path::from(path)).await.map_err(why)?;
        let parts = Some(WriteMultipart::new(upload));
        Ok(Box::new(Upload { path: path.to_owned(), parts }) as Box<dyn Sink>)
    }
}

/// An object as it was when it was opened.
struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    e_tag: Option<String>,
}

impl ReadAt for Object {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            let range = GetRange::Bounded(offset..offset + length as u64);
            // An object that was replaced meanwhile is an error, never a mix of two versions.
            let options =
                GetOptions { if_match: self.e_tag.clone(), range: Some(range), ..Default::default() };
            Ok(self.store.get_opts(&self.path, options).await?.bytes().await?)
        })
    }
}

/// An upload. `None` once it is complete.
struct Upload {
    path: String,
    parts: Option<WriteMultipart>,
}

impl Sink for Upload {
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let Some(parts) = &mut self.parts else { return Err(io::ErrorKind::BrokenPipe.into()) };
            // The client waits while the parts are on their way.
            parts.wait_for_capacity(PARTS).await?;
            parts.write(bytes);
            Ok(())
        })
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async move {
            // The parts belong to one object. A store that copies could rename it, or look for a free name.
            if to.path != self.path || to.next_free {
                return Err(io::Error::other(format!("{} cannot get another name", self.path)));
            }
            let Some(parts) = &mut self.parts else { return Err(io::ErrorKind::BrokenPipe.into()) };
            // Until all parts but the last have arrived, an upload that is cut off can be aborted.
            parts.wait_for_capacity(0).await?;
            let Some(parts) = self.parts.take() else { return Err(io::ErrorKind::BrokenPipe.into()) };
            // Aborts itself if the store refuses the rest.
            parts.finish().await?;
            Ok(self.path.clone())
        })
    }

    /// The store forgets the parts of an upload that is not complete. The server waits for this when it ends.
    fn abort(mut self: Box<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(async move {
            if let Some(parts) = self.parts.take() {
                parts.abort().await?;
            }
            Ok(())
        })
    }
}

fn why(error: Error) -> RootError {
    match error {
        Error::NotFound { .. } => RootError::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            RootError::Denied(error.to_string())
        }
        error => RootError::Unavailable(error.to_string()),
    }
}
