//! `listeners[].tid-ports`: a number, or a range.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tuffet_request::{MAX_TID_PORTS, TidPorts};

/// The ports as written: `512`, or `30000-30063`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenTidPorts(pub TidPorts);

impl<'de> Deserialize<'de> for WrittenTidPorts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Count(u16),
            Range(String),
        }
        let ports = match Either::deserialize(deserializer)? {
            Either::Count(count) => TidPorts::Count(count),
            Either::Range(text) => TidPorts::Range(text.parse().map_err(de::Error::custom)?),
        };
        Ok(WrittenTidPorts(ports))
    }
}

impl Serialize for WrittenTidPorts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            TidPorts::Count(count) => serializer.serialize_u16(count),
            TidPorts::Range(range) => serializer.collect_str(&range),
        }
    }
}

impl JsonSchema for WrittenTidPorts {
    fn schema_name() -> Cow<'static, str> {
        "TidPorts".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "format": "tid-ports",
            "minimum": 1,
            "maximum": MAX_TID_PORTS,
            "pattern": "^[0-9]+ ?- ?[0-9]+$"
        })
    }
}
