//! The files that a request may be answered with, in order.

use std::sync::Arc;
use tuffet_policy::Target;
use tuffet_request::events::Tried;
use tuffet_request::{Operation, Request};
use tuffet_store::Roots;

/// Places to look in, one after the other. Shared, because whoever decides a request says where its file was looked
/// for.
pub(super) struct Candidates {
    request: Arc<Request>,
    /// Roots and paths; `None` is the requested path.
    places: Vec<(Arc<str>, Option<String>)>,
    /// The plugin that named them; `None` if the roots are searched.
    by: Option<Arc<str>>,
}

impl Candidates {
    /// The `targets` that a plugin named; without any, the requested path in the roots.
    pub(super) fn new(
        roots: &Roots,
        request: Arc<Request>,
        targets: Vec<Target>,
        by: Option<Arc<str>>,
    ) -> Candidates {
        let by = by.filter(|_| !targets.is_empty());
        let named = targets.into_iter().map(|target| (target.root.into(), Some(target.path)));
        let mut places: Vec<(Arc<str>, Option<String>)> = named.collect();
        let prefix = request.prefix.as_deref();
        match request.operation {
            Operation::Read if places.is_empty() && request.stored_in.is_some() => {
                places = request.stored_in.iter().map(|root| (Arc::clone(root), None)).collect();
            }
            Operation::Read if places.is_empty() => {
                places = roots.public(prefix).map(|root| (Arc::clone(root), None)).collect();
            }
            Operation::Write if places.is_empty() => {
                places = roots.of_uploads(prefix).map(|root| (root.into(), None)).into_iter().collect();
            }
            Operation::Write => places.truncate(1),
            Operation::Read => {}
        }
        Candidates { request, places, by }
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
        // Looked for before, and not found: otherwise it is the path.
        if let Some(folder) = self.request.shim_folder.as_deref().filter(|_| !self.request.path.contains('/'))
        {
            let further = places.iter().map(|(root, path)| (Arc::clone(root), format!("{folder}/{path}")));
            places.extend(further.collect::<Vec<_>>());
        }
        let places = places.iter().map(|(root, path)| (&**root, path.as_str()));
        (count > 0).then(|| Tried::new(places, self.by.clone()))
    }
}
