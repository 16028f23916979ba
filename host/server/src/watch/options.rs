//! The options of a request, for the live view.

use tuffet_core::{OptionName, OptionSet};
use tuffet_request::Request;

/// The maximum number of options in a snapshot. Known clients send at most five.
const MAX_OPTIONS: usize = 12;

/// The maximum length of a name or value, in characters: a snapshot holds hundreds of requests.
const MAX_TEXT: usize = 32;

/// Returns the options as the client sent them, within the bounds.
pub(super) fn requested(request: &Request) -> Vec<(String, String)> {
    let short = |text: &str| text.chars().take(MAX_TEXT).collect();
    request.options.iter().take(MAX_OPTIONS).map(|(name, value)| (short(name), short(value))).collect()
}

/// Returns the negotiated options.
pub(super) fn negotiated(options: &OptionSet) -> Vec<(String, String)> {
    use OptionName::{Blksize, Blksize2, Msftwindow, Rollover, Timeout, Tsize, Utimeout, Windowsize};
    let all = [Tsize, Blksize, Windowsize, Timeout, Rollover, Blksize2, Utimeout, Msftwindow];
    let named = |option: OptionName| Some((option.as_str().to_owned(), options.value(option)?.to_string()));
    all.into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::tests::request;
    use tuffet_request::Operation;

    #[test]
    fn what_a_client_sends_is_bounded() {
        let mut request = Request::clone(&request(1, Operation::Read));
        request.options = vec![("blksize".into(), "1".repeat(400)); 40];
        let shown = requested(&request);
        assert_eq!((shown.len(), shown[0].1.len()), (MAX_OPTIONS, MAX_TEXT));
    }

    #[test]
    fn only_negotiated_options_are_named() {
        let options = OptionSet { tsize: Some(7), windowsize: Some(4), ..OptionSet::default() };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(negotiated(&options), [pair("tsize", "7"), pair("windowsize", "4")]);
        assert_eq!(negotiated(&OptionSet::default()), []);
    }
}
