//! Has a plugin make content in parts, while clients read the parts so far.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::Instant;
use tracing::Level;

use super::content::PluginContent;
use super::content_parts::{AnnouncedContent, ContentParts, part_length};
use super::failure::{Cause, Failure};
use super::hook_call::HookCall;
use super::hooks::Render;
use super::member::Member;
use tuffet_store::{Arrival, ContentId, OpenFile, RemoteFile, RemoteMeta};

/// How long a part is requested again while the plugin has no free instance.
const BUSY: Duration = Duration::from_secs(30);
/// The pause between these attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// Creates the content, and has the plugin make it unless this is a rehearsal.
///
/// # Errors
/// The memory for content in parts is used up, or the system has none.
pub(crate) fn begin(
    member: &Arc<Member>,
    render: &Arc<dyn Render>,
    key: &Arc<str>,
    announced: &AnnouncedContent,
    call: HookCall,
) -> Result<PluginContent, Failure> {
    let size = announced.size;
    let rehearses = call.is_rehearsal();
    let reservation = match rehearses {
        true => None,
        false => Some(member.renderings.reserve(|memory| memory.take(size)).ok_or_else(|| {
            let detail = format!("there is no room for {size} bytes of content in parts (limits.parts)");
            Failure::new(Cause::Busy, detail)
        })?),
    };
    let no_memory =
        |error: io::Error| Failure::new(Cause::Busy, format!("no memory for content in parts: {error}"));
    let parts = Arc::new(ContentParts::create(size, reservation).map_err(no_memory)?);
    let arrival: Arc<dyn Arrival> = Arc::clone(&parts) as _;
    let meta = RemoteMeta { size, version: Arc::clone(key), modified_unix_ms: 0 };
    let (file, content) = (Arc::clone(&parts.file), ContentId::unused());
    let found = RemoteFile { file, content, meta, arrival: Some(arrival), place: None };
    let maker: Arc<str> = format!("plugin {}", member.name).into();
    let file = OpenFile::made(found, &maker).map_err(|error| no_memory(io::Error::other(error)))?;
    let content = PluginContent::in_parts(announced.name.as_deref(), Arc::new(file), &parts);
    if !rehearses {
        let filling = FillGuard { parts: Arc::downgrade(&parts) };
        let call = HookCall { probes: false, deadline: None, ..call };
        tokio::spawn(fill(Arc::clone(member), Arc::clone(render), Arc::clone(key), filling, call));
    }
    Ok(content)
}

/// Fails unfinished content when dropped, so that no reader waits for the rest.
struct FillGuard {
    parts: Weak<ContentParts>,
}

impl Drop for FillGuard {
    fn drop(&mut self) {
        if let Some(parts) = self.parts.upgrade().filter(|parts| parts.arrived(0, parts.size) < parts.size) {
            parts.fail("the server ended the rendering".into());
        }
    }
}

async fn fill(
    member: Arc<Member>,
    render: Arc<dyn Render>,
    key: Arc<str>,
    filling: FillGuard,
    call: HookCall,
) {
    let mut offset = 0;
    let mut busy_since: Option<Instant> = None;
    loop {
        // Stop without readers.
        let Some(size) = filling.parts.upgrade().map(|parts| parts.size) else { return };
        if offset == size {
            return;
        }
        let length = part_length(render.largest(), size - offset);
        let make = async |call: HookCall| render.part(&key, offset, length, &call).await;
        let failed = match Box::pin(member.counted("render", call.clone(), None, make)).await {
            Ok(Ok(bytes)) => {
                busy_since = None;
                let Some(parts) = filling.parts.upgrade() else { return };
                match parts.take(&bytes) {
                    Ok(arrived) => {
                        offset = arrived;
                        continue;
                    }
                    Err(error) => format!("no memory for it: {error}"),
                }
            }
            Ok(Err(denial)) => format!("it refused the part at byte {offset}: {}", denial.reason),
            Err(failure) if failure.cause == Cause::Busy => {
                if busy_since.get_or_insert_with(Instant::now).elapsed() < BUSY {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
                failure.detail
            }
            Err(failure) => failure.detail,
        };
        // The transfers that read it fail, and their lines have the reason.
        if let Some(parts) = filling.parts.upgrade() {
            log_failure(&member, &format!("at byte {offset} of {size} of its content: {failed}"));
            parts.fail(format!("{} {} failed in render: {failed}", member.noun, member.name));
        }
        return;
    }
}

/// Logs that no more parts arrive: as a warning, unless the lines of transfers are.
fn log_failure(member: &Member, what: &str) {
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                target: "tuffet::policy",
                plugin = %member.name,
                hook = "render",
                failure = "part",
                "a {} failed {what}",
                member.noun
            )
        };
    }
    match member.log_rate.level_of_failure(true) {
        Some(Level::WARN) => line!(warn),
        Some(_) => line!(debug),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_store::Waited;

    #[test]
    fn readers_get_what_has_arrived_and_learn_of_a_failure() {
        let parts = Arc::new(ContentParts::create(10, None).unwrap());
        assert_eq!(parts.take(b"12345").unwrap(), 5);
        assert_eq!((parts.arrived(0, 10), parts.arrived(4, 10), parts.arrived(7, 1)), (5, 1, 0));
        assert_eq!(parts.wait(0, 5, Duration::ZERO).unwrap(), Waited::Arrived);
        assert_eq!(parts.wait(0, 6, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        let waits = Arc::clone(&parts);
        let waiting = std::thread::spawn(move || waits.wait(5, 5, Duration::from_secs(60)));
        parts.take(b"67890").unwrap();
        assert_eq!(waiting.join().unwrap().unwrap(), Waited::Arrived);

        let parts = Arc::new(ContentParts::create(10, None).unwrap());
        parts.take(b"1").unwrap();
        let waits = Arc::clone(&parts);
        let waiting = std::thread::spawn(move || waits.wait(0, 2, Duration::from_secs(60)));
        drop(FillGuard { parts: Arc::downgrade(&parts) });
        assert_eq!(waiting.join().unwrap().unwrap_err().to_string(), "the server ended the rendering");
        assert!(parts.has_failed());
        assert_eq!(parts.wait(0, 1, Duration::ZERO).unwrap(), Waited::Arrived, "the first byte has arrived");
    }
}
