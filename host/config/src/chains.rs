//! The chains of a listener, as in the file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Chains of this listener instead of those of the section `policy`. A missing chain is that of `policy`; an empty list
/// is an empty chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ListenerChains {
    /// The plugins that allow or deny requests, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", extend("uniqueItems" = true))]
    pub authorize: Option<Vec<String>>,
    /// The plugins that decide which file a client gets, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", extend("uniqueItems" = true))]
    pub resolve: Option<Vec<String>>,
    /// The plugins that decide whether an upload becomes visible, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", extend("uniqueItems" = true))]
    pub accept_upload: Option<Vec<String>>,
    /// The plugins that receive events of transfers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", extend("uniqueItems" = true))]
    pub observe: Option<Vec<String>>,
}

impl ListenerChains {
    /// The chains present in the file, by their keys.
    pub fn written(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        let all = [
            ("authorize", &self.authorize),
            ("resolve", &self.resolve),
            ("accept-upload", &self.accept_upload),
            ("observe", &self.observe),
        ];
        all.into_iter().filter_map(|(key, chain)| Some((key, chain.as_ref()?)))
    }
}
