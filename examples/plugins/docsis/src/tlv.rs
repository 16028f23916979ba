//! Type, length and value: the elements of a configuration file.

/// One element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tlv {
    pub kind: u8,
    pub value: Vec<u8>,
}

pub(crate) const PAD: u8 = 0;
pub(crate) const NETWORK_ACCESS: u8 = 3;
pub(crate) const CM_MIC: u8 = 6;
pub(crate) const CMTS_MIC: u8 = 7;
pub(crate) const MAX_CPE: u8 = 18;
pub(crate) const MODEM_ADDRESS: u8 = 20;
pub(crate) const UPSTREAM_FLOW: u8 = 24;
pub(crate) const DOWNSTREAM_FLOW: u8 = 25;
pub(crate) const PRIVACY: u8 = 29;
/// Its length has two octets, and files for modems do not contain it.
pub(crate) const LONG: u8 = 64;
pub(crate) const END: u8 = 255;

/// The longest value, in octets.
pub(crate) const MAX_VALUE: usize = 254;

impl Tlv {
    pub fn new(kind: u8, value: impl Into<Vec<u8>>) -> Tlv {
        Tlv { kind, value: value.into() }
    }

    /// A service flow that is provisioned, admitted and active from the start, with a largest rate in bits
    /// per second.
    pub fn service_flow(kind: u8, reference: u16, rate: u32) -> Tlv {
        let parts = [
            Tlv::new(1, reference.to_be_bytes()),
            Tlv::new(6, [7]), // QoS parameter set: provisioned, admitted, active
            Tlv::new(8, rate.to_be_bytes()),
        ];
        let mut value = Vec::new();
        parts.iter().for_each(|part| part.write(&mut value));
        Tlv::new(kind, value)
    }

    /// The settings were checked: values fit into the octet of the length.
    pub fn write(&self, into: &mut Vec<u8>) {
        into.push(self.kind);
        into.push(self.value.len() as u8);
        into.extend(&self.value);
    }
}
