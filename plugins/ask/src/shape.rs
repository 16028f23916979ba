//! The session profile of an answer.

use serde::Deserialize;
use tuffet_sdk::{Profile, SessionValues};

/// The options that a profile may refuse.
const OPTIONS: [&str; 9] = [
    "blksize",
    "timeout",
    "tsize",
    "windowsize",
    "rollover",
    "blksize2",
    "utimeout",
    "msftwindow",
    "multicast",
];
/// The lowest rate, in bytes per second.
const MIN_RATE: u64 = 1024;

/// A profile as written.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Shape {
    ceilings: Values,
    floors: Values,
    overrides: Values,
    max_size: Option<u64>,
    burst: Option<u16>,
    rate: Option<u64>,
    refuse_options: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Values {
    blksize: Option<u16>,
    windowsize: Option<u16>,
    timeout: Option<u8>,
}

impl Shape {
    /// The profile, if all its numbers are within their bounds.
    pub fn into_profile(self) -> Result<Profile, String> {
        let [ceilings, floors, overrides] =
            [("ceilings", self.ceilings), ("floors", self.floors), ("overrides", self.overrides)]
                .map(|(key, values)| values.check(key));
        let (ceilings, floors, overrides) = (ceilings?, floors?, overrides?);
        let above = |floor: Option<u16>, ceiling: Option<u16>| {
            floor.zip(ceiling).is_some_and(|(floor, ceiling)| floor > ceiling)
        };
        if above(floors.blksize, ceilings.blksize)
            || above(floors.windowsize, ceilings.windowsize)
            || above(floors.timeout.map(u16::from), ceilings.timeout.map(u16::from))
        {
            return Err("a floor of the profile is above its ceiling".into());
        }
        if self.burst == Some(0) {
            return Err("`burst` is at least 1 block".into());
        }
        if self.rate.is_some_and(|rate| rate < MIN_RATE) {
            return Err(format!("`rate` is at least {MIN_RATE} bytes per second"));
        }
        if self.refuse_options.iter().any(|name| !OPTIONS.contains(&name.as_str())) {
            return Err(format!("`refuse-options` takes {}", OPTIONS.join(", ")));
        }
        Ok(Profile {
            ceilings,
            floors,
            overrides,
            max_size: self.max_size,
            burst: self.burst,
            rate: self.rate,
            refuse_options: self.refuse_options,
            attributes: Vec::new(),
        })
    }
}

impl Values {
    fn check(self, key: &str) -> Result<SessionValues, String> {
        let Values { blksize, windowsize, timeout } = self;
        if blksize.is_some_and(|bytes| !(8..=65464).contains(&bytes)) {
            return Err(format!("`blksize` of `{key}` is 8 to 65464 bytes"));
        }
        if windowsize == Some(0) || timeout == Some(0) {
            return Err(format!("a number of `{key}` is 0: leave it out for what is configured"));
        }
        Ok(SessionValues { blksize, windowsize, timeout })
    }
}
