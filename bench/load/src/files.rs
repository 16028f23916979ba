//! The requested files, and their expected contents.

use crate::args::WeightedName;
use crate::fingerprint::Fingerprints;
use fastrand::Rng;
use std::io;
use std::path::{Path, PathBuf};

/// Spreads neighbouring numbers over all seeds (2^64 divided by the golden ratio, odd).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A file and its bytes, if they are known.
#[derive(Debug)]
pub(crate) struct TestFile {
    /// The requested name.
    pub(crate) name: String,
    /// The whole content; `None` if only the length can be checked.
    pub(crate) content: Option<Box<[u8]>>,
    /// The fingerprints for the block sizes that a server is likely to grant.
    prints: Vec<Fingerprints>,
    /// The sum of the weights up to this file.
    cumulative: u64,
}

/// The files of a run; each is picked in proportion to its weight.
#[derive(Debug)]
pub(crate) struct FileMix {
    files: Vec<TestFile>,
    seed: u64,
}

/// An error of loading a file.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {error}; --expect names a folder that has every --file", path.display())]
pub(crate) struct FileError {
    path: PathBuf,
    error: io::Error,
}

/// The source of the expected bytes.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    /// None: contents are not checked.
    Unknown,
    /// The files of a folder, by name.
    Folder(&'a Path),
    /// Generated content of this many bytes.
    MadeUp(usize),
}

impl FileMix {
    /// Loads the files.
    pub(crate) fn load(names: &[WeightedName], source: &Source<'_>, seed: u64) -> Result<Self, FileError> {
        let mut cumulative = 0;
        let load = |(number, file): (usize, &WeightedName)| {
            cumulative += u64::from(file.weight);
            let content = match source {
                Source::Unknown => None,
                Source::Folder(folder) => Some(read(&folder.join(file.name.trim_start_matches('/')))?),
                Source::MadeUp(size) => Some(made_up(*size, seed, number as u64)),
            };
            Ok(TestFile { name: file.name.clone(), content, prints: Vec::new(), cumulative })
        };
        let files = names.iter().enumerate().map(load).collect::<Result<_, _>>()?;
        Ok(FileMix { files, seed })
    }

    /// Computes fingerprints for these block sizes, which makes checking reads cheap.
    pub(crate) fn prepare(&mut self, blksizes: &[u16]) {
        for file in &mut self.files {
            let Some(content) = &file.content else { continue };
            file.prints = blksizes.iter().map(|blksize| Fingerprints::new(content, *blksize)).collect();
        }
    }

    /// The index of the file for the transfer with this number; it depends only on the seed.
    pub(crate) fn pick(&self, number: u64) -> usize {
        let Some(last) = self.files.last().filter(|_| self.files.len() > 1) else { return 0 };
        let point = rng(self.seed, number).u64(..last.cumulative);
        self.files.partition_point(|file| file.cumulative <= point)
    }

    /// The file with this index.
    ///
    /// # Panics
    /// The index does not come from [`FileMix::pick`].
    pub(crate) fn get(&self, index: usize) -> &TestFile {
        &self.files[index]
    }
}

impl TestFile {
    /// Whether a block of `blksize` bytes, or a shorter last one, is right at this offset; true if the
    /// content is unknown.
    pub(crate) fn accepts(&self, blksize: u16, offset: u64, payload: &[u8]) -> bool {
        let Some(content) = &self.content else { return true };
        let prints = self.prints.iter().find(|prints| prints.blksize() == blksize);
        if prints.is_some_and(|prints| prints.recognise(offset, payload)) {
            return true;
        }
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        content.get(start..).and_then(|rest| rest.get(..payload.len())) == Some(payload)
    }
}

/// A separate random generator for the item with this number.
pub(crate) fn rng(seed: u64, number: u64) -> Rng {
    let mut spread = Rng::with_seed(seed.wrapping_add(number.wrapping_mul(SPREAD)));
    Rng::with_seed(spread.u64(..))
}

fn read(path: &Path) -> Result<Box<[u8]>, FileError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(bytes.into_boxed_slice()),
        Err(error) => Err(FileError { path: path.to_owned(), error }),
    }
}

fn made_up(size: usize, seed: u64, number: u64) -> Box<[u8]> {
    let mut bytes = vec![0; size].into_boxed_slice();
    rng(seed, number).fill(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(weights: &[u32]) -> Vec<WeightedName> {
        let name =
            |(number, weight): (usize, &u32)| WeightedName { name: number.to_string(), weight: *weight };
        weights.iter().enumerate().map(name).collect()
    }

    fn counts(weights: &[u32], seed: u64) -> Vec<u32> {
        let mix = FileMix::load(&names(weights), &Source::Unknown, seed).unwrap();
        let mut counts = vec![0; weights.len()];
        (0..10_000).for_each(|number| counts[mix.pick(number)] += 1);
        counts
    }

    #[test]
    fn files_are_picked_by_weight_and_by_seed() {
        let picked = counts(&[1, 8, 1], 1);
        assert!((800..1_200).contains(&picked[0]) && (7_800..8_200).contains(&picked[1]), "{picked:?}");
        assert_eq!(picked, counts(&[1, 8, 1], 1));
        assert_ne!(picked, counts(&[1, 8, 1], 2));
        assert_eq!(counts(&[5], 1), [10_000]);
    }

    #[test]
    fn made_up_contents_follow_from_the_seed() {
        let content = |seed| {
            let mix = FileMix::load(&names(&[1]), &Source::MadeUp(1_000), seed).unwrap();
            mix.get(0).content.clone().unwrap()
        };
        assert_eq!(content(1), content(1));
        assert_ne!(content(1), content(2));
        assert_eq!(content(1).len(), 1_000);
    }

    #[test]
    fn blocks_are_accepted_where_they_belong_with_and_without_preparation() {
        let mut mix = FileMix::load(&names(&[1]), &Source::MadeUp(1_024), 1).unwrap();
        let content = mix.get(0).content.clone().unwrap();
        for _ in 0..2 {
            let file = mix.get(0);
            assert!(file.accepts(512, 0, &content[..512]) && file.accepts(512, 512, &content[512..]));
            assert!(file.accepts(512, 1_024, b""), "the last, empty block");
            assert!(!file.accepts(512, 1_024, b"x") && !file.accepts(512, 0, &content[512..]));
            assert!(!file.accepts(512, u64::MAX, b"x"));
            mix.prepare(&[512]);
        }
        let unknown = FileMix::load(&names(&[1]), &Source::Unknown, 1).unwrap();
        assert!(unknown.get(0).accepts(512, 0, b"anything"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("1"), b"bytes").unwrap();
        let source = Source::Folder(folder.path());
        let error = FileMix::load(&names(&[1, 1]), &source, 1).unwrap_err();
        assert!(error.to_string().contains(&folder.path().join("0").display().to_string()), "{error}");
        std::fs::write(folder.path().join("0"), b"").unwrap();
        let mix = FileMix::load(&names(&[1, 1]), &source, 1).unwrap();
        assert_eq!(mix.get(1).content.as_deref(), Some(&b"bytes"[..]));
    }
}
