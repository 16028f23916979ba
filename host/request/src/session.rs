//! The settings of policy for the session of an allowed request.

use tuffet_core::OptionName;

/// The numbers of a session that a client may negotiate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionValues {
    /// Bytes in a block (8 to 65464).
    pub blksize: Option<u16>,
    /// Blocks in a window (1 to 65535).
    pub windowsize: Option<u16>,
    /// Seconds before a retransmission (1 to 255).
    pub timeout: Option<u8>,
}

/// The minimum rate in bytes per second: half a second for the smallest block size.
const MIN_RATE: u64 = 1024;

/// How a transfer is negotiated and sent. The configuration applies where a field is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionProfile {
    /// The highest granted values.
    pub ceilings: SessionValues,
    /// The lowest served values.
    pub floors: SessionValues,
    /// Replacements for the configured ceilings and times.
    pub overrides: SessionValues,
    /// Blocks of a window sent at once, at least 1.
    pub burst: Option<u16>,
    /// The rate limit in bytes of file data per second, at least 1024.
    pub rate: Option<u64>,
    /// The largest file, in bytes.
    pub bytes: Option<u64>,
    /// Options that are not acknowledged.
    pub refused: RefusedOptions,
}

impl SessionProfile {
    /// Returns the first value that is impossible, and what is possible; `None` if there is none.
    #[doc(hidden)]
    pub fn problem(&self) -> Option<String> {
        let SessionProfile { ceilings, floors, overrides, burst, rate, .. } = self;
        let impossible = [ceilings, floors, overrides].into_iter().find_map(SessionValues::problem);
        impossible
            .or_else(|| {
                let crossed = |name: &str, floor: u16| {
                    ceilings.iter().find(|(its, ceiling)| *its == name && *ceiling < floor)
                };
                let both = |(name, floor)| crossed(name, floor).map(|(_, ceiling)| (name, floor, ceiling));
                let (name, floor, ceiling) = floors.iter().find_map(both)?;
                Some(format!("a {name} of at least {floor} and at most {ceiling}"))
            })
            .or_else(|| (*burst == Some(0)).then(|| "a burst of 0 blocks: 1 to 65535 are possible".into()))
            .or_else(|| {
                let rate = rate.filter(|rate| *rate < MIN_RATE)?;
                Some(format!("a rate of {rate} bytes per second: {MIN_RATE} are the least"))
            })
    }

    /// Combines the profiles of two plugins that allow a request, in the order of their chain.
    #[must_use]
    #[doc(hidden)]
    pub fn and(self, later: SessionProfile) -> SessionProfile {
        SessionProfile {
            ceilings: self.ceilings.with(later.ceilings, Ord::min, Ord::min),
            floors: self.floors.with(later.floors, Ord::max, Ord::max),
            overrides: self.overrides.with(later.overrides, |first, _| first, |first, _| first),
            burst: both(self.burst, later.burst, Ord::min),
            rate: both(self.rate, later.rate, Ord::min),
            bytes: both(self.bytes, later.bytes, Ord::min),
            refused: RefusedOptions(self.refused.0 | later.refused.0),
        }
    }
}

impl SessionValues {
    fn problem(&self) -> Option<String> {
        if let Some(blksize) = self.blksize.filter(|blksize| !(8..=65464).contains(blksize)) {
            return Some(format!("a blksize of {blksize}: 8 to 65464 are possible"));
        }
        if self.windowsize == Some(0) {
            return Some("a windowsize of 0: 1 to 65535 are possible".into());
        }
        (self.timeout == Some(0)).then(|| "a timeout of 0: 1 to 255 are possible".into())
    }

    fn with(
        self,
        later: SessionValues,
        choose: fn(u16, u16) -> u16,
        choose_time: fn(u8, u8) -> u8,
    ) -> SessionValues {
        SessionValues {
            blksize: both(self.blksize, later.blksize, choose),
            windowsize: both(self.windowsize, later.windowsize, choose),
            timeout: both(self.timeout, later.timeout, choose_time),
        }
    }

    /// The values that are set, with the names of their options.
    #[doc(hidden)]
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u16)> {
        let all = [
            (OptionName::Blksize, self.blksize),
            (OptionName::Windowsize, self.windowsize),
            (OptionName::Timeout, self.timeout.map(u16::from)),
        ];
        all.into_iter().filter_map(|(option, value)| Some((option.as_str(), value?)))
    }
}

fn both<T>(one: Option<T>, other: Option<T>, choose: fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(choose(one, other)),
        (one, other) => one.or(other),
    }
}

/// A set of options that are not acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RefusedOptions(u16);

/// The option of RFC 2090. The core negotiates it separately.
const MULTICAST: &str = "multicast";

impl RefusedOptions {
    /// The names that [`RefusedOptions::add`] knows.
    pub fn known() -> impl Iterator<Item = &'static str> {
        OptionName::ALL.into_iter().map(OptionName::as_str).chain([MULTICAST])
    }

    /// Adds the option of this name; returns whether it is known.
    #[must_use]
    pub fn add(&mut self, name: &str) -> bool {
        let bit = RefusedOptions::known().position(|known| known == name);
        self.0 |= bit.map_or(0, |bit| 1 << bit);
        bit.is_some()
    }

    /// Returns whether there are none.
    #[doc(hidden)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the option is refused.
    #[doc(hidden)]
    pub fn has(self, option: OptionName) -> bool {
        self.names().any(|name| name == option.as_str())
    }

    /// Returns whether a client is refused as a member of a multicast group.
    #[doc(hidden)]
    pub fn has_multicast(self) -> bool {
        self.names().any(|name| name == MULTICAST)
    }

    /// The names of the options.
    #[doc(hidden)]
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        RefusedOptions::known()
            .enumerate()
            .filter(move |(bit, _)| self.0 & (1 << bit) != 0)
            .map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_profiles_combine_to_the_stricter_one() {
        let values = |blksize, timeout| SessionValues { blksize, windowsize: None, timeout };
        let mut refused = [RefusedOptions::default(); 2];
        assert!(refused[0].add("tsize") && refused[1].add("multicast") && !refused[1].add("speed"));
        let first = SessionProfile {
            ceilings: values(Some(1400), Some(9)),
            floors: values(Some(512), None),
            overrides: values(None, Some(3)),
            burst: Some(8),
            rate: Some(90_000),
            bytes: None,
            refused: refused[0],
        };
        let second = SessionProfile {
            ceilings: values(Some(1200), None),
            floors: values(Some(600), Some(2)),
            overrides: values(Some(8192), Some(4)),
            burst: Some(4),
            rate: Some(80_000),
            bytes: Some(1000),
            refused: refused[1],
        };
        let both = first.and(second);
        assert_eq!(both.ceilings, values(Some(1200), Some(9)));
        assert_eq!(both.floors, values(Some(600), Some(2)));
        assert_eq!(both.overrides, values(Some(8192), Some(3)), "the first one wins");
        assert_eq!((both.burst, both.rate, both.bytes), (Some(4), Some(80_000), Some(1000)));
        assert_eq!(both.refused.names().collect::<Vec<_>>(), ["tsize", "multicast"]);
        assert!(both.refused.has(OptionName::Tsize) && !both.refused.has(OptionName::Blksize));
        assert!(both.refused.has_multicast());
    }
}
