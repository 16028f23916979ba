//! Where the plugin `remap` can read the map file itself, so that a change counts without another import.

use crate::location::Location;
use crate::target::Target;
use crate::yaml::{Map, Value};
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The name of the root that has the map alone.
const ROOT: &str = "maps";

/// Gives the plugin the map in `file`, which has this `text`, or a copy of it. The served roots must be there already.
/// `found` is the place of the flag, `rereads` says when the original reads the file again.
pub(crate) fn put(
    file: &Path,
    mut text: String,
    mut comments: Vec<String>,
    (found, rereads): (&Location, &str),
    target: &mut Target,
) {
    let place = place(file, &target.roots);
    let shown = file.display();
    let remark = match &place {
        Ok(_) => format!(
            "Tuffet reads {shown} again within a second of a change; {rereads}. A wrong line leaves the rules as they \
             were, and the log says so"
        ),
        Err(why) => format!("{shown} is copied here, because {why}: import it again after a change"),
    };
    comments.insert(comments.len().min(1), target.report.differs(found, remark));
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match place {
        Ok(place) => {
            target.remap.settings.put("map-file", place.setting(), comments);
            let grant = format!("files/{}", place.root);
            let is_new = !target.remap.grants.contains(&grant);
            target.remap.grants.extend(is_new.then_some(grant).into_iter().chain(["clock".to_owned()]));
            target.roots.extend(place.private_root());
        }
        Err(_) => target.remap.settings.put("map", Value::Lines(text.clone()), comments),
    }
    target.remap.map = Some((Location::file(file), text));
}

/// The place of a map file.
struct Place {
    /// The name of its root.
    root: String,
    /// Its path in the root.
    path: String,
    /// The folder of a root that is to be made for it; `None` if a served root has it.
    folder: Option<String>,
}

/// Returns where the plugin reads the file, below one of these roots or in a root of its own.
///
/// # Errors
/// The reason why it cannot, or should not.
fn place(file: &Path, roots: &[Map]) -> Result<Place, &'static str> {
    let unreadable = "not everybody may read it";
    let about = file.symlink_metadata().map_err(|_| unreadable)?;
    // Whatever replaces the link leads elsewhere.
    if about.is_symlink() {
        return Err("it is a symbolic link");
    }
    let file = file.canonicalize().map_err(|_| unreadable)?;
    // The original reads it as root.
    let allows = |about: &Metadata, bit| about.permissions().mode() & bit != 0;
    let is_reachable =
        file.ancestors().skip(1).all(|folder| folder.metadata().is_ok_and(|about| allows(&about, 0o001)));
    if !allows(&about, 0o004) || !is_reachable {
        return Err(unreadable);
    }
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Err(unreadable) };
    let plain = |path: &Path| {
        let text = path.to_str().filter(|text| !text.contains(|c: char| c.is_control() || c == '\\'));
        text.map(str::to_owned).ok_or("its name has unusual characters")
    };
    for root in roots {
        let top = root.text("path").and_then(|top| Path::new(top).canonicalize().ok());
        let Some(Ok(inner)) = top.map(|top| file.strip_prefix(top).map(Path::to_owned)) else { continue };
        if root.text("writable") == Some("true") {
            return Err("clients may write to its folder");
        }
        let root = root.text("name").unwrap_or_default().to_owned();
        return Ok(Place { root, path: plain(&inner)?, folder: None });
    }
    let is_taken = |name: &String| roots.iter().any(|root| root.text("name") == Some(name));
    let mut numbered = (2..).map(|number| format!("{ROOT}-{number}"));
    let root = Some(ROOT.to_owned())
        .filter(|name| !is_taken(name))
        .or_else(|| numbered.find(|name| !is_taken(name)));
    let path = plain(Path::new(name))?;
    Ok(Place { root: root.unwrap_or_default(), path, folder: Some(plain(folder)?) })
}

impl Place {
    /// Returns the setting of the plugin.
    fn setting(&self) -> Value {
        let mut setting = Map::default();
        setting.put("root", Value::text(&self.root), []);
        setting.put("path", Value::text(&self.path), []);
        Value::Map(setting)
    }

    /// Returns the root that is to be made for it.
    fn private_root(&self) -> Option<Map> {
        let mut root = Map::default();
        let why = "For the plugin alone: clients get no file of it.".to_owned();
        root.put("name", Value::text(&self.root), [why]);
        root.put("path", Value::text(self.folder.as_ref()?), []);
        root.put("private", Value::plain(true), []);
        Some(root)
    }
}
