//! Where the rules come from: the settings, or a file that may change.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use tuffet_sdk::{Error, Level, code, files, log};

use crate::atftpd::{self, Pcre};
use crate::map::{self, Version};
use crate::rule::Rules;

/// The largest map file, in bytes.
const MAX_FILE: u64 = 4 << 20;
/// How often a file is looked at, with a clock.
const FRESH: Duration = Duration::from_secs(1);

/// How a map is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Dialect {
    #[serde(rename = "tftpd-hpa-5.2")]
    TftpdHpa5,
    #[serde(rename = "tftpd-hpa-6.0")]
    TftpdHpa6,
    #[serde(rename = "atftpd")]
    Atftpd,
}

/// Parsed rules.
pub(crate) enum Table {
    Rules(Rules),
    Pcre(Vec<Pcre>),
}

impl Default for Table {
    fn default() -> Table {
        Table::Rules(Rules::default())
    }
}

impl Dialect {
    pub fn parse(self, text: &[u8]) -> Result<Table, Vec<String>> {
        match self {
            Dialect::TftpdHpa5 => map::parse(text, Version::V5_2).map(Table::Rules),
            Dialect::TftpdHpa6 => map::parse(text, Version::V6_0).map(Table::Rules),
            Dialect::Atftpd => atftpd::parse(text).map(Table::Pcre),
        }
    }
}

pub(crate) enum Source {
    Fixed(Table),
    File(Box<File>),
}

/// A map file, with what was read last.
pub(crate) struct File {
    root: String,
    path: String,
    dialect: Dialect,
    read: RefCell<Option<Read>>,
}

struct Read {
    version: String,
    looked: SystemTime,
    table: Rc<Table>,
}

/// Rules for one request.
pub(crate) enum Borrowed<'a> {
    Fixed(&'a Table),
    File(Rc<Table>),
}

impl std::ops::Deref for Borrowed<'_> {
    type Target = Table;

    fn deref(&self) -> &Table {
        match self {
            Borrowed::Fixed(table) => table,
            Borrowed::File(table) => table,
        }
    }
}

impl Source {
    /// Reads a file for the first time.
    ///
    /// # Errors
    /// What is wrong with it, line by line.
    pub fn of_file(root: String, path: String, dialect: Dialect) -> Result<Source, Vec<String>> {
        let file = File { root, path, dialect, read: RefCell::default() };
        file.table(SystemTime::now())?;
        Ok(Source::File(Box::new(file)))
    }

    /// The rules as they are now.
    ///
    /// # Errors
    /// The file cannot be read: the reason.
    pub fn table(&self) -> Result<Borrowed<'_>, String> {
        match self {
            Source::Fixed(table) => Ok(Borrowed::Fixed(table)),
            Source::File(file) => {
                file.table(SystemTime::now()).map(Borrowed::File).map_err(|problems| problems.join("; "))
            }
        }
    }

    /// A pointer to a rule that depends on which files exist.
    pub fn needs_files(&self) -> Option<String> {
        let table = self.table().ok()?;
        let Table::Rules(rules) = &*table else { return None };
        let index = rules.all.iter().position(|rule| rule.stops_at_file)?;
        Some(match self {
            Source::File(_) => "/map-file".into(),
            Source::Fixed(_) if rules.all[index].operations.is_empty() => format!("/rules/{index}/flags"),
            Source::Fixed(_) => "/map".into(),
        })
    }
}

impl File {
    fn table(&self, now: SystemTime) -> Result<Rc<Table>, Vec<String>> {
        if let Some(read) = &*self.read.borrow()
            && read.looked < now
            && now.duration_since(read.looked).is_ok_and(|age| age < FRESH)
        {
            return Ok(Rc::clone(&read.table));
        }
        let before = self.read.borrow_mut().take();
        let failed = match self.look(now, before.as_ref()) {
            Ok(read) => {
                let table = Rc::clone(&read.table);
                *self.read.borrow_mut() = Some(read);
                return Ok(table);
            }
            Err(problems) => problems,
        };
        let Some(before) = before else { return Err(failed) };
        log(Level::Warn, format!("the rules stay as they were: {}", failed.join("; ")));
        let table = Rc::clone(&before.table);
        *self.read.borrow_mut() = Some(Read { looked: now, ..before });
        Ok(table)
    }

    fn look(&self, now: SystemTime, before: Option<&Read>) -> Result<Read, Vec<String>> {
        let at = format!("{}:{}", self.root, self.path);
        let failed = |error: Error| {
            vec![if error.is(code::NOT_GRANTED) {
                format!("{error}: add files/{} to the grants of the plugin", self.root)
            } else {
                format!("{at} cannot be read: {error}")
            }]
        };
        let missing = || vec![format!("there is no file {at}")];
        let version = files::stat(&self.root, &self.path).map_err(failed)?.ok_or_else(missing)?.version;
        if let Some(Read { version: then, table, .. }) = before
            && *then == version
        {
            return Ok(Read { version, looked: now, table: Rc::clone(table) });
        }
        let text = files::read(&self.root, &self.path, MAX_FILE).map_err(failed)?.ok_or_else(missing)?;
        let table = self.dialect.parse(&text);
        let table =
            table.map_err(|its| its.into_iter().map(|what| format!("{at}, {what}")).collect::<Vec<_>>())?;
        Ok(Read { version, looked: now, table: Rc::new(table) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_sdk::testing::put_file;

    /// What takes more memory than the plugin has is a mistake with its line, as any other.
    #[test]
    fn a_map_takes_a_bounded_room() {
        for dialect in [Dialect::TftpdHpa5, Dialect::TftpdHpa6, Dialect::Atftpd] {
            let line = |pattern: &str| match dialect {
                Dialect::Atftpd => format!("{pattern} b\n"),
                _ => format!("r {pattern} b\n"),
            };
            let problems = |text: String| dialect.parse(text.as_bytes()).err().unwrap_or_default();
            let found = problems(line("a{1500}").repeat(100_000));
            let [found] = &found[..] else { panic!("{found:?}") };
            assert!(found.contains("take more than 20 MiB") && found.starts_with("line "), "{found}");
            assert_eq!(problems(line("a").repeat(700_000)).len(), 1);
            assert_eq!(problems(line("a").repeat(3_000)), Vec::<String>::new());
            let found = problems(line("(").repeat(100_000));
            assert_eq!((found.len(), &*found[100]), (101, "and more"));
            if dialect == Dialect::TftpdHpa6 {
                assert!(problems(":a\n".repeat(1 << 20))[0].contains("take more than 20 MiB"));
            }
            assert!(problems(line(&"a|".repeat(1 << 20)))[0].contains("longer than 32768 bytes"));
            let found = problems(line(r"a{3900}^\b$"));
            assert!(found[0].contains("too large"), "{found:?}");
        }
    }

    #[test]
    fn a_file_is_read_again_once_a_second_and_a_bad_one_changes_nothing() {
        let second = |number: u32| SystemTime::UNIX_EPOCH + FRESH * number;
        let (root, path) = ("maps".to_owned(), "map".to_owned());
        let file = File { root, path, dialect: Dialect::TftpdHpa6, read: RefCell::default() };
        let rules = |now| match &*file.table(now).unwrap_or_else(|problems| panic!("{problems:?}")) {
            Table::Rules(rules) => rules.all.len(),
            Table::Pcre(_) => 0,
        };
        assert_eq!(file.table(second(0)).err().unwrap(), ["there is no file maps:map"]);
        put_file("maps", "map", "r a b\n");
        assert_eq!(rules(second(1)), 1);
        put_file("maps", "map", "r a b\nr c d\n");
        assert_eq!(rules(second(1) + FRESH / 2), 1);
        assert_eq!(rules(second(2)), 2);
        put_file("maps", "map", "r a b\nr c d\nr (\n");
        assert_eq!(rules(second(3)), 2);
        put_file("maps", "map", "");
        assert_eq!(rules(second(4)), 0);
        // Without the grant `clock`, time stands still.
        put_file("maps", "map", "r a b\n");
        assert_eq!(rules(second(4)), 1);
    }
}
