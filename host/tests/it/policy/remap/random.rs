//! Random maps of in.tftpd, and random names.

/// Returns how many maps there are, and which: `TUFFET_MAPS` and `TUFFET_SEED`.
pub(crate) fn maps_and_seed(maps: usize) -> (usize, u64) {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|number| number.parse::<u64>().ok());
    (number("TUFFET_MAPS").map_or(maps, |maps| maps as usize), number("TUFFET_SEED").unwrap_or(1))
}

/// A generator of numbers, by seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(0x9E37_79B9_7F4A_7C15 ^ seed)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % most
    }

    pub(crate) fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    pub(crate) fn times(&mut self, most: usize, mut work: impl FnMut(&mut Random) -> String) -> String {
        (0..1 + self.below(most)).map(|_| work(self)).collect()
    }

    /// What is repeated matches something: how glibc counts repetitions of nothing is not compared.
    pub(crate) fn regex(&mut self, depth: usize) -> String {
        let branch = |random: &mut Random| {
            random.times(3, |random| {
                let atom = match random.below(if depth > 0 { 10 } else { 7 }) {
                    0 => ".".into(),
                    1 => random.of(&["[a-c]", "[^/]", "[[:alpha:]]", "[0-9A-F]", "[]x]", "[^a-z]"]).into(),
                    2 => random.of(&["\\.", "\\\\", "/", "\\#"]).into(),
                    3..7 => random.of(&["a", "b", "ab", "cfg", "SEP", "1", "-", "x"]).into(),
                    _ => format!("({})", random.regex(depth - 1)),
                };
                let count = if atom.starts_with('(') {
                    random.of(&["", "", "+", "{1,2}"])
                } else {
                    random.of(&["", "", "", "*", "+", "?", "{2}", "{1,3}"])
                };
                // Groups that are repeated as often as wanted begin with something that is there.
                if atom.starts_with('(') && !count.is_empty() {
                    format!("({}{})", random.of(&["a", "b", "/"]), &atom[1..atom.len() - 1]) + count
                } else {
                    atom + count
                }
            })
        };
        let mut all = branch(self);
        while self.below(4) == 0 {
            all = format!("{all}|{}", branch(self));
        }
        all
    }

    pub(crate) fn rule(&mut self) -> String {
        let case = self.of(&["", "", "i"]);
        if self.below(6) == 0 {
            // What is put in must not match again: in.tftpd 5.2 never ends. Nor is it `\x` with something
            // else: 5.2 writes behind its memory then.
            let (from, to) =
                (self.of(&["a", "[bc]", "//", "\\\\", "S|E"]), self.of(&["", "+", "_\\i", "\\#"]));
            return format!("rg{case} {from} {to}\n");
        }
        let operation = self.of(&["r", "r", "r", "r", "re", "rs", "e", "rG", "rP", "e~", "s"]);
        let anchor = |random: &mut Random, anchor| if random.below(4) == 0 { anchor } else { "" };
        let (start, end) = (anchor(self, "^"), anchor(self, "$"));
        let regex = self.regex(2);
        let regex = if start.is_empty() && end.is_empty() { regex } else { format!("{start}({regex}){end}") };
        let text = if operation == "rs" {
            // No name may grow while rules restart.
            self.of(&["", "-", "\\1"]).into()
        } else {
            self.times(4, |random| {
                random
                    .of(&[
                        "", "a", "b/", "\\0", "\\1", "\\2", "\\3", "\\L", "\\U", "\\E", "-", "\\q", "\\\\",
                        "\\ x",
                    ])
                    .into()
            })
        };
        format!("{operation}{case} {regex} {text}\n")
    }

    /// A name as clients of all kinds send it, and as none does.
    pub(crate) fn name(&mut self) -> Vec<u8> {
        const BEGINNINGS: [&[u8]; 20] = [
            b"", b"", b"", b"", b"", b"/", b"\\", b"/\\", b"\\\\", b"\\/", b"//\\", b"/\\\\", b"C:", b"c:\\",
            b"/C:/", b"../", b"..\\", b"/../", b"./", b"\x01",
        ];
        const ENDS: [&[u8]; 18] = [
            b"",
            b"",
            b"",
            b"",
            b"",
            b"",
            b"\xff",
            b"\xff\x01",
            b"\x01\x02",
            b"\n",
            b"\x80",
            b"/",
            b"\\",
            b"/..",
            b"\x7f",
            b"\xc3\xa4",
            b"\xe4",
            b" ",
        ];
        const PIECES: [&[u8]; 18] = [
            b"a", b"b", b"ab", b"/", b"\\", b"A", b"x1", b".cfg", b"-", b"SEP0A", b"c", b"B/", b"a", b"b",
            b"/", b"cfg", b"..", b"\x03",
        ];
        let mut name = BEGINNINGS[self.below(BEGINNINGS.len())].to_vec();
        for _ in 0..1 + self.below(6) {
            name.extend(PIECES[self.below(PIECES.len())]);
        }
        name.extend(ENDS[self.below(ENDS.len())]);
        name
    }
}
