//! The roots of a listener.

use crate::resolver::Resolver;
use crate::suggest::{closest, unknown};
use tuffet_request::RootSpec;
use tuffet_request::settings::Listener;

impl Resolver<'_> {
    /// Refuses roots of a listener that do not exist, or are private.
    pub(crate) fn roots_of_listeners(&mut self, listeners: &[Listener], roots: &[RootSpec]) {
        for (number, listener) in listeners.iter().enumerate() {
            for (index, name) in listener.rules.roots.iter().flatten().enumerate() {
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
