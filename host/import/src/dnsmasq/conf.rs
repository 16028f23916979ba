//! Reads the command line and the files of dnsmasq to a list of settings.

use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::source;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The largest number of files read.
const MAX_FILES: usize = 1000;

/// A setting of a file, or a flag by its long name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) name: String,
    /// The value, split at its commas.
    pub(super) parts: Vec<String>,
    pub(super) location: Location,
    /// As it was written.
    pub(super) written: String,
}

impl Setting {
    /// Returns the value, whole.
    pub(super) fn value(&self) -> String {
        self.parts.join(",")
    }

    /// Returns the comment with the source of a key.
    pub(super) fn origin(&self) -> String {
        format!("{}: {}", self.location, self.written)
    }
}

/// Flags by letter that matter here, with their long names.
const LETTERS: [(char, &str); 10] = [
    ('i', "interface"),
    ('I', "except-interface"),
    ('2', "no-dhcp-interface"),
    ('a', "listen-address"),
    ('z', "bind-interfaces"),
    ('u', "user"),
    ('g', "group"),
    ('C', "conf-file"),
    ('7', "conf-dir"),
    ('6', "dhcp-script"),
];

/// All letters that take an argument.
const WITH_ARGUMENT: &str = "rmpclsitugaxSCATHQIBFGOMXVUjPJWY24678903";

/// Long flags without an argument, or with one only after `=`.
const WITHOUT_ARGUMENT: [&str; 11] = [
    "enable-tftp",
    "tftp-unique-root",
    "tftp-secure",
    "tftp-lowercase",
    "tftp-no-blocksize",
    "tftp-no-fail",
    "tftp-single-port",
    "quiet-tftp",
    "bind-interfaces",
    "bind-dynamic",
    "keep-in-foreground",
];

/// Reads flags, then the files that they name, else `conf`, as dnsmasq does: later settings override earlier ones.
pub(super) fn read(words: &[Word], conf: &Path, must_exist: bool) -> Result<Vec<Setting>, ImportError> {
    let mut reader = Reader::default();
    let flags = flags(words)?;
    let names_file = flags.iter().any(|flag| flag.name == "conf-file");
    // A file or folder on the command line is read when all flags are.
    let (includes, flags): (Vec<Setting>, Vec<Setting>) =
        flags.into_iter().partition(|flag| flag.name.starts_with("conf-"));
    reader.settings = flags;
    if !names_file && (must_exist || conf.exists()) {
        reader.file(conf, &Location::CommandLine)?;
    }
    for include in includes {
        reader.setting(include)?;
    }
    Ok(reader.settings)
}

fn flags(words: &[Word]) -> Result<Vec<Setting>, ImportError> {
    let mut settings = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let mut add = |name: &str, value: Option<&str>, written: String| {
            let parts = value.map(|value| value.split(',').map(str::to_owned).collect()).unwrap_or_default();
            settings.push(Setting { name: name.to_owned(), parts, location: word.location.clone(), written });
        };
        if let Some(long) = word.text.strip_prefix("--") {
            match long.split_once('=') {
                Some((name, value)) => add(name, Some(value), word.text.clone()),
                None if WITHOUT_ARGUMENT.contains(&long) => add(long, None, word.text.clone()),
                // dnsmasq takes no operands: a word without a dash belongs to the flag before it.
                None => match rest.next_if(|next| !next.text.starts_with('-')) {
                    Some(value) => add(long, Some(&value.text), format!("{} {}", word.text, value.text)),
                    None => add(long, None, word.text.clone()),
                },
            }
        } else if let Some(letters) = word.text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let mut letters = letters.chars();
            while let Some(letter) = letters.next() {
                let known = LETTERS.iter().find(|(it, _)| *it == letter);
                let name = known.map_or_else(|| letter.to_string(), |(_, name)| (*name).to_owned());
                if !WITH_ARGUMENT.contains(letter) {
                    add(&name, None, format!("-{letter}"));
                    continue;
                }
                let behind = letters.as_str();
                let value = match behind {
                    "" => rest.next().map(|next| next.text.as_str()).ok_or_else(|| {
                        ImportError::invalid(&word.location, format!("-{letter} needs an argument"))
                    })?,
                    behind => behind.trim_start_matches('='),
                };
                add(&name, Some(value), format!("-{letter} {value}"));
                break;
            }
        } else {
            return Err(ImportError::invalid(
                &word.location,
                format!("{}: dnsmasq takes flags only", word.text),
            ));
        }
    }
    Ok(settings)
}

#[derive(Debug, Default)]
struct Reader {
    settings: Vec<Setting>,
    /// A file that is included twice counts once.
    seen: HashSet<PathBuf>,
}

impl Reader {
    fn setting(&mut self, setting: Setting) -> Result<(), ImportError> {
        match setting.name.as_str() {
            "conf-file" => {
                // Without a file, dnsmasq reads none.
                if setting.value().is_empty() {
                    return Ok(());
                }
                // `conf-file=/path/*.conf` is not a pattern for dnsmasq either.
                self.file(Path::new(&setting.value()), &setting.location)
            }
            "conf-dir" => self.folder(&setting),
            "conf-script" => Err(ImportError::impossible(
                &setting.location,
                format!(
                    "{}: the import runs no program; write its output to a file and import that",
                    setting.written
                ),
            )),
            _ => {
                self.settings.push(setting);
                Ok(())
            }
        }
    }

    fn file(&mut self, path: &Path, from: &Location) -> Result<(), ImportError> {
        if path == Path::new("-") {
            return Err(ImportError::impossible(
                from,
                "a configuration from standard input: write it to a file",
            ));
        }
        let same = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(same) {
            return Ok(());
        }
        if self.seen.len() > MAX_FILES {
            return Err(ImportError::invalid(from, format!("more than {MAX_FILES} files are included")));
        }
        let text = source::read(path).map_err(|error| match from {
            Location::CommandLine => error,
            from => ImportError::invalid(from, error.to_string()),
        })?;
        let file = Location::file(path);
        for (line, number) in text.lines().zip(1..) {
            if let Some(setting) = parsed(line, &file.line(number))? {
                self.setting(setting)?;
            }
        }
        Ok(())
    }

    /// Reads `DIR`, `DIR,EXTENSION…` (files to leave out) or `DIR,*EXTENSION…` (files to read).
    fn folder(&mut self, setting: &Setting) -> Result<(), ImportError> {
        let Some((folder, endings)) = setting.parts.split_first() else {
            return Err(ImportError::invalid(&setting.location, "conf-dir needs a folder: conf-dir=DIR"));
        };
        let (wanted, unwanted): (Vec<&str>, Vec<&str>) =
            endings.iter().map(String::as_str).partition(|ending| ending.starts_with('*'));
        let entries = Path::new(folder)
            .read_dir()
            .map_err(|error| ImportError::invalid(&setting.location, format!("{folder}: {error}")))?;
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| {
            let is_hidden = name.ends_with('~')
                || name.starts_with('.')
                || (name.starts_with('#') && name.ends_with('#'));
            let is_wanted = wanted.is_empty() || wanted.iter().any(|ending| name.ends_with(&ending[1..]));
            !is_hidden && is_wanted && !unwanted.iter().any(|ending| name.ends_with(ending))
        });
        names.sort();
        for name in names {
            let path = Path::new(folder).join(name);
            if path.is_file() {
                self.file(&path, &setting.location)?;
            }
        }
        Ok(())
    }
}

/// Reads a line; `None` if nothing is in it.
fn parsed(line: &str, location: &Location) -> Result<Option<Setting>, ImportError> {
    // The name, then the parts of the value.
    let mut fields = vec![Field::default()];
    let mut quoted = false;
    let mut written = String::new();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if !quoted && letter == '#' && written.chars().next_back().is_none_or(char::is_whitespace) {
            break;
        }
        written.push(letter);
        let has_value = fields.len() > 1;
        let field = fields.last_mut().expect("the list begins with the name");
        match letter {
            '"' => quoted = !quoted,
            '\\' if quoted => {
                let escaped = letters.next_if(|next| "\\\"tebrn".contains(*next));
                written.extend(escaped);
                field.push_quoted(match escaped {
                    Some('t') => '\t',
                    Some('e') => '\u{1b}',
                    Some('b') => '\u{8}',
                    Some('r') => '\r',
                    Some('n') => '\n',
                    Some(other) => other,
                    None => '\\',
                });
            }
            letter if quoted => field.push_quoted(letter),
            '=' if !has_value => fields.push(Field::default()),
            ',' if has_value => fields.push(Field::default()),
            letter => field.0.push((letter, false)),
        }
    }
    if quoted {
        return Err(ImportError::invalid(location, "the quote \" is not closed"));
    }
    let mut fields = fields.into_iter().map(Field::trimmed);
    let name = fields.next().filter(|name| !name.is_empty());
    if let Some((first, rest)) = name.as_deref().and_then(|name| name.split_once(char::is_whitespace)) {
        let text = format!(
            "{}: a name and a value need a `=` between them, and dnsmasq does not start with this line; write {first}={}",
            written.trim(),
            rest.trim_start()
        );
        return Err(ImportError::invalid(location, text));
    }
    Ok(name.map(|name| Setting {
        name,
        parts: fields.collect(),
        location: location.clone(),
        written: written.trim().to_owned(),
    }))
}

/// Letters, and whether they were quoted: those are not trimmed.
#[derive(Debug, Default)]
struct Field(Vec<(char, bool)>);

impl Field {
    fn push_quoted(&mut self, letter: char) {
        self.0.push((letter, true));
    }

    fn trimmed(self) -> String {
        let is_blank = |(letter, quoted): &(char, bool)| !quoted && letter.is_whitespace();
        let end = self.0.iter().rposition(|it| !is_blank(it)).map_or(0, |last| last + 1);
        self.0[..end].iter().skip_while(|it| is_blank(it)).map(|(letter, _)| letter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn line(text: &str) -> Option<(String, Vec<String>)> {
        parsed(text, &Location::CommandLine).unwrap().map(|it| (it.name, it.parts))
    }

    #[test]
    fn lines_of_files() {
        let cases: [(&str, &str, &[&str]); 10] = [
            ("enable-tftp", "enable-tftp", &[]),
            ("  tftp-root = /srv/tftp , eth0  # comment", "tftp-root", &["/srv/tftp", "eth0"]),
            ("tftp-root=/srv/a#b", "tftp-root", &["/srv/a#b"]),
            ("tftp-root=\"/srv/a, b # c\",eth0", "tftp-root", &["/srv/a, b # c", "eth0"]),
            ("tftp-root=\" a\\\"\\\\\\t\"", "tftp-root", &[" a\"\\\t"]),
            ("tftp-max=", "tftp-max", &[""]),
            ("dhcp-option=x=y,z=1", "dhcp-option", &["x=y", "z=1"]),
            ("quiet-tftp\r", "quiet-tftp", &[]),
            ("address=/a/1.2.3.4", "address", &["/a/1.2.3.4"]),
            ("a\\b", "a\\b", &[]),
        ];
        for (text, name, parts) in cases {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(line(text), Some((name.to_owned(), parts)), "{text}");
        }
        for text in ["", "   ", "# enable-tftp", "  #x"] {
            assert_eq!(line(text), None, "{text}");
        }
        let location = Location::file(Path::new("d.conf")).line(3);
        let error = parsed("interface enp0s8 # lan", &location).unwrap_err().to_string();
        assert!(
            error.starts_with("d.conf:3: interface enp0s8: a name and a value need a `=`")
                && error.ends_with("write interface=enp0s8"),
            "{error}"
        );
        let error = parsed("tftp-root=\"/srv", &location).unwrap_err().to_string();
        assert_eq!(error, "d.conf:3: the quote \" is not closed");
    }

    fn words(line: &str) -> Vec<Word> {
        line.split(' ').map(|word| Word::new(word, &Location::CommandLine)).collect()
    }

    #[test]
    fn flags_in_every_form() {
        let line = "--enable-tftp=eth0 --tftp-root /srv/tftp -kd -i eth1 -aq.1 --dhcp-range 10.0.0.1,10.0.0.9 \
                    --tftp-unique-root --port=0 -F1,2 -z";
        let shown: Vec<String> =
            flags(&words(line)).unwrap().iter().map(|it| format!("{}={}", it.name, it.value())).collect();
        let expected = [
            "enable-tftp=eth0",
            "tftp-root=/srv/tftp",
            "k=",
            "d=",
            "interface=eth1",
            "listen-address=q.1",
            "dhcp-range=10.0.0.1,10.0.0.9",
            "tftp-unique-root=",
            "port=0",
            "F=1,2",
            "bind-interfaces=",
        ];
        assert_eq!(shown, expected);
        assert!(flags(&words("-i")).unwrap_err().to_string().ends_with("-i needs an argument"));
        assert!(flags(&words("tftp")).unwrap_err().to_string().ends_with("tftp: dnsmasq takes flags only"));
    }

    #[test]
    fn included_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let dir = path("d");
        fs::create_dir(&dir).unwrap();
        for (name, text) in
            [("b.conf", "two"), ("a.conf", "one"), ("c.bak", "no"), (".hid.conf", "no"), ("d~", "no")]
        {
            fs::write(dir.join(name), text).unwrap();
        }
        fs::write(path("other"), format!("three\nconf-file={}\n", path("main").display())).unwrap();
        let main = format!(
            "conf-dir={0},.bak\nconf-dir={0},*.bak\nconf-file={1}\nfour",
            dir.display(),
            path("other").display()
        );
        fs::write(path("main"), main).unwrap();
        let read = |text: &str| read(&words(text), Path::new("/nonexistent"), false);
        let settings = read(&format!("--zero -C {}", path("main").display())).unwrap();
        let names: Vec<&str> = settings.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["zero", "one", "two", "no", "three", "four"]);
        assert_eq!(settings[5].location.to_string(), format!("{}:4", path("main").display()));

        fs::write(path("main"), "\nconf-file=/nonexistent/x").unwrap();
        let error = read(&format!("-C {}", path("main").display())).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{}:2: /nonexistent/x: No such file", path("main").display())),
            "{error}"
        );
        assert!(read("-C -").unwrap_err().to_string().contains("standard input"));
        fs::write(path("main"), "conf-script=/bin/true").unwrap();
        assert!(matches!(
            read(&format!("-C {}", path("main").display())),
            Err(ImportError::Impossible { .. })
        ));
    }
}
