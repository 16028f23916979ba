//! Fingerprints of expected blocks, eight bytes each.
//!
//! Comparing each block with the file itself reads every byte of the file again, from uncached memory: in
//! windows received with UDP_GRO that was 40 % of the generator's time. Received bytes are in the cache
//! already, so their sums are nearly free, and the table of expected sums is small. A block whose sum differs
//! is compared byte by byte before it counts as wrong.

/// Bytes in a lane's word.
const WORD: usize = 8;

/// Words that are summed in parallel, so that the compiler uses vectors.
const LANES: usize = 4;

const CHUNK: usize = WORD * LANES;

/// The fingerprints of the blocks of a file, for one block size.
#[derive(Debug)]
pub(crate) struct Fingerprints {
    blksize: u16,
    /// The fingerprints of each full block, then of the shorter last one.
    blocks: Box<[u64]>,
}

impl Fingerprints {
    pub(crate) fn new(content: &[u8], blksize: u16) -> Self {
        Fingerprints {
            blksize,
            blocks: content.chunks(usize::from(blksize).max(1)).map(fingerprint).collect(),
        }
    }

    pub(crate) fn blksize(&self) -> u16 {
        self.blksize
    }

    /// Whether `payload` has the fingerprint of the block at this offset. False for an empty one, which has
    /// none.
    pub(crate) fn recognise(&self, offset: u64, payload: &[u8]) -> bool {
        let index = usize::try_from(offset / u64::from(self.blksize).max(1)).unwrap_or(usize::MAX);
        self.blocks.get(index).is_some_and(|expected| *expected == fingerprint(payload))
    }
}

/// Two sums in each of four lanes, like Fletcher's: the sum of the words, which reveals a changed word, and
/// the sum of the first sum after each word, which reveals words in another order.
fn fingerprint(bytes: &[u8]) -> u64 {
    let mut sums = ([0; LANES], [0; LANES]);
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    for chunk in chunks {
        add(&mut sums, chunk);
    }
    let mut last = [0; CHUNK];
    last[..rest.len()].copy_from_slice(rest);
    add(&mut sums, &last);
    let (words, orders) = sums;
    let mut print = bytes.len() as u64;
    for word in words.into_iter().chain(orders) {
        print = (print.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    print
}

#[inline(always)]
fn add((sums, orders): &mut ([u64; LANES], [u64; LANES]), chunk: &[u8; CHUNK]) {
    let (words, _) = chunk.as_chunks::<WORD>();
    for lane in 0..LANES {
        sums[lane] = sums[lane].wrapping_add(u64::from_le_bytes(words[lane]));
        orders[lane] = orders[lane].wrapping_add(sums[lane]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Vec<u8> {
        let mut rng = fastrand::Rng::with_seed(1);
        (0..10_000).map(|_| rng.u8(..)).collect()
    }

    #[test]
    fn every_block_is_recognised_in_its_place_alone() {
        let content = content();
        for blksize in [8, 31, 32, 512, 1_400, 10_000, 20_000] {
            let prints = Fingerprints::new(&content, blksize);
            for (index, block) in content.chunks(blksize.into()).enumerate() {
                let offset = index as u64 * u64::from(blksize);
                assert!(prints.recognise(offset, block), "{blksize} {index}");
                assert!(!prints.recognise(offset + u64::from(blksize), block), "{blksize} {index}");
                assert!(!prints.recognise(offset, &block[1..]), "{blksize} {index}");
            }
            assert!(!prints.recognise(u64::MAX, b"x"));
        }
    }

    #[test]
    fn any_changed_bit_and_any_swapped_words_show() {
        let mut block = content()[..1_400].to_vec();
        let print = fingerprint(&block);
        for bit in 0..block.len() * 8 {
            block[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(fingerprint(&block), print, "bit {bit}");
            block[bit / 8] ^= 1 << (bit % 8);
        }
        for word in 0..block.len() / WORD - 1 {
            let swapped = |block: &mut Vec<u8>| {
                (0..WORD).for_each(|byte| block.swap(word * WORD + byte, (word + 1) * WORD + byte));
            };
            swapped(&mut block);
            assert_ne!(fingerprint(&block), print, "word {word}");
            swapped(&mut block);
        }
        assert_eq!(fingerprint(&block), print);
        assert_ne!(fingerprint(&[0; 32]), fingerprint(&[0; 33]), "lengths count");
    }
}
