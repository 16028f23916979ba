//! Where a file is: at a TFTP URL, or at one of HTTP or HTTPS.

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone)]
pub(super) enum Location {
    Tftp(tuffet_client::Url),
    Http(url::Url),
}

impl Location {
    /// Returns the last part of the file's name: the default name of a download. That of HTTP stays encoded, as in the URL.
    pub fn file_name(&self) -> &str {
        match self {
            Location::Tftp(url) => url.file_name(),
            Location::Http(url) => url.path().rsplit('/').next().unwrap_or_default(),
        }
    }

    pub fn is_tftp(&self) -> bool {
        matches!(self, Location::Tftp(_))
    }

    pub fn is_https(&self) -> bool {
        matches!(self, Location::Http(url) if url.scheme() == "https")
    }
}

impl FromStr for Location {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with("tftp://") {
            return text
                .parse()
                .map(Location::Tftp)
                .map_err(|error: tuffet_client::UrlError| error.to_string());
        }
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return Err("it does not begin with tftp://, http:// or https://; write tftp://HOST[:PORT]/FILE, such as \
                        tftp://127.0.0.1:6969/hello.txt"
                .to_owned());
        }
        let example = "write http://HOST[:PORT]/FILE, such as http://127.0.0.1:8080/hello.txt";
        let url: url::Url = text.parse().map_err(|error| format!("{error}; {example}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!("it names a user, and the client logs in nowhere; {example}"));
        }
        Ok(Location::Http(url))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Tftp(url) => url.fmt(f),
            Location::Http(url) => url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_downloads() {
        for (url, name) in [
            ("tftp://h/a/b.img", "b.img"),
            ("http://h/a/b.img?c=/d", "b.img"),
            ("https://h:1/a%20b", "a%20b"),
            ("http://h/..%2fx", "..%2fx"),
            ("http://h/a/..", ""),
            ("http://h/a/%2e%2E", ""),
            ("http://h", ""),
            ("http://h/a/", ""),
        ] {
            assert_eq!(url.parse::<Location>().unwrap().file_name(), name, "{url}");
        }
    }

    #[test]
    fn what_is_no_location() {
        for url in
            ["h/f", "ftp://h/f", "http://", "http://h:x/f", "https://u:p@h/f", "http://[::1/f", "tftp://h"]
        {
            let error = url.parse::<Location>().unwrap_err();
            assert!(error.contains("write ") && error.contains("such as"), "{url}: {error}");
        }
    }
}
