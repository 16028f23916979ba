//! The roots of each listener, and the bounds and time-outs of its transfers: from `transfer`, the listener, profiles,
//! the route and policy.

use crate::routes::Routes;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tuffet_config::{Ceilings, Config, MaxBlksize, OptionRule, OptionRules, Profile, Retransmit, Transfer};
use tuffet_core::{
    Acknowledged, Limits, MAX_BLKSIZE, MIN_BLKSIZE, OptionName, OptionSet, Rollover, Settings, Timing,
};
use tuffet_request::{Request, SessionProfile};

/// Headers of a block in bytes: IP, UDP, and four bytes of TFTP.
const HEADERS_V4: u32 = 32;
const HEADERS_V6: u32 = 52;

/// How long a receiver waits to repeat its last ACK.
const DALLY: Duration = Duration::from_secs(5);

/// Assumed if the kernel knows no route.
const ETHERNET_MTU: u32 = 1500;

/// The rules of one generation.
pub(crate) struct Negotiation {
    max_blksize: MaxBlksize,
    max_windowsize: u16,
    rate: Option<u64>,
    /// For all listeners.
    options: OptionRules,
    /// The acknowledged options by these rules alone.
    acknowledged: Acknowledged,
    listeners: Vec<ListenerRules>,
    profiles: Vec<ProfileRules>,
    /// Built-in profiles.
    shipped: Vec<ProfileRules>,
    /// For transfers without a profile.
    retransmit: Retransmit,
    settings: Settings,
    routes: Routes,
}

struct ProfileRules {
    profile: Profile,
    /// Created once, so that a request allocates nothing.
    times: Option<ProfileTimes>,
}

#[derive(Clone)]
struct ProfileTimes {
    retransmit: Retransmit,
    settings: Arc<Settings>,
}

impl ProfileRules {
    fn of(profile: &Profile, transfer: &Transfer) -> ProfileRules {
        let times = profile.retransmit.map(|rules| {
            let retransmit = rules.over(&transfer.retransmit);
            ProfileTimes { retransmit, settings: Arc::new(transfer_settings(transfer, &retransmit)) }
        });
        ProfileRules { profile: profile.clone(), times }
    }
}

/// The settings of transfers with these times.
pub(crate) fn transfer_settings(transfer: &Transfer, times: &Retransmit) -> Settings {
    Settings {
        timing: timing(times),
        rollover: if transfer.rollover == 1 { Rollover::One } else { Rollover::Zero },
    }
}

fn timing(times: &Retransmit) -> Timing {
    let Retransmit { floor, initial, cap, give_up } = *times;
    Timing::new(floor, initial, cap, give_up, DALLY)
}

struct ListenerRules {
    name: Arc<str>,
    ceilings: Ceilings,
    interface: Option<Arc<str>>,
    /// `None`: all roots.
    roots: Option<Vec<String>>,
}

/// The source of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundSource {
    /// `transfer`.
    Transfer,
    /// A key of the listener.
    Listener,
    /// The profile of this number.
    Profile(usize),
    /// A built-in profile.
    Shipped,
    /// The ceiling of a plugin.
    Policy,
}

impl fmt::Display for BoundSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundSource::Transfer => f.write_str("transfer"),
            BoundSource::Listener => f.write_str("the listener"),
            BoundSource::Profile(number) => write!(f, "profiles[{number}]"),
            BoundSource::Shipped => f.write_str("the class, by a profile of the server"),
            BoundSource::Policy => f.write_str("policy"),
        }
    }
}

/// The bounds of one request.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    pub(crate) limits: Limits,
    pub(crate) blksize_by: BoundSource,
    pub(crate) windowsize_by: BoundSource,
    /// The source of the rate, if there is one.
    pub(crate) rate_by: BoundSource,
    /// Set if the block size follows from the route: the MTU, or `None` if the kernel knows no route.
    pub(crate) route: Option<Option<u32>>,
    /// When the server retransmits.
    pub(crate) retransmit: Retransmit,
    pub(crate) retransmit_by: BoundSource,
    /// The settings of the transfer, if they differ from the common ones.
    pub(crate) settings: Option<Arc<Settings>>,
}

impl Negotiation {
    /// `routes`: kept across generations.
    pub(crate) fn of(config: &Config, routes: Routes) -> Negotiation {
        let listeners = config.listeners.iter().map(|listener| {
            let interface = listener.interface.as_deref().map(Arc::from);
            let (name, roots) = (listener.name.as_str().into(), listener.roots.clone());
            ListenerRules { name, ceilings: listener.ceilings, interface, roots }
        });
        let options = config.transfer.options.or(config.netboot.options());
        Negotiation {
            max_blksize: config.transfer.max_blksize,
            max_windowsize: config.transfer.max_windowsize,
            rate: config.transfer.rate,
            options,
            acknowledged: acknowledged(options),
            listeners: listeners.collect(),
            profiles: config.profiles.iter().map(|its| ProfileRules::of(its, &config.transfer)).collect(),
            shipped: Profile::shipped().iter().map(|its| ProfileRules::of(its, &config.transfer)).collect(),
            retransmit: config.transfer.retransmit,
            settings: transfer_settings(&config.transfer, &config.transfer.retransmit),
            routes,
        }
    }

    /// Returns the roots that a listener serves; `None` for all.
    pub(crate) fn roots_of(&self, listener: &str) -> Option<&[String]> {
        self.listener(listener)?.roots.as_deref()
    }

    fn listener(&self, name: &str) -> Option<&ListenerRules> {
        self.listeners.iter().find(|listener| *listener.name == *name)
    }

    pub(crate) fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns the bounds of a request, within the profile of policy.
    pub(crate) fn bounds(
        &self,
        request: &Request,
        requested: &OptionSet,
        profile: &SessionProfile,
    ) -> Bounds {
        // Without it, the route does not matter.
        let asks_for_blksize = requested.blksize.or(requested.blksize2).is_some();
        let listener = self.listener(&request.listener);
        let (client, class) = (request.client.ip(), request.class);
        let fits = |its: &&ProfileRules| its.profile.fits(client, class);
        // This runs for each request: no allocations.
        let (mut own, mut blksize_by, mut windowsize_by, mut rate_by) =
            (Ceilings::default(), BoundSource::Transfer, BoundSource::Transfer, BoundSource::Transfer);
        let profiles = self.profiles.iter().enumerate().filter(|(_, its)| fits(its));
        let mut times = None;
        let profiles = profiles.map(|(number, its)| {
            times = times.or(its.times.as_ref().map(|times| (BoundSource::Profile(number), times)));
            (BoundSource::Profile(number), its.profile.ceilings)
        });
        for (source, next) in profiles.chain(listener.map(|its| (BoundSource::Listener, its.ceilings))) {
            let all = own.or(next);
            if own.max_blksize.is_none() && all.max_blksize.is_some() {
                blksize_by = source;
            }
            if own.max_windowsize.is_none() && all.max_windowsize.is_some() {
                windowsize_by = source;
            }
            if own.rate.is_none() && all.rate.is_some() {
                rate_by = source;
            }
            own = all;
        }
        let shipped = self.shipped.iter().filter(fits).fold(Ceilings::default(), |all, its| {
            times = times.or(its.times.as_ref().map(|times| (BoundSource::Shipped, times)));
            all.or(its.profile.ceilings)
        });

        let max_blksize = own.max_blksize.unwrap_or(self.max_blksize);
        let mut windowsize = own.max_windowsize.unwrap_or(self.max_windowsize);
        let burst = own.burst.or(shipped.burst);
        let mut route = None;
        let mut blksize = match max_blksize {
            MaxBlksize::Bytes(bytes) => bytes,
            MaxBlksize::Auto if asks_for_blksize => {
                let mtu = self.routes.mtu(request.client, listener.and_then(|its| its.interface.as_ref()));
                route = Some(mtu);
                largest_block(request.client, mtu.unwrap_or(ETHERNET_MTU))
            }
            MaxBlksize::Auto => MAX_BLKSIZE,
        };
        // A configured profile replaces built-in ones.
        if !matches!(blksize_by, BoundSource::Profile(_))
            && let Some(MaxBlksize::Bytes(most)) = shipped.max_blksize
        {
            lower(&mut blksize, &mut blksize_by, most, BoundSource::Shipped);
        }
        if !matches!(windowsize_by, BoundSource::Profile(_))
            && let Some(most) = shipped.max_windowsize
        {
            lower(&mut windowsize, &mut windowsize_by, most, BoundSource::Shipped);
        }
        if let Some(bytes) = profile.overrides.blksize {
            (blksize, blksize_by, route) = (bytes, BoundSource::Policy, None);
        }
        if let Some(blocks) = profile.overrides.windowsize {
            (windowsize, windowsize_by) = (blocks, BoundSource::Policy);
        }
        if let Some(most) = profile.ceilings.blksize {
            lower(&mut blksize, &mut blksize_by, most, BoundSource::Policy);
        }
        if let Some(most) = profile.ceilings.windowsize {
            lower(&mut windowsize, &mut windowsize_by, most, BoundSource::Policy);
        }
        let burst = profile.burst.or(burst);
        let rate = profile.rate.or(own.rate).or(self.rate);
        if profile.rate.is_some() {
            rate_by = BoundSource::Policy;
        }
        // 4 GiB/s is no limit.
        let rate = rate.and_then(|rate| u32::try_from(rate).ok());
        let rules = own.options.or(shipped.options);
        let acknowledged = match rules == OptionRules::default() {
            true => self.acknowledged,
            false => acknowledged(rules.or(self.options)),
        };
        let acknowledged = without_refused(acknowledged, requested, profile);
        let limits = Limits { blksize, windowsize, burst, rate, acknowledged };
        if let Some(seconds) = profile.overrides.timeout {
            let usual = times.map_or(self.retransmit, |(_, times)| times.retransmit);
            let retransmit = with_timeout(usual, seconds);
            let settings = Some(Arc::new(Settings { timing: timing(&retransmit), ..self.settings }));
            let retransmit_by = BoundSource::Policy;
            return Bounds {
                limits,
                blksize_by,
                windowsize_by,
                rate_by,
                route,
                retransmit,
                retransmit_by,
                settings,
            };
        }
        let (retransmit, retransmit_by, settings) = match times {
            Some((source, times)) => (times.retransmit, source, Some(Arc::clone(&times.settings))),
            None => (self.retransmit, BoundSource::Transfer, None),
        };
        Bounds { limits, blksize_by, windowsize_by, rate_by, route, retransmit, retransmit_by, settings }
    }
}

/// Removes the options that the profile refuses.
fn without_refused(
    acknowledged: Acknowledged,
    requested: &OptionSet,
    profile: &SessionProfile,
) -> Acknowledged {
    let SessionProfile { ceilings, floors, overrides, refused, .. } = profile;
    let micros = |seconds: u8| u32::from(seconds) * 1_000_000;
    let most = overrides.timeout.or(ceilings.timeout).map_or(u32::MAX, micros);
    let least = overrides.timeout.or(floors.timeout).map_or(0, micros);
    let is_out = |time: u32| !(least..=most).contains(&time);
    let mut left = acknowledged;
    if requested.timeout.map(micros).is_some_and(is_out) {
        left = left.without(OptionName::Timeout);
    }
    if requested.utimeout.is_some_and(is_out) {
        left = left.without(OptionName::Utimeout);
    }
    if !refused.is_empty() {
        let refused = OptionName::ALL.into_iter().filter(|option| refused.has(*option));
        left = refused.fold(left, Acknowledged::without);
    }
    left
}

/// The times of a transfer if policy overrides the time before a retransmission.
fn with_timeout(usual: Retransmit, seconds: u8) -> Retransmit {
    let time = Duration::from_secs(seconds.into());
    let Retransmit { cap, give_up, .. } = usual;
    Retransmit { floor: time, initial: time, cap: cap.max(time), give_up: give_up.max(time) }
}

fn acknowledged(rules: OptionRules) -> Acknowledged {
    OptionName::ALL.into_iter().fold(Acknowledged::default(), |all, option| match rules.of(option) {
        Some(OptionRule::Acknowledge) => all.with(option),
        Some(OptionRule::Refuse) => all.without(option),
        None => all,
    })
}

fn lower(value: &mut u16, by: &mut BoundSource, most: u16, source: BoundSource) {
    if most < *value {
        (*value, *by) = (most, source);
    }
}

/// The largest block that fits into one packet.
fn largest_block(client: SocketAddr, mtu: u32) -> u16 {
    let headers = if client.ip().to_canonical().is_ipv4() { HEADERS_V4 } else { HEADERS_V6 };
    mtu.saturating_sub(headers).clamp(MIN_BLKSIZE.into(), MAX_BLKSIZE.into()) as u16
}

#[cfg(test)]
mod tests;
