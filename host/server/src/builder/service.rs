//! What a server serves, and by which rules: the part of a server that can be replaced while it runs.

use super::parts::Parts;
use super::{Builder, Folder};
use crate::content::Root;
use std::sync::Arc;
use std::time::Duration;
use tuffet_policy::{AcceptUpload, Authorize, DefaultVerdict, Observe, Resolve};
use tuffet_request::RootSpec;
use tuffet_request::settings::{
    LeaseFile, Limits, ListenerRules, Netboot, Profile, ServiceSettings, Transfer,
};

/// What a server serves, and by which rules: roots, hooks, and the settings that can change while it runs.
///
/// A program that replaces it ([`Handle::replace`](crate::Handle::replace)) makes it in one place for the start and for
/// each replacement. It is complete: what it leaves out has its default, and not the value of the service before. So keep a
/// clone of it to change only a part.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use tuffet::{Folder, Listener, Server, Service};
///
/// fn service(release: &str) -> Service {
///     Service::new().folder(Folder::new("boot", format!("/srv/{release}")))
/// }
///
/// let server = Server::builder().listener(Listener::bind("[::1]:6969".parse()?)).service(service("1.0")).bind()?;
/// let handle = server.start()?;
/// handle.replace(service("1.1")).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
#[must_use = "it is served once a server is built with it, or has it as a replacement"]
pub struct Service {
    pub(crate) settings: ServiceSettings,
    pub(crate) parts: Parts,
}

impl Service {
    /// A service without content: it needs a root, or a [`Resolve`] hook.
    pub fn new() -> Service {
        Service::default()
    }

    fn parts_mut(&mut self) -> &mut Parts {
        &mut self.parts
    }

    fn settings_mut(&mut self) -> &mut ServiceSettings {
        &mut self.settings
    }
}

impl Builder {
    fn parts_mut(&mut self) -> &mut Parts {
        &mut self.parts
    }

    fn settings_mut(&mut self) -> &mut ServiceSettings {
        &mut self.settings.service
    }
}

/// The methods that set a part of a service: the same for a service alone, and for a server that is built with one.
macro_rules! service_methods {
    ($builds:ident) => {
        impl $builds {
            /// Adds a folder. The roots are searched in the order in which they are added.
            pub fn folder(mut self, folder: Folder) -> $builds {
                self.parts_mut().roots.push(folder.into_spec());
                self
            }

            /// Adds a root that the program implements, for reading.
            pub fn root(self, name: &str, root: impl Root) -> $builds {
                self.supply(name, None, root)
            }

            /// Adds a root that the program implements and that takes uploads ([`Root::create`]) of at most `max_upload`
            /// bytes.
            pub fn writable_root(self, name: &str, max_upload: u64, root: impl Root) -> $builds {
                self.supply(name, Some(max_upload), root)
            }

            fn supply(mut self, name: &str, max_upload: Option<u64>, root: impl Root) -> $builds {
                let spec = RootSpec {
                    elsewhere: Some(name.into()),
                    writable: max_upload.is_some(),
                    overwrite: true,
                    max_upload: max_upload.unwrap_or_default(),
                    ..RootSpec::read_only(name, "")
                };
                let parts = self.parts_mut();
                parts.roots.push(spec);
                parts.supplied.push((name.to_owned(), Arc::new(root)));
                self
            }

            /// Appends a hook to the chain `authorize`; the name is for logs and metrics.
            pub fn authorize(mut self, name: &str, hook: impl Authorize) -> $builds {
                self.parts_mut().hooks.authorize.push((name.to_owned(), Arc::new(hook)));
                self
            }

            /// Appends a hook to the chain `resolve`.
            pub fn resolve(mut self, name: &str, hook: impl Resolve) -> $builds {
                self.parts_mut().hooks.resolve.push((name.to_owned(), Arc::new(hook)));
                self
            }

            /// Appends a hook to the chain `accept-upload`.
            pub fn accept_upload(mut self, name: &str, hook: impl AcceptUpload) -> $builds {
                self.parts_mut().hooks.accept_upload.push((name.to_owned(), Arc::new(hook)));
                self
            }

            /// Adds an observer.
            pub fn observe(mut self, name: &str, hook: impl Observe) -> $builds {
                self.parts_mut().hooks.observe.push((name.to_owned(), Arc::new(hook)));
                self
            }

            /// What happens to a request on which every hook of `authorize` abstains. Default: it is allowed, or what the
            /// policy says.
            pub fn default_verdict(mut self, default: DefaultVerdict) -> $builds {
                self.parts_mut().hooks.default = Some(default);
                self
            }

            /// The time limit of each call of a hook of the program. Default: 5 s.
            pub fn time_limit(mut self, limit: Duration) -> $builds {
                self.parts_mut().hooks.time_limit = limit;
                self
            }

            /// Bounds on clients, uploads and memory.
            pub fn limits(mut self, limits: Limits) -> $builds {
                self.settings_mut().limits = limits;
                self
            }

            /// Option negotiation, and bounds on slow transfers.
            pub fn transfer(mut self, transfer: Transfer) -> $builds {
                self.settings_mut().transfer = transfer;
                self
            }

            /// Adds negotiation settings for some clients. For each value, the first profile with the client and the value
            /// counts.
            pub fn profile(mut self, profile: Profile) -> $builds {
                self.settings_mut().profiles.push(profile);
                self
            }

            /// What the listener of this name serves, and how it negotiates, instead of what
            /// [`Listener::roots`](crate::Listener::roots) and [`Listener::ceilings`](crate::Listener::ceilings) say.
            pub fn listener_rules(mut self, listener: &str, rules: ListenerRules) -> $builds {
                self.settings_mut().listeners.push((listener.to_owned(), rules));
                self
            }

            /// Help for boot chains. Default: none.
            pub fn netboot(mut self, netboot: Netboot) -> $builds {
                self.settings_mut().netboot = netboot;
                self
            }

            /// Follows a lease file of a DHCP server, for [`Request::lease`](tuffet_request::Request).
            pub fn lease_file(mut self, file: LeaseFile) -> $builds {
                self.settings_mut().lease_files.push(file);
                self
            }
        }
    };
}

service_methods!(Service);
service_methods!(Builder);
