//! The second field of a rule: what a match becomes, a text for the client, or a label.

use std::net::IpAddr;

use crate::regex::Groups;

/// A parsed replacement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(Vec<u8>),
    Group(usize),
    Address,
    HexAddress,
    Case(Case),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Kept,
    Upper,
    Lower,
}

/// The address of the client, as a replacement can name it.
pub(crate) struct Client {
    address: String,
    hex: String,
    pub is_ipv6: bool,
}

impl Client {
    pub fn new(address: &str) -> Client {
        let parsed: Option<IpAddr> = address.parse().ok();
        let hex = match parsed {
            Some(IpAddr::V4(address)) => format!("{:08X}", address.to_bits()),
            Some(IpAddr::V6(address)) => format!("{:032X}", address.to_bits()),
            None => String::new(),
        };
        let is_ipv6 = matches!(parsed, Some(IpAddr::V6(_)));
        Client { address: address.to_owned(), hex, is_ipv6 }
    }
}

impl Template {
    /// Parses the form of in.tftpd: `\0` to `\9`, `\i`, `\x`, `\U`, `\L`, `\E`; any other `\c` is c.
    pub fn of_map(text: &[u8]) -> Template {
        let mut template = Template::default();
        let mut bytes = text.iter().copied();
        while let Some(byte) = bytes.next() {
            if byte != b'\\' {
                template.text(byte);
                continue;
            }
            match bytes.next() {
                Some(digit @ b'0'..=b'9') => template.0.push(Piece::Group(usize::from(digit - b'0'))),
                Some(b'i') => template.0.push(Piece::Address),
                Some(b'x') => template.0.push(Piece::HexAddress),
                Some(b'U') => template.0.push(Piece::Case(Case::Upper)),
                Some(b'L') => template.0.push(Piece::Case(Case::Lower)),
                Some(b'E') => template.0.push(Piece::Case(Case::Kept)),
                other => template.text(other.unwrap_or(b'\\')),
            }
        }
        template
    }

    /// Parses the form of atftpd: `$0` to `$9`.
    ///
    /// # Errors
    /// A `$` without a group.
    pub fn of_atftpd(text: &[u8]) -> Result<Template, String> {
        let mut template = Template::default();
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match bytes.peek() {
                Some(digit @ b'0'..=b'9') if byte == b'$' => {
                    template.0.push(Piece::Group(usize::from(digit - b'0')));
                    bytes.next();
                }
                _ if byte == b'$' => {
                    return Err(
                        "`$` stands in front of a group, such as $1: atftpd cuts the name here".into()
                    );
                }
                _ => template.text(byte),
            }
        }
        Ok(template)
    }

    fn text(&mut self, byte: u8) {
        match self.0.last_mut() {
            Some(Piece::Text(text)) => text.push(byte),
            _ => self.0.push(Piece::Text(vec![byte])),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The largest group that it names.
    pub fn last_group(&self) -> usize {
        let group = |piece: &Piece| if let Piece::Group(group) = piece { *group } else { 0 };
        self.0.iter().map(group).max().unwrap_or(0)
    }

    /// What it is for every match; `None` if that depends on the match.
    pub fn fixed(&self) -> Option<&[u8]> {
        match self.0.as_slice() {
            [] => Some(&[]),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The part before the first group that matched nothing, if there is one: atftpd cuts the name there.
    pub fn before_unset(&self, groups: &Groups) -> Option<Template> {
        let is_unset = |piece: &Piece| matches!(piece, Piece::Group(group) if groups.0[*group].is_none());
        Some(Template(self.0[..self.0.iter().position(is_unset)?].to_vec()))
    }

    /// Renders it for a match in `text`. A group that matched nothing is empty.
    pub fn render(&self, text: &[u8], groups: &Groups, client: &Client) -> Vec<u8> {
        let (mut out, mut case) = (Vec::new(), Case::Kept);
        for piece in &self.0 {
            let its = match piece {
                Piece::Text(its) => its.as_slice(),
                Piece::Group(group) => groups.0[*group].map_or(&[][..], |(from, to)| &text[from..to]),
                Piece::Address => client.address.as_bytes(),
                Piece::HexAddress => client.hex.as_bytes(),
                Piece::Case(its) => {
                    case = *its;
                    &[]
                }
            };
            match case {
                Case::Kept => out.extend_from_slice(its),
                Case::Upper => out.extend(its.iter().map(u8::to_ascii_uppercase)),
                Case::Lower => out.extend(its.iter().map(u8::to_ascii_lowercase)),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escape() {
        let client = Client::new("192.0.2.7");
        let groups = |groups: &[Option<(usize, usize)>]| {
            let mut all = Groups::NONE;
            all.0[..groups.len()].copy_from_slice(groups);
            all
        };
        let found = groups(&[Some((0, 3)), Some((1, 2)), None]);
        for (template, expected) in [
            (r"a\0b", "axYzb"),
            (r"[\1\2\9]", "[Y]"),
            (r"\i/\x", "192.0.2.7/C0000207"),
            (r"\U\0a\L\0B\E\0c", "XYZAxyzbxYzc"),
            (r"\\\ \#\q\", r"\ #q\"),
        ] {
            let rendered = Template::of_map(template.as_bytes()).render(b"xYz", &found, &client);
            assert_eq!(String::from_utf8(rendered).unwrap(), expected, "{template}");
        }
        let rendered = Template::of_atftpd(b"$1-$0$2\\1").unwrap().render(b"xYz", &found, &client);
        assert_eq!(rendered, b"Y-xYz\\1");
        assert_eq!(Client::new("2001:db8::7").hex, "20010DB8000000000000000000000007");
    }
}
