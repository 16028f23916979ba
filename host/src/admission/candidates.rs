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
    /// The `targets` that a plugin named; without any, the requested path in the roots. Only roots that the listener
    /// serves come into question; `served` is `None` for all.
    pub(super) fn new(
        roots: &Roots,
        served: Option<&[String]>,
        request: Arc<Request>,
        targets: Vec<Target>,
        by: Option<Arc<str>>,
    ) -> Candidates {
        let serves = |root: &str| served.is_none_or(|served| served.iter().any(|name| name == root));
        let searched = targets.is_empty();
        let by = by.filter(|_| !searched);
        // A write has one target: the first that the plugin named.
        let most = if request.operation == Operation::Write { 1 } else { usize::MAX };
        let named = targets.into_iter().take(most).filter(|target| serves(&target.root));
        let mut places: Vec<(Arc<str>, Option<String>)> =
            named.map(|target| (target.root.into(), Some(target.path))).collect();
        match request.operation {
            Operation::Read if searched => {
                let public = roots.public().filter(|root| serves(root));
                places = public.map(|root| (Arc::clone(root), None)).collect();
            }
            Operation::Write if searched => {
                places = roots.of_uploads(serves).map(|root| (root.into(), None)).into_iter().collect();
            }
            Operation::Read | Operation::Write => {}
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
        let places = (0..count).map(|number| {
            let (root, path) = &self.places[number];
            (&**root, path.as_deref().unwrap_or(&self.request.path))
        });
        (count > 0).then(|| Tried::new(places, self.by.clone()))
    }
}
