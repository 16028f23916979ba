//! Files that servers must read from a disk: they are dropped from the page cache first.
//!
//! posix_fadvise(2) drops them, not a small memory cgroup: it needs no privilege, works in every container, and takes
//! no memory from the servers. Residency is checked, so a file system that keeps its files in memory is reported
//! instead of measured. A hypervisor may still cache its disks.

use crate::load::Load;
use crate::peers::measure::{Bench, Negotiated, Outcome, ServerCores, add_turnarounds, negotiate, sample};
use crate::peers::metric::Metric;
use crate::server::Server;
use rustix::fs::{Advice, fadvise, fsync};
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use std::fs::{self, File};
use std::io::{self, IoSliceMut};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_measure::CoreMeter;

/// Files per transfer: the generator picks them at random, and so seldom picks one twice.
const FILES: u32 = 4;

/// The file that is read from memory beside them, and requested by probes.
const CACHED: &str = "cached.img";

/// How long to keep trying to drop pages.
const DROPPING: Duration = Duration::from_secs(60);

/// The files of a case, in a folder on a disk; dropping this removes the folder.
#[derive(Debug)]
pub(crate) struct ColdFiles {
    folder: PathBuf,
    names: Vec<String>,
}

impl ColdFiles {
    /// Writes the files for this many transfers, each of `size` bytes, and one of `cached` bytes. Copies in `copies`
    /// are only read by the generator.
    ///
    /// # Errors They cannot be written.
    pub(crate) fn write(
        disk: &Path,
        copies: &Path,
        transfers: u32,
        size: u64,
        cached: u64,
    ) -> io::Result<ColdFiles> {
        let folder = disk.join(format!("cold-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let names: Vec<String> = (0..transfers * FILES).map(|number| format!("cold-{number}.img")).collect();
        let files = ColdFiles { folder, names };
        let all = files.names.iter().map(|name| (name.as_str(), size)).chain([(CACHED, cached)]);
        for (seed, (name, size)) in (0..).zip(all) {
            let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
            fastrand::Rng::with_seed(seed).fill(&mut bytes);
            fs::write(copies.join(name), &bytes)?;
            let file = files.folder.join(name);
            fs::write(&file, &bytes)?;
            // Only pages that are on the disk can be dropped.
            fsync(File::open(file)?)?;
        }
        Ok(files)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The generator's flags for all cold files but the first.
    pub(crate) fn flags(&self) -> Vec<&str> {
        self.names.iter().skip(1).flat_map(|name| ["--file", name]).collect()
    }

    pub(crate) fn first(&self) -> &str {
        self.names.first().map_or(CACHED, String::as_str)
    }

    pub(crate) fn cached(&self) -> &'static str {
        CACHED
    }

    /// Drops them from the page cache, with retries.
    ///
    /// # Errors They are still in memory.
    pub(crate) fn drop_from_memory(&self) -> Result<(), String> {
        let deadline = Instant::now() + DROPPING;
        // A page stays until the journal has committed it, and nothing reports when.
        while let Err(why) = self.drop_once() {
            if Instant::now() > deadline {
                return Err(why);
            }
            thread::sleep(DROPPING / 100);
        }
        Ok(())
    }

    fn drop_once(&self) -> Result<(), String> {
        for name in &self.names {
            let file = File::open(self.folder.join(name)).map_err(|error| error.to_string())?;
            fadvise(&file, 0, None, Advice::DontNeed).map_err(|error| format!("posix_fadvise: {error}"))?;
        }
        let file = File::open(self.folder.join(self.first())).map_err(|error| error.to_string())?;
        match preadv2(&file, &mut [IoSliceMut::new(&mut [0])], 0, ReadWriteFlags::NOWAIT) {
            Err(Errno::AGAIN) => Ok(()),
            _ => Err(format!("the file system of {} keeps its files in memory", self.folder.display())),
        }
    }
}

impl Drop for ColdFiles {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("{} is left behind: {error}", self.folder.display());
        }
    }
}

impl Bench {
    /// Transfers each file once, so that no server has it in memory.
    pub(super) fn cold(
        &self,
        server: &mut Server,
        cores: &ServerCores,
        load: &Load,
        files: Option<&ColdFiles>,
    ) -> Result<Outcome, String> {
        let files = files.ok_or("no cold files")?;
        let note = match negotiate(server, load, files.cached())? {
            Negotiated::Granted(note) => note,
            Negotiated::Refused(why) => return Ok(Outcome::Cannot(why)),
        };
        if let Err(why) = files.drop_from_memory() {
            return Ok(Outcome::Cannot(why));
        }
        let meter = CoreMeter::start(&cores.numbers).map_err(|error| error.to_string())?;
        let report = self.generator.load_with(server.address, load, files.first(), "", &files.flags())?;
        let busy = meter.stop().map_err(|error| error.to_string())?;
        let mut sample = sample(load, &[report], &busy, &cores.idle);
        sample.note = note;
        Ok(Outcome::Measured(sample))
    }

    /// Measures the block times of a file in memory, alone and beside reads of cold files. The other figures are those
    /// of the cold files.
    pub(super) fn beside_cold(
        &self,
        server: &mut Server,
        cores: &ServerCores,
        load: &Load,
        cold: &Load,
        files: Option<&ColdFiles>,
    ) -> Result<Outcome, String> {
        let files = files.ok_or("no cold files")?;
        let cached = files.cached();
        // Reads the file from the disk into memory.
        self.generator.load(server.address, load, cached, "")?;
        let alone = self.generator.load(server.address, load, cached, "")?;
        if let Err(why) = files.drop_from_memory() {
            return Ok(Outcome::Cannot(why));
        }
        let meter = CoreMeter::start(&cores.numbers).map_err(|error| error.to_string())?;
        let scratch = self.place.scratch();
        let (address, flags) = (server.address, files.flags());
        let mut raging = self.generator.beside_with(address, cold, files.first(), &scratch, &flags)?;
        let (mut within, deadline) = (Vec::new(), Instant::now() + cold.limit);
        while within.is_empty() || raging.runs() {
            if Instant::now() > deadline {
                return Err("the cold files did not come in time".to_owned());
            }
            within.push(self.generator.load(server.address, load, cached, "")?);
        }
        let busy = meter.stop().map_err(|error| error.to_string())?;
        // The last transfer may have outlived the cold ones.
        within.truncate(within.len().max(2) - 1);
        let mut sample = sample(cold, &[raging.report()?], &busy, &cores.idle);
        let figures = &mut sample.figures;
        for metric in [Metric::CpuSPerGb, Metric::CpuUsPerBlock, Metric::CpuMsPerTransfer] {
            figures.remove(&metric); // of both loads
        }
        add_turnarounds(figures, &alone, &within);
        Ok(Outcome::Measured(sample))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_lies_in_both_folders_until_the_end() {
        let (disk, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = ColdFiles::write(disk.path(), copies.path(), 2, 100, 50).unwrap();
        assert_eq!(files.flags().len(), 14);
        for name in [files.first(), files.cached(), "cold-7.img"] {
            let [served, copy] =
                [files.folder(), copies.path()].map(|folder| fs::read(folder.join(name)).unwrap());
            assert!(served == copy && !copy.is_empty());
        }
        let folder = files.folder().to_owned();
        drop(files);
        assert!(!folder.exists());
    }
}
