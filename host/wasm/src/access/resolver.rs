//! Resolves the host names of plugins' HTTP requests by the system's resolver, which blocks a thread. A name server
//! that does not answer can block it for a long time, so few threads may wait, and only one for each name.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// The limit of threads that resolve names. The files and keys of plugins share the other blocking threads.
const MAX_THREADS: usize = 8;

type Addresses = Result<Vec<SocketAddr>, Arc<str>>;
type LookUp = Shared<BoxFuture<'static, Addresses>>;
type Ask = fn(&str) -> io::Result<Vec<SocketAddr>>;

/// Look-ups continue when no call waits for them any more, because a thread cannot be interrupted.
#[derive(Clone)]
pub(super) struct Resolver {
    running: Arc<Mutex<HashMap<Box<str>, LookUp>>>,
    threads: Arc<Semaphore>,
    ask: Ask,
}

impl Resolver {
    pub fn of_system() -> Self {
        // The port is replaced by that of the URL.
        Self::new(|name| Ok((name, 0).to_socket_addrs()?.collect()))
    }

    fn new(ask: Ask) -> Self {
        Self { running: Arc::default(), threads: Arc::new(Semaphore::new(MAX_THREADS)), ask }
    }

    async fn addresses(self, name: Box<str>) -> Addresses {
        let running = self.running.lock().get(&name).cloned();
        if let Some(look_up) = running {
            return look_up.await;
        }
        let Ok(thread) = Arc::clone(&self.threads).acquire_owned().await else {
            unreachable!("the semaphore is never closed")
        };
        let look_up = {
            let mut running = self.running.lock();
            // Another request may have started one during the wait.
            let look_up = running.entry(name.clone()).or_insert_with(|| {
                let (ask, its, others) = (self.ask, name.clone(), Arc::clone(&self.running));
                let (unasked, all) = (name.clone(), Arc::clone(&self.running));
                let asked = spawn_blocking(move || {
                    let result = ask(&its);
                    others.lock().remove(&its);
                    drop(thread);
                    result
                });
                let addresses = async move {
                    match asked.await {
                        Ok(Ok(addresses)) => Ok(addresses),
                        Ok(Err(error)) => Err(error.to_string().into()),
                        // Its runtime has ended.
                        Err(_) => {
                            all.lock().remove(&unasked);
                            Err("the look-up was cancelled".into())
                        }
                    }
                };
                addresses.boxed().shared()
            });
            look_up.clone()
        };
        look_up.await
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = self.clone().addresses(name.as_str().into());
        Box::pin(async move {
            let addresses = addresses.await.map_err(|why| why.to_string())?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Condvar, Mutex as StdMutex, PoisonError};
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::time::timeout;

    use super::*;

    static SILENT: (StdMutex<bool>, Condvar) = (StdMutex::new(true), Condvar::new());
    static ASKED: AtomicUsize = AtomicUsize::new(0);

    /// Answers for `silent` names once the test says so.
    fn ask(name: &str) -> io::Result<Vec<SocketAddr>> {
        if name.starts_with("silent") {
            ASKED.fetch_add(1, Ordering::Relaxed);
            let silent = SILENT.0.lock().unwrap_or_else(PoisonError::into_inner);
            drop(SILENT.1.wait_while(silent, |silent| *silent));
        }
        Ok(vec![([192, 0, 2, 1], 0).into()])
    }

    /// Lets the threads end, also if the test fails: the runtime waits for them.
    struct Answers;

    impl Drop for Answers {
        fn drop(&mut self) {
            *SILENT.0.lock().unwrap_or_else(PoisonError::into_inner) = false;
            SILENT.1.notify_all();
        }
    }

    #[tokio::test]
    async fn names_without_an_answer_block_few_threads() {
        let answers = Answers;
        let resolver = Resolver::new(ask);
        let resolve = |name: String| resolver.clone().addresses(name.into());
        let moment = Duration::from_millis(20);
        let asked = async |number| {
            while ASKED.load(Ordering::Relaxed) < number {
                tokio::task::yield_now().await;
            }
        };
        let gave_up = join_all((0..100).map(|_| timeout(moment, resolve("silent".into())))).await;
        assert!(gave_up.iter().all(Result::is_err));
        asked(1).await;
        assert!(resolve("other".into()).await.is_ok(), "others are resolved meanwhile");
        let gave_up =
            join_all((0..100).map(|number| timeout(moment, resolve(format!("silent-{number}"))))).await;
        assert!(gave_up.iter().all(Result::is_err));
        asked(MAX_THREADS).await;
        let waiting = tokio::spawn(resolve("other".into()));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(answers);
        assert!(waiting.await.unwrap().is_ok());
        while resolver.threads.available_permits() < MAX_THREADS {
            tokio::task::yield_now().await;
        }
        assert_eq!(ASKED.load(Ordering::Relaxed), MAX_THREADS, "equal names share one look-up");
        assert!(resolver.running.lock().is_empty());
    }
}
