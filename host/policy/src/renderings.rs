//! Renderings: content that a plugin makes once for all requests with the same key.
//!
//! A rendering runs in a separate task: if the first request times out, the others still get the content. The cache is
//! bounded by bytes; content in use outlives its entry.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use tokio::time::{Instant, timeout_at};

use super::content::{Body, PluginContent, Rendered, Rendering};
use super::content_parts::{ContentMemory, ContentParts};
use super::failure::{Cause, Failure};
use tuffet_request::Denial;
use tuffet_store::OpenFile;

/// The estimated memory of a rendering beside its bytes and its key.
const OVERHEAD: u64 = 256;
/// The initial capacity of the cache.
const EXPECTED: usize = 64;

/// A running call of `render`, shared by all requests that wait for it.
type Flight = Shared<BoxFuture<'static, Rendered>>;

/// The renderings of one plugin, by key. A reload begins with none.
pub struct Renderings {
    cache: Cache<Arc<str>, CachedRendering, Weight>,
    /// Content in parts, while it is in use.
    in_use: Mutex<HashMap<Arc<str>, PartsInUse>>,
    memory: Arc<ContentMemory>,
    flights: Mutex<HashMap<Arc<str>, Flight>>,
}

#[derive(Clone)]
struct CachedRendering {
    content: Arc<PluginContent>,
    until: Option<Instant>,
}

/// Content in parts that may have left the cache.
struct PartsInUse {
    resolved: Arc<str>,
    file: Weak<OpenFile>,
    parts: Weak<ContentParts>,
    until: Option<Instant>,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Arc<str>, CachedRendering> for Weight {
    fn weight(&self, key: &Arc<str>, cached: &CachedRendering) -> u64 {
        let content = &cached.content;
        (key.len() + content.resolved.len()) as u64 + content.len() + OVERHEAD
    }
}

impl Renderings {
    /// A cache of `bytes` bytes, and memory for `parts` bytes of content in parts.
    pub fn new(bytes: u64, parts: u64) -> Arc<Renderings> {
        let mut options = OptionsBuilder::new();
        // One shard: the capacity is divided among shards, and a shard refuses entries beyond its part.
        options.shards(1).estimated_items_capacity(EXPECTED).weight_capacity(bytes);
        let cache = match options.build() {
            Ok(options) => Cache::with_options(
                options,
                Weight,
                DefaultHashBuilder::default(),
                DefaultLifecycle::default(),
            ),
            Err(_) => Cache::with_weighter(EXPECTED, bytes, Weight),
        };
        let (in_use, flights) = (Mutex::default(), Mutex::default());
        Arc::new(Renderings { cache, in_use, memory: ContentMemory::new(parts), flights })
    }

    /// Returns the rendering in memory, if it is still valid.
    pub(crate) fn cached(&self, key: &str) -> Option<Arc<PluginContent>> {
        let holds = |until: Option<Instant>| until.is_none_or(|until| until > Instant::now());
        if let Some(cached) = self.cache.get(key) {
            return (holds(cached.until) && !cached.content.has_failed()).then_some(cached.content);
        }
        let in_use = self.in_use.lock();
        let PartsInUse { resolved, file, parts, until } = in_use.get(key)?;
        let body = Body::Parts { file: file.upgrade()?, parts: Weak::clone(parts) };
        let content = PluginContent { resolved: Arc::clone(resolved), body };
        (holds(*until) && !content.has_failed()).then(|| Arc::new(content))
    }

    /// Reserves memory for content in parts; if it is used up, the cache drops its content in parts first.
    pub(crate) fn reserve<T>(&self, take: impl Fn(&Arc<ContentMemory>) -> Option<T>) -> Option<T> {
        take(&self.memory).or_else(|| {
            self.cache.retain(|_, cached| cached.content.file().is_none());
            take(&self.memory)
        })
    }

    /// Returns the rendering; waits for a running call at most until `until`. Without one, starts `render` and sets
    /// `began`.
    ///
    /// # Errors
    /// The call failed, or did not end in time.
    pub(crate) async fn get(
        self: &Arc<Self>,
        key: &Arc<str>,
        until: Instant,
        began: &mut bool,
        render: impl Future<Output = Rendered> + Send + 'static,
    ) -> Result<Result<Arc<PluginContent>, Denial>, Failure> {
        let flight = {
            let mut flights = self.flights.lock();
            match (flights.get(key), self.cached(key)) {
                (Some(flight), _) => flight.clone(),
                // The call ended in between.
                (None, Some(content)) => return Ok(Ok(content)),
                (None, None) => {
                    *began = true;
                    let flight = self.begin(key, render);
                    flights.insert(Arc::clone(key), flight.clone());
                    flight
                }
            }
        };
        let rendered = timeout_at(until, flight).await.unwrap_or_else(|_| {
            let detail = "the time limit of the chain passed while the content was rendered";
            Err(Failure::new(Cause::Busy, detail))
        })?;
        Ok(rendered.map(|rendering| rendering.content))
    }

    fn begin(
        self: &Arc<Self>,
        key: &Arc<str>,
        render: impl Future<Output = Rendered> + Send + 'static,
    ) -> Flight {
        let flight = FlightGuard { renderings: Arc::clone(self), key: Arc::clone(key) };
        let call = tokio::spawn(async move {
            let rendered = render.await;
            if let Ok(Ok(rendering)) = &rendered {
                flight.keep(rendering);
            }
            drop(flight);
            rendered
        });
        let ended = call.map(|ended| {
            ended.unwrap_or_else(|_| Err(Failure::new(Cause::Busy, "the server ended the rendering")))
        });
        ended.boxed().shared()
    }
}

/// Removes a call from the table when it ends, however it ends.
struct FlightGuard {
    renderings: Arc<Renderings>,
    key: Arc<str>,
}

impl FlightGuard {
    fn keep(&self, rendering: &Rendering) {
        let until = match rendering.ttl {
            None => None,
            // Beyond the range of the clock: no limit.
            Some(ttl) => Instant::now().checked_add(ttl),
        };
        let cached = CachedRendering { content: Arc::clone(&rendering.content), until };
        if let Body::Parts { file, parts } = &rendering.content.body {
            let (resolved, file) = (Arc::clone(&rendering.content.resolved), Arc::downgrade(file));
            let mut in_use = self.renderings.in_use.lock();
            in_use.retain(|_, entry| entry.file.strong_count() > 0);
            in_use.insert(
                Arc::clone(&self.key),
                PartsInUse { resolved, file, parts: Weak::clone(parts), until },
            );
        }
        self.renderings.cache.insert(Arc::clone(&self.key), cached);
    }
}

impl Drop for FlightGuard {
    fn drop(&mut self) {
        self.renderings.flights.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::time::Duration;
    use tokio::sync::Semaphore;

    fn rendering(bytes: usize, ttl: Option<Duration>) -> Rendering {
        Rendering { content: Arc::new(PluginContent::new(Some("a"), vec![7; bytes].into())), ttl }
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    struct World {
        renderings: Arc<Renderings>,
        calls: Arc<AtomicU32>,
    }

    impl World {
        fn new(bytes: u64) -> World {
            World { renderings: Renderings::new(bytes, bytes), calls: Arc::default() }
        }

        async fn get(
            &self,
            key: &str,
            rendered: Rendered,
        ) -> Result<Result<Arc<PluginContent>, Denial>, Failure> {
            let calls = Arc::clone(&self.calls);
            let render = async move {
                calls.fetch_add(1, SeqCst);
                rendered
            };
            self.renderings.get(&key.into(), soon(), &mut false, render).await
        }

        fn calls(&self) -> u32 {
            self.calls.load(SeqCst)
        }
    }

    #[tokio::test]
    async fn one_call_serves_all_that_wait_and_all_that_follow() {
        let world = World::new(1 << 20);
        let gate = Arc::new(Semaphore::new(0));
        let waiting: Vec<_> = (0..200)
            .map(|_| {
                let (renderings, gate, calls) =
                    (Arc::clone(&world.renderings), Arc::clone(&gate), Arc::clone(&world.calls));
                tokio::spawn(async move {
                    let render = async move {
                        calls.fetch_add(1, SeqCst);
                        let _open = gate.acquire().await;
                        Ok(Ok(rendering(10, None)))
                    };
                    renderings.get(&"key".into(), soon(), &mut false, render).await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        gate.add_permits(1);
        let mut contents = Vec::new();
        for waits in waiting {
            contents.push(waits.await.unwrap().unwrap().unwrap());
        }
        contents.push(world.get("key", Err(Failure::new(Cause::Trap, "not called"))).await.unwrap().unwrap());
        assert_eq!(world.calls(), 1);
        assert!(contents.iter().all(|content| Arc::ptr_eq(content, &contents[0])));
    }

    #[tokio::test]
    async fn neither_a_failure_nor_a_denial_is_kept() {
        let world = World::new(1 << 20);
        let failure = Failure::new(Cause::Trap, "on purpose");
        assert_eq!(world.get("key", Err(failure.clone())).await, Err(failure));
        let denial = Denial {
            code: tuffet_request::ErrorCode::NotDefined,
            message: "no".into(),
            reason: String::new(),
        };
        assert_eq!(world.get("key", Ok(Err(denial.clone()))).await, Ok(Err(denial)));
        assert!(world.get("key", Ok(Ok(rendering(1, None)))).await.unwrap().is_ok());
        assert_eq!(world.calls(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rendering_holds_for_its_time() {
        let world = World::new(1 << 20);
        let ten = || Ok(Ok(rendering(1, Some(Duration::from_secs(10)))));
        for (after, calls) in [(0, 1), (9, 1), (2, 2), (9, 2)] {
            tokio::time::advance(Duration::from_secs(after)).await;
            world.get("key", ten()).await.unwrap().unwrap();
            assert_eq!(world.calls(), calls, "{after} s later");
        }
    }

    #[tokio::test]
    async fn the_cache_is_bounded_by_bytes() {
        let world = World::new(100_000);
        for key in 0..100 {
            world.get(&key.to_string(), Ok(Ok(rendering(10_000, None)))).await.unwrap().unwrap();
        }
        assert!(world.renderings.cache.weight() <= 100_000);
        // Content larger than the cache is made each time.
        for calls in [101, 102] {
            world.get("large", Ok(Ok(rendering(200_000, None)))).await.unwrap().unwrap();
            assert_eq!(world.calls(), calls);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_no_time_leaves_the_call_to_the_others() {
        let world = World::new(1 << 20);
        let calls = Arc::clone(&world.calls);
        let slow = async move {
            calls.fetch_add(1, SeqCst);
            tokio::time::sleep(Duration::from_secs(5)).await;
            Ok(Ok(rendering(1, None)))
        };
        let until = Instant::now() + Duration::from_secs(1);
        let late = world.renderings.get(&"key".into(), until, &mut false, slow).await;
        assert_eq!(late.unwrap_err().cause, Cause::Busy);
        assert!(world.get("key", Err(Failure::new(Cause::Trap, "not called"))).await.unwrap().is_ok());
        assert_eq!(world.calls(), 1);
    }
}
