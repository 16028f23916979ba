//! Work after a decision: no client waits for it.
//!
//! A thread that decides requests collects this work and starts it after it has posted the decision. Started earlier,
//! it would compete with the decision for a busy core, and win.

use std::cell::RefCell;
use std::marker::PhantomData;

type Work = Box<dyn FnOnce()>;

thread_local! {
    /// `None` while the thread collects nothing.
    static COLLECTED: RefCell<Option<Vec<Work>>> = const { RefCell::new(None) };
}

/// Collects deferred work of this thread, and starts it when dropped.
#[must_use]
pub struct DeferredWork(PhantomData<*const ()>);

impl DeferredWork {
    /// Starts collecting.
    pub fn collect() -> DeferredWork {
        COLLECTED.with_borrow_mut(|collected| {
            collected.get_or_insert_default();
        });
        DeferredWork(PhantomData)
    }
}

impl Drop for DeferredWork {
    fn drop(&mut self) {
        let collected = COLLECTED.with_borrow_mut(Option::take);
        collected.into_iter().flatten().for_each(|work| work());
    }
}

/// Runs `work` after the current decision of this thread, or immediately outside of decisions.
pub fn defer(work: impl FnOnce() + 'static) {
    let at_once = COLLECTED.with_borrow_mut(|collected| match collected {
        Some(collected) => {
            collected.push(Box::new(work));
            None
        }
        None => Some(work),
    });
    if let Some(work) = at_once {
        work();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn collected_work_is_begun_at_the_end_and_other_work_at_once() {
        let done = Rc::new(Cell::new(0));
        let adds = |by: u32| {
            let done = Rc::clone(&done);
            move || done.set(done.get() + by)
        };
        let deciding = DeferredWork::collect();
        defer(adds(1));
        defer(adds(10));
        assert_eq!(done.get(), 0);
        drop(deciding);
        assert_eq!(done.get(), 11);
        defer(adds(100));
        assert_eq!(done.get(), 111);
    }
}
