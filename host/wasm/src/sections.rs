//! Custom sections of a component, which describe its plugin: the manifest, and the schema of its settings.

use std::borrow::Cow;

use wasmparser::{KnownCustom, Parser, Payload};

/// The header of a component, which is also the smallest one.
pub(super) const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

/// Returns the content of the section with this name; of several, the outermost, then the first.
///
/// # Errors
/// The component is cut off or damaged.
pub(super) fn find<'a>(component: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, String> {
    let (mut depth, mut found) = (0_u32, None);
    for payload in Parser::new(0).parse_all(component) {
        match payload.map_err(|error| format!("it cannot be read: {error}"))? {
            Payload::CustomSection(section)
                if section.name() == name && found.is_none_or(|(outer, _)| depth < outer) =>
            {
                found = Some((depth, section.data()));
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(found.map(|(_, section)| section))
}

/// Returns whether the Go compiler made one of its modules, as the tool conventions for `producers` tell.
pub(super) fn is_made_by_go(component: &[u8]) -> bool {
    Parser::new(0).parse_all(component).map_while(Result::ok).any(|payload| {
        let Payload::CustomSection(section) = payload else { return false };
        let KnownCustom::Producers(fields) = section.as_known() else { return false };
        let mut languages = fields.into_iter().flatten().filter(|field| field.name == "language");
        languages.any(|field| field.values.into_iter().flatten().any(|language| language.name == "Go"))
    })
}

/// Appends a section. Its name has less than 128 bytes.
pub(super) fn append(component: &mut Vec<u8>, name: &str, content: &[u8]) {
    let content = [&[name.len() as u8], name.as_bytes(), content].concat();
    component.push(0);
    // The length in LEB128.
    let mut length = content.len();
    while length > 0x7f {
        component.push(length as u8 | 0x80);
        length >>= 7;
    }
    component.push(length as u8);
    component.extend(content);
}

/// Returns the component with this section in place of those of the same name. Those in core modules stay, because the
/// outermost counts.
///
/// # Errors
/// It is cut off; with the remedy.
pub(super) fn replace(component: &[u8], name: &str, content: &[u8]) -> Result<Vec<u8>, String> {
    let mut replaced = Vec::with_capacity(component.len() + content.len() + 32);
    replaced.extend(EMPTY);
    let mut rest = component.get(EMPTY.len()..).unwrap_or_default();
    while !rest.is_empty() {
        let (section, own, after) = split(rest).ok_or("it is cut off: build it again, or copy it again")?;
        let is_older = section[0] == 0
            && own
                .strip_prefix(&[name.len() as u8])
                .is_some_and(|content| content.starts_with(name.as_bytes()));
        if !is_older {
            replaced.extend(section);
        }
        rest = after;
    }
    append(&mut replaced, name, content);
    Ok(replaced)
}

/// Returns the component without its outermost custom sections. They change nothing about its code, but the code cache knows
/// code by all bytes: with them, a new manifest or a new date would cost a compilation. What is no whole component stays as
/// it is, for the compiler to refuse.
pub(super) fn code(component: &[u8]) -> Cow<'_, [u8]> {
    without_custom_sections(component).map_or(Cow::Borrowed(component), Cow::Owned)
}

fn without_custom_sections(component: &[u8]) -> Option<Vec<u8>> {
    let mut rest = component.strip_prefix(EMPTY)?;
    let mut code = Vec::with_capacity(component.len());
    code.extend(EMPTY);
    while !rest.is_empty() {
        let (section, _, after) = split(rest)?;
        if section[0] != 0 {
            code.extend(section);
        }
        rest = after;
    }
    Some(code)
}

/// Splits off the first section. Returns the section, its content, and the rest.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (mut length, mut at) = (0_usize, 1);
    loop {
        let byte = *bytes.get(at)?;
        length |= usize::from(byte & 0x7f) << (7 * (at - 1));
        at += 1;
        if byte & 0x80 == 0 {
            break;
        }
        if at > 5 {
            return None; // More than 32 bits.
        }
    }
    let (section, after) = bytes.split_at_checked(at.checked_add(length)?)?;
    Some((section, &section[at..], after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_without_the_outermost_custom_sections() {
        let mut bare = EMPTY.to_vec();
        // An empty section of types.
        bare.extend([7, 1, 0]);
        let mut described = EMPTY.to_vec();
        append(&mut described, "first", b"1");
        described.extend([7, 1, 0]);
        append(&mut described, "last", &[0; 300]);
        assert_eq!(code(&described), bare);
        assert_eq!(code(&bare), bare);
        for damaged in [&described[..described.len() - 1], b"\0asm\x01\0\0\0", b"no component", b""] {
            assert_eq!(code(damaged), damaged);
        }
    }

    #[test]
    fn the_compiler_of_a_module_is_known_by_its_producers() {
        let made_by = |language: &str| {
            let producers =
                [b"\x01\x08language\x01", &[language.len() as u8][..], language.as_bytes(), b"\x03one"];
            let mut module = b"\0asm\x01\0\0\0".to_vec();
            append(&mut module, "producers", &producers.concat());
            let mut component = EMPTY.to_vec();
            component.extend([1, module.len() as u8]);
            component.extend(module);
            is_made_by_go(&component)
        };
        assert!(made_by("Go"));
        assert!(!made_by("Rust") && !is_made_by_go(EMPTY) && !is_made_by_go(b"no component"));
    }
}
