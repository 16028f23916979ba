//! Implements the hooks of a policy by calls of a plugin.

use futures_util::future::BoxFuture;

use super::convert::{self, Inputs};
use super::event_view::{EventTexts, EventView};
use super::plugin::Plugin;
use super::upload::UploadInput;
use tuffet_policy::{
    AcceptUpload, AnnouncedContent, Authorize, CallContext, Delivery, HookFuture, Memo, Observe, Opinion,
    ReceivedUpload, Render, Rendered, Resolve, ResolveOpinion, Unsent, UploadOpinion,
};
use tuffet_request::events::Kinds;
use tuffet_request::{Denial, Request};

impl Authorize for Plugin {
    fn authorize<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        context: CallContext,
    ) -> HookFuture<'a, Option<Opinion>> {
        Box::pin(async move {
            let input = memo.get::<Inputs>().of(request, &self.access);
            convert::verdict(self.call_authorize(input, context).await?)
        })
    }
}

impl Resolve for Plugin {
    fn resolve<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        context: CallContext,
    ) -> HookFuture<'a, Option<ResolveOpinion>> {
        Box::pin(async move {
            let input = memo.get::<Inputs>().of(request, &self.access);
            let answer = self.call_resolve(input, context).await?;
            convert::resolution(answer, request.operation, self.limits.content, self.roots.as_deref())
        })
    }
}

impl Render for Plugin {
    fn render<'a>(&'a self, key: &'a str, context: CallContext) -> BoxFuture<'a, Rendered> {
        Box::pin(
            async move { convert::rendering(self.call_render(key, context).await?, self.limits.content) },
        )
    }

    fn begin<'a>(
        &'a self,
        key: &'a str,
        context: CallContext,
    ) -> HookFuture<'a, Result<Option<AnnouncedContent>, Denial>> {
        Box::pin(async move { convert::announced(self.call_begin(key, context).await?, self.limits.parts) })
    }

    fn part<'a>(
        &'a self,
        key: &'a str,
        offset: u64,
        length: u32,
        context: CallContext,
    ) -> HookFuture<'a, Result<Vec<u8>, Denial>> {
        Box::pin(
            async move { convert::part(self.call_part(key, offset, length, context).await?, offset, length) },
        )
    }

    fn largest(&self) -> u64 {
        self.limits.content
    }
}

impl AcceptUpload for Plugin {
    fn accept_upload<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        upload: &'a ReceivedUpload,
        context: CallContext,
    ) -> HookFuture<'a, Option<UploadOpinion>> {
        Box::pin(async move {
            let input = memo.get::<Inputs>().of(request, &self.access);
            let answer =
                self.call_accept_upload(input, &UploadInput::of(upload, context.client), context).await?;
            convert::acceptance(answer)
        })
    }
}

impl Observe for Plugin {
    fn wants(&self) -> Kinds {
        self.wants
    }

    fn observe<'a>(&'a self, events: &'a Delivery<'a>, context: CallContext) -> HookFuture<'a, ()> {
        Box::pin(async move {
            let own;
            let texts = match events.batch().derived(EventTexts::of_all) {
                Some(shared) => shared,
                None => {
                    own = EventTexts::of_all(events.batch().events());
                    &own
                }
            };
            let views: Vec<EventView> =
                events.iter().map(|(place, event)| EventView::new(event, &texts[place])).collect();
            let events: Vec<_> = views.iter().map(|view| view.to_wit(&self.access)).collect();
            let _turn = match &self.access.keys {
                Some(keys) => keys.observer_turn(self.limits.wall.saturating_mul(2)).await,
                None => None,
            };
            self.call_observe(&events, context).await
        })
    }

    fn unsent(&self) -> Option<&Unsent> {
        self.access.unsent.as_ref()
    }
}
