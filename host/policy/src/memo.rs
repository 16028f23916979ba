//! Data that the members of a chain derive from a request, once for all of them.

use parking_lot::Mutex;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Caches data derived from a request, such as a conversion, for the next member of the chain. Empty at the start of
/// each chain. Clones share it.
#[derive(Clone, Default)]
pub struct Memo(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl Memo {
    /// Calls `derive` with the data of this type, which is new if there is none or one of another type.
    pub fn with<T: Default + Send + 'static, R>(&self, derive: impl FnOnce(&mut T) -> R) -> R {
        let mut kept = self.0.lock();
        if !kept.as_ref().is_some_and(|there| there.is::<T>()) {
            *kept = Some(Box::new(T::default()));
        }
        match kept.as_mut().and_then(|there| there.downcast_mut()) {
            Some(there) => derive(there),
            None => unreachable!("it was put there above"),
        }
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_finds_its_own_and_replaces_others() {
        let memo = Memo::default();
        memo.with(|number: &mut u32| *number += 1);
        memo.clone().with(|number: &mut u32| *number += 1);
        assert_eq!(memo.with(|number: &mut u32| *number), 2);
        assert_eq!(memo.with(|text: &mut String| text.clone()), "");
        assert_eq!(memo.with(|number: &mut u32| *number), 0);
    }
}
