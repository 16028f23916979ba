//! The places that were searched for the file of a refused request.

use std::sync::Arc;

/// The limit of recorded places. A plugin may name 64 files.
const MAX_PLACES: usize = 16;

/// The limit of bytes per place.
const MAX_PLACE_BYTES: usize = 200;

/// The searched places in order, and the plugin that proposed them. Bounded, because it goes to the log, to observers
/// and to the live view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tried {
    places: Vec<String>,
    by: Option<Arc<str>>,
    other_case: Vec<String>,
}

impl Tried {
    /// Collects places as roots and paths, in the order of the search; `by` is the plugin that proposed them. Of too
    /// many, keeps the first ones and the last one, with the number of the others between them.
    #[doc(hidden)]
    pub fn new<'a>(places: impl ExactSizeIterator<Item = (&'a str, &'a str)>, by: Option<Arc<str>>) -> Tried {
        let count = places.len();
        // One entry holds the number.
        let left_out = if count > MAX_PLACES { MAX_PLACES - 2..count - 1 } else { 0..0 };
        let mut kept = Vec::with_capacity(count.min(MAX_PLACES));
        for (index, (root, path)) in places.enumerate() {
            if index == left_out.start && !left_out.is_empty() {
                kept.push(format!("… {} more …", left_out.len()));
            }
            if !left_out.contains(&index) {
                kept.push(place(root, path));
            }
        }
        Tried { places: kept, by, other_case: Vec::new() }
    }

    /// Adds a file or folder with a name that differs only in case.
    #[doc(hidden)]
    pub fn add_other_case(&mut self, root: &str, path: &str) {
        if self.other_case.len() < MAX_PLACES {
            self.other_case.push(place(root, path));
        }
    }

    /// Returns the places as `ROOT:PATH`, in order.
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// Returns the plugin that proposed them; `None` if the roots were searched for the requested path.
    pub fn by(&self) -> Option<&str> {
        self.by.as_deref()
    }

    /// Returns existing files and folders with names that differ only in case, as `ROOT:PATH`.
    pub fn other_case(&self) -> &[String] {
        &self.other_case
    }
}

fn place(root: &str, path: &str) -> String {
    let whole = root.len() + 1 + path.len();
    if whole <= MAX_PLACE_BYTES {
        return format!("{root}:{path}");
    }
    let room = MAX_PLACE_BYTES.saturating_sub(root.len() + 1);
    format!("{root}:{}…", &path[..path.floor_char_boundary(room)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(count: usize) -> Tried {
        let paths: Vec<String> = (0..count).map(|number| number.to_string()).collect();
        Tried::new(paths.iter().map(|path| ("boot", path.as_str())), None)
    }

    #[test]
    fn the_first_and_the_last_of_many_are_kept() {
        assert_eq!(tried(0).places(), [""; 0]);
        assert_eq!(tried(2).places(), ["boot:0", "boot:1"]);
        let (all, many) = (tried(MAX_PLACES), tried(64));
        assert_eq!((all.places().len(), all.places()[15].as_str()), (16, "boot:15"));
        assert_eq!(many.places().len(), MAX_PLACES);
        assert_eq!(many.places()[13..], ["boot:13", "… 49 more …", "boot:63"]);
    }

    #[test]
    fn a_long_path_is_cut_between_letters() {
        let path = "ü".repeat(200);
        let tried = Tried::new([("boot", path.as_str())].into_iter(), None);
        let [place] = tried.places() else { unreachable!("one place") };
        assert!(place.starts_with("boot:üü") && place.ends_with("ü…") && place.len() <= MAX_PLACE_BYTES + 3);
    }
}
