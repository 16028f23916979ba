//! A compiler: compiles one component into the code cache.

use std::io::{self, Read, Write, stdin, stdout};
use std::path::Path;

use wasmtime::component::Component;

use super::super::code_cache::CodeCache;
use super::super::engine_config::engine_to_compile;
use super::answer::CompilerAnswer;
use super::code_hash;
use tuffet_registry::MAX_COMPONENT;

/// The header before a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// The hash of the server's engine.
    pub hash: u64,
    /// Whether the server's engine has a pool of instances.
    pub pooled: bool,
    /// The length of the component.
    pub length: u64,
}

impl Header {
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.hash.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.length.to_le_bytes());
        bytes[16] = self.pooled.into();
        bytes
    }

    fn read(from: &mut impl Read) -> io::Result<Header> {
        let mut number = || {
            let mut bytes = [0; 8];
            from.read_exact(&mut bytes)?;
            io::Result::Ok(u64::from_le_bytes(bytes))
        };
        Ok(Header { hash: number()?, length: number()?, pooled: number()? == 1 })
    }
}

/// Runs a compiler: reads the component from standard input, and writes the answer to standard output.
///
/// # Errors
/// The server has ended.
pub fn compile(folder: &Path) -> io::Result<()> {
    let mut input = stdin().lock();
    let header = Header::read(&mut input)?;
    let mut component = Vec::new();
    input.take(header.length.min(MAX_COMPONENT)).read_to_end(&mut component)?;
    if component.len() as u64 != header.length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut output = stdout().lock();
    writeln!(output, "{}", compile_into(folder, header, &component))?;
    output.flush()
}

fn compile_into(folder: &Path, header: Header, component: &[u8]) -> CompilerAnswer {
    let cache = match CodeCache::open(folder) {
        Ok(cache) => cache,
        Err(error) => {
            return CompilerAnswer::Unstored(format!(
                "{} (policy.compiled) cannot be written to: {error}; let the server's user write to it",
                folder.display()
            ));
        }
    };
    let engine = match engine_to_compile(&cache, header.pooled) {
        Ok(engine) => engine,
        Err(error) => return CompilerAnswer::Unstored(format!("the compiler cannot start: {error:#}")),
    };
    if code_hash(&engine) != header.hash {
        return CompilerAnswer::Unstored("the compiler has another version; restart the server".into());
    }
    if let Err(error) = Component::from_binary(&engine, component) {
        return CompilerAnswer::Refused(format!("{error:#}"));
    }
    match cache.counts() {
        (0, 0) => {
            cache.remove_unfinished();
            CompilerAnswer::Unstored(format!(
                "{} (policy.compiled) has no room for the code; make room there",
                folder.display()
            ))
        }
        (0, _) => CompilerAnswer::Compiled,
        _ => CompilerAnswer::Cached,
    }
}
