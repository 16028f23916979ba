//! The hooks of a policy, implemented by calls of a plugin.

use futures_util::future::BoxFuture;

use super::bindings::{authorize, resolve};
use super::convert::{self, Inputs};
use super::event_view::{EventTexts, EventView};
use super::plugin::Plugin;
use super::upload::UploadInput;
use tuffet_policy::{
    AcceptUpload, AnnouncedContent, Authorize, Deliver, Delivery, HookCall, HookFuture, ReceivedUpload,
    Render, Rendered, Resolution, Resolve, Unsent, UploadVerdict, Verdict,
};
use tuffet_request::events::Kinds;
use tuffet_request::{Denial, Request};

impl Authorize for Plugin {
    fn authorize<'h, 'r, 'c, 'a>(
        &'h self,
        request: &'r Request,
        call: &'c HookCall,
    ) -> HookFuture<'a, Verdict>
    where
        'h: 'a,
        'r: 'a,
        'c: 'a,
    {
        Box::pin(async move {
            let input = Inputs::of(request, &self.access, call);
            let authorize::LabelledVerdict { verdict, label } = self.call_authorize(&input, call).await?;
            let verdict = convert::verdict(verdict)?;
            convert::label(label, call)?;
            Ok(verdict)
        })
    }
}

impl Resolve for Plugin {
    fn resolve<'h, 'r, 'c, 'a>(
        &'h self,
        request: &'r Request,
        call: &'c HookCall,
    ) -> HookFuture<'a, Resolution>
    where
        'h: 'a,
        'r: 'a,
        'c: 'a,
    {
        Box::pin(async move {
            let input = Inputs::of(request, &self.access, call);
            let resolve::LabelledResolution { resolution, label } = self.call_resolve(&input, call).await?;
            let (limit, roots) = (self.limits.content, self.roots.as_deref());
            let resolution = convert::resolution(resolution, request.operation, limit, roots)?;
            convert::label(label, call)?;
            Ok(resolution)
        })
    }
}

impl AcceptUpload for Plugin {
    fn accept_upload<'h, 'r, 'u, 'c, 'a>(
        &'h self,
        request: &'r Request,
        upload: &'u ReceivedUpload,
        call: &'c HookCall,
    ) -> HookFuture<'a, UploadVerdict>
    where
        'h: 'a,
        'r: 'a,
        'u: 'a,
        'c: 'a,
    {
        Box::pin(async move {
            let (input, upload) =
                (Inputs::of(request, &self.access, call), UploadInput::of(upload, call.client()));
            convert::acceptance(self.call_accept_upload(&input, &upload, call).await?)
        })
    }
}

impl Render for Plugin {
    fn render<'a>(&'a self, key: &'a str, call: &'a HookCall) -> BoxFuture<'a, Rendered> {
        Box::pin(async move { convert::rendering(self.call_render(key, call).await?, self.limits.content) })
    }

    fn begin<'a>(
        &'a self,
        key: &'a str,
        call: &'a HookCall,
    ) -> HookFuture<'a, Result<Option<AnnouncedContent>, Denial>> {
        Box::pin(async move { convert::announced(self.call_begin(key, call).await?, self.limits.parts) })
    }

    fn part<'a>(
        &'a self,
        key: &'a str,
        offset: u64,
        length: u32,
        call: &'a HookCall,
    ) -> HookFuture<'a, Result<Vec<u8>, Denial>> {
        Box::pin(
            async move { convert::part(self.call_part(key, offset, length, call).await?, offset, length) },
        )
    }

    fn largest(&self) -> u64 {
        self.limits.content
    }
}

impl Deliver for Plugin {
    fn wants(&self) -> Kinds {
        self.wants
    }

    fn deliver<'a>(&'a self, events: &'a Delivery<'a>, call: &'a HookCall) -> HookFuture<'a, ()> {
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
            self.call_observe(&events, call).await
        })
    }

    fn unsent(&self) -> Option<&Unsent> {
        self.access.unsent.as_ref()
    }
}
