//! Sizes of what the cache stores, in bytes.

/// The disk space of a file in addition to its content: its record, and the rest of its last block.
pub(crate) const OVERHEAD: u64 = 8 << 10;

/// The size of a part. Each part has a digest, and large files are fetched by parts.
pub(crate) const PART: u64 = 4 << 20;

/// The largest number of parts that one request fetches of a large file.
pub(crate) const MAX_RUN: u32 = 8;

/// The largest file, regardless of the limit of the cache: 1 TiB. Sizes from an origin are untrusted.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 40;
