//! Members in the mode `monitor`: they are asked wherever they stand in a chain, and their answers have no effect. Where
//! an answer differs from what happened, a line of the log says so, and a counter counts it.
//!
//! They are asked when the chain has answered: no request waits for them.

use std::pin::Pin;
use std::sync::Arc;

use super::answers::{Answer, Resolution, UploadVerdict, Verdict};
use super::chain_deadline::ChainDeadline;
use super::chain_results::NoAnswer;
use super::deferred_work::defer;
use super::made_content::answer_with;
use super::member::Member;
use super::memo::Memo;
use super::upload::ReceivedUpload;
use tuffet_request::Request;

/// The calls of a rehearsal, which waits for them; `None` if they run in the background.
pub(super) type MonitorCalls = Option<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// What the members of a chain have answered, by their places: kept only for a chain with monitored members.
pub(super) struct MemberAnswers<A>(Option<Vec<(usize, A)>>);

/// Members of a chain that may be asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub chain: &'a [Arc<Member>],
    pub asks: fn(&Member) -> bool,
}

impl<'a> Asked<'a> {
    /// All members of a chain.
    pub fn all(chain: &'a [Arc<Member>]) -> Asked<'a> {
        Asked { chain, asks: |_| true }
    }

    /// Returns the members whose answers count, with their places.
    pub fn counting(self) -> impl Iterator<Item = (usize, &'a Arc<Member>)> {
        self.chain.iter().enumerate().filter(move |(_, member)| !member.monitors && (self.asks)(member))
    }

    /// Returns the members in the mode `monitor`, with their places.
    fn monitored(self) -> impl Iterator<Item = (usize, &'a Arc<Member>)> {
        self.chain.iter().enumerate().filter(move |(_, member)| member.monitors && (self.asks)(member))
    }
}

/// What happened, to be compared with the answer of a monitored member.
#[derive(Clone)]
struct Happened<A> {
    /// `None` if the request was dropped because a member gave no answer.
    answer: Option<A>,
    /// The member whose answer it is; `None` for that of a default.
    by: Option<Arc<str>>,
    /// Whether it is the answer of the member in front: then no opinion in its place differs, too.
    is_in_place: bool,
}

impl<A: Answer + Sync + 'static> MemberAnswers<A> {
    /// Begins without answers.
    pub fn of(asked: Asked<'_>) -> MemberAnswers<A> {
        MemberAnswers(asked.monitored().next().map(|_| Vec::new()))
    }

    /// Keeps the answer of the member at this place of the chain.
    pub fn keep(&mut self, place: usize, answer: &A) {
        if let Some(said) = &mut self.0 {
            said.push((place, answer.clone()));
        }
    }

    /// The answer of the last member that was asked, unless it abstained.
    pub fn last(&self) -> Option<&A> {
        let (_, last) = self.0.as_ref()?.last()?;
        (last.word() != A::ABSTAIN.word()).then_some(last)
    }

    /// Has the monitored members answer, too, and compares what they say with the answer of the member in front of each,
    /// or, without its opinion, with what the chain answered: `answer`, by the member `by`.
    pub fn compare_with(
        self,
        asked: Asked<'_>,
        (answer, by): (&Result<A, NoAnswer>, Option<&Arc<str>>),
        request: &Request,
        hook: impl MonitoredHook<A>,
    ) -> MonitorCalls {
        let said = self.0?;
        let chain = asked.chain;
        let in_front = |place: usize| {
            let member = (0..place).rev().find(|place| !chain[*place].monitors)?;
            let (_, answer) = said.iter().find(|(its, _)| *its == member)?;
            (answer.word() != A::ABSTAIN.word()).then(|| Happened {
                answer: Some(answer.clone()),
                by: Some(Arc::clone(&chain[member].name)),
                is_in_place: true,
            })
        };
        let whole =
            || Happened { answer: answer.as_ref().ok().cloned(), by: by.cloned(), is_in_place: false };
        let calls = asked.monitored().map(|(place, member)| {
            let happened = in_front(place).unwrap_or_else(whole);
            let (member, request, hook) = (Arc::clone(member), request.clone(), hook.clone());
            async move {
                let answer = hook.ask(&member, &request, ChainDeadline::of(member.wall)).await;
                member.compare(hook.name(), &request, answer.ok(), happened);
            }
        });
        let calls: Vec<_> = calls.collect();
        if request.is_rehearsal() {
            return Some(Box::pin(async move {
                for call in calls {
                    call.await;
                }
            }));
        }
        defer(move || {
            for call in calls {
                drop(tokio::spawn(call));
            }
        });
        None
    }
}

/// A hook, as a monitored member is asked.
pub(super) trait MonitoredHook<A>: Clone + Send + Sync + 'static {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Returns its answer.
    fn ask(
        &self,
        member: &Arc<Member>,
        request: &Request,
        deadline: ChainDeadline,
    ) -> impl Future<Output = Result<A, NoAnswer>> + Send;
}

/// The hook `authorize`.
#[derive(Clone)]
pub(super) struct Authorizes;

impl MonitoredHook<Verdict> for Authorizes {
    fn name(&self) -> &'static str {
        "authorize"
    }

    async fn ask(
        &self,
        member: &Arc<Member>,
        request: &Request,
        deadline: ChainDeadline,
    ) -> Result<Verdict, NoAnswer> {
        member.authorize(request, &Memo::default(), deadline).await
    }
}

/// The hook `resolve`, and `render` for content that no files precede: whether files exist is not looked up.
#[derive(Clone)]
pub(super) struct Resolves;

impl MonitoredHook<Resolution> for Resolves {
    fn name(&self) -> &'static str {
        "resolve"
    }

    async fn ask(
        &self,
        member: &Arc<Member>,
        request: &Request,
        deadline: ChainDeadline,
    ) -> Result<Resolution, NoAnswer> {
        let answer = member.resolve(request, &Memo::default(), deadline).await?;
        match answer {
            Resolution::Serve(selection) if selection.targets().is_empty() => {
                let (_, content, _) = selection.into_parts();
                let made = Box::pin(answer_with(content, member, request, deadline)).await;
                made.unwrap_or(Ok(Resolution::Abstain))
            }
            answer => Ok(answer),
        }
    }
}

/// The hook `accept-upload`, for this upload.
#[derive(Clone)]
pub(super) struct AcceptsUpload(pub ReceivedUpload);

impl MonitoredHook<UploadVerdict> for AcceptsUpload {
    fn name(&self) -> &'static str {
        "accept-upload"
    }

    async fn ask(
        &self,
        member: &Arc<Member>,
        request: &Request,
        deadline: ChainDeadline,
    ) -> Result<UploadVerdict, NoAnswer> {
        member.accept_upload(request, &self.0, &Memo::default(), deadline).await
    }
}

impl Member {
    /// Counts an answer, and logs it if it differs from what happened. A failed call has been logged as such.
    fn compare<A: Answer>(
        &self,
        hook: &'static str,
        request: &Request,
        answer: Option<A>,
        happened: Happened<A>,
    ) {
        let Some(answer) = answer.filter(|_| !request.is_rehearsal()) else { return };
        let differs = happened.differs_from(&answer, request);
        if differs && self.log_rate.take() {
            tracing::info!(
                target: "tuffet::policy",
                plugin = %self.name,
                hook,
                request = %request.id,
                client = %request.client,
                path = %request.path,
                would = %in_words(&answer),
                did = %happened.answer.as_ref().map_or("drop".into(), in_words),
                did_by = happened.by.as_deref(),
                "monitored"
            );
        }
        // After the line, so that each counted call has one even if the server ends now.
        self.counters.monitor(differs);
    }
}

impl<A: Answer> Happened<A> {
    /// Returns whether it would have been different with this answer in its place.
    fn differs_from(&self, answer: &A, request: &Request) -> bool {
        match &self.answer {
            _ if !self.is_in_place && answer.word() == A::ABSTAIN.word() => false,
            None => answer.word() != "drop",
            Some(happened) if self.is_in_place => !answer.equals(happened),
            Some(happened) => answer.changes(happened, request),
        }
    }
}

/// Returns an answer for the log.
fn in_words(answer: &impl Answer) -> String {
    let (word, detail) = (answer.word(), answer.detail());
    match word {
        _ if detail.is_empty() => word.to_owned(),
        "allow" => format!("{word} ({detail})"),
        "deny" | "drop" => format!("{word}: {detail}"),
        "content" => format!("content of {detail}"),
        "rename" => format!("rename to {detail}"),
        _ => format!("{word} {detail}"),
    }
}
