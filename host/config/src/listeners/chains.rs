//! The chains and roots of a listener.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::policy::PolicyConfig;
use crate::resolver::Resolver;
use crate::suggest::{closest, unknown};
use tuffet_request::RootSpec;

/// Chains of this listener instead of those of the section `policy`. A chain that is not written here is the one of
/// `policy`; an empty list is an empty chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ListenerChains {
    /// The plugins that decide who may do what, in order.
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
    /// The chains that are written, by their keys.
    pub fn written(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        let all = [
            ("authorize", &self.authorize),
            ("resolve", &self.resolve),
            ("accept-upload", &self.accept_upload),
            ("observe", &self.observe),
        ];
        all.into_iter().filter_map(|(key, chain)| Some((key, chain.as_ref()?)))
    }

    /// Returns the chains of a listener, with those of `policy` where it has none of its own.
    pub fn over(&self, policy: &PolicyConfig) -> [Vec<String>; 4] {
        let chain = |own: &Option<Vec<String>>, of_all: &Vec<String>| own.as_ref().unwrap_or(of_all).clone();
        [
            chain(&self.authorize, &policy.authorize),
            chain(&self.resolve, &policy.resolve),
            chain(&self.accept_upload, &policy.accept_upload),
            chain(&self.observe, &policy.observe),
        ]
    }
}

impl Resolver<'_> {
    /// Refuses roots of a listener that do not exist, or that no client may see.
    pub(crate) fn roots_of_listeners(&mut self, listeners: &[super::Listener], roots: &[RootSpec]) {
        for (number, listener) in listeners.iter().enumerate() {
            for (index, name) in listener.roots.iter().flatten().enumerate() {
                let pointer = format!("/listeners/{number}/roots/{index}");
                match roots.iter().find(|root| root.name == *name) {
                    Some(root) if root.private => {
                        let message = format!(
                            "`{name}` is a private root, from which no client gets anything; remove it, or set \
                             `private: false`"
                        );
                        self.wrong(pointer, message);
                    }
                    Some(_) => {}
                    None => {
                        let known =
                            || roots.iter().filter(|root| !root.private).map(|root| root.name.as_str());
                        self.wrong(pointer, unknown("root", name, closest(name, known()), known()));
                    }
                }
            }
        }
    }
}
