//! Implements the hooks of a policy by calls of a plugin.

use futures_util::future::BoxFuture;

use super::convert::{self, Inputs};
use super::event_view::{EventTexts, EventView};
use super::plugin::Plugin;
use super::upload::UploadInput;
use tuffet_policy::{
    AcceptUpload, Announced, Answering, Asker, Authorize, Delivery, Found, Memo, Observe, Opinion,
    ReceivedUpload, Render, Rendered, Resolve, Unsent, UploadOpinion,
};
use tuffet_request::events::Kinds;
use tuffet_request::{Denial, Request};

impl Authorize for Plugin {
    fn authorize<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        asker: Asker,
    ) -> Answering<'a, Option<Opinion>> {
        Box::pin(async move {
            let input = memo.get::<Inputs>().of(request, &self.access);
            convert::verdict(self.call_authorize(input, asker).await?)
        })
    }
}

impl Resolve for Plugin {
    fn resolve<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        asker: Asker,
    ) -> Answering<'a, Option<Found>> {
        Box::pin(async move {
            let input = memo.get::<Inputs>().of(request, &self.access);
            let answer = self.call_resolve(input, asker).await?;
            convert::resolution(answer, request.operation, self.limits.content, self.roots.as_deref())
        })
    }
}

impl Render for Plugin {
    fn render<'a>(&'a self, key: &'a str, asker: Asker) -> BoxFuture<'a, Rendered> {
        Box::pin(async move { convert::rendering(self.call_render(key, asker).await?, self.limits.content) })
    }

    fn begin<'a>(&'a self, key: &'a str, asker: Asker) -> Answering<'a, Result<Option<Announced>, Denial>> {
        Box::pin(async move { convert::announced(self.call_begin(key, asker).await?, self.limits.parts) })
    }

    fn part<'a>(
        &'a self,
        key: &'a str,
        offset: u64,
        length: u32,
        asker: Asker,
    ) -> Answering<'a, Result<Vec<u8>, Denial>> {
        Box::pin(
            async move { convert::part(self.call_part(key, offset, length, asker).await?, offset, length) },
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
        asker: Asker,
    ) -> Answering<'a, Option<UploadOpinion>> {
        Box::pin(async move {
            let input = memo.get::<Inputs>().of(request, &self.access);
            let answer = self.call_accept_upload(input, &UploadInput::of(upload), asker).await?;
            convert::acceptance(answer)
        })
    }
}

impl Observe for Plugin {
    fn wants(&self) -> Kinds {
        self.wants
    }

    fn observe<'a>(&'a self, events: &'a Delivery<'a>, asker: Asker) -> Answering<'a, ()> {
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
            self.call_observe(&events, asker).await
        })
    }

    fn unsent(&self) -> Option<&Unsent> {
        self.access.unsent.as_ref()
    }
}
