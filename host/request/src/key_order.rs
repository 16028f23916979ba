//! The order of the keys of a section whose type is composed of others: the reference has them by topic, the types by what a
//! reload may change.

use schemars::Schema;

/// Moves a key behind another one.
pub fn place(schema: &mut Schema, key: &str, behind: &str) {
    let Some(properties) = schema.get_mut("properties").and_then(|properties| properties.as_object_mut())
    else {
        return;
    };
    let Some(moved) = properties.get(key).cloned() else { return };
    for (name, property) in std::mem::take(properties).into_iter().filter(|(name, _)| name != key) {
        let is_before = name == behind;
        properties.insert(name, property);
        if is_before {
            properties.insert(key.to_owned(), moved.clone());
        }
    }
}
