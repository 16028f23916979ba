//! From the settings of dnsmasq to a configuration.

use super::listeners::ListenAddress;
use super::settings::{Settings, UniqueRoot};
use super::{boot, listeners};
use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::target::{Remap, Target};
use crate::uploads::Identity;
use crate::yaml::{Map, Value};
use crate::{folders, names, trees};
use std::path::PathBuf;

/// `has_windows`: this version grants windows and time-outs.
pub(super) fn plan(mut settings: Settings, has_windows: bool) -> Result<Target, ImportError> {
    let Some(enabled) = settings.enabled.clone() else {
        let text = "there is no `enable-tftp`: dnsmasq serves no files with this configuration";
        return Err(ImportError::impossible(&Location::File("dnsmasq".into()), text));
    };
    if settings.roots.is_empty() {
        let text = "without `tftp-root`, dnsmasq serves every file that its user may read; name a folder";
        return Err(ImportError::impossible(&enabled.location, text));
    }
    let mut target = Target::default();
    if let Some((first, last, _)) = settings.ports.as_ref().filter(|_| settings.single_port.is_none()) {
        target.limit_workers(*first, *last);
    }
    let listen_addresses =
        listeners::listen_addresses(&settings, &mut target, &listeners::present_interfaces());
    leave_out_unserved(&mut settings, &listen_addresses, &mut target)?;
    let names = roots(&settings, &mut target)?;
    listeners(&settings, listen_addresses, &names, &mut target);
    rules(&settings, has_windows, &mut target);
    rest(&settings, &mut target);
    Ok(target)
}

/// Removes the roots that are for interfaces without a listener.
fn leave_out_unserved(
    settings: &mut Settings,
    listen_addresses: &[ListenAddress],
    target: &mut Target,
) -> Result<(), ImportError> {
    let serves = |name: &str| listen_addresses.iter().any(|it| it.interface.as_deref() == Some(name));
    let by_address = listen_addresses.iter().any(|it| it.interface.is_none());
    let (served, unserved) = std::mem::take(&mut settings.roots)
        .into_iter()
        .partition(|(_, interface, _)| interface.as_deref().is_none_or(serves));
    settings.roots = served;
    for (_, interface, setting) in &unserved {
        let interface = interface.as_deref().unwrap_or_default();
        if by_address {
            let text = format!(
                "{}: the listeners here have addresses, and Tuffet cannot tell which clients come in by {interface}: name \
                 that interface with `interface`, in place of its address",
                setting.written
            );
            target.missing(&setting.location, text);
        } else {
            target.head.push(format!(
                "{}: {}: left out, because dnsmasq serves no files on {interface}.",
                setting.location, setting.written
            ));
        }
    }
    match (settings.roots.first(), unserved.first()) {
        (None, Some((_, _, setting))) => {
            let text = "no `tftp-root` is for an interface that is served; name a folder for the others";
            Err(ImportError::impossible(&setting.location, text))
        }
        _ => Ok(()),
    }
}

/// Returns the name of each root, in the order of the settings.
fn roots(settings: &Settings, target: &mut Target) -> Result<Vec<String>, ImportError> {
    let words: Vec<Word> =
        settings.roots.iter().map(|(folder, _, setting)| Word::new(folder, &setting.location)).collect();
    let folders: Vec<PathBuf> = words.iter().map(folders::absolute).collect::<Result<_, ImportError>>()?;
    let names = folders::names(folders.iter().map(PathBuf::as_path));
    for ((folder, name), (_, _, setting)) in folders.iter().zip(&names).zip(&settings.roots) {
        let path = folder.display().to_string();
        let mut root = Map::default();
        root.put("name", Value::text(name), []);
        let mut comments = vec![setting.origin()];
        comments.extend(folders::comment_if_missing(folder, &setting.location, &mut target.report));
        root.put("path", Value::text(&path), comments);
        let why = format!("Names may begin with {path}, as for dnsmasq.");
        root.put("also-at", Value::texts([&path]), [why]);
        folders::put_follow(&mut root, folder, "dnsmasq");
        if let Some(secure) = &settings.secure {
            let mut comments = vec![secure.origin()];
            if settings.user.as_ref().is_none_or(|user| user.value() != "root") {
                let text = format!(
                    "tftp-secure: dnsmasq serves only files that its own user ({}) owns. Tuffet has no such rule: it \
                     serves the files that others may read. Remove that permission (chmod o-r) from files that are \
                     not to be served",
                    user(settings)
                );
                comments.push(target.report.missing(&secure.location, text));
            }
            root.put("world-readable", Value::plain(true), comments);
        }
        target.roots.push(root);
        trees::allow_links(folder, false, &setting.location, target);
        names::report_names(folder, false, &setting.location, target);
    }
    Ok(names)
}

fn listeners(
    settings: &Settings,
    listen_addresses: Vec<ListenAddress>,
    names: &[String],
    target: &mut Target,
) {
    if let [name] = names {
        target.remap = remap(settings, name);
    }
    let own = |interface: Option<&str>| {
        let position = |wanted: Option<&str>| {
            settings.roots.iter().position(|(_, interface, _)| interface.as_deref() == wanted)
        };
        position(interface).or_else(|| position(None)).and_then(|number| names.get(number))
    };
    for listen in listen_addresses {
        let mut listener = listeners::listener(&listen, settings);
        match own(listen.interface.as_deref()) {
            Some(name) => {
                if settings.roots.len() > 1 {
                    listener.put("roots", Value::texts([name]), []);
                    let plugin = format!("remap-{name}");
                    if settings.unique.is_some() || settings.lowercase.is_some() {
                        listener.below("policy").put("resolve", Value::texts([&plugin]), []);
                        if target.remaps.iter().all(|(other, _)| *other != plugin) {
                            target.remaps.push((plugin, remap(settings, name)));
                        }
                    }
                }
                target.listeners.push(listener);
            }
            // No client asks for its files there, which are those of the whole system.
            None if is_added(settings, &listen) => {}
            None => {
                let location = &settings.roots[0].2.location;
                let at = listen.interface.unwrap_or_else(|| listen.address.to_string());
                let text = format!(
                    "no `tftp-root` is for {at}: dnsmasq serves every file that its user may read there, Tuffet does \
                     not listen"
                );
                target.missing(location, text);
            }
        }
    }
}

/// Whether dnsmasq listens there by itself.
fn is_added(settings: &Settings, listen: &ListenAddress) -> bool {
    listen.interface.as_deref() == Some("lo")
        && !settings.interfaces.iter().chain(&settings.tftp_interfaces).any(|(name, _)| name == "lo")
}

/// Options and limits.
fn rules(settings: &Settings, has_windows: bool, target: &mut Target) {
    if settings.mtu.is_none() {
        let why = "As dnsmasq does: blocks that fit the MTU of the way to the client.".to_owned();
        target.transfer.put("max-blksize", Value::text("auto"), [why]);
    }
    if has_windows {
        let why = "The limit of dnsmasq.".to_owned();
        target.transfer.put("max-windowsize", Value::plain(32), [why]);
    } else {
        let options = target.transfer.below("options");
        let why =
            "dnsmasq before 2.92 ignores both. Without these lines, clients that ask for windows get them.";
        options.put("windowsize", Value::text("refuse"), [why.to_owned()]);
        options.put("timeout", Value::text("refuse"), []);
    }
    if let Some(setting) = &settings.no_blocksize {
        target.transfer.below("options").put("blksize", Value::text("refuse"), [setting.origin()]);
    }
    if let Some((most, setting)) = &settings.max {
        let more =
            "Tuffet needs no descriptor for a transfer: without this line it serves 20,000.".to_owned();
        target.limits.put("transfers", Value::plain(most), [setting.origin(), more]);
    }
    let origin = settings.user.as_ref().map(|setting| setting.origin());
    target.privileges.put("user", Value::text(user(settings)), origin);
    if let Some(setting) = &settings.group {
        target.privileges.put("group", Value::text(setting.value()), [setting.origin()]);
    }
}

/// Returns the plugin for the names of files in a root: a folder for each client, lower case.
fn remap(settings: &Settings, root: &str) -> Remap {
    let mut remap = Remap::default();
    if settings.unique.is_none() && settings.lowercase.is_none() {
        return remap;
    }
    remap.settings.put("root", Value::text(root), []);
    // Without the folder of `also-at`, where the name begins with it.
    remap.settings.put("name", Value::text("path"), []);
    if let Some((unique, setting)) = &settings.unique {
        let word = match unique {
            UniqueRoot::Ip => "ip",
            UniqueRoot::Mac => "mac",
        };
        remap.settings.put("unique-root", Value::text(word), [setting.origin()]);
        remap.grants.push(format!("files/{root}"));
        if *unique == UniqueRoot::Mac {
            remap.grants.push("client-mac".to_owned());
        }
    }
    if let Some(setting) = &settings.lowercase {
        remap.settings.put("lowercase", Value::plain(true), [setting.origin()]);
    }
    remap
}

/// Returns the user that dnsmasq becomes. Debian's package creates a user `dnsmasq`.
fn user(settings: &Settings) -> String {
    match &settings.user {
        Some(setting) => setting.value(),
        None if Identity::of("dnsmasq", None).is_some() => "dnsmasq".to_owned(),
        None => "nobody".to_owned(),
    }
}

/// Reports the settings that correspond to no key.
fn rest(settings: &Settings, target: &mut Target) {
    if let Some(setting) = &settings.quiet {
        // What went wrong is logged, as by dnsmasq.
        target.log.put("level", Value::text("info,tuffet::transfer=warn"), [setting.origin()]);
    }
    for setting in &settings.scripts {
        let text = format!(
            "{}: dnsmasq calls it with `tftp SIZE ADDRESS PATH` after each transfer; Tuffet runs no program: the \
             plugin audit writes a line for each transfer to a file, and publish sends it to HTTP or NATS",
            setting.written
        );
        target.differs(&setting.location, text);
    }
    for setting in &settings.boot {
        let Some(line) = boot::with_server(setting) else { continue };
        let text = format!(
            "{}: without `enable-tftp`, dnsmasq may no longer name itself as the server: write `{line}`, with Tuffet's \
             address in place of ADDRESS",
            setting.written
        );
        target.differs(&setting.location, text);
    }
    if settings.others > 0 {
        let lines = if settings.others == 1 { "1 setting" } else { &format!("{} settings", settings.others) };
        target.head.push(format!(
            "{lines} of DNS and DHCP: dnsmasq goes on with them. Remove enable-tftp and the settings tftp-* there."
        ));
    }
}
