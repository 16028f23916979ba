//! Hooks of a server, in virtual time: 200 networks in a moment.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tuffet::{Authorize, Builder, Failure, HookCall, Outcome, Request, Server, Source, Verdict, resolve_fn};
use tuffet_testing::ClientError;
use tuffet_testing::virtual_time::{Options, Path, Request as Asked, World};

/// The hook under test: only machines of one network boot.
struct OneNetwork;

#[async_trait]
impl Authorize for OneNetwork {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        let is_ours = request.client.ip().to_string().starts_with("192.0.2.");
        Ok(if is_ours { Verdict::allow() } else { Verdict::deny("another network") })
    }
}

fn image() -> Arc<[u8]> {
    (0..300_000_u32).map(|n| (n / 3) as u8).collect()
}

fn builder(image: &Arc<[u8]>) -> Builder {
    let image = Arc::clone(image);
    let answer = resolve_fn(move |asked| (asked.path == "image").then(|| Source::bytes(Arc::clone(&image))));
    Server::builder().authorize("one network", OneNetwork).resolve("image", answer)
}

#[test]
fn our_machines_boot_over_any_network() {
    let image = image();
    for seed in 0..200 {
        let path = Path {
            delay: Duration::from_millis(20),
            jitter: Duration::from_millis(5),
            loss: 0.02,
            duplicate: 0.01,
            reorder: 0.01,
        };
        let mut world = World::new(builder(&image), path, seed).unwrap();
        let got = world.get("image", Options::windows(1428, 16)).unwrap();
        // On failure, `world.trace()` has a line for each datagram.
        assert!(*got.bytes == *image, "seed {seed}:\n{}", world.trace());
        assert!(got.took < Duration::from_secs(30), "seed {seed}: {:?}", got.took);
    }
}

#[test]
fn others_are_refused_and_the_reason_is_logged() {
    let mut world = World::new(builder(&image()), Path::default(), 0).unwrap();
    let error = world.request(Asked::get("image").client([198, 51, 100, 7].into())).unwrap_err();
    assert_eq!(error, ClientError::Refused { code: 2, message: "access denied".into() });
    let last = world.last().unwrap();
    assert_eq!((last.outcome, last.detail.as_deref()), (Some(Outcome::Denied), Some("another network")));
}
