//! The bridge from the generated interfaces to a plugin's traits.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;

use crate::bindings::{accept_upload, authorize, base, observe, render, render_parts, resolve};
use crate::{
    Accept, Acceptance, Authorize, Denial, Event, LargeContent, Observe, Plugin, Problem, Render,
    RenderParts, Rendering, Request, Resolution, Resolve, Upload, Verdict,
};

thread_local! {
    /// The plugin of this instance. A component has exactly one, so every caller knows its type.
    static CONFIGURED: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// What [`export!`](crate::export) exports for a plugin.
#[doc(hidden)]
pub struct Exported<P>(PhantomData<P>);

impl<P: Plugin> base::exports::tuffet::policy::lifecycle::Guest for Exported<P> {
    fn configure(settings: String) -> Result<(), Vec<Problem>> {
        let plugin = crate::parse(&settings).and_then(P::configure).map_err(crate::Problems::into_vec)?;
        CONFIGURED.with(|slot| *slot.borrow_mut() = Some(Box::new(plugin)));
        Ok(())
    }
}

impl<P: Authorize> authorize::exports::tuffet::policy::authorize::Guest for Exported<P> {
    fn authorize(request: Request) -> Verdict {
        with_configured(|plugin: &P| plugin.authorize(&request))
    }
}

impl<P: Resolve> resolve::exports::tuffet::policy::resolve::Guest for Exported<P> {
    fn resolve(request: Request) -> Resolution {
        with_configured(|plugin: &P| plugin.resolve(&request))
    }
}

impl<P: Render> render::exports::tuffet::policy::render::Guest for Exported<P> {
    fn render(key: String) -> Result<Rendering, Denial> {
        with_configured(|plugin: &P| plugin.render(&key))
    }
}

impl<P: RenderParts> render_parts::exports::tuffet::policy::render_parts::Guest for Exported<P> {
    fn begin(key: String) -> Result<Option<LargeContent>, Denial> {
        with_configured(|plugin: &P| plugin.begin(&key))
    }

    fn part(key: String, offset: u64, length: u32) -> Result<Vec<u8>, Denial> {
        with_configured(|plugin: &P| plugin.part(&key, offset, length))
    }
}

impl<P: Accept> accept_upload::exports::tuffet::policy::accept_upload::Guest for Exported<P> {
    fn accept_upload(request: Request, upload: Upload) -> Acceptance {
        with_configured(|plugin: &P| plugin.accept_upload(&request, &upload))
    }
}

impl<P: Observe> observe::exports::tuffet::policy::observe::Guest for Exported<P> {
    fn observe(events: Vec<Event>) {
        with_configured(|plugin: &P| plugin.observe(&events));
    }
}

fn with_configured<P: Plugin, T>(call: impl FnOnce(&P) -> T) -> T {
    CONFIGURED.with(|slot| match slot.borrow().as_ref().and_then(|plugin| plugin.downcast_ref()) {
        Some(plugin) => call(plugin),
        None => unreachable!("the host calls `configure` before any hook (sdk/wit/policy.wit, lifecycle)"),
    })
}

/// Exports a type as the plugin of this component, with one or more of the hooks `authorize`, `resolve`,
/// `accept_upload` and `observe`: `export!(Acl: authorize)`, `export!(Gate: accept_upload, observe)`; with `resolve` also
/// `render` and `render_parts`. The type implements [`Plugin`] and the traits of the hooks.
///
/// Outside of WebAssembly, the macro only checks these implementations, so a plugin's tests run natively.
#[macro_export]
macro_rules! export {
    ($plugin:ty: $($hook:ident),+ $(,)?) => {
        const _: () = {
            #[cfg(target_family = "wasm")]
            type Exported = $crate::Exported<$plugin>;
            #[cfg(target_family = "wasm")]
            $crate::bindings::base::export_base!(Exported with_types_in $crate::bindings::base);
            $($crate::export_hook!($hook, $plugin);)+
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! export_hook {
    (authorize, $plugin:ty) => {
        const _: fn(&$plugin, &$crate::Request) -> $crate::Verdict = <$plugin as $crate::Authorize>::authorize;
        #[cfg(target_family = "wasm")]
        $crate::bindings::authorize::export_authorize!(Exported with_types_in $crate::bindings::authorize);
    };
    (resolve, $plugin:ty) => {
        const _: fn(&$plugin, &$crate::Request) -> $crate::Resolution = <$plugin as $crate::Resolve>::resolve;
        #[cfg(target_family = "wasm")]
        $crate::bindings::resolve::export_resolve!(Exported with_types_in $crate::bindings::resolve);
    };
    (render, $plugin:ty) => {
        const _: fn(&$plugin, &str) -> Result<$crate::Rendering, $crate::Denial> =
            <$plugin as $crate::Render>::render;
        #[cfg(target_family = "wasm")]
        $crate::bindings::render::export_render!(Exported with_types_in $crate::bindings::render);
    };
    (render_parts, $plugin:ty) => {
        const _: fn(&$plugin, &str, u64, u32) -> Result<Vec<u8>, $crate::Denial> =
            <$plugin as $crate::RenderParts>::part;
        #[cfg(target_family = "wasm")]
        $crate::bindings::render_parts::export_render_parts!(
            Exported with_types_in $crate::bindings::render_parts
        );
    };
    (accept_upload, $plugin:ty) => {
        const _: fn(&$plugin, &$crate::Request, &$crate::Upload) -> $crate::Acceptance =
            <$plugin as $crate::Accept>::accept_upload;
        #[cfg(target_family = "wasm")]
        $crate::bindings::accept_upload::export_accept_upload!(
            Exported with_types_in $crate::bindings::accept_upload
        );
    };
    (observe, $plugin:ty) => {
        const _: fn(&$plugin, &[$crate::Event]) = <$plugin as $crate::Observe>::observe;
        #[cfg(target_family = "wasm")]
        $crate::bindings::observe::export_observe!(Exported with_types_in $crate::bindings::observe);
    };
    ($other:ident, $plugin:ty) => {
        compile_error!(concat!(
            "no hook `",
            stringify!($other),
            "`: there are `authorize`, `resolve`, `render`, `render_parts`, `accept_upload` and `observe`"
        ));
    };
}
