//! The import `sinks`.

use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::access::{Code, MAX_PAYLOADS, in_configure, not_granted};
use crate::answer_texts::hide;
use crate::bindings::sinks::Host;
use crate::bindings::types::Error;
use crate::sandbox::Sandbox;
use tuffet_config::PluginSecrets;

/// The maximum size of a payload in bytes; fits a datagram.
const MAX_PAYLOAD: usize = 32 << 10;

impl Host for Sandbox {
    async fn emit(&mut self, sink: String, mut payload: String) -> Result<(), Error> {
        if !self.usage.configured {
            return Err(in_configure());
        }
        let Some((_, open)) = self.access.sinks.iter().find(|(name, _)| *name == sink) else {
            let sink: String = sink.chars().take(64).collect();
            return Err(not_granted(format_args!("sinks/{sink}")));
        };
        if self.usage.payloads == MAX_PAYLOADS {
            let message = format!("more than {MAX_PAYLOADS} payloads in one call of a hook");
            return Err(Code::Exhausted.with(message));
        }
        self.usage.payloads += 1;
        if !self.access.secrets.is_empty() {
            hide_in_json(&mut payload, &self.access.secrets);
        }
        check(&payload).map_err(|why| Code::BadArgument.with(why))?;
        if self.usage.rehearses {
            return Ok(());
        }
        // Keeps the sink open while the payload waits.
        let (open, plugin) = (Arc::clone(open), Arc::clone(self.log.plugin()));
        self.host_call.begin(format!("the sink `{sink}`"));
        let emitted = open.emit(plugin, sink, payload).await;
        self.host_call.end();
        if let Some(unsent) = &self.access.unsent {
            unsent.record_result(emitted.is_ok());
        }
        emitted.map_err(|_| Code::Full.with("the queue of the sink is full"))
    }
}

/// Hides secrets in the texts of a payload. A number that has the same digits is left alone.
fn hide_in_json(payload: &mut String, secrets: &PluginSecrets) {
    fn hide_in(value: &mut Value, secrets: &PluginSecrets) -> bool {
        let mut is_changed = false;
        match value {
            Value::String(text) => is_changed = hide(text, secrets),
            Value::Array(values) => {
                values.iter_mut().for_each(|value| is_changed |= hide_in(value, secrets));
            }
            Value::Object(map) => {
                for (mut key, mut value) in std::mem::take(map) {
                    is_changed |= hide(&mut key, secrets);
                    is_changed |= hide_in(&mut value, secrets);
                    map.insert(key, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        is_changed
    }
    if let Ok(mut value) = serde_json::from_str(payload)
        && hide_in(&mut value, secrets)
    {
        *payload = value.to_string();
    }
}

/// One JSON value on one line, so that no plugin breaks the lines of another.
fn check(payload: &str) -> Result<(), String> {
    if payload.len() > MAX_PAYLOAD {
        return Err(format!("the payload has {} bytes: {MAX_PAYLOAD} are allowed", payload.len()));
    }
    // Without a branch for each byte, the compiler compares many at once.
    if payload.bytes().fold(false, |breaks, byte| breaks | matches!(byte, b'\n' | b'\r')) {
        return Err("the payload has a line break: it must be one line".into());
    }
    match serde_json::from_str::<IgnoredAny>(payload) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("the payload is not JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_one_json_value_on_one_line() {
        for good in ["1", r#"{"a":[true,null,"é\n"]}"#, &format!("\"{}\"", "x".repeat(MAX_PAYLOAD - 2))] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "{", "1 2", "text", "{\n}", "1\r", &format!("\"{}\"", "x".repeat(MAX_PAYLOAD))] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
