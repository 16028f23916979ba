//! An expression as it was parsed.

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bytes([u64; 4]);

impl Bytes {
    /// Every byte but NUL, which no name has.
    pub fn any() -> Bytes {
        Bytes::of(|byte| byte != 0)
    }

    pub fn one(byte: u8) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.insert(byte);
        bytes
    }

    pub fn of(is_in: impl Fn(u8) -> bool) -> Bytes {
        let mut bytes = Bytes::default();
        (0..=255).filter(|byte| is_in(*byte)).for_each(|byte| bytes.insert(byte));
        bytes
    }

    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub fn add(&mut self, other: &Bytes) {
        self.0.iter_mut().zip(other.0).for_each(|(word, its)| *word |= its);
    }

    pub fn inverted(&self) -> Bytes {
        Bytes(self.0.map(|word| !word))
    }

    /// What [`Bytes::contains`] each letter in either case, judged by its upper case, as glibc does.
    pub fn folded(&self) -> Bytes {
        Bytes::of(|byte| self.contains(byte.to_ascii_uppercase()))
    }
}

/// The classes of POSIX, as in `[[:alpha:]]`.
pub(super) fn class(name: &str) -> Option<Bytes> {
    let is_in: fn(&u8) -> bool = match name {
        "alpha" => u8::is_ascii_alphabetic,
        "digit" => u8::is_ascii_digit,
        "alnum" => u8::is_ascii_alphanumeric,
        "upper" => u8::is_ascii_uppercase,
        "lower" => u8::is_ascii_lowercase,
        "space" => |byte| matches!(byte, 9..=13 | b' '),
        "blank" => |byte| matches!(byte, b'\t' | b' '),
        "punct" => u8::is_ascii_punctuation,
        "print" => |byte| matches!(byte, 32..=126),
        "graph" => u8::is_ascii_graphic,
        "cntrl" => u8::is_ascii_control,
        "xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    };
    Some(Bytes::of(|byte| is_in(&byte)))
}

/// Letters, digits and `_`.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Something that holds between two bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assertion {
    /// `^`
    LineStart,
    /// `` \` ``: as `^`, but also where the text continues a longer one.
    TextStart,
    /// `$`
    End,
    /// `\<`
    WordStart,
    /// `\>`
    WordEnd,
    /// `\b`
    WordEdge,
    /// `\B`
    NoWordEdge,
}

#[derive(Debug, Clone)]
pub(super) enum Ast {
    Empty,
    Bytes(Bytes),
    Assert(Assertion),
    /// A group, numbered from 1.
    Group(u16, Box<Ast>),
    Concat(Vec<Ast>),
    /// At least two.
    Either(Vec<Ast>),
    /// `most`: `None` is without end. `lazy`: as few as possible.
    Repeat {
        of: Box<Ast>,
        least: u32,
        most: Option<u32>,
        lazy: bool,
    },
}

/// The deepest nesting of groups: parser and compiler recurse.
pub(super) const MAX_DEPTH: usize = 50;

/// The most repetitions that can be counted (`RE_DUP_MAX` of glibc).
pub(super) const MAX_REPEAT: u32 = 0x7fff;
