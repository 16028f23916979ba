//! The exports of a plugin, in the version of the interface that it was built for. Whoever calls a hook speaks the
//! newest version; what a plugin of an older one answers is lifted into it here ([`lift`]).

mod lift;

use wasmtime::component::{Component, Instance, InstancePre};
use wasmtime::{Engine, Store};

use super::bindings::{Version, v0_1, v0_2};
use super::sandbox::Sandbox;
use v0_2::exports::tuffet::policy as newest;

/// A request as the plugin's version has it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Input<'a> {
    V0_1(&'a v0_1::tuffet::policy::types::Request),
    V0_2(&'a v0_2::tuffet::policy::types::Request),
}

impl Input<'_> {
    /// The id of the request, and the address and port of its client.
    pub fn subject(&self) -> (&str, &str, u16) {
        match self {
            Input::V0_1(request) => (&request.id, &request.client.address, request.client.port),
            Input::V0_2(request) => (&request.id, &request.client.address, request.client.port),
        }
    }
}

impl Version {
    /// The version of a component: that of its `lifecycle`. A plugin exports all of its hooks in one version.
    pub fn of(engine: &Engine, component: &Component) -> Option<Version> {
        let ty = component.component_type();
        let has = |version: &Version| {
            let lifecycle = version.interface("lifecycle");
            ty.exports(engine).any(|(name, _)| *name == lifecycle)
        };
        Version::ALL.into_iter().find(has)
    }
}

/// Declares the wrappers of one exported interface: its indices in a component, and its export in an instance.
macro_rules! export {
    ($hook:ident) => {
        pub enum GuestIndices {
            V0_1(v0_1::exports::tuffet::policy::$hook::GuestIndices),
            V0_2(v0_2::exports::tuffet::policy::$hook::GuestIndices),
        }

        pub enum Guest {
            V0_1(v0_1::exports::tuffet::policy::$hook::Guest),
            V0_2(v0_2::exports::tuffet::policy::$hook::Guest),
        }

        impl GuestIndices {
            pub fn new(of: &InstancePre<Sandbox>, version: Version) -> wasmtime::Result<GuestIndices> {
                match version {
                    Version::V0_1 => {
                        v0_1::exports::tuffet::policy::$hook::GuestIndices::new(of).map(GuestIndices::V0_1)
                    }
                    Version::V0_2 => {
                        v0_2::exports::tuffet::policy::$hook::GuestIndices::new(of).map(GuestIndices::V0_2)
                    }
                }
            }

            pub fn load(&self, store: &mut Store<Sandbox>, instance: &Instance) -> wasmtime::Result<Guest> {
                match self {
                    GuestIndices::V0_1(indices) => indices.load(store, instance).map(Guest::V0_1),
                    GuestIndices::V0_2(indices) => indices.load(store, instance).map(Guest::V0_2),
                }
            }
        }
    };
}

/// The error of a request that was converted for another version.
fn mismatch() -> wasmtime::Error {
    wasmtime::Error::msg("the request is one of another version of the interface")
}

pub(super) mod lifecycle {
    use super::*;
    pub use newest::lifecycle::Problem;

    export!(lifecycle);

    impl Guest {
        pub async fn call_configure(
            &self,
            store: &mut Store<Sandbox>,
            settings: &str,
        ) -> wasmtime::Result<Result<(), Vec<Problem>>> {
            match self {
                Guest::V0_1(guest) => {
                    let configured = guest.call_configure(store, settings).await?;
                    Ok(configured.map_err(|problems| problems.into_iter().map(Problem::from).collect()))
                }
                Guest::V0_2(guest) => guest.call_configure(store, settings).await,
            }
        }
    }
}

pub(super) mod authorize {
    use super::*;
    pub use newest::authorize::Verdict;

    export!(authorize);

    impl Guest {
        pub async fn call_authorize(
            &self,
            store: &mut Store<Sandbox>,
            request: Input<'_>,
        ) -> wasmtime::Result<Verdict> {
            match (self, request) {
                (Guest::V0_1(guest), Input::V0_1(request)) => {
                    guest.call_authorize(store, request).await.map(Verdict::from)
                }
                (Guest::V0_2(guest), Input::V0_2(request)) => guest.call_authorize(store, request).await,
                _ => Err(mismatch()),
            }
        }
    }
}

pub(super) mod resolve {
    use super::*;
    pub use newest::resolve::{Content, Rendering, Resolution, Target};
    use v0_2::tuffet::policy::types::Denial;

    export!(resolve);

    impl Guest {
        pub async fn call_resolve(
            &self,
            store: &mut Store<Sandbox>,
            request: Input<'_>,
        ) -> wasmtime::Result<Resolution> {
            match (self, request) {
                (Guest::V0_1(guest), Input::V0_1(request)) => {
                    guest.call_resolve(store, request).await.map(Resolution::from)
                }
                (Guest::V0_2(guest), Input::V0_2(request)) => guest.call_resolve(store, request).await,
                _ => Err(mismatch()),
            }
        }

        pub async fn call_render(
            &self,
            store: &mut Store<Sandbox>,
            key: &str,
        ) -> wasmtime::Result<Result<Rendering, Denial>> {
            match self {
                Guest::V0_1(_) => {
                    Err(wasmtime::Error::msg("version 0.1.0 of the interface has no renderings"))
                }
                Guest::V0_2(guest) => guest.call_render(store, key).await,
            }
        }
    }
}

pub(super) mod render_parts {
    use super::*;
    pub use newest::render_parts::{Guest, LargeContent};

    /// The indices of the interface, which version 0.1.0 does not have.
    pub struct GuestIndices(newest::render_parts::GuestIndices);

    impl GuestIndices {
        pub fn new(of: &InstancePre<Sandbox>, version: Version) -> Option<GuestIndices> {
            let indices = newest::render_parts::GuestIndices::new(of);
            indices.ok().filter(|_| version == Version::V0_2).map(GuestIndices)
        }

        pub fn load(&self, store: &mut Store<Sandbox>, instance: &Instance) -> wasmtime::Result<Guest> {
            self.0.load(store, instance)
        }
    }
}

pub(super) mod accept_upload {
    use super::*;
    pub use newest::accept_upload::{Acceptance, Upload};

    export!(accept_upload);

    impl Guest {
        pub async fn call_accept_upload(
            &self,
            store: &mut Store<Sandbox>,
            request: Input<'_>,
            upload: &Upload,
        ) -> wasmtime::Result<Acceptance> {
            match (self, request) {
                (Guest::V0_1(guest), Input::V0_1(request)) => {
                    let upload = upload.clone().into();
                    guest.call_accept_upload(store, request, &upload).await.map(Acceptance::from)
                }
                (Guest::V0_2(guest), Input::V0_2(request)) => {
                    guest.call_accept_upload(store, request, upload).await
                }
                _ => Err(mismatch()),
            }
        }
    }
}
