//! The findings of the checks, and their display.

use serde::Serialize;
use std::fmt;

/// The grade of a finding; the last is the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Grade {
    Good,
    /// It is not visible to this user, or in this namespace.
    Unknown,
    /// The server works, but slower or with less capacity than possible.
    CouldBeBetter,
    /// The server does not start, or not all of it works.
    Wrong,
}

/// The finding of a check.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Finding {
    /// The name of the check.
    pub(super) check: String,
    pub(super) grade: Grade,
    /// The state, and its consequence.
    pub(super) says: String,
    /// Commands that fix it now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) commands: Vec<String>,
    /// The setting that makes the fix permanent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lasting: Option<PermanentSetting>,
}

/// A line of a file, or several.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PermanentSetting {
    pub(super) file: String,
    pub(super) line: String,
}

/// The rate of transfers over loopback.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Rate {
    pub(super) windowsize: u16,
    pub(super) blksize: u16,
    pub(super) bytes_per_second: u64,
}

/// All findings.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The worst grade.
    pub(super) grade: Grade,
    pub(super) findings: Vec<Finding>,
    pub(super) rates: Vec<Rate>,
}

impl Finding {
    pub(super) fn new(check: impl Into<String>, grade: Grade, says: impl Into<String>) -> Finding {
        Finding { check: check.into(), grade, says: says.into(), commands: Vec::new(), lasting: None }
    }

    pub(super) fn good(check: impl Into<String>, says: impl Into<String>) -> Finding {
        Finding::new(check, Grade::Good, says)
    }

    pub(super) fn unknown(check: impl Into<String>, says: impl Into<String>) -> Finding {
        Finding::new(check, Grade::Unknown, says)
    }

    /// Adds a command that fixes it.
    pub(super) fn fix(mut self, command: impl Into<String>) -> Finding {
        self.commands.push(command.into());
        self
    }

    /// Adds the line of a file that makes the fix permanent.
    pub(super) fn permanently(mut self, file: impl Into<String>, line: impl Into<String>) -> Finding {
        self.lasting = Some(PermanentSetting { file: file.into(), line: line.into() });
        self
    }

    /// Adds a kernel setting as the fix.
    pub(super) fn sysctl(self, name: &str, value: impl fmt::Display) -> Finding {
        self.fix(format!("sysctl -w {name}='{value}'"))
            .permanently("/etc/sysctl.d/90-tuffet.conf", format!("{name} = {value}"))
    }

    pub(super) fn worst(findings: &[Finding]) -> Grade {
        findings.iter().map(|finding| finding.grade).max().unwrap_or(Grade::Good)
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Grade::Good => "good",
            Grade::Unknown => "unknown",
            Grade::CouldBeBetter => "could be better",
            Grade::Wrong => "wrong",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<15}  {}: {}", self.grade, self.check, self.says)?;
        for command in &self.commands {
            writeln!(f, "{:17}    {command}", "")?;
        }
        match &self.lasting {
            Some(PermanentSetting { file, line }) if line.contains('\n') => {
                writeln!(f, "{:17}    to last, in {file}:", "")?;
                line.lines().try_for_each(|line| writeln!(f, "{:17}      {line}", ""))
            }
            Some(PermanentSetting { file, line }) => writeln!(f, "{:17}    to last, in {file}: {line}", ""),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            finding.fmt(f)?;
        }
        let count = |grade| self.findings.iter().filter(|finding| finding.grade == grade).count();
        writeln!(
            f,
            "\n{} good, {} unknown, {} could be better, {} wrong",
            count(Grade::Good),
            count(Grade::Unknown),
            count(Grade::CouldBeBetter),
            count(Grade::Wrong)
        )
    }
}

/// Formats bytes in a readable unit.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) if bytes.is_multiple_of(*unit) => format!("{} {name}", bytes / unit),
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_tells_how_to_mend_it_now_and_for_good() {
        let finding = Finding::new("backlog", Grade::CouldBeBetter, "it is 1")
            .sysctl("net.core.netdev_max_backlog", 5000);
        let text = finding.to_string();
        for words in [
            "could be better  backlog: it is 1\n",
            "sysctl -w net.core.netdev_max_backlog='5000'\n",
            "in /etc/sysctl.d/90-tuffet.conf: net.core.netdev_max_backlog = 5000\n",
        ] {
            assert!(text.contains(words), "{text}");
        }
        assert_eq!(Finding::worst(&[Finding::good("a", "b"), finding]), Grade::CouldBeBetter);
    }

    #[test]
    fn sizes() {
        assert_eq!([8 << 20, 212_992, 100, 3 << 39].map(size), ["8 MiB", "208 KiB", "100 bytes", "1.5 TiB"]);
    }
}
