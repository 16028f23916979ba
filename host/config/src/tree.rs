//! The YAML document as a tree of positions: the line and column of the key and the value at any JSON
//! pointer.
//!
//! Serde reads the values themselves. This second pass also refuses constructs that would silently be misread:
//! duplicate keys, tags, merge keys, several documents.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::error::{Fault, Position};
use super::slips;

/// The limit of nesting, above any real configuration. Deeper trees could exhaust the stack.
const MAX_DEPTH: usize = 64;

/// A node of the document. Aliases share the node of their anchor.
#[derive(Debug)]
pub(super) struct Node {
    at: Position,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Scalar,
    Sequence(Vec<Arc<Node>>),
    /// Sorted by key, because a large file may have a problem in each of its entries.
    Mapping(Vec<Entry>),
}

#[derive(Debug)]
struct Entry {
    key: String,
    at: Position,
    value: Arc<Node>,
}

/// The key or the value of an entry of a mapping. In other places both mean the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Key,
    Value,
}

/// Builds the tree of a document; `None` for one without content.
///
/// # Errors
/// The first syntax error, otherwise all other faults.
pub(super) fn parse(text: &str) -> Result<Option<Arc<Node>>, Vec<Fault>> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.take(event, span).map_err(|fault| vec![fault])?,
            Err(error) => return Err(vec![syntax_fault(text, &error)]),
        }
    }
    if builder.faults.is_empty() { Ok(builder.root) } else { Err(builder.faults) }
}

impl Node {
    /// Returns the position of the pointer (RFC 6901), or of the nearest node above it.
    pub(super) fn locate(&self, pointer: &str, side: Side) -> Position {
        let (mut node, mut at) = (self, self.at);
        for part in parts(pointer) {
            let Some((key_at, child)) = node.child(&part) else {
                return node.at;
            };
            at = if side == Side::Key { key_at } else { child.at };
            node = child;
        }
        at
    }

    /// Returns whether the document has a value at the pointer.
    pub(super) fn contains(&self, pointer: &str) -> bool {
        let mut node = self;
        for part in parts(pointer) {
            match node.child(&part) {
                Some((_, child)) => node = child,
                None => return false,
            }
        }
        true
    }

    fn child(&self, part: &str) -> Option<(Position, &Node)> {
        match &self.kind {
            Kind::Scalar => None,
            Kind::Sequence(items) => {
                let item = items.get(part.parse::<usize>().ok()?)?;
                Some((item.at, item))
            }
            Kind::Mapping(entries) => {
                let index = entries.binary_search_by(|entry| entry.key.as_str().cmp(part)).ok()?;
                let entry = &entries[index];
                Some((entry.at, &entry.value))
            }
        }
    }
}

/// Returns the JSON pointer (RFC 6901) of a child of the node at `pointer`.
pub fn join(pointer: &str, part: &str) -> String {
    format!("{pointer}/{}", part.replace('~', "~0").replace('/', "~1"))
}

fn parts(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// Converts a path of serde to a pointer.
pub(super) fn pointer_of(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => join(&pointer, &index.to_string()),
        Segment::Map { key } => join(&pointer, key),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}

#[derive(Default)]
struct Builder {
    root: Option<Arc<Node>>,
    open: Vec<Open>,
    /// By the id of the anchor; added when its node is complete.
    anchors: HashMap<usize, Arc<Node>>,
    faults: Vec<Fault>,
}

/// A sequence or mapping that has not ended yet.
struct Open {
    at: Position,
    anchor: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Arc<Node>>),
    Mapping {
        entries: Vec<Entry>,
        /// The lines of its keys.
        lines: HashMap<String, usize>,
        key: Option<(String, Position)>,
    },
}

impl Builder {
    /// Returns a fault that ends the parsing; collects all others.
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let at = position(span);
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                Err((at, "a second document begins here; keep one document in the file".into()))
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some(node) => self.add(node),
                None => Err((at, "the alias is inside its own anchor; write the value out".into())),
            },
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(at, tag.is_some());
                if self.takes_key() {
                    return self.key(text, at);
                }
                // A missing value gets the position of its key.
                let absent = text.is_empty() && style == ScalarStyle::Plain;
                let at = if absent { self.key_position().unwrap_or(at) } else { at };
                self.finish(Node { at, kind: Kind::Scalar }, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(at, tag.is_some());
                self.begin(at, anchor, Content::Sequence(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(at, tag.is_some());
                self.begin(
                    at,
                    anchor,
                    Content::Mapping { entries: Vec::new(), lines: HashMap::new(), key: None },
                )
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open { at, anchor, content }) => {
                    let kind = match content {
                        Content::Sequence(items) => Kind::Sequence(items),
                        Content::Mapping { mut entries, .. } => {
                            entries.sort_unstable_by(|one, other| one.key.cmp(&other.key));
                            Kind::Mapping(entries)
                        }
                    };
                    self.finish(Node { at, kind }, anchor)
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, at: Position, anchor: usize, content: Content) -> Result<(), Fault> {
        if self.takes_key() {
            return Err((at, "a list or mapping cannot be a key; write a plain word".into()));
        }
        if self.open.len() == MAX_DEPTH {
            return Err((at, format!("lists and mappings are nested deeper than {MAX_DEPTH}; flatten them")));
        }
        self.open.push(Open { at, anchor, content });
        Ok(())
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Fault> {
        let node = Arc::new(node);
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.add(node)
    }

    fn add(&mut self, node: Arc<Node>) -> Result<(), Fault> {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::Sequence(items)) => items.push(node),
            Some(Content::Mapping { entries, key, .. }) => match key.take() {
                Some((key, at)) => entries.push(Entry { key, at, value: node }),
                None => return Err((node.at, "an alias cannot be a key; write a plain word".into())),
            },
        }
        Ok(())
    }

    fn takes_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Mapping { key: None, .. }, .. }))
    }

    fn key_position(&self) -> Option<Position> {
        match &self.open.last()?.content {
            Content::Mapping { key, .. } => key.as_ref().map(|(_, at)| *at),
            Content::Sequence(_) => None,
        }
    }

    fn key(&mut self, text: Cow<'_, str>, at: Position) -> Result<(), Fault> {
        let Some(Open { content: Content::Mapping { lines, key, .. }, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        if let Some(line) = lines.get(&*text) {
            self.faults.push((at, format!("`{text}` appears twice, first on line {line}; keep one of them")));
        } else {
            lines.insert(text.clone().into_owned(), at.line);
        }
        if text == "<<" {
            self.faults.push((at, "merge keys (`<<`) are not supported; write the keys out".into()));
        }
        *key = Some((text.into_owned(), at));
        Ok(())
    }

    fn refuse_tag(&mut self, at: Position, tagged: bool) {
        if tagged {
            self.faults
                .push((at, "tags (`!word`) are not supported; remove it, and put text in quotes".into()));
        }
    }
}

fn position(span: Span) -> Position {
    Position { line: span.start.line(), column: span.start.col() + 1 }
}

fn syntax_fault(text: &str, error: &ScanError) -> Fault {
    let marker = error.marker();
    let at = Position { line: marker.line(), column: marker.col() + 1 };
    // The parser often notices the fault only on the next line.
    let tabbed = (at.line.saturating_sub(2)..at.line)
        .find(|&index| text.lines().nth(index).is_some_and(leads_with_tab));
    match tabbed {
        Some(index) => {
            let line = text.lines().nth(index).unwrap_or_default();
            let column = line.chars().position(|c| c == '\t').unwrap_or(0) + 1;
            let message = "the indentation contains a tab; YAML uses only spaces".to_owned();
            (Position { line: index + 1, column }, message)
        }
        None => slips::explain(text, at).unwrap_or_else(|| {
            let what = error.info();
            (at, format!("this is not YAML: {what}; check indentation, colons and quotes around here"))
        }),
    }
}

fn leads_with_tab(line: &str) -> bool {
    line.trim_start_matches([' ', '-']).starts_with('\t')
}
