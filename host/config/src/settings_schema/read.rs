//! Reads a schema from outside into one that [`shape`](crate::shape) checks values against.

use serde_json::{Map, Value};

use crate::suggest::{closest, list};
use crate::tree::join;

/// A problem: a JSON pointer into the schema, and a message.
type Problem = (String, String);

/// The deepest nesting of schemas.
const MAX_DEPTH: usize = 32;
/// The largest size after references are resolved, in bytes.
const MAX_SIZE: usize = 256 << 10;
/// What a schema counts as, besides its texts.
const SCHEMA_SIZE: usize = 64;
/// The longest name of a setting in bytes.
const MAX_NAME: usize = 128;

/// The formats of names in the configuration.
pub(super) const NAMES: [&str; 6] =
    ["listener-name", "root-name", "granted-root-name", "granted-sink-name", "class-name", "granted-url"];
/// The format of texts that stand below `secrets` of the plugin.
pub(super) const SECRET: &str = "secret";
/// The formats of JSON Schema that editors know. The server does not check them.
const FORMATS: [&str; 12] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "regex",
    "time",
    "uri",
    "uri-reference",
    "uuid",
];
const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];
/// Keywords without effect on a value, and those that hold definitions.
const IGNORED: [&str; 11] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$ref",
    "allOf",
];
/// The checked keywords, and those that are shown.
const KNOWN: [&str; 22] = [
    "type",
    "format",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "anyOf",
    "oneOf",
    "title",
    "description",
    "default",
];

pub(super) struct Reader<'a> {
    root: &'a Value,
    size: usize,
    /// The definitions around the current schema.
    open: Vec<&'a str>,
    /// What a server ignores, and an author should know.
    pub remarks: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub fn new(root: &'a Value) -> Reader<'a> {
        Reader { root, size: 0, open: Vec::new(), remarks: Vec::new() }
    }

    /// Reads the whole schema.
    pub fn schema(&mut self) -> Result<Value, Problem> {
        let schema = self.read(self.root, "", 0)?;
        if schema["type"] == "object" {
            return Ok(schema);
        }
        let message =
            "settings are a mapping: write `\"type\": \"object\"`, and the settings below `properties`";
        Err((String::new(), message.into()))
    }

    fn read(&mut self, schema: &'a Value, pointer: &str, depth: usize) -> Result<Value, Problem> {
        let mut read = Map::new();
        match schema {
            Value::Bool(true) => self.spend(SCHEMA_SIZE, pointer)?,
            Value::Object(written) => self.object(written, pointer, depth, &mut read)?,
            _ => {
                return Err((pointer.to_owned(), "this is not a schema: write a mapping of keywords".into()));
            }
        }
        Ok(Value::Object(read))
    }

    /// Adds the keywords of a schema. Those beside a reference replace those of its target.
    fn object(
        &mut self,
        written: &'a Map<String, Value>,
        pointer: &str,
        depth: usize,
        read: &mut Map<String, Value>,
    ) -> Result<(), Problem> {
        self.spend(SCHEMA_SIZE, pointer)?;
        if depth > MAX_DEPTH {
            return Err((pointer.to_owned(), format!("it is nested deeper than {MAX_DEPTH} schemas")));
        }
        if let Some(reference) = written.get("$ref") {
            self.reference(reference, &join(pointer, "$ref"), depth, read)?;
        }
        if let Some(all) = written.get("allOf") {
            let at = join(pointer, "allOf");
            // Some generators write a reference with a description like this.
            match all.as_array().map(Vec::as_slice) {
                Some([Value::Object(one)]) => self.object(one, &join(&at, "0"), depth + 1, read)?,
                _ => self.remark(
                    at,
                    "the server checks `allOf` of one schema only; write the keywords into one schema",
                ),
            }
        }
        for (keyword, value) in written {
            let at = join(pointer, keyword);
            match self.keyword(keyword, value, &at, depth)? {
                Some(value) => {
                    read.insert(keyword.clone(), value);
                }
                None if KNOWN.contains(&keyword.as_str())
                    || IGNORED.contains(&keyword.as_str())
                    || keyword.starts_with("x-") => {}
                None => self.unknown(keyword, at),
            }
        }
        if read.contains_key("properties") && !read.contains_key("type") {
            read.insert("type".into(), "object".into());
        }
        simplify(read);
        Ok(())
    }

    fn reference(
        &mut self,
        reference: &'a Value,
        at: &str,
        depth: usize,
        read: &mut Map<String, Value>,
    ) -> Result<(), Problem> {
        let wrong = |message: &str| Err((at.to_owned(), message.to_owned()));
        let Some(target) = reference.as_str() else { return wrong("this is not a reference: write a text") };
        let place = target
            .strip_prefix('#')
            .filter(|place| ["/$defs/", "/definitions/"].iter().any(|within| place.starts_with(within)));
        let Some(place) = place else {
            return wrong("a reference leads to a definition of this schema: write `#/$defs/NAME`");
        };
        let Some(Value::Object(definition)) = self.root.pointer(place) else {
            return wrong(&format!("there is no definition `{place}`; correct the reference"));
        };
        if self.open.contains(&target) {
            return wrong(
                "the definition contains itself; describe the inner one as `{ \"type\": \"object\" }`",
            );
        }
        self.open.push(target);
        let done = self.object(definition, place, depth + 1, read);
        self.open.pop();
        done
    }

    /// Returns the value of a keyword, if the server uses it.
    fn keyword(
        &mut self,
        keyword: &str,
        value: &'a Value,
        at: &str,
        depth: usize,
    ) -> Result<Option<Value>, Problem> {
        let wrong = |expected: &str| Err((at.to_owned(), format!("give {expected}")));
        match keyword {
            "type" => {
                let words: Vec<&Value> =
                    value.as_array().map_or(vec![value], |several| several.iter().collect());
                let known = |word: &&Value| word.as_str().is_some_and(|word| TYPES.contains(&word));
                if words.is_empty() || words.len() > TYPES.len() || !words.iter().all(known) {
                    return wrong(&list(TYPES, "or"));
                }
            }
            "title" | "description" => match value.as_str() {
                Some(text) => self.spend(text.len(), at)?,
                None => return wrong("a text"),
            },
            "format" => match value.as_str() {
                Some(word) if NAMES.contains(&word) || FORMATS.contains(&word) || word == SECRET => {}
                Some(word) => {
                    if word.ends_with("-name") || closest(word, NAMES).is_some() {
                        let message =
                            format!("unknown format `{word}`; names have the formats {}", list(NAMES, "and"));
                        self.remarks.push((at.to_owned(), message));
                    }
                    return Ok(None);
                }
                None => return wrong("a text"),
            },
            "default" => self.spend(value.to_string().len(), at)?,
            "const" if is_scalar(value) => self.spend(value.to_string().len(), at)?,
            "enum" => match value.as_array() {
                Some(values) if !values.is_empty() && values.iter().all(is_scalar) => {
                    self.spend(value.to_string().len(), at)?;
                }
                _ => return wrong("a list of texts and numbers"),
            },
            "const" => return wrong("a text or a number"),
            "required" => match value.as_array() {
                Some(names) if names.iter().all(Value::is_string) => {
                    self.spend(value.to_string().len(), at)?
                }
                _ => return wrong("a list of names of properties"),
            },
            "minItems" | "maxItems" | "minLength" | "maxLength" if !value.is_u64() => {
                return wrong("a whole number from 0 up");
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" if !value.is_number() => {
                return wrong("a number");
            }
            "uniqueItems" if !value.is_boolean() => return wrong("`true` or `false`"),
            "properties" => return self.properties(value, at, depth).map(Some),
            "additionalProperties" if value.is_boolean() => {}
            "additionalProperties" | "items" => return self.read(value, at, depth + 1).map(Some),
            "anyOf" | "oneOf" => {
                let Some(branches) = value.as_array().filter(|branches| !branches.is_empty()) else {
                    return wrong("a list of schemas");
                };
                let branches = branches.iter().enumerate();
                let read: Result<Vec<Value>, Problem> = branches
                    .map(|(index, branch)| self.read(branch, &join(at, &index.to_string()), depth + 1))
                    .collect();
                return Ok(Some(read?.into()));
            }
            _ if !KNOWN.contains(&keyword) => return Ok(None),
            _ => {}
        }
        Ok(Some(value.clone()))
    }

    fn properties(&mut self, value: &'a Value, at: &str, depth: usize) -> Result<Value, Problem> {
        let Some(properties) = value.as_object() else {
            return Err((at.to_owned(), "give a mapping of settings to their schemas".into()));
        };
        let mut read = Map::new();
        for (name, schema) in properties {
            if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
                let message = format!("a name has 1 to {MAX_NAME} bytes, without control characters");
                return Err((at.to_owned(), message));
            }
            self.spend(name.len(), at)?;
            read.insert(name.clone(), self.read(schema, &join(at, name), depth + 1)?);
        }
        Ok(Value::Object(read))
    }

    /// Bounds what references multiply.
    fn spend(&mut self, size: usize, at: &str) -> Result<(), Problem> {
        self.size += size;
        if self.size <= MAX_SIZE {
            return Ok(());
        }
        let message = format!("its references resolve to more than {MAX_SIZE} bytes; shorten it");
        Err((at.to_owned(), message))
    }

    fn unknown(&mut self, keyword: &str, at: String) {
        let message = match closest(keyword, KNOWN) {
            Some(like) => format!("unknown keyword `{keyword}`; did you mean `{like}`?"),
            None => format!(
                "the server does not check `{keyword}`; leave it out, and check that in `configure`. Known here: {}",
                list(KNOWN, "and")
            ),
        };
        self.remark(at, &message);
    }

    fn remark(&mut self, at: String, message: &str) {
        self.remarks.push((at, message.to_owned()));
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// Writes "this schema, or nothing" as a type, and `oneOf` as `anyOf`, unless its branches are words.
fn simplify(read: &mut Map<String, Value>) {
    let words = |branches: &[Value]| {
        let all_words = |listed: &Value| {
            listed.as_array().is_some_and(|listed| !listed.is_empty() && listed.iter().all(Value::is_string))
        };
        branches.iter().all(|branch| branch["const"].is_string() || all_words(&branch["enum"]))
    };
    if let Some(Value::Array(branches)) = read.get("oneOf")
        && !words(branches)
        && let Some(branches) = read.remove("oneOf")
    {
        read.insert("anyOf".into(), branches);
    }
    let Some(Value::Array(branches)) = read.get("anyOf") else { return };
    let is_null = |branch: &&Value| branch["type"] == "null";
    let (nulls, others): (Vec<&Value>, Vec<&Value>) = branches.iter().partition(is_null);
    let ([_], [Value::Object(one)]) = (nulls.as_slice(), others.as_slice()) else { return };
    let Some(Value::String(kind)) = one.get("type") else { return };
    let (types, mut one) = (Value::from(vec![kind.as_str(), "null"]), one.clone());
    if let Some(word) = one.remove("const") {
        one.insert("enum".into(), Value::from(vec![word]));
    }
    if let Some(Value::Array(listed)) = one.get_mut("enum") {
        listed.push(Value::Null);
    }
    read.remove("anyOf");
    for (keyword, value) in one {
        read.entry(keyword).or_insert(value);
    }
    read.insert("type".into(), types);
}
