//! Which member becomes master next: clients take turns by address, and pay for their time as the master.
//!
//! The price of a microsecond is 1 for a fast master, and up to [`DEAREST`] for one that is slower than [`SLOW`]
//! times the rate of the fastest present member. So slow members get a small but constant share while fast ones wait,
//! and all of the time when none waits. All members of one address pay together, and a member that leaves and joins
//! again keeps paying. Consecutive terms of one address are priced as one: each alone may be too short to show that it is
//! slow.

use super::member::{ClientId, Member};
use std::collections::BTreeMap;

/// How much more a client must have paid than another that waits for the lead.
pub(super) const LEAD: u64 = 2_000_000;

/// A master that is less than this many times slower than the fastest member pays no more than that one.
const SLOW: u64 = 4;

/// The highest price of a microsecond.
const DEAREST: u64 = 16;

/// Departed clients are forgotten when there are more accounts than this.
const MAX_ACCOUNTS: usize = 4_096;

/// The rank of a member in the order of offers; the smallest gets the next offer.
type OfferRank = (bool, u8, bool, u64, bool, u64, u64);

/// The accounts of the clients of a group.
#[derive(Debug, Default)]
pub(super) struct Turns {
    accounts: BTreeMap<ClientId, Account>,
    /// The least that a client with an answering member has paid: where newcomers begin.
    level: u64,
    lead: Lead,
}

/// What a client did while its members were master one after the other.
#[derive(Debug, Default)]
struct Lead {
    client: ClientId,
    micros: u64,
    blocks: u64,
}

#[derive(Debug, Default)]
struct Account {
    members: usize,
    paid: u64,
    terms: u32,
}

impl Turns {
    pub(super) fn join(&mut self, client: ClientId) {
        if self.accounts.len() >= MAX_ACCOUNTS {
            self.accounts.retain(|_, account| account.members > 0);
        }
        let account = self.accounts.entry(client).or_default();
        account.members += 1;
        if account.members == 1 {
            account.paid = account.paid.max(self.level);
        }
    }

    /// Records that a member has left. The account of its client stays, in case the client joins again.
    pub(super) fn leave(&mut self, client: ClientId) {
        let Some(account) = self.accounts.get_mut(&client) else { return };
        account.members = account.members.saturating_sub(1);
        if account.members == 0 && account.terms == 0 {
            self.accounts.remove(&client);
        }
    }

    /// Records that a member becomes master.
    pub(super) fn begin(&mut self, member: &mut Member) {
        member.terms = member.terms.saturating_add(1);
        if let Some(account) = self.accounts.get_mut(&member.client) {
            account.terms = account.terms.saturating_add(1);
        }
        if self.lead.client != member.client {
            self.lead = Lead { client: member.client, ..Lead::default() };
        }
    }

    /// Charges a member for `span` microseconds as the master in which it got `blocks`: its client at the price of the
    /// whole lead, itself at that of its own term of `lasted` microseconds and `progress` blocks.
    pub(super) fn charge(
        &mut self,
        master: &mut Member,
        best: u64,
        span: u32,
        blocks: u64,
        term: (u32, u64),
    ) {
        let (lasted, progress) = term;
        let cost = price(best, lasted.into(), progress) * u64::from(span);
        master.paid = master.paid.saturating_add(cost);
        self.lead.micros += u64::from(span);
        self.lead.blocks += blocks;
        let cost = price(best, self.lead.micros, self.lead.blocks) * u64::from(span);
        if let Some(account) = self.accounts.get_mut(&master.client) {
            account.paid = account.paid.saturating_add(cost);
        }
    }

    /// Records that no other member waits: time was free.
    pub(super) fn uncontested(&mut self) {
        (self.lead.micros, self.lead.blocks) = (0, 0);
    }

    /// Updates the level from the accounts of the present clients.
    pub(super) fn level<'a>(&mut self, members: impl Iterator<Item = &'a Member>) {
        let answering = members.filter(|member| answers(member));
        let least = answering.filter_map(|member| self.accounts.get(&member.client)).map(|it| it.paid).min();
        self.level = least.unwrap_or(self.level);
    }

    /// Records that a member does not take its turn. Its client gets no credit for that.
    pub(super) fn passes(&mut self, client: ClientId, master: ClientId) {
        let paid = self.accounts.get(&master).map_or(0, |account| account.paid);
        if let Some(account) = self.accounts.get_mut(&client) {
            account.paid = account.paid.max(paid.saturating_sub(LEAD));
        }
    }

    /// Members that answer come first, then those with fewer offers; among these clients without a term, and
    /// those that have paid least.
    pub(super) fn rank(&self, member: &Member) -> OfferRank {
        let (paid, terms) = self.accounts.get(&member.client).map_or((0, 0), |it| (it.paid, it.terms));
        (!answers(member), member.unanswered(), terms > 0, paid, member.terms > 0, member.paid, member.turn)
    }

    /// Returns whether a member has had no term. For another client than the master's, the terms of all its members
    /// count.
    pub(super) fn is_new(&self, other: &Member, master: &Member) -> bool {
        if other.client == master.client {
            return other.terms == 0;
        }
        self.accounts.get(&other.client).is_none_or(|account| account.terms == 0)
    }

    /// Returns whether the master has led for so long that it is this member's turn.
    pub(super) fn is_behind(&self, other: &Member, master: &Member) -> bool {
        let paid = |member: &Member| match other.client == master.client {
            true => member.paid,
            false => self.accounts.get(&member.client).map_or(0, |account| account.paid),
        };
        paid(other).saturating_add(LEAD) < paid(master)
    }
}

fn answers(member: &Member) -> bool {
    member.proven && member.unanswered() == 0
}

/// Returns the price of a microsecond as the master, for one that got `progress` blocks in `micros`. `best`: the rate of
/// the fastest member, in blocks per second. The next block counts as if it came now, so that a term is not dear before
/// its time.
fn price(best: u64, micros: u64, progress: u64) -> u64 {
    let possible = best.saturating_mul(micros) / 1_000_000;
    (possible / SLOW.saturating_mul(progress.saturating_add(1))).clamp(1, DEAREST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_master_pays_more() {
        assert_eq!(price(0, 50_000, 0), 1, "no rate is known");
        assert_eq!(price(10_000, 50_000, 499), 1);
        assert_eq!(price(10_000, 50_000, 124), 1);
        assert_eq!(price(10_000, 50_000, 24), 5);
        assert_eq!(price(10_000, 50_000, 0), 16);
        assert_eq!(price(1, 900_000, 0), 1, "all are slow");
        assert_eq!(price(u64::MAX, u64::MAX, u64::MAX), 1);
    }
}
