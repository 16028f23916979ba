//! A component from the core module of a compiler that knows WASI 0.1 alone.

use std::path::Path;

use super::super::export::Export;
use tuffet_config::GrantKind;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use super::world::{self, Interface};

/// Makes a component with these exports, which requests these grants, for the version of the interface that the
/// module was compiled for: a project may contain an older copy of the SDK. `scratch` is a folder for the WIT.
///
/// # Errors
/// The module has no such exports, or imports what no WASI has.
pub(super) fn of_module(
    mut module: Vec<u8>,
    exports: &[Export],
    grants: &[GrantKind],
    scratch: &Path,
) -> Result<Vec<u8>, String> {
    let made = (|| {
        world::write(scratch, interface_of(&module)?, exports, grants)?;
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

/// Returns the version of the interface whose exports a module has.
///
/// # Errors
/// It is not a module.
fn interface_of(module: &[u8]) -> wasmparser::Result<Interface> {
    let old = format!("tuffet:policy/lifecycle@{}#configure", Interface::V0_1.number());
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ExportSection(exports) = payload? else { continue };
        for export in exports {
            if export?.name == old {
                return Ok(Interface::V0_1);
            }
        }
    }
    Ok(Interface::V0_2)
}

/// Returns the kinds of grants whose interfaces a module imports.
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
                Some("tuffet:policy/kv" | "tuffet:policy/shared-kv") => GrantKind::Kv,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a module that exports one function of this name, which does nothing.
    fn module(export: &str) -> Vec<u8> {
        let length = |length: usize| u8::try_from(length).unwrap_or_else(|_| unreachable!("names are short"));
        let mut module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0".to_vec();
        module.extend([7, length(export.len() + 4), 1, length(export.len())]);
        module.extend(export.as_bytes());
        module.extend(b"\0\0\x0a\x04\x01\x02\0\x0b");
        module
    }

    #[test]
    fn a_module_shows_its_interface() {
        for (version, interface) in [("0.1.0", Interface::V0_1), ("0.2.0", Interface::V0_2)] {
            let module = module(&format!("tuffet:policy/lifecycle@{version}#configure"));
            assert_eq!(interface_of(&module).ok(), Some(interface));
        }
        assert!(interface_of(b"no module").is_err());
    }
}
