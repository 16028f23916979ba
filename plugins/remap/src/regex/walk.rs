//! Where a match lies, and what its groups matched.
//!
//! The text is read backwards first: which nodes lead to a match from each place. Then a single walk forwards
//! takes, at each split, the preferred way that leads to the end. It never has to go back.
//!
//! This is what glibc does, too: the whole match is the longest, but inside of it, groups are those of the
//! preferred way, not the longest from left to right that POSIX asks for. Maps are written and tested with
//! glibc.

use super::program::{Context, Node, Place, Program};
use super::scan::Tables;

/// Groups that a replacement can name: `\0` to `\9`.
pub(crate) const GROUPS: usize = 10;

/// Where the match lies, and each of its groups: first byte and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Groups(pub [Option<(usize, usize)>; GROUPS]);

impl Groups {
    /// Of a rule that applies because nothing matched.
    pub const NONE: Groups = Groups([None; GROUPS]);

    /// First byte and end of the whole match.
    pub fn whole(&self) -> (usize, usize) {
        self.0[0].unwrap_or((0, 0))
    }
}

/// Finds the match of a text that is known to have one.
pub(super) fn find(
    program: &Program,
    tables: &Tables,
    text: &[u8],
    continues: bool,
    longest: bool,
) -> Option<Groups> {
    let from = begin(program, tables, text, continues)?;
    if longest {
        let mut steps = usize::MAX;
        let end = tables.longest(text, from, continues, &mut steps)?;
        if program.groups == 0 {
            return Some(Recorder::default().groups(from, end));
        }
        let reach = Reach::new(program, text, from, end, continues, false);
        walk(program, &reach, text, from, Some(end))
    } else {
        let reach = Reach::new(program, text, from, text.len(), continues, true);
        walk(program, &reach, text, from, None)
    }
}

/// Where the first match begins. Most attempts end at their first byte, so each place is tried first; where
/// that takes too many steps, the text is read backwards once.
fn begin(program: &Program, tables: &Tables, text: &[u8], continues: bool) -> Option<usize> {
    let mut steps = 4 * text.len() + 16;
    for from in 0..=text.len() {
        if tables.longest(text, from, continues, &mut steps).is_some() {
            return Some(from);
        }
        if steps == 0 {
            let reach = Reach::new(program, text, 0, text.len(), continues, true);
            return (from..=text.len()).find(|at| reach.has(*at, program.start));
        }
    }
    None
}

/// The nodes that lead to a match, for each place of the text.
struct Reach {
    from: usize,
    nodes: usize,
    /// A bit for each place and node.
    bits: Vec<u64>,
}

impl Reach {
    /// Of matches in `text[from..end]`, which end there, or `anywhere`.
    fn new(
        program: &Program,
        text: &[u8],
        from: usize,
        end: usize,
        continues: bool,
        anywhere: bool,
    ) -> Reach {
        let nodes = program.nodes.len();
        let mut reach = Reach { from, nodes, bits: vec![0; ((end - from + 1) * nodes).div_ceil(64)] };
        let before = before(program);
        let mut waiting: Vec<Place> = Vec::new();
        for at in (from..=end).rev() {
            let context = Context::of(text, at, continues);
            for (place, node) in program.nodes.iter().enumerate() {
                let leads = match node {
                    Node::Match => anywhere || at == end,
                    Node::Byte { bytes, next, .. } => {
                        at < end && bytes.contains(text[at]) && reach.has(at + 1, *next)
                    }
                    _ => false,
                };
                if leads {
                    waiting.push(place as Place);
                }
            }
            while let Some(place) = waiting.pop() {
                if !reach.add(at, place) {
                    continue;
                }
                for before in &before[usize::from(place)] {
                    let holds = match program.nodes[usize::from(*before)] {
                        Node::Assert { what, .. } => context.fits(what),
                        _ => true,
                    };
                    if holds {
                        waiting.push(*before);
                    }
                }
            }
        }
        reach
    }

    fn bit(&self, at: usize, place: Place) -> (usize, u64) {
        let bit = (at - self.from) * self.nodes + usize::from(place);
        (bit / 64, 1 << (bit % 64))
    }

    fn has(&self, at: usize, place: Place) -> bool {
        let (word, bit) = self.bit(at, place);
        self.bits[word] & bit != 0
    }

    /// Returns whether it was not there.
    fn add(&mut self, at: usize, place: Place) -> bool {
        let (word, bit) = self.bit(at, place);
        let new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        new
    }
}

/// The nodes before each node, but those that take a byte.
fn before(program: &Program) -> Vec<Vec<Place>> {
    let mut before = vec![Vec::new(); program.nodes.len()];
    for (place, node) in program.nodes.iter().enumerate() {
        let place = place as Place;
        match *node {
            Node::Split { first, second } => {
                before[usize::from(first)].push(place);
                before[usize::from(second)].push(place);
            }
            Node::Open { next, .. } | Node::Close { next, .. } | Node::Assert { next, .. } => {
                before[usize::from(next)].push(place);
            }
            Node::Byte { .. } | Node::Match => {}
        }
    }
    before
}

/// Takes the preferred way from `from` to a match, at `end` if that is given.
fn walk(program: &Program, reach: &Reach, text: &[u8], from: usize, end: Option<usize>) -> Option<Groups> {
    let mut groups = Recorder::default();
    let (mut at, mut place) = (from, program.start);
    // Splits that were passed since the last byte: a loop that matched nothing is not entered again.
    let mut passed: Vec<Place> = Vec::new();
    loop {
        match program.nodes[usize::from(place)] {
            Node::Match if end.is_none_or(|end| at == end) => {
                return Some(groups.groups(from, at));
            }
            Node::Match => return None,
            Node::Byte { bytes, next, .. } => {
                if !text.get(at).is_some_and(|byte| bytes.contains(*byte)) {
                    return None;
                }
                passed.clear();
                at += 1;
                place = next;
            }
            Node::Split { first, second } => {
                let loops = passed.contains(&first) && reach.has(at, second);
                passed.push(place);
                place = if reach.has(at, first) && !loops { first } else { second };
            }
            Node::Open { group, next } => {
                groups.open(group, at);
                passed.push(place);
                place = next;
            }
            Node::Close { group, optional, next } => {
                groups.close(group, at, optional);
                passed.push(place);
                place = next;
            }
            Node::Assert { next, .. } => {
                passed.push(place);
                place = next;
            }
        }
        // Each node is passed at most twice before the loop is left; this is a net below that.
        if passed.len() > 4 * program.nodes.len() {
            return None;
        }
    }
}

/// A group while its match is followed: where it was opened last, and where it was closed after that.
type Record = (Option<usize>, Option<usize>);

/// Records groups as glibc does: a repetition that matched nothing leaves all groups as they were after the
/// last one that matched something, and groups inside of a repetition keep what they matched last.
#[derive(Default)]
struct Recorder {
    now: [Record; GROUPS],
    before: [Record; GROUPS],
}

impl Recorder {
    fn open(&mut self, group: u16, at: usize) {
        if let Some(now) = self.now.get_mut(usize::from(group)) {
            *now = (Some(at), None);
        }
    }

    fn close(&mut self, group: u16, at: usize, optional: bool) {
        let group = usize::from(group);
        let Some(now) = self.now.get_mut(group) else { return };
        if now.0.is_some_and(|open| open < at) {
            now.1 = Some(at);
            self.before = self.now;
        } else if optional && self.before[group].0.is_some() {
            self.now = self.before;
        } else {
            now.1 = Some(at);
        }
    }

    fn groups(&self, from: usize, end: usize) -> Groups {
        let mut groups = self.now.map(|(open, close)| Some((open?, close?)));
        groups[0] = Some((from, end));
        Groups(groups)
    }
}
