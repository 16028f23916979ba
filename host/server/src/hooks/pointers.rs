//! Hooks and roots behind pointers: of types that the program knows only while it runs, or that several servers share.

use super::{AcceptUpload, Authorize, Observe, Resolution, Resolve, UploadVerdict, Verdict};
use crate::content::{Root, RootError, Sink, Source};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tuffet_policy::ReceivedUpload;
use tuffet_request::Request;
use tuffet_request::events::{Event, Kinds};

macro_rules! behind {
    ($pointer:ident) => {
        impl<T: Authorize + ?Sized> Authorize for $pointer<T> {
            fn authorize<'h, 'r, 'a>(&'h self, request: &'r Request) -> BoxFuture<'a, Verdict>
            where
                'h: 'a,
                'r: 'a,
            {
                (**self).authorize(request)
            }
        }

        impl<T: Resolve + ?Sized> Resolve for $pointer<T> {
            fn resolve<'h, 'r, 'a>(&'h self, request: &'r Request) -> BoxFuture<'a, Resolution>
            where
                'h: 'a,
                'r: 'a,
            {
                (**self).resolve(request)
            }
        }

        impl<T: AcceptUpload + ?Sized> AcceptUpload for $pointer<T> {
            fn accept_upload<'h, 'r, 'u, 'a>(
                &'h self,
                request: &'r Request,
                upload: &'u ReceivedUpload,
            ) -> BoxFuture<'a, UploadVerdict>
            where
                'h: 'a,
                'r: 'a,
                'u: 'a,
            {
                (**self).accept_upload(request, upload)
            }
        }

        impl<T: Observe + ?Sized> Observe for $pointer<T> {
            fn wants(&self) -> Kinds {
                (**self).wants()
            }

            fn observe(&self, event: &Event) {
                (**self).observe(event);
            }
        }

        impl<T: Root + ?Sized> Root for $pointer<T> {
            fn open<'r, 'p, 'o>(&'r self, path: &'p str) -> BoxFuture<'o, Result<Source, RootError>>
            where
                'r: 'o,
                'p: 'o,
            {
                (**self).open(path)
            }

            fn create<'r, 'p, 'c>(&'r self, path: &'p str) -> BoxFuture<'c, Result<Box<dyn Sink>, RootError>>
            where
                'r: 'c,
                'p: 'c,
            {
                (**self).create(path)
            }
        }
    };
}

behind!(Arc);
behind!(Box);
