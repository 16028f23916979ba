//! The import `files`.

use crate::access::{Code, MAX_PATH, MAX_READ, not_granted, too_large};
use crate::bindings::files::{Host, Metadata};
use crate::bindings::types::Error;
use crate::sandbox::Sandbox;

impl Host for Sandbox {
    async fn stat(&mut self, root: String, path: String) -> Result<Option<Metadata>, Error> {
        self.may_read(&root, &path)?;
        let (access, client) = (self.access.clone(), self.http.caller.client);
        self.host_call.begin(format!("the file {root}:{path}"));
        let found = access.host.stat(client, root, path).await;
        self.host_call.end();
        found
    }

    async fn read(&mut self, root: String, path: String, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        self.may_read(&root, &path)?;
        // More than the memory of the guest would only fill that of the host.
        let max_bytes = limit.min(MAX_READ.saturating_sub(self.usage.read)).min(self.memory.max());
        let (access, client) = (self.access.clone(), self.http.caller.client);
        self.host_call.begin(format!("the file {root}:{path}"));
        let content = access.host.read(client, root, path, max_bytes).await;
        self.host_call.end();
        let content = content?;
        self.usage.read += content.as_ref().map_or(0, |content| content.len() as u64);
        Ok(content)
    }

    async fn read_at(
        &mut self,
        root: String,
        path: String,
        version: String,
        offset: u64,
        length: u32,
    ) -> Result<Vec<u8>, Error> {
        self.may_read(&root, &path)?;
        let left = (MAX_READ - self.usage.read).min(self.memory.max());
        if u64::from(length) > left {
            return Err(too_large(length.into(), left));
        }
        let (access, client) = (self.access.clone(), self.http.caller.client);
        self.host_call.begin(format!("the file {root}:{path}"));
        let content = access.host.read_at(client, root, path, version, offset, length as usize).await;
        self.host_call.end();
        let content = content?;
        self.usage.read += content.len() as u64;
        Ok(content)
    }
}

impl Sandbox {
    fn may_read(&mut self, root: &str, path: &str) -> Result<(), Error> {
        if !self.access.files.iter().any(|granted| granted == root) {
            let root: String = root.chars().take(64).collect();
            return Err(not_granted(format_args!("files/{root}")));
        }
        self.usage.operation()?;
        if path.len() > MAX_PATH {
            let message = format!("the path has {} bytes: {MAX_PATH} are allowed", path.len());
            return Err(Code::BadPath.with(message));
        }
        Ok(())
    }
}
