//! What several servers share over a real NATS server: keys, the configuration, the view of their transfers. The
//! NATS server is killed, paused and started again.

mod configuration;
mod events;
mod kv;

use crate::harness::{own_address, wait_until};
use crate::sinks::nats::program;
use async_nats::jetstream;
use rustix::process::{Pid, Signal, kill_process};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use tempfile::TempDir;

/// A NATS server with JetStream, killed on drop. It keeps its address and its streams when it is started again.
pub struct Nats {
    child: Mutex<Child>,
    address: SocketAddr,
    folder: TempDir,
}

impl Nats {
    /// `None` where no server is installed, with a word about it.
    pub fn start() -> Option<Nats> {
        program()?;
        let (folder, address) = (TempDir::new().unwrap(), own_address());
        let child = begin(address, &folder).expect("nats-server starts");
        Some(Nats { child: Mutex::new(child), address, folder })
    }

    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child.lock().unwrap()), signal).unwrap();
    }

    /// SIGSTOP: it hangs.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// SIGCONT.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// SIGKILL.
    pub fn kill(&self) {
        let mut child = self.child.lock().unwrap();
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Starts it again after [`Nats::kill`].
    pub fn again(&self) {
        *self.child.lock().unwrap() = begin(self.address, &self.folder).expect("its port is taken");
    }

    /// Puts a value into a bucket, which is created.
    pub fn put(&self, bucket: &str, key: &str, value: &str) -> u64 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let jetstream = jetstream::new(async_nats::connect(self.url()).await.unwrap());
            let stream = jetstream::stream::Config {
                name: format!("KV_{bucket}"),
                subjects: vec![format!("$KV.{bucket}.>")],
                max_messages_per_subject: 5,
                allow_rollup: true,
                ..Default::default()
            };
            jetstream.get_or_create_stream(stream).await.unwrap();
            let bucket = jetstream.get_key_value(bucket).await.unwrap();
            bucket.put(key, value.to_owned().into()).await.unwrap()
        })
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// `None` where it does not start there.
fn begin(address: SocketAddr, folder: &TempDir) -> Option<Child> {
    let mut child = Command::new(program()?)
        .args(["-a", &address.ip().to_string(), "-p", &address.port().to_string(), "-js", "-sd"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut has_ended = false;
    wait_until("nats-server listens", || {
        has_ended = child.try_wait().unwrap().is_some();
        has_ended || TcpStream::connect(address).is_ok()
    });
    (!has_ended).then_some(child)
}
