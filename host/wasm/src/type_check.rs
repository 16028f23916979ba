//! Compares the types of a component with those of the interface, and names the one that differs. Used only to
//! explain why a component does not load.

use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentItem, Type};
use wit_parser::{Handle, Resolve, TypeDefKind, TypeId};

use super::bindings::is_compatible;

/// The interface of this server.
const WIT: &str = include_str!("../wit/policy.wit");

/// Returns interface and name of the simplest type that differs; `None` if none is known to differ.
pub(super) fn differing(engine: &Engine, component: &Component) -> Option<(String, String)> {
    let mut resolve = Resolve::default();
    resolve.push_str("policy.wit", WIT).ok()?;
    let ty = component.component_type();
    let items = ty.imports(engine).chain(ty.exports(engine));
    let mut differing: Vec<(usize, String, String)> = Vec::new();
    for (name, item) in items {
        let Some((interface, version)) =
            name.strip_prefix("tuffet:policy/").and_then(|name| name.split_once('@'))
        else {
            continue;
        };
        let ComponentItem::ComponentInstance(instance) = item.ty else { continue };
        if !is_compatible(version) {
            continue;
        }
        let known = resolve.interfaces.iter().find(|(_, known)| known.name.as_deref() == Some(interface));
        let Some((_, known)) = known else { continue };
        for (name, item) in instance.exports(engine) {
            let ComponentItem::Type(theirs) = item.ty else { continue };
            let (theirs, ours) = (shape(&theirs), known.types.get(name).map(|id| shape_of(&resolve, *id)));
            if ours.as_ref() != Some(&theirs) {
                differing.push((theirs.len(), interface.to_owned(), name.to_owned()));
            }
        }
    }
    differing.into_iter().min().map(|(_, interface, name)| (interface, name))
}

/// Describes the structure of a type of a component.
fn shape(ty: &Type) -> String {
    let option = |ty: Option<Type>| ty.map_or_else(|| "_".into(), |ty| shape(&ty));
    match ty {
        Type::Bool => "bool".into(),
        Type::S8 => "s8".into(),
        Type::U8 => "u8".into(),
        Type::S16 => "s16".into(),
        Type::U16 => "u16".into(),
        Type::S32 => "s32".into(),
        Type::U32 => "u32".into(),
        Type::S64 => "s64".into(),
        Type::U64 => "u64".into(),
        Type::Float32 => "f32".into(),
        Type::Float64 => "f64".into(),
        Type::Char => "char".into(),
        Type::String => "string".into(),
        Type::List(list) => format!("list<{}>", shape(&list.ty())),
        Type::Record(record) => {
            let fields = record.fields().map(|field| format!("{}: {}", field.name, shape(&field.ty)));
            format!("record{{{}}}", joined(fields))
        }
        Type::Tuple(tuple) => format!("tuple<{}>", joined(tuple.types().map(|ty| shape(&ty)))),
        Type::Variant(variant) => {
            let cases = variant.cases().map(|case| format!("{}({})", case.name, option(case.ty)));
            format!("variant{{{}}}", joined(cases))
        }
        Type::Enum(names) => format!("enum{{{}}}", joined(names.names().map(str::to_owned))),
        Type::Option(ty) => format!("option<{}>", shape(&ty.ty())),
        Type::Result(result) => format!("result<{}, {}>", option(result.ok()), option(result.err())),
        _ => "another".into(),
    }
}

/// Describes the structure of a type of the interface.
fn shape_of(resolve: &Resolve, id: TypeId) -> String {
    let of = |ty: &wit_parser::Type| shape_of_type(resolve, ty);
    let option = |ty: &Option<wit_parser::Type>| ty.as_ref().map_or_else(|| "_".into(), of);
    match &resolve.types[id].kind {
        TypeDefKind::Record(record) => {
            let fields = record.fields.iter().map(|field| format!("{}: {}", field.name, of(&field.ty)));
            format!("record{{{}}}", joined(fields))
        }
        TypeDefKind::Variant(variant) => {
            let cases = variant.cases.iter().map(|case| format!("{}({})", case.name, option(&case.ty)));
            format!("variant{{{}}}", joined(cases))
        }
        TypeDefKind::Enum(names) => {
            format!("enum{{{}}}", joined(names.cases.iter().map(|case| case.name.clone())))
        }
        TypeDefKind::Tuple(tuple) => format!("tuple<{}>", joined(tuple.types.iter().map(of))),
        TypeDefKind::List(ty) => format!("list<{}>", of(ty)),
        TypeDefKind::Option(ty) => format!("option<{}>", of(ty)),
        TypeDefKind::Result(result) => format!("result<{}, {}>", option(&result.ok), option(&result.err)),
        TypeDefKind::Type(ty) => of(ty),
        TypeDefKind::Handle(Handle::Own(id) | Handle::Borrow(id)) => shape_of(resolve, *id),
        _ => "another".into(),
    }
}

fn shape_of_type(resolve: &Resolve, ty: &wit_parser::Type) -> String {
    use wit_parser::Type;
    match ty {
        Type::Id(id) => shape_of(resolve, *id),
        Type::Bool => "bool".into(),
        Type::U8 => "u8".into(),
        Type::U16 => "u16".into(),
        Type::U32 => "u32".into(),
        Type::U64 => "u64".into(),
        Type::S8 => "s8".into(),
        Type::S16 => "s16".into(),
        Type::S32 => "s32".into(),
        Type::S64 => "s64".into(),
        Type::F32 => "f32".into(),
        Type::F64 => "f64".into(),
        Type::Char => "char".into(),
        Type::String => "string".into(),
        Type::ErrorContext => "another".into(),
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
