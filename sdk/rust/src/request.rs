//! What a plugin asks of a request.

use std::fmt::{Display, Formatter, Result};

use crate::{Client, Glob, Mac, MacAddresses, Request, Resolved};

/// The protocol of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Protocol {
    /// TFTP.
    Tftp,
    /// HTTP, with or without TLS.
    Http,
    /// One that this version of the SDK does not know.
    #[serde(skip_deserializing)]
    Other,
}

impl Request {
    /// The protocol.
    pub fn protocol(&self) -> Protocol {
        match self.attribute("protocol") {
            None => Protocol::Tftp,
            Some("http") => Protocol::Http,
            Some(_) => Protocol::Other,
        }
    }

    /// The value of an option that the client sent, by its name in lower case.
    pub fn option(&self, name: &str) -> Option<&str> {
        find(&self.options, name)
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        find(&self.attributes, name)
    }

    /// The label that a plugin which was called before gave this request, by the plugin's name in the configuration.
    pub fn label_of(&self, plugin: &str) -> Option<&str> {
        self.labels.iter().find(|label| label.plugin == plugin).map(|label| label.text.as_str())
    }

    /// Whether a plugin that was called before gave this request the label.
    pub fn is_labelled(&self, text: &str) -> bool {
        self.labels.iter().any(|label| label.text == text)
    }

    /// Returns whether the root of the name finds files in any case (`roots[].case: insensitive`). A rule about names then
    /// holds for every spelling: a new file will be found by each of them.
    pub fn any_case(&self) -> bool {
        self.attribute("case") == Some("insensitive")
    }

    /// Returns whether its path matches, in any case where case does not matter.
    pub fn matches(&self, glob: &Glob) -> bool {
        glob.matches(&self.path) || (self.any_case() && glob.matches_in_any_case(&self.path))
    }
}

impl Client {
    /// The MAC addresses that the network says this client has, most trustworthy source first.
    ///
    /// # Panics
    /// The plugin has not the grant `client-mac`. The call fails then, so that a forgotten grant is not taken for a client
    /// without an address.
    pub fn network_macs(&self) -> &[Mac] {
        &self.known_macs().network
    }

    /// Whether the network says that this client has this MAC address: twelve hexadecimal digits, with separators or
    /// without, in any letter case.
    ///
    /// # Panics
    /// As [`Client::network_macs`].
    pub fn has_mac(&self, address: &str) -> bool {
        let wanted = digits(address);
        wanted.len() == 12 && self.network_macs().iter().any(|mac| digits(&mac.address) == wanted)
    }

    /// The MAC addresses that the client claims, by the name that it asked for.
    ///
    /// # Panics
    /// As [`Client::network_macs`].
    pub fn claimed_macs(&self) -> &[Mac] {
        &self.known_macs().claimed
    }

    /// All MAC addresses, those that the network knows first, and none without the grant `client-mac`: for records, never
    /// to decide who may do something.
    pub fn any_macs(&self) -> impl Iterator<Item = &Mac> + Clone {
        self.macs.iter().flat_map(|macs| macs.network.iter().chain(&macs.claimed))
    }

    fn known_macs(&self) -> &MacAddresses {
        #[allow(clippy::expect_used, reason = "the call fails, and says why")]
        self.macs.as_ref().expect(
            "the manifest does not ask for the grant client-mac, or the configuration does not give it",
        )
    }
}

/// As in the server's log: `ROOT:PATH`, `content/NAME`, or `content`.
impl Display for Resolved {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Resolved::File(file) => write!(f, "{}:{}", file.root, file.path),
            Resolved::Content(Some(name)) => write!(f, "content/{name}"),
            Resolved::Content(None) => f.write_str("content"),
        }
    }
}

fn digits(address: &str) -> String {
    let separators = |letter: &char| !matches!(letter, ':' | '-' | '.');
    address.chars().filter(separators).map(|letter| letter.to_ascii_lowercase()).collect()
}

fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(its, _)| its == name).map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::Protocol;
    use crate::testing;

    #[test]
    fn addresses_are_compared_by_their_digits() {
        let mut request = testing::request("SEP02005E100002.cnf.xml");
        testing::add_mac(&mut request, "02:00:5e:10:00:01");
        let client = &request.client;
        for same in ["02:00:5e:10:00:01", "02-00-5E-10-00-01", "0200.5e10.0001", "02005E100001"] {
            assert!(client.has_mac(same), "{same}");
        }
        for other in ["02:00:5e:10:00:02", "02:00:5e:10:00", ""] {
            assert!(!client.has_mac(other), "{other}");
        }
        assert_eq!(client.network_macs().len(), 1);
        assert_eq!(client.claimed_macs(), []);
    }

    #[test]
    fn a_request_without_a_word_about_it_is_by_tftp() {
        let mut request = testing::request("a");
        assert_eq!(request.protocol(), Protocol::Tftp);
        for (word, protocol) in [("http", Protocol::Http), ("carrier-pigeon", Protocol::Other)] {
            request.attributes = vec![("protocol".into(), word.into())];
            assert_eq!(request.protocol(), protocol);
        }
    }

    #[test]
    #[should_panic(expected = "the grant client-mac")]
    fn a_forgotten_grant_fails_the_call() {
        testing::request("a").client.has_mac("02:00:5e:10:00:01");
    }
}
