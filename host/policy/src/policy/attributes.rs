//! The attributes of a request: facts that have no field of their own. docs/plugins.md has the register.
//!
//! A plugin names those that it wants in its manifest (`facts`). The others cost it nothing: each attribute is two texts
//! that are copied into its memory at each call.

use std::net::IpAddr;

use tuffet_config::Fact;
use tuffet_request::Request;

/// The facts that a plugin gets as attributes beside those that every plugin gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub local_address: bool,
    pub interface: bool,
}

impl Facts {
    /// Those that a manifest may name.
    pub const OPTIONAL: [Fact; 2] = [Fact::LocalAddress, Fact::Interface];

    pub fn of(facts: &[Fact]) -> Facts {
        Facts {
            local_address: facts.contains(&Fact::LocalAddress),
            interface: facts.contains(&Fact::Interface),
        }
    }

    pub fn any(self) -> bool {
        self != Facts::default()
    }

    /// The part of [`all`] that a plugin with these facts gets. `all` has what is optional at its ends.
    pub fn among<T>(self, all: &All<T>) -> &[T] {
        let first = if self.local_address { 0 } else { all.before };
        let last = if self.interface { all.pairs.len() } else { all.pairs.len() - all.after };
        &all.pairs[first..last]
    }
}

/// All attributes of a request, in an order in which those of each plugin lie side by side.
#[derive(Debug)]
pub(super) struct All<T> {
    pairs: Vec<T>,
    before: usize,
    after: usize,
}

impl<T> Default for All<T> {
    fn default() -> Self {
        All { pairs: Vec::new(), before: 0, after: 0 }
    }
}

/// The address that a request was sent to, as text.
pub(super) fn local_address(request: &Request) -> Option<String> {
    request.local_address.map(|address: IpAddr| address.to_canonical().to_string())
}

/// All attributes of a request, each made of its name and its value.
pub(super) fn all<'a, T>(
    request: &'a Request,
    local_address: Option<&'a str>,
    pair: impl Fn(&'static str, &'a str) -> T,
) -> All<T> {
    let mut pairs = Vec::new();
    pairs.extend(local_address.map(|address| pair("local-address", address)));
    let before = pairs.len();
    pairs.extend(request.raw_name.as_deref().map(|raw| pair("raw-name", raw)));
    let always = pairs.len();
    pairs.extend(request.interface.as_deref().map(|interface| pair("interface", interface)));
    All { before, after: pairs.len() - always, pairs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_plugin_gets_what_it_asked_for_and_raw_name() {
        let mut request = Request::sample("a");
        let names = |request: &Request, facts: &[Fact]| {
            let address = local_address(request);
            let all = all(request, address.as_deref(), |name, _| name);
            Facts::of(facts).among(&all).to_vec()
        };
        assert_eq!(names(&request, &Facts::OPTIONAL), [""; 0]);
        request.local_address = Some(IpAddr::from([192, 0, 2, 9]));
        request.interface = Some("eth0.100".into());
        for raw_name in [None, Some("ff".into())] {
            request.raw_name = raw_name;
            let raw: &[&str] = if request.raw_name.is_some() { &["raw-name"] } else { &[] };
            assert_eq!(names(&request, &[]), raw);
            assert_eq!(
                names(&request, &[Fact::Path, Fact::LocalAddress]),
                [&["local-address"], raw].concat()
            );
            assert_eq!(names(&request, &[Fact::Interface]), [raw, &["interface"]].concat());
            assert_eq!(names(&request, &Facts::OPTIONAL), [&["local-address"], raw, &["interface"]].concat());
        }
    }
}
