//! How messages name settings. A program sets fields, an operator sets keys of a configuration; the same message reaches
//! both.

use std::fmt;
use std::time::Duration;

/// How messages name settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SettingNames {
    /// As fields of this library: `Limits::open_time`.
    #[default]
    Fields,
    /// As keys of a configuration: `limits.open-time`.
    Keys,
}

impl SettingNames {
    /// The name of the setting with this key, such as `limits.open-time`.
    pub const fn of(self, key: &'static str) -> SettingName {
        SettingName { names: self, key }
    }

    /// The one of these that names a setting for its reader, where both differ in more than their style.
    pub const fn either(self, field: &'static str, key: &'static str) -> &'static str {
        match self {
            SettingNames::Fields => field,
            SettingNames::Keys => key,
        }
    }
}

/// The name of a setting, for a message. Its text has backquotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingName {
    names: SettingNames,
    key: &'static str,
}

impl fmt::Display for SettingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names == SettingNames::Keys {
            return write!(f, "`{}`", self.key);
        }
        let (section, field) = self.key.rsplit_once('.').unwrap_or(("", self.key));
        let section = section.rsplit('.').next().unwrap_or_default();
        f.write_str("`")?;
        for word in section.split('-').filter(|word| !word.is_empty()) {
            let (first, rest) = word.split_at(1);
            write!(f, "{}{rest}", first.to_ascii_uppercase())?;
        }
        if !section.is_empty() {
            f.write_str("::")?;
        }
        write!(f, "{}`", field.replace('-', "_"))
    }
}

/// A time limit, and the setting that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimit {
    /// The limit.
    pub within: Duration,
    /// The setting, for messages.
    pub setting: SettingName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_setting_has_a_name_for_each_reader() {
        let both = |key| [SettingNames::Keys, SettingNames::Fields].map(|names| names.of(key).to_string());
        assert_eq!(both("limits.open-time"), ["`limits.open-time`", "`Limits::open_time`"]);
        assert_eq!(
            both("transfer.retransmit.give-up"),
            ["`transfer.retransmit.give-up`", "`Retransmit::give_up`"]
        );
        assert_eq!(
            both("limits.per-client.per-second"),
            ["`limits.per-client.per-second`", "`PerClient::per_second`"]
        );
        assert_eq!(both("workers"), ["`workers`", "`workers`"]);
    }
}
