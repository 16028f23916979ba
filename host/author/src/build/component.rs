//! Makes a component of a core module, from a compiler that supports WASI 0.1 only.

use std::path::Path;

use crate::export::Export;
use tuffet_config::GrantKind;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use super::world;

/// Makes a component with these exports, which requests these grants. `scratch` is a folder for the WIT.
///
/// # Errors
/// The module lacks an export, or imports something outside of WASI.
pub(super) fn of_module(
    mut module: Vec<u8>,
    exports: &[Export],
    grants: &[GrantKind],
    scratch: &Path,
) -> Result<Vec<u8>, String> {
    let made = (|| {
        world::write(scratch, exports, grants)?;
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(scratch)?;
        let world = resolve.select_world(&[package], Some(world::WORLD))?;
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
        let mut encoder = ComponentEncoder::default().module(&module)?;
        encoder =
            encoder.adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER)?;
        encoder.encode()
    })();
    made.map_err(|error| format!("{error:#}"))
}

/// Returns the kinds of grants for the imports of a module.
///
/// # Errors
/// It is not a module.
pub(super) fn grants_used(module: &[u8]) -> Result<Vec<GrantKind>, String> {
    let mut used = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ImportSection(imports) = payload.map_err(|error| error.to_string())? else { continue };
        for import in imports.into_imports() {
            let import = import.map_err(|error| error.to_string())?;
            let kind = match import.module.split('@').next() {
                Some("tuffet:policy/kv") => GrantKind::Kv,
                Some("tuffet:policy/files") => GrantKind::Files,
                Some("tuffet:policy/sinks") => GrantKind::Sinks,
                Some("tuffet:policy/metrics") => GrantKind::Metrics,
                Some("tuffet:policy/upload-content") => GrantKind::Upload,
                Some("tuffet:policy/history") => GrantKind::ClientHistory,
                Some("wasi:http/outgoing-handler") => GrantKind::Http,
                _ => continue,
            };
            if !used.contains(&kind) {
                used.push(kind);
            }
        }
    }
    Ok(used)
}
