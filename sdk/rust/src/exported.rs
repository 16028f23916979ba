//! The bridge from the generated interfaces to a plugin's traits.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;

use crate::answer::take_label;
use crate::bindings::authorize::exports::tuffet::policy::authorize as wit_authorize;
use crate::bindings::render::exports::tuffet::policy::render as wit_render;
use crate::bindings::render_parts::exports::tuffet::policy::render_parts as wit_parts;
use crate::bindings::resolve::exports::tuffet::policy::resolve as wit_resolve;
use crate::bindings::{accept_upload, base, observe};
use crate::{
    Acceptance, Event, Failure, Observe, Plugin, Problem, Render, RenderError, RenderParts, Request,
    TryAccept, TryAuthorize, TryResolve, Upload,
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

impl<P: TryAuthorize> wit_authorize::Guest for Exported<P> {
    fn authorize(request: Request) -> Result<wit_authorize::LabelledVerdict, String> {
        take_label();
        let verdict = with_configured(|plugin: &P| plugin.try_authorize(&request)).map_err(reason)?;
        Ok(wit_authorize::LabelledVerdict { verdict, label: take_label() })
    }
}

impl<P: TryResolve> wit_resolve::Guest for Exported<P> {
    fn resolve(request: Request) -> Result<wit_resolve::LabelledResolution, String> {
        take_label();
        let resolution = with_configured(|plugin: &P| plugin.try_resolve(&request)).map_err(reason)?;
        Ok(wit_resolve::LabelledResolution { resolution, label: take_label() })
    }
}

impl<P: Render> wit_render::Guest for Exported<P> {
    fn render(key: String) -> Result<wit_render::Rendered, String> {
        match with_configured(|plugin: &P| plugin.render(&key)) {
            Ok(rendering) => Ok(wit_render::Rendered::Rendering(rendering)),
            Err(RenderError::Denied(denial)) => Ok(wit_render::Rendered::Deny(denial)),
            Err(RenderError::Failed(failure)) => Err(failure.reason),
        }
    }
}

impl<P: RenderParts> wit_parts::Guest for Exported<P> {
    fn begin(key: String) -> Result<wit_parts::Beginning, String> {
        match with_configured(|plugin: &P| plugin.begin(&key)) {
            Ok(Some(large)) => Ok(wit_parts::Beginning::Parts(large)),
            Ok(None) => Ok(wit_parts::Beginning::Whole),
            Err(RenderError::Denied(denial)) => Ok(wit_parts::Beginning::Deny(denial)),
            Err(RenderError::Failed(failure)) => Err(failure.reason),
        }
    }

    fn part(key: String, offset: u64, length: u32) -> Result<wit_parts::MadePart, String> {
        match with_configured(|plugin: &P| plugin.part(&key, offset, length)) {
            Ok(bytes) => Ok(wit_parts::MadePart::Bytes(bytes)),
            Err(RenderError::Denied(denial)) => Ok(wit_parts::MadePart::Deny(denial)),
            Err(RenderError::Failed(failure)) => Err(failure.reason),
        }
    }
}

impl<P: TryAccept> accept_upload::exports::tuffet::policy::accept_upload::Guest for Exported<P> {
    fn accept_upload(request: Request, upload: Upload) -> Result<Acceptance, String> {
        with_configured(|plugin: &P| plugin.try_accept_upload(&request, &upload)).map_err(reason)
    }
}

fn reason(failure: Failure) -> String {
    failure.reason
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
/// `render` and `render_parts`. The type implements [`Plugin`] and the traits of the hooks, each as it is or as one
/// that may fail, such as [`TryResolve`].
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
        const _: fn(&$plugin, &$crate::Request) -> Result<$crate::Verdict, $crate::Failure> =
            <$plugin as $crate::TryAuthorize>::try_authorize;
        #[cfg(target_family = "wasm")]
        $crate::bindings::authorize::export_authorize!(Exported with_types_in $crate::bindings::authorize);
    };
    (resolve, $plugin:ty) => {
        const _: fn(&$plugin, &$crate::Request) -> Result<$crate::Resolution, $crate::Failure> =
            <$plugin as $crate::TryResolve>::try_resolve;
        #[cfg(target_family = "wasm")]
        $crate::bindings::resolve::export_resolve!(Exported with_types_in $crate::bindings::resolve);
    };
    (render, $plugin:ty) => {
        const _: fn(&$plugin, &str) -> Result<$crate::Rendering, $crate::RenderError> =
            <$plugin as $crate::Render>::render;
        #[cfg(target_family = "wasm")]
        $crate::bindings::render::export_render!(Exported with_types_in $crate::bindings::render);
    };
    (render_parts, $plugin:ty) => {
        const _: fn(&$plugin, &str, u64, u32) -> Result<Vec<u8>, $crate::RenderError> =
            <$plugin as $crate::RenderParts>::part;
        #[cfg(target_family = "wasm")]
        $crate::bindings::render_parts::export_render_parts!(
            Exported with_types_in $crate::bindings::render_parts
        );
    };
    (accept_upload, $plugin:ty) => {
        const _: fn(&$plugin, &$crate::Request, &$crate::Upload) -> Result<$crate::Acceptance, $crate::Failure> =
            <$plugin as $crate::TryAccept>::try_accept_upload;
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
