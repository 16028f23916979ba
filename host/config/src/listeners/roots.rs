//! The roots of a listener.

use crate::resolver::Resolver;
use crate::suggest::{closest, unknown};
use tuffet_request::RootSpec;
use tuffet_request::settings::ListenerRules;

impl Resolver<'_> {
    /// Refuses roots of the listener at this pointer that do not exist, or are private.
    pub(crate) fn roots_of_listener(&mut self, listener: &str, rules: &ListenerRules, roots: &[RootSpec]) {
        for (index, name) in rules.roots.iter().flatten().enumerate() {
            let pointer = format!("{listener}/roots/{index}");
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
                    let known = || roots.iter().filter(|root| !root.private).map(|root| root.name.as_str());
                    self.wrong(pointer, unknown("root", name, closest(name, known()), known()));
                }
            }
        }
    }
}
