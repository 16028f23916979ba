//! Archives in the format `newc`, as the kernel unpacks them: Documentation/driver-api/early-userspace/buffer-format.rst.

/// The type bits of a file's mode.
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;

/// Sizes and names end at a multiple of this many bytes; so an archive begins at one.
pub(crate) const ALIGNMENT: usize = 4;

/// An archive in the making.
#[derive(Default)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    folders: Vec<String>,
    inode: u32,
}

impl Archive {
    /// Adds a file, behind the folders that it is in. The path is relative to the root of the machine.
    pub fn file(&mut self, path: &str, mode: u32, content: &[u8]) {
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            if !self.folders.iter().any(|known| known == folder) {
                self.folders.push(folder.to_owned());
                self.entry(folder, DIRECTORY | 0o755, 2, &[]);
            }
        }
        self.entry(path, REGULAR | mode, 1, content);
    }

    /// Ends the archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.inode = 0;
        self.entry_of("TRAILER!!!", 0, 1, &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, links: u32, content: &[u8]) {
        self.inode += 1;
        self.entry_of(path, mode, links, content);
    }

    fn entry_of(&mut self, path: &str, mode: u32, links: u32, content: &[u8]) {
        let size = u32::try_from(content.len()).unwrap_or(u32::MAX);
        let name_size = u32::try_from(path.len() + 1).unwrap_or(u32::MAX);
        // Inode, mode, owner, group, links, time, size, four numbers of devices, size of the name, checksum.
        let fields = [self.inode, mode, 0, 0, links, 0, size, 0, 0, 0, 0, name_size, 0];
        self.bytes.extend(b"070701");
        for field in fields {
            self.bytes.extend(format!("{field:08X}").bytes());
        }
        self.bytes.extend(path.bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend(content);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_folders_files_and_an_end() {
        let mut archive = Archive::default();
        archive.file("etc/a", 0o600, b"abc");
        archive.file("etc/b", 0o644, b"");
        let bytes = archive.finish();
        let text: String =
            bytes.iter().map(|byte| if *byte == 0 { '.' } else { char::from(*byte) }).collect();
        let head = |inode: u32, mode: &str, links: u32, size: u32, name: u32| {
            format!(
                "070701{inode:08X}{mode}{:08X}{:08X}{links:08X}{:08X}{size:08X}{:032X}{name:08X}{:08X}",
                0, 0, 0, 0, 0
            )
        };
        let expected = [
            head(1, "000041ED", 2, 0, 4) + "etc...",
            head(2, "00008180", 1, 3, 6) + "etc/a.abc.",
            head(3, "000081A4", 1, 0, 6) + "etc/b.",
            head(0, "00000000", 1, 0, 11) + "TRAILER!!!....",
        ];
        assert_eq!(text, expected.concat());
    }
}
