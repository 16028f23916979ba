//! The candidates for the file of a request, in order.

use std::sync::Arc;
use tuffet_policy::Target;
use tuffet_request::events::Tried;
use tuffet_request::{Operation, Request};
use tuffet_store::Roots;

/// Roots and paths to search, in order. Shared: the decision reports the ones that were tried.
pub(super) struct Candidates {
    request: Arc<Request>,
    /// Roots and paths; `None` is the requested path.
    places: Vec<(Arc<str>, Option<String>)>,
    /// The plugin that named them; `None` if the roots are searched.
    by: Option<Arc<str>>,
}

/// Whether a listener serves a root; `served`: `None` for all roots.
pub(super) fn serves(served: Option<&[String]>, root: &str) -> bool {
    served.is_none_or(|served| served.iter().any(|name| name == root))
}

/// Returns the roots to search for the requested path, in order: those that the listener serves and that the prefix of
/// the name allows. An upload has one.
pub(super) fn searched_roots(roots: &Roots, served: Option<&[String]>, request: &Request) -> Vec<Arc<str>> {
    let prefix = request.prefix.as_deref();
    match request.operation {
        Operation::Read => roots.public(prefix).filter(|root| serves(served, root)).cloned().collect(),
        Operation::Write => {
            roots.of_uploads(prefix, |root| serves(served, root)).map(Arc::from).into_iter().collect()
        }
    }
}

impl Candidates {
    /// The `targets` that a plugin named; without any, the requested path in the roots. Limited to roots that the
    /// listener serves; `served`: `None` for all.
    pub(super) fn new(
        roots: &Roots,
        served: Option<&[String]>,
        request: Arc<Request>,
        targets: Vec<Target>,
        by: Option<Arc<str>>,
    ) -> Candidates {
        let searched = targets.is_empty();
        let by = by.filter(|_| !searched);
        // A write has one target: the first that the plugin named.
        let most = if request.operation == Operation::Write { 1 } else { usize::MAX };
        let named = targets.into_iter().take(most).filter(|target| serves(served, &target.root));
        let places: Vec<(Arc<str>, Option<String>)> = match &request.stored_in {
            _ if !searched => named.map(|target| (target.root.into(), Some(target.path))).collect(),
            Some(root) if request.operation == Operation::Read => vec![(Arc::clone(root), None)],
            _ => searched_roots(roots, served, &request).into_iter().map(|root| (root, None)).collect(),
        };
        Candidates { request, places, by }
    }

    /// Puts the candidates of an earlier search in front.
    #[must_use]
    pub(super) fn after(mut self, tried: &Candidates) -> Candidates {
        self.places.splice(0..0, tried.places.iter().cloned());
        self.by = self.by.or_else(|| tried.by.clone());
        self
    }

    /// The plugin that named them; `None` if the roots are searched.
    pub(super) fn named_by(&self) -> Option<&Arc<str>> {
        self.by.as_ref()
    }

    /// The number of candidates.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    pub(super) fn request(&self) -> &Arc<Request> {
        &self.request
    }

    /// The root of a candidate, and the path in it.
    pub(super) fn get(&self, number: usize) -> Option<(&Arc<str>, &str)> {
        let (root, path) = self.places.get(number)?;
        Some((root, path.as_deref().unwrap_or(&self.request.path)))
    }

    /// The first `count` of them, for the log; `None` without any.
    pub(super) fn tried(&self, count: usize) -> Option<Tried> {
        let count = count.min(self.places.len());
        let place = |place: &'_ (Arc<str>, Option<String>)| {
            (Arc::clone(&place.0), place.1.as_deref().unwrap_or(&self.request.path).to_owned())
        };
        let mut places: Vec<(Arc<str>, String)> = self.places[..count].iter().map(place).collect();
        // That file is absent: otherwise its path would be the requested one.
        if let Some(folder) = self.request.shim_folder.as_deref().filter(|_| !self.request.path.contains('/'))
        {
            let further = places.iter().map(|(root, path)| (Arc::clone(root), format!("{folder}/{path}")));
            places.extend(further.collect::<Vec<_>>());
        }
        let places = places.iter().map(|(root, path)| (&**root, path.as_str()));
        (count > 0).then(|| Tried::new(places, self.by.clone()))
    }
}
