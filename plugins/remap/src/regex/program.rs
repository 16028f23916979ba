//! The automaton.

use super::ast::{Assertion, Bytes, is_word};

/// A place in a program.
pub(super) type Place = u16;

#[derive(Debug, Clone, Copy)]
pub(super) enum Node {
    /// Takes a byte, and is the state of that number.
    Byte {
        bytes: Bytes,
        state: u16,
        next: Place,
    },
    /// Prefers the first.
    Split {
        first: Place,
        second: Place,
    },
    Open {
        group: u16,
        next: Place,
    },
    /// `optional`: what the group is in may be passed without matching anything.
    Close {
        group: u16,
        optional: bool,
        next: Place,
    },
    Assert {
        what: Assertion,
        next: Place,
    },
    Match,
}

#[derive(Debug)]
pub(super) struct Program {
    pub nodes: Vec<Node>,
    pub start: Place,
    pub groups: usize,
    /// The number of nodes that take a byte.
    pub states: usize,
    /// What its assertions ask for.
    pub asks: Context,
}

/// What is around a place between two bytes, in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Context(pub u8);

impl Context {
    pub const LINE_START: u8 = 1;
    pub const TEXT_START: u8 = 2;
    pub const END: u8 = 4;
    pub const AFTER_WORD: u8 = 8;
    pub const BEFORE_WORD: u8 = 16;

    /// Around `text[at]`.
    pub fn of(text: &[u8], at: usize, continues: bool) -> Context {
        let mut bits = 0;
        match at.checked_sub(1) {
            None if continues => bits |= Context::TEXT_START,
            None => bits |= Context::TEXT_START | Context::LINE_START,
            Some(before) if is_word(text[before]) => bits |= Context::AFTER_WORD,
            Some(_) => {}
        }
        match text.get(at) {
            None => bits |= Context::END,
            Some(&after) if is_word(after) => bits |= Context::BEFORE_WORD,
            Some(_) => {}
        }
        Context(bits)
    }

    fn has(self, bits: u8) -> bool {
        self.0 & bits != 0
    }

    pub fn fits(self, what: Assertion) -> bool {
        let (after, before) = (self.has(Context::AFTER_WORD), self.has(Context::BEFORE_WORD));
        match what {
            Assertion::LineStart => self.has(Context::LINE_START),
            Assertion::TextStart => self.has(Context::TEXT_START),
            Assertion::End => self.has(Context::END),
            Assertion::WordStart => !after && before,
            Assertion::WordEnd => after && !before,
            Assertion::WordEdge => after != before,
            Assertion::NoWordEdge => after == before,
        }
    }

    /// The bits that an assertion looks at.
    pub fn asked_by(what: Assertion) -> u8 {
        match what {
            Assertion::LineStart => Context::LINE_START,
            Assertion::TextStart => Context::TEXT_START,
            Assertion::End => Context::END,
            _ => Context::AFTER_WORD | Context::BEFORE_WORD,
        }
    }
}
