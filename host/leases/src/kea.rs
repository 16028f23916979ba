//! The lease file of Kea's memfile backend. It contains options of clients only if configured: the classes of the
//! client in the user context (hook library `limits`). The vendor class is part of the name of one.

use serde_json::Value;

use crate::{Lease, Mac, lease, octets};

/// The prefix of the class for clients with a vendor class.
const VENDOR_CLASS: &str = "VENDOR_CLASS_";

/// The positions of the fields on a line.
pub(crate) struct Columns {
    count: usize,
    pub(crate) leased: usize,
    hwaddr: usize,
    expire: usize,
    lifetime: Option<usize>,
    state: Option<usize>,
    hostname: Option<usize>,
    /// `duid` for IPv6.
    client_id: Option<usize>,
    context: Option<usize>,
}

impl Columns {
    /// Parses the first line of a file.
    pub(crate) fn of(head: &str) -> Option<Columns> {
        let names: Vec<&str> = head.split(',').collect();
        let column = |name: &str| names.iter().position(|column| *column == name);
        Some(Columns {
            count: names.len(),
            leased: column("address")?,
            hwaddr: column("hwaddr")?,
            expire: column("expire")?,
            lifetime: column("valid_lifetime"),
            state: column("state"),
            hostname: column("hostname"),
            client_id: column("client_id").or_else(|| column("duid")),
            context: column("user_context"),
        })
    }

    /// Parses a line; `None` unless its lease is valid at `now`.
    pub(crate) fn read(&self, line: &str, now: u64) -> Option<Lease> {
        // Commas within values are escaped. Excess fields take no memory.
        let fields: Vec<&str> = line.split(',').take(self.count).collect();
        let field = |column: usize| fields.get(column).copied();
        let text = |column: Option<usize>| column.and_then(field).map(unescaped);
        let expires: u64 = field(self.expire)?.parse().ok()?;
        // A released lease has lifetime 0; a declined or expired one has another state.
        let holds = expires > now
            && self.lifetime.and_then(field) != Some("0")
            && self.state.and_then(field).is_none_or(|state| state == "0");
        let lease = || Lease {
            mac: field(self.hwaddr).and_then(|mac| Mac::parse(mac).ok()),
            hostname: text(self.hostname).and_then(|name| lease::hostname(&name)),
            client_id: self
                .client_id
                .and_then(field)
                .and_then(octets::of_colons)
                .and_then(|id| lease::client_id(&id)),
            expires: Some(expires),
            vendor_class: text(self.context).and_then(|context| vendor_class(&context)),
            ..Lease::default()
        };
        holds.then(|| lease().complete())
    }
}

/// Returns the vendor class in a user context: `{ "ISC": { "client-classes": ["ALL", "VENDOR_CLASS_PXEClient", …] } }`.
fn vendor_class(context: &str) -> Option<String> {
    let context: Value = serde_json::from_str(context).ok()?;
    let classes = context.pointer("/ISC/client-classes")?.as_array()?;
    let class = classes.iter().find_map(|class| class.as_str()?.strip_prefix(VENDOR_CLASS))?;
    lease::text(class)
}

/// Kea writes characters that end a field or a line as `&#x2c`: two digits, without a semicolon.
fn unescaped(field: &str) -> String {
    let mut parts = field.split("&#x");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let octet = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match octet.filter(u8::is_ascii) {
            Some(octet) => {
                text.push(octet.into());
                text.push_str(&part[2..]);
            }
            None => {
                text.push_str("&#x");
                text.push_str(part);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id";

    #[test]
    fn a_line_with_classes() {
        let columns = Columns::of(HEAD).unwrap();
        let context = r#"{ "ISC": { "client-classes": [ "ALL"&#x2c "VENDOR_CLASS_PXEClient:Arch:00007:UNDI:003016" ] } }"#;
        let line =
            format!("192.0.2.17,02:00:5e:10:00:01,01:02,3600,2000,1,0,0,kitchen.example.,0,{context},0");
        let lease = columns.read(&line, 1999).unwrap();
        assert_eq!(lease.mac.map(|mac| mac.joined("")).as_deref(), Some("02005e100001"));
        assert_eq!(lease.hostname.as_deref(), Some("kitchen.example"));
        assert_eq!((lease.client_id.as_deref(), lease.expires), (Some("01:02"), Some(2000)));
        assert_eq!(lease.vendor_class.as_deref(), Some("PXEClient:Arch:00007:UNDI:003016"));
        assert_eq!(lease.architecture, Some(7));
        assert_eq!(columns.read(&line, 2000), None, "it is over");
        for context in ["", "{", "{}", r#"{ "ISC": { "client-classes": [1] } }"#] {
            let line = format!("192.0.2.17,,,3600,2000,1,0,0,,0,{context},0");
            let lease = columns.read(&line, 0);
            assert_eq!(lease, Some(Lease { expires: Some(2000), ..Lease::default() }), "{context}");
        }
    }

    #[test]
    fn escaped_characters() {
        assert_eq!(unescaped("a&#x2cb&#x2C"), "a,b,");
        for same in ["", "&#x", "&#x2", "&#xzz", "&#xff", "&#é"] {
            assert_eq!(unescaped(same), same);
        }
    }
}
