//! What `authorize` learnt for `resolve`: an answer that serves both, or that the service is away. The same instance must
//! be called again. Another one asks itself; nothing but time is lost.

use std::collections::VecDeque;

use crate::answer::Answer;

/// Requests between whose two calls this instance serves others.
const MOST: usize = 16;
/// Larger answers are not noted: `resolve` asks again.
const MAX_CONTENT: usize = 256 << 10;

/// The id of all rehearsals, such as those of `tuffet explain`.
const REHEARSAL: &str = "0000000000000000";

/// What `authorize` learnt.
#[derive(Clone)]
pub(crate) enum Note {
    Answer(Answer),
    /// The service is away.
    Away,
}

/// Notes by the id of their request, the oldest first.
#[derive(Default)]
pub(crate) struct Notes(VecDeque<(String, Note)>);

impl Notes {
    /// Notes the answer to a request, or that the service is away and this counts instead. An answer that ends the
    /// request is of no more use, and one to a rehearsal could serve another one.
    pub fn keep(&mut self, id: &str, answer: &Answer, is_away: bool) {
        self.0.retain(|(its, _)| its != id);
        let ends = matches!(answer, Answer::Deny(_) | Answer::Drop(_));
        if ends || id == REHEARSAL || (!is_away && answer.content_size() > MAX_CONTENT) {
            return;
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        let note = if is_away { Note::Away } else { Note::Answer(answer.clone()) };
        self.0.push_back((id.to_owned(), note));
    }

    /// Returns and removes the note of a request.
    pub fn take(&mut self, id: &str) -> Option<Note> {
        let place = self.0.iter().position(|(its, _)| its == id)?;
        self.0.remove(place).map(|(_, note)| note)
    }
}
