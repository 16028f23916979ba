//! Hooks that decide.

use crate::{image, ms, serving};
use async_trait::async_trait;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tuffet::{
    AcceptUpload, Authorize, Event, EventKind, Failure, HookCall, Observe, Outcome, ReceivedUpload,
    Request as Asked, Server, UploadVerdict, Verdict,
};
use tuffet_testing::ClientError;
use tuffet_testing::virtual_time::{Options, Path, Request, World};

/// Denies one name and one client, keeps silent about another name, and takes real time.
struct Rules;

#[async_trait]
impl Authorize for Rules {
    async fn authorize(&self, request: &Asked, _: &HookCall) -> Result<Verdict, Failure> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let client = request.client.ip().to_string();
        Ok(match (&*request.path, &*client) {
            ("secret", _) => Verdict::deny("nobody gets it"),
            (_, "192.0.2.66") => Verdict::deny("this client gets nothing"),
            ("silence", _) => Verdict::Drop("another server has it".into()),
            _ => Verdict::allow(),
        })
    }
}

#[derive(Clone, Default)]
struct Ends(Arc<Mutex<Vec<(String, Outcome)>>>);

impl Observe for Ends {
    fn observe(&self, event: &Event) {
        if let EventKind::Finished(summary) = &event.what {
            self.0.lock().push((summary.record.request.path.clone(), summary.ending.outcome));
        }
    }
}

#[test]
fn a_hook_denies_and_takes_no_virtual_time() {
    let ends = Ends::default();
    let builder = serving(image(1_000)).authorize("rules", Rules).observe("ends", ends.clone());
    let mut world = World::new(builder, Path { delay: ms(5), ..Path::default() }, 1).unwrap();
    let denied = ClientError::Refused { code: 2, message: "access denied".into() };
    assert_eq!(world.get("secret", Options::default()), Err(denied.clone()));
    let last = world.last().unwrap();
    assert_eq!(last.outcome, Some(Outcome::Denied));
    assert_eq!(last.detail.as_deref(), Some("nobody gets it"));
    assert_eq!((last.to_server, last.to_client, last.took), (1, 1, ms(10)));
    let other = Request::get("image").client([192, 0, 2, 66].into());
    assert_eq!(world.request(other), Err(denied));
    assert_eq!(world.get("image", Options::default()).unwrap().bytes.len(), 1_000);
    assert_eq!(world.get("silence", Options::default()), Err(ClientError::NoAnswer));
    assert_eq!(world.last().unwrap().outcome, Some(Outcome::Denied));
    let all = world.end();
    let told = ends.0.lock();
    assert_eq!(told.len(), all.len(), "each end reaches the observer");
    assert_eq!(told[0], ("secret".to_owned(), Outcome::Denied));
}

/// Accepts small uploads.
struct SmallOnes;

#[async_trait]
impl AcceptUpload for SmallOnes {
    async fn accept_upload(
        &self,
        _: &Asked,
        upload: &ReceivedUpload,
        _: &HookCall,
    ) -> Result<UploadVerdict, Failure> {
        let is_large = upload.size > 10_000;

        Ok(if is_large {
            UploadVerdict::Deny(tuffet::Denial {
                code: tuffet::ErrorCode::DiskFull,
                message: "too much".into(),
                reason: "more than 10,000 bytes".into(),
            })
        } else {
            UploadVerdict::Accept
        })
    }
}

#[test]
fn an_upload_is_accepted_before_its_last_acknowledgement() {
    for seed in 0..20 {
        let memory = crate::roots::Memory::default();
        let builder = crate::roots::writable(&memory).accept_upload("small ones", SmallOnes);
        let path = Path { loss: 0.1, duplicate: 0.1, ..Path::default() };
        let mut world = World::new(builder, path, seed).unwrap();
        let options = Options::windows(512, 4);
        world.put("small", image(10_000), options).unwrap();
        let error = world.put("large", image(10_001), options).unwrap_err();
        // If the ERROR is lost, the repeated block belongs to no transfer any more.
        assert!(matches!(error.code(), Some(3 | 5) | None), "seed {seed}: {error:?}");
        assert_eq!(world.last().unwrap().outcome, Some(Outcome::Denied), "seed {seed}");
        world.settle();
        let names: Vec<String> = memory.stored().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["small"], "seed {seed}");
    }
}

#[test]
fn limits_hold_in_virtual_time() {
    let limits = tuffet::Limits { per_second: Some(1), ..Default::default() };
    let mut world = World::new(serving(image(100)).limits(limits), Path::default(), 0).unwrap();
    let asked: Vec<_> = (0..5).map(|_| world.start(Request::get("image")).unwrap()).collect();
    world.run();
    let took: Vec<Duration> = asked.iter().map(|id| world.report(*id).took).collect();
    assert!(asked.iter().all(|id| world.report(*id).result.is_ok()), "{took:?}");
    assert!(took[0] < ms(1) && took[4] > ms(900), "{took:?}");
}

#[test]
fn a_world_in_a_runtime_works_like_any_other() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut world = World::new(serving(image(70_000)), Path::default(), 0).unwrap();
        assert_eq!(world.get("image", Options::windows(1428, 4)).unwrap().bytes.len(), 70_000);
        drop(world);
        let world = World::new(serving(image(1)), Path::default(), 0).unwrap();
        assert!(world.end().is_empty());
    });
}

#[test]
fn a_builder_without_content_is_refused() {
    let error = World::new(Server::builder(), Path::default(), 0).err().unwrap();
    assert!(error.to_string().contains("no content"), "{error}");
}
