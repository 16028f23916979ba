//! The tables of the file.

use redb::{ReadableTable, Table, TableDefinition, WriteTransaction};

/// The entries by namespace and key.
pub(super) const KEYS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("keys");
/// The revision of each key, in a separate table, so that earlier versions of the server read and write the file. A
/// key without a row has revision 0. The row [`LAST_REVISION`] has the highest revision so far.
pub(super) const REVISIONS: TableDefinition<'_, (&str, &str), u64> = TableDefinition::new("revisions");
/// No namespace has an empty name.
pub(super) const LAST_REVISION: (&str, &str) = ("", "");

/// The tables of a transaction.
pub(super) struct Tables<'a> {
    pub(super) keys: Table<'a, (&'static str, &'static str), &'static [u8]>,
    pub(super) revisions: Table<'a, (&'static str, &'static str), u64>,
    /// The highest revision so far.
    last: u64,
}

impl<'a> Tables<'a> {
    pub(super) fn open(transaction: &'a WriteTransaction) -> Result<Tables<'a>, redb::Error> {
        let (keys, revisions) = (transaction.open_table(KEYS)?, transaction.open_table(REVISIONS)?);
        let last = revisions.get(LAST_REVISION)?.map_or(0, |last| last.value());
        Ok(Tables { keys, revisions, last })
    }

    /// Records the highest revision for the next transaction.
    pub(super) fn close(mut self) -> Result<(), redb::Error> {
        self.revisions.insert(LAST_REVISION, self.last)?;
        Ok(())
    }

    pub(super) fn revision(&self, id: (&str, &str)) -> Result<u64, redb::Error> {
        Ok(self.revisions.get(id)?.map_or(0, |revision| revision.value()))
    }

    pub(super) fn remove(&mut self, id: (&str, &str)) -> Result<(), redb::Error> {
        self.keys.remove(id)?;
        self.revisions.remove(id)?;
        Ok(())
    }

    /// Inserts an entry and returns its new revision.
    pub(super) fn insert(&mut self, id: (&str, &str), entry: &[u8]) -> Result<u64, redb::Error> {
        self.last += 1;
        self.keys.insert(id, entry)?;
        self.revisions.insert(id, self.last)?;
        Ok(self.last)
    }
}
