//! Hooks of the program as hooks of a policy.

use super::{AcceptUpload, Authorize, Resolution, Resolve, UploadVerdict, Verdict};
use crate::catch_panic::catch_panic_async;
use crate::content::{OpenedSource, Scope, SourceOpener};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tuffet_policy::{
    CallContext, Cause, Failure, Fallback, HookFuture, MAX_CANDIDATES, Memo, Opinion, PluginContent,
    ReceivedUpload, ResolveOpinion, Selection, UploadOpinion,
};
use tuffet_request::Request;

/// A hook of the program, with what its answers need.
pub(crate) struct Native<H: ?Sized> {
    pub(crate) hook: Arc<H>,
    pub(crate) sources: SourceOpener,
    pub(crate) scope: Scope,
    pub(crate) time_limit: Duration,
}

impl<H: ?Sized> Native<H> {
    /// Waits for an answer; a panic and an exceeded time limit are failures of this call.
    async fn call<T>(&self, answer: impl Future<Output = T>) -> Result<T, Failure> {
        match timeout(self.time_limit, catch_panic_async(answer)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(panicked)) => Err(Failure::new(Cause::Trap, panicked.to_string())),
            Err(_) => {
                let limit = humantime::format_duration(self.time_limit);
                Err(Failure::new(Cause::Time, format!("it did not answer within {limit}")))
            }
        }
    }
}

fn bad(detail: String) -> Failure {
    Failure::new(Cause::BadAnswer, detail)
}

impl tuffet_policy::Authorize for Native<dyn Authorize> {
    fn authorize<'a>(
        &'a self,
        request: &'a Request,
        _: &'a mut Memo,
        _: CallContext,
    ) -> HookFuture<'a, Option<Opinion>> {
        Box::pin(async move {
            Ok(match self.call(async { self.hook.authorize(request).await }).await? {
                Verdict::Abstain => None,
                Verdict::Allow(profile) => match profile.problem() {
                    None => Some(Opinion::Allow(profile)),
                    Some(problem) => return Err(bad(format!("it allowed {problem}"))),
                },
                Verdict::Deny(denial) => Some(Opinion::Deny(denial)),
                Verdict::Drop(reason) => Some(Opinion::Drop(reason)),
            })
        })
    }
}

impl tuffet_policy::Resolve for Native<dyn Resolve> {
    fn resolve<'a>(
        &'a self,
        request: &'a Request,
        _: &'a mut Memo,
        context: CallContext,
    ) -> HookFuture<'a, Option<ResolveOpinion>> {
        Box::pin(async move {
            let serve =
                |files, fallback| Some(ResolveOpinion::Serve(Selection { files, fallback, profile: None }));
            let answer = self.call(async { self.hook.resolve(request).await }).await?;
            if let Resolution::Files(files) | Resolution::FilesOrNext(files) = &answer
                && files.len() > MAX_CANDIDATES
            {
                let number = files.len();
                return Err(bad(format!(
                    "it answered with {number} candidates: {MAX_CANDIDATES} are allowed"
                )));
            }
            Ok(match answer {
                Resolution::Abstain => None,
                Resolution::Files(files) => serve(files, Fallback::NotFound),
                Resolution::FilesOrNext(files) => serve(files, Fallback::Next),
                Resolution::Content(source) => {
                    let opened = self.sources.open(source, self.scope, context.client, None, &request.path);
                    let content = match opened {
                        OpenedSource::Bytes(bytes) => PluginContent::new(None, bytes),
                        OpenedSource::File(file) => PluginContent::opened(file),
                    };
                    serve(Vec::new(), Fallback::Content(Arc::new(content)))
                }
                Resolution::Deny(denial) => Some(ResolveOpinion::Deny(denial)),
                Resolution::Drop(reason) => Some(ResolveOpinion::Drop(reason)),
            })
        })
    }
}

impl tuffet_policy::AcceptUpload for Native<dyn AcceptUpload> {
    fn accept_upload<'a>(
        &'a self,
        request: &'a Request,
        _: &'a mut Memo,
        upload: &'a ReceivedUpload,
        _: CallContext,
    ) -> HookFuture<'a, Option<UploadOpinion>> {
        Box::pin(async move {
            Ok(match self.call(async { self.hook.accept_upload(request, upload).await }).await? {
                UploadVerdict::Abstain => None,
                UploadVerdict::Accept => Some(UploadOpinion::Accept),
                UploadVerdict::Rename(to) => Some(UploadOpinion::Rename(to)),
                UploadVerdict::Deny(denial) => Some(UploadOpinion::Deny(denial)),
            })
        })
    }
}
