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

use schemars::JsonSchema;
use serde::Deserialize;
use tuffet_sdk::{Plugin, Problems};

/// What the operator writes below `settings`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)] // a mistyped key is an error
pub struct Settings {
    //% resolve
    /// The root that the firmware is in.
    #[schemars(extend("format" = "root-name"))]
    root: String,
    //% end
    //% observe
    /// The sink that is told of each download.
    #[schemars(extend("format" = "granted-sink-name"))]
    sink: String,
    //% end
    /// The current version, such as 1.4.2.
    version: String,
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
    use tuffet_sdk::testing;
    //% accept-upload
    use tuffet_sdk::{Accept, Acceptance};
    //% end
    //% authorize
    use tuffet_sdk::{Authorize, Verdict};
    //% end
    //% resolve
    use tuffet_sdk::{Resolution, Resolve, Target};
    //% end

    /// As the server makes it, from JSON.
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

    /// After a change of the settings: `TUFFET_BLESS=1 cargo test`.
    #[test]
    fn the_schema_is_that_of_the_settings() {
        testing::check_settings_schema(schemars::schema_for!(Settings), "settings.schema.json");
    }

    #[test]
    fn a_version_is_needed() {
        assert!(policy("1.4.2").is_ok());
        let problems = policy("").err().map(Problems::into_vec).unwrap_or_default();
        assert_eq!(problems[0].pointer, "/version");
    }
    //% authorize

    #[test]
    fn an_old_version_is_denied() {
        let verdict = policy("1.4.2").unwrap().authorize(&testing::request("firmware/1.4.1.bin"));
        assert!(matches!(verdict, Verdict::Deny(_)), "{verdict:?}");
    }
    //% end
    //% resolve

    #[test]
    fn the_latest_is_the_current_version() {
        let resolution = policy("1.4.2").unwrap().resolve(&testing::request("firmware/latest.bin"));
        assert_eq!(resolution, Resolution::files([Target::new("boot", "firmware/1.4.2.bin")]));
    }
    //% end
    //% accept-upload

    #[test]
    fn an_empty_file_is_not_accepted() {
        let upload = testing::upload("boot", "firmware/1.4.3.bin", "");
        let request = testing::write_request("firmware/1.4.3.bin");
        let acceptance = policy("1.4.2").unwrap().accept_upload(&request, &upload);
        assert!(matches!(acceptance, Acceptance::Deny(_)), "{acceptance:?}");
    }
    //% end
}
