//! Checks whether the server's user can read each served file.

use super::finding::{Finding, Grade};
use super::walk::{self, ClosedName, WalkOutcome, WalkResult};
use tuffet_config::Config;
use tuffet_daemon::privileges::{self, Account, Restriction};
use tuffet_request::RootSpec;
use tuffet_store::quoted;

/// Checks the files of a root with the rights of this process's user or, if root runs the check, of the server's user.
pub(super) fn readable(root: &RootSpec, account: Option<&Account>) -> Finding {
    let check = format!("files of {}", root.name);
    let account = account.filter(|account| !account.uid.is_root());
    match walk::through(&root.path, account) {
        Ok(WalkOutcome::Finished(seen)) => judge(check, root, account, &seen),
        Ok(WalkOutcome::Hangs(folder, since)) => {
            let says = format!(
                "{folder} has not answered for {} s; requests for files below it are dropped after `limits.open-time`. \
                 Check the disk or the file server behind it",
                since.as_secs()
            );
            Finding::new(check, Grade::Wrong, says)
        }
        Err(error) => {
            Finding::unknown(check, format!("this process cannot act as the server's user: {error}"))
        }
    }
}

/// Checks what the server's user reads after the start, such as lease files and maps, and what it writes beside uploads,
/// such as log, spool and state.
pub(super) fn of_server(config: &Config, account: Option<&Account>) -> Vec<Finding> {
    let found = privileges::unreadable_files(config, account).and_then(|mut lines| {
        lines.extend(privileges::unwritable_files(config, account)?);
        Ok(lines)
    });
    match found {
        Ok(lines) => {
            lines.into_iter().map(|line| Finding::new("files of the server", Grade::Wrong, line)).collect()
        }
        Err(error) => vec![Finding::unknown(
            "files of the server",
            format!("this process cannot act as the server's user: {error}"),
        )],
    }
}

/// Checks what the unit that starts the server keeps from it: this process, outside of it, has no such restrictions.
pub(super) fn of_unit(config: &Config) -> Vec<Finding> {
    let finding = |restriction: Restriction| {
        let Restriction { unit, says, lines } = restriction;
        let finding = Finding::new("unit of the server", Grade::Wrong, says);
        if lines.is_empty() {
            return finding;
        }
        let drop_in = format!("/etc/systemd/system/{unit}.d/override.conf");
        let lines = ["[Service]"].into_iter().chain(lines.iter().map(String::as_str));
        let finding = finding.fix(format!("systemctl edit {unit} && systemctl restart {unit}"));
        finding.permanently(drop_in, lines.collect::<Vec<_>>().join("\n"))
    };
    privileges::restrictions_of_unit(config).into_iter().map(finding).collect()
}

fn judge(check: String, root: &RootSpec, account: Option<&Account>, seen: &WalkResult) -> Finding {
    let who = account.map_or("this user", |account| &account.name);
    if seen.closed > 0 {
        let name = |closed: &ClosedName| format!("`{}`", closed.name.escape_debug());
        let names: Vec<String> = seen.named.iter().map(name).collect();
        let more = if seen.closed > names.len() { ", …" } else { "" };
        let why = seen.named.first().and_then(|first| first.why.as_ref());
        let why = why.map(|why| format!(" ({})", why.escape_debug())).unwrap_or_default();
        let says = format!(
            "{who} cannot read {} of {} files and folders: {}{more}; clients that ask for them get ERROR 2{why}. What is \
             private on purpose may stay so; each command opens one of them",
            seen.closed,
            seen.entries,
            names.join(", ")
        );
        let path = quoted(&root.path);
        let look = match account {
            Some(account) => format!("runuser -u {} -- find {path} ! -readable", account.name),
            None => format!("find {path} ! -readable"),
        };
        // Never for all at once: a server has no business with keys that lie beside its files.
        let finding = Finding::new(check, Grade::CouldBeBetter, says).fix(look);
        return seen.named.iter().filter_map(|closed| closed.command.clone()).fold(finding, Finding::fix);
    }
    if seen.cut {
        let says = format!("{who} can read the first {}; the rest were not checked", seen.entries);
        return Finding::unknown(check, says);
    }
    Finding::good(check, format!("{who} can read all {} files and folders", seen.entries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_looked_at_is_not_good() {
        let root = RootSpec::read_only("boot", "/srv/t ftp");
        let judge = |seen: WalkResult| judge("files".into(), &root, None, &seen);
        assert_eq!(judge(WalkResult { entries: 9, ..WalkResult::default() }).grade, Grade::Good);
        assert_eq!(
            judge(WalkResult { entries: 9, cut: true, ..WalkResult::default() }).grade,
            Grade::Unknown
        );
        let named = vec![ClosedName {
            name: "a\nb".into(),
            why: Some("it lacks the right `r` on the file".into()),
            command: Some("setfacl -m u:1:r b".into()),
        }];
        let closed = WalkResult { entries: 9, closed: 2, named, cut: true };
        let found = judge(closed);
        assert_eq!(found.grade, Grade::CouldBeBetter);
        assert!(found.says.contains(r"cannot read 2 of 9 files and folders: `a\nb`, …;"), "{}", found.says);
        assert!(found.says.contains("get ERROR 2 (it lacks the right `r` on the file)"), "{}", found.says);
        assert_eq!(found.commands, ["find '/srv/t ftp' ! -readable", "setfacl -m u:1:r b"]);
    }
}
