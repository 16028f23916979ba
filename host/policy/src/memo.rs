//! Data that the members of a chain derive from a request, once for all of them.

use std::any::Any;

/// Caches data derived from a request, such as a conversion, for the next member of the chain. Empty at the start of
/// each chain.
#[derive(Default)]
pub struct Memo(Option<Box<dyn Any + Send>>);

impl Memo {
    /// Returns the data of this type; creates it if there is none or one of another type.
    pub fn get<T: Default + Send + 'static>(&mut self) -> &mut T {
        if !self.0.as_ref().is_some_and(|there| there.is::<T>()) {
            self.0 = Some(Box::new(T::default()));
        }
        match self.0.as_mut().and_then(|there| there.downcast_mut()) {
            Some(there) => there,
            None => unreachable!("it was put there above"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_finds_its_own_and_replaces_others() {
        let mut memo = Memo::default();
        *memo.get::<u32>() += 1;
        *memo.get::<u32>() += 1;
        assert_eq!(*memo.get::<u32>(), 2);
        assert_eq!(memo.get::<String>(), "");
        assert_eq!(*memo.get::<u32>(), 0);
    }
}
