//! Answers to `authorize` that serve `resolve`, too: one question for a request, where the same instance is called again.
//! Another instance asks itself; nothing but time is lost.

use std::collections::VecDeque;

use crate::answer::Answer;

/// Requests between whose two calls this instance serves others.
const MOST: usize = 16;
/// Larger answers are not noted: `resolve` asks again.
const MAX_CONTENT: usize = 256 << 10;

/// The id of all rehearsals, such as those of `tuffet explain`.
const REHEARSAL: &str = "0000000000000000";

/// Answers by the id of their request, the oldest first.
#[derive(Default)]
pub(crate) struct Notes(VecDeque<(String, Answer)>);

impl Notes {
    /// Notes the answer to a request. One that ends the request is of no more use, and one to a rehearsal could serve
    /// another one.
    pub fn keep(&mut self, id: &str, answer: &Answer) {
        self.0.retain(|(its, _)| its != id);
        let ends = matches!(answer, Answer::Deny(_) | Answer::Drop(_));
        if ends || id == REHEARSAL || answer.content_size() > MAX_CONTENT {
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((id.to_owned(), answer.clone()));
    }

    /// Returns and removes the answer to a request.
    pub fn take(&mut self, id: &str) -> Option<Answer> {
        let place = self.0.iter().position(|(its, _)| its == id)?;
        self.0.remove(place).map(|(_, answer)| answer)
    }
}
