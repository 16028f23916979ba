//! Content in the answer of a hook: opened, or rendered.

use std::sync::Arc;

use super::answers::{Fallback, Resolution, Selection};
use super::chain_deadline::ChainDeadline;
use super::chain_results::NoAnswer;
use super::content::PluginContent;
use super::member::Member;
use tuffet_request::{ClientKey, Request};
use tuffet_store::OpenedSource;

/// Returns the content, opened or rendered if necessary; `None` if the member failed and failures count as abstaining.
pub(super) async fn answer_with(
    fallback: Fallback,
    member: &Arc<Member>,
    request: &Request,
    deadline: ChainDeadline,
) -> Option<Result<Resolution, NoAnswer>> {
    let content = |content| Some(Ok(Selection::of([]).or(Fallback::Content(content)).into()));
    match fallback {
        Fallback::NotFound | Fallback::Next => None,
        Fallback::Content(made) => content(made),
        Fallback::Source(source) => {
            let (opener, scope) = member.sources.as_ref()?;
            let client = ClientKey::of(&request.client, member.ipv6_prefix);
            content(Arc::new(match opener.open(source, *scope, client, None, &request.path) {
                OpenedSource::Bytes(bytes) => PluginContent::new(None, bytes),
                OpenedSource::File(file) => PluginContent::opened(file),
            }))
        }
        Fallback::Rendering(key) => match Box::pin(member.rendering(request, &key, deadline)).await {
            Ok(None) => None,
            Ok(Some(Ok(made))) => content(made),
            Ok(Some(Err(denial))) => Some(Ok(Resolution::Deny(denial))),
            Err(no_answer) => Some(Err(no_answer)),
        },
    }
}
