//! Pins the version of a firmware: a plugin to begin with. README.md says how it is built and tried.
#![forbid(unsafe_code)]

//% accept-upload
mod accept_upload;
//% end
//% authorize
mod authorize;
//% end
//% observe
mod observe;
//% end
//% resolve
mod resolve;
//% end

use serde::Deserialize;
use tuffet_sdk::{Plugin, Problems};

/// What the operator writes below `settings`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)] // a mistyped key is an error
pub struct Settings {
    /// The current version, such as 1.4.2.
    version: String,
    //% resolve
    /// The root that the firmware is in.
    root: String,
    //% end
    //% observe
    /// The sink that is told of each download.
    sink: String,
    //% end
}

/// The plugin, made from its settings.
pub struct Policy {
    /// The path of the current version.
    current: String,
    //% resolve
    root: String,
    //% end
    //% observe
    sink: String,
    //% end
}

impl Plugin for Policy {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        let version = settings.version;
        if version.is_empty() || version.contains('/') {
            // The server shows the line of its configuration that the pointer leads to.
            return Err(Problems::one("/version", "name a version, such as 1.4.2"));
        }
        Ok(Policy {
            current: format!("firmware/{version}.bin"),
            //% resolve
            root: settings.root,
            //% end
            //% observe
            sink: settings.sink,
            //% end
        })
    }
}

// What it needs beyond requests and log, it asks for here, with the reason, and the configuration grants it.
tuffet_sdk::manifest! {
    name: "plugin-name",
    version: env!("CARGO_PKG_VERSION"),
    description: "Pins the version of a firmware",
    //% observe
    grants: [("sinks", "tells of each download")],
    //% end
}
tuffet_sdk::export!(Policy: authorize, resolve, accept_upload, observe);

#[cfg(test)]
mod tests {
    use super::*;

    /// As the server does it, from JSON.
    fn policy(version: &str) -> Result<Policy, Problems> {
        let settings = [
            format!(r#""version": "{version}""#),
            //% resolve
            r#""root": "boot""#.into(),
            //% end
            //% observe
            r#""sink": "downloads""#.into(),
            //% end
        ];
        tuffet_sdk::parse(&format!("{{ {} }}", settings.join(", "))).and_then(Policy::configure)
    }

    #[test]
    fn a_version_is_needed() {
        assert!(policy("1.4.2").is_ok());
        let problems = policy("").err().map(Problems::into_vec).unwrap_or_default();
        assert_eq!(problems[0].pointer, "/version");
    }
}
