//! Generates `docs/configuration.md` from the schema, so that it cannot drift from the server.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::bundled;
use super::kinds::{choices, types};
use super::schema::strict;
use super::{EXAMPLE, FIRST};

/// The introduction, with the use of the schema in editors.
const EDITORS: &str = "
## In an editor

The schema includes the settings of the bundled plugins. `tuffet schema tuffet.yaml` also includes those of the other \
plugins in that file, if their components have a [schema](plugins.md#the-schema-of-the-settings). Write it once:

```sh
tuffet schema >tuffet.schema.json
```

VS Code, with the extension *YAML* (`redhat.vscode-yaml`), needs two lines in `settings.json`:

```json
\"yaml.yamlVersion\": \"1.2\",
\"yaml.schemas\": { \"./tuffet.schema.json\": \"tuffet.yaml\" }
```

vim with [coc.nvim](https://github.com/neoclide/coc.nvim) and `coc-yaml` needs the same two lines in `:CocConfig`. Both also \
read the schema from a first line of the file itself:

```yaml
# yaml-language-server: $schema=./tuffet.schema.json
```
";

/// Returns the reference of every key as Markdown: a table for each section.
pub fn reference() -> String {
    let mut text = String::from(
        "# Configuration\n\n\
         <!-- Generated: change the doc comments of the sections (host/config/src, host/request/src), then run `tuffet schema --markdown >docs/configuration.md`. -->\n\n\
         The configuration is one YAML file. Unknown keys and invalid values are errors with line and column. \
         `tuffet check FILE` reports them without starting a server: first all mistakes in keys and values, then \
         those in how the sections fit together, then those that the plugins find. A [JSON Schema](#in-an-editor) \
         lets editors complete and check.\n\n\
         A size is a number of bytes or has a unit: `64KiB` is 64 × 1024 bytes, `1GB` is 10⁹ bytes. A letter \
         alone is decimal, too: `256M` is 256 × 10⁶ bytes, and `256MiB` is 256 × 2²⁰. A time has a \
         unit: `250ms`, `4s`, `1m 30s`. Paths are relative to the file.\n\n",
    );
    text += "Most servers need these lines. [Recipes](recipes.md) has more of them, by job.\n\n```yaml\n";
    text += FIRST;
    text += "```\n\nThe sections together, with their defaults:\n\n```yaml\n";
    text += EXAMPLE;
    text += "```\n";
    text += EDITORS;
    section(&mut text, "", &strict());
    text += "\n## Settings of the bundled plugins\n\nWhat `settings` of a plugin with `component: builtin:NAME` has. The page of each \
             plugin has examples.\n";
    for name in bundled::names() {
        let title = format!("builtin:{name}");
        let Some(Value::Object(mut schema)) = bundled::settings_schema(name) else { continue };
        schema.insert("description".into(), format!("See [{name}](../plugins/{name}/README.md).").into());
        section(&mut text, &title, &schema.into());
    }
    text
}

fn section(text: &mut String, path: &str, schema: &Value) {
    // The row of the key itself describes it.
    if schema.get("format").and_then(Value::as_str) == Some("secret") {
        return;
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let title = if path.is_empty() { "Top level".to_owned() } else { format!("`{path}`") };
    push(text, format_args!("\n## {title}\n\n"));
    let described = description(schema);
    if !path.is_empty() && !described.is_empty() {
        push(text, format_args!("{described}\n\n"));
    }
    *text += "| Key | Type | Default | Meaning |\n|---|---|---|---|\n";
    let required: Vec<_> = schema.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    for (key, property) in properties {
        let default = match property.get("default") {
            _ if required.iter().any(|name| *name == key) => "required".to_owned(),
            Some(Value::Object(_)) | None => String::new(),
            Some(value) => format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
        };
        let row = [format!("`{key}`"), type_of(property), default, description(property)];
        push(text, format_args!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | ")));
    }
    for (key, property) in properties {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        section(text, &path, property);
        if let Some(items) = property.get("items") {
            section(text, &format!("{path}[]"), items);
        }
        if let Some(values) = property.get("additionalProperties") {
            section(text, &format!("{path}.NAME"), values);
        }
    }
}

fn type_of(schema: &Value) -> String {
    let Some(schema) = schema.as_object() else {
        return "anything".into();
    };
    if let Some(choices) = choices(schema) {
        return choices.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ");
    }
    let types: Vec<&str> = types(schema).into_iter().filter(|name| *name != "null").collect();
    let kind = match (schema.get("format").and_then(Value::as_str), types.as_slice()) {
        (Some("byte-count"), _) => "size".to_owned(),
        (Some("time-span"), _) => "time".to_owned(),
        (Some("max-blksize"), _) => "number, or `auto`".to_owned(),
        (Some("tid-ports"), _) => "number, or range of ports".to_owned(),
        (Some("interface"), _) => "name of an interface".to_owned(),
        (Some("file-mode"), _) => "octal number in quotes".to_owned(),
        (Some("fsync"), _) => "`never`, `each` or time".to_owned(),
        (Some("admin-address"), _) => "address, or `unix:PATH`".to_owned(),
        (Some("log-target"), _) => "`stderr`, `syslog`, or a mapping".to_owned(),
        (Some("sha256"), _) => "digest".to_owned(),
        (Some("secret"), _) => "text, or `{ file: PATH }`".to_owned(),
        (Some(format @ ("address" | "name" | "path" | "component")), _) => format.to_owned(),
        (Some("root-name"), _) => "name".to_owned(),
        (Some("granted-root-name"), _) => "name of a root".to_owned(),
        (Some("granted-sink-name"), _) => "name of a sink".to_owned(),
        (Some("listener-name"), _) => "name of a listener".to_owned(),
        (Some("class-name"), _) => "name of a class".to_owned(),
        (Some("granted-url"), _) => "URL".to_owned(),
        (_, ["array"]) => format!("list of {}", schema.get("items").map_or("anything".into(), type_of)),
        (_, ["object"]) => "mapping".to_owned(),
        (_, ["boolean"]) => "`true` or `false`".to_owned(),
        (_, ["integer"]) => "whole number".to_owned(),
        (_, ["string"]) => "text".to_owned(),
        (_, ["string", "integer"]) => return "name or number".into(),
        (_, ["boolean", "object"]) => "`true`, `false`, or a mapping".to_owned(),
        (_, ["string", "array"]) => "text, or a list".to_owned(),
        (_, []) => "anything".into(),
        (_, types) => types.join(" or "),
    };
    format!("{kind}{}", range(schema))
}

fn range(schema: &Map<String, Value>) -> String {
    let bound = |keys: [&str; 2]| {
        keys.iter().find_map(|key| schema.get(*key)).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    match (bound(["x-minimum", "minimum"]), bound(["x-maximum", "maximum"])) {
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        _ => String::new(),
    }
}

fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    linked(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Makes links of the pages that a description names as `docs/PAGE.md#HEADING`: rustdoc, which has it too, has no such page.
fn linked(text: &str) -> String {
    let mut parts = text.split("`docs/");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(".md").and_then(|(page, rest)| Some((page, rest.split_once('`')?))) {
            Some((page, (heading, rest))) => {
                push(&mut linked, format_args!("[{page}]({page}.md{heading}){rest}"))
            }
            None => push(&mut linked, format_args!("`docs/{part}")),
        }
    }
    linked
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(what);
}
