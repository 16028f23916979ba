//! Whether there is a match: all states at once, as bits.
//!
//! Most rules of a map do not match most names, so this is where the time goes. For each context that the
//! assertions of an expression can tell apart, a table has the states that follow each state.

use super::program::{Context, Node, Place, Program};

/// The states that follow, in one context.
struct Table {
    /// The states at the beginning of a match.
    start: Vec<u64>,
    /// The states that follow each state; a bit behind all states stands for a match.
    follow: Vec<u64>,
}

pub(super) struct Tables {
    /// Words of a set of states.
    words: usize,
    /// The bit of a match.
    done: usize,
    /// The kind of each byte; bytes of the same kind are the same to every state.
    kinds: Box<[u8; 256]>,
    /// The states that take a byte of that kind.
    takes: Vec<u64>,
    asks: u8,
    /// By the bits of the context that are asked for.
    tables: Vec<Option<Table>>,
}

impl Tables {
    /// `None` if they would take more than this many bytes.
    pub fn new(program: &Program, most: usize) -> Option<Tables> {
        let done = program.states;
        let words = done / 64 + 1;
        let asks = program.asks.0;
        // One for each of the contexts that can be told apart.
        if ((done + 1) * words * size_of::<u64>()) << asks.count_ones() > most {
            return None;
        }
        let (kinds, takes) = kinds(program, words);
        let in_context =
            |context: u8| (context & !asks == 0).then(|| Table::new(program, Context(context), words));
        Some(Tables { words, done, kinds, takes, asks, tables: (0..32).map(in_context).collect() })
    }

    /// The memory that they take, in bytes.
    pub fn bytes(&self) -> usize {
        let each = |table: &Table| table.start.len() + table.follow.len();
        let words = self.takes.len() + self.tables.iter().flatten().map(each).sum::<usize>();
        self.kinds.len() + words * size_of::<u64>() + self.tables.len() * size_of::<Option<Table>>()
    }

    fn table(&self, context: Context) -> &Table {
        match &self.tables[usize::from(context.0 & self.asks)] {
            Some(table) => table,
            None => unreachable!("there is a table for each context that is asked for"),
        }
    }

    /// The context at a place; cheap where no assertion asks.
    fn context(&self, text: &[u8], at: usize, continues: bool) -> Context {
        if self.asks == 0 { Context::default() } else { Context::of(text, at, continues) }
    }

    /// Whether a part of the text matches.
    pub fn matches(&self, text: &[u8], continues: bool) -> bool {
        if self.words == 1 {
            self.matches_in_a_word(text, continues)
        } else {
            self.run(text, 0, continues, None, |_| true)
        }
    }

    /// The end of the longest match that begins at `text[from]`. Takes no more than `steps`, and counts them
    /// down: at 0 the end may be another one, or there may be one after all.
    pub fn longest(&self, text: &[u8], from: usize, continues: bool, steps: &mut usize) -> Option<usize> {
        let mut longest = None;
        self.run(text, from, continues, Some(steps), |end| {
            longest = Some(end);
            false
        });
        longest
    }

    /// The common case: at most 63 states.
    fn matches_in_a_word(&self, text: &[u8], continues: bool) -> bool {
        let done = 1u64 << self.done;
        let mut active = 0u64;
        for at in 0..=text.len() {
            let table = self.table(self.context(text, at, continues));
            let mut set = table.start[0];
            while active != 0 {
                set |= table.follow[active.trailing_zeros() as usize];
                active &= active - 1;
            }
            if set & done != 0 {
                return true;
            }
            let Some(byte) = text.get(at) else { break };
            active = set & self.takes[usize::from(self.kinds[usize::from(*byte)])];
        }
        false
    }

    /// Reads the text from a place on. Calls `found` where a match ends, until that returns true. With
    /// `steps`, a match begins at the first place; without, at each.
    fn run(
        &self,
        text: &[u8],
        from: usize,
        continues: bool,
        mut steps: Option<&mut usize>,
        mut found: impl FnMut(usize) -> bool,
    ) -> bool {
        let anywhere = steps.is_none();
        let (mut set, mut active) = (vec![0u64; self.words], vec![0u64; self.words]);
        for at in from..=text.len() {
            if let Some(steps) = &mut steps {
                let Some(left) = steps.checked_sub(1) else { break };
                **steps = left;
            }
            let table = self.table(self.context(text, at, continues));
            if anywhere || at == from {
                set.copy_from_slice(&table.start)
            } else {
                set.fill(0)
            }
            for (index, word) in active.iter().enumerate() {
                let mut word = *word;
                while word != 0 {
                    let state = index * 64 + word.trailing_zeros() as usize;
                    let follow = &table.follow[state * self.words..(state + 1) * self.words];
                    set.iter_mut().zip(follow).for_each(|(word, its)| *word |= its);
                    word &= word - 1;
                }
            }
            if set[self.done / 64] >> (self.done % 64) & 1 == 1 && found(at) {
                return true;
            }
            let Some(byte) = text.get(at) else { break };
            let kind = usize::from(self.kinds[usize::from(*byte)]) * self.words;
            let takes = &self.takes[kind..kind + self.words];
            let mut any = 0;
            for (active, (set, takes)) in active.iter_mut().zip(set.iter().zip(takes)) {
                *active = set & takes;
                any |= *active;
            }
            if any == 0 && !anywhere {
                break;
            }
        }
        false
    }
}

/// Sorts bytes into kinds, and says which states take each kind.
fn kinds(program: &Program, words: usize) -> (Box<[u8; 256]>, Vec<u64>) {
    let mut kinds = Box::new([0u8; 256]);
    let mut takes: Vec<Vec<u64>> = Vec::new();
    for byte in 0..=255u8 {
        let mut its = vec![0u64; words];
        for node in &program.nodes {
            if let Node::Byte { bytes, state, .. } = node
                && bytes.contains(byte)
            {
                its[usize::from(*state) / 64] |= 1 << (state % 64);
            }
        }
        let kind = takes.iter().position(|known| *known == its).unwrap_or_else(|| {
            takes.push(its);
            takes.len() - 1
        });
        kinds[usize::from(byte)] = kind as u8;
    }
    (kinds, takes.concat())
}

impl Table {
    fn new(program: &Program, context: Context, words: usize) -> Table {
        let mut table = Table { start: vec![0; words], follow: vec![0; program.states * words] };
        let mut seen = vec![0u16; program.nodes.len()];
        let mut round = 1;
        close(program, program.start, context, &mut table.start, &mut seen, round);
        for node in &program.nodes {
            if let Node::Byte { state, next, .. } = node {
                round += 1;
                let state = usize::from(*state);
                close(
                    program,
                    *next,
                    context,
                    &mut table.follow[state * words..(state + 1) * words],
                    &mut seen,
                    round,
                );
            }
        }
        table
    }
}

/// Adds the states that are reached from a place without taking a byte. `seen` has the round in which a node
/// was met last.
fn close(program: &Program, from: Place, context: Context, set: &mut [u64], seen: &mut [u16], round: u16) {
    let mut waiting = vec![from];
    while let Some(place) = waiting.pop() {
        let place = usize::from(place);
        if std::mem::replace(&mut seen[place], round) == round {
            continue;
        }
        match program.nodes[place] {
            Node::Byte { state, .. } => set[usize::from(state) / 64] |= 1 << (state % 64),
            Node::Match => set[program.states / 64] |= 1 << (program.states % 64),
            Node::Split { first, second } => waiting.extend([second, first]),
            Node::Open { next, .. } | Node::Close { next, .. } => waiting.push(next),
            Node::Assert { what, next } if context.fits(what) => waiting.push(next),
            Node::Assert { .. } => {}
        }
    }
}
