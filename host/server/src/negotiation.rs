//! The roots of each listener, and the bounds and time-outs of its transfers: from `transfer`, the listener, profiles,
//! the route and policy.

use crate::routes::Routes;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{
    Acknowledged, Limits, MAX_BLKSIZE, MIN_BLKSIZE, OptionName, OptionSet, Rollover, Settings, Timing,
    TotalRate,
};
use tuffet_request::settings::{
    Ceilings, FixedTransfer, ListenerRules, MaxBlksize, OptionRule, OptionRules, Profile, Retransmit,
    ServiceSettings, Settings as ServerSettings,
};
use tuffet_request::{ClientClass, ClientKey, Request, SessionProfile};

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
    listeners: Vec<NamedListener>,
    profiles: Vec<ProfileRules>,
    /// Built-in profiles.
    built_in: Vec<ProfileRules>,
    /// For transfers without a profile.
    retransmit: Retransmit,
    settings: Settings,
    /// The bits of an IPv6 address that make a client.
    ipv6_prefix: u8,
    routes: Routes,
}

struct ProfileRules {
    profile: Profile,
    /// Created once, so that a request allocates nothing.
    times: Option<ProfileTimes>,
    total: Option<SharedRate>,
}

/// The rate that all transfers of a profile share.
#[derive(Debug, Clone)]
pub(crate) struct SharedRate {
    /// The name of the profile.
    pub(crate) profile: Arc<str>,
    /// Kept across generations, with the transfers that share it.
    pub(crate) total: Arc<TotalRate>,
    /// Bytes per second in this generation.
    rate: u32,
}

impl SharedRate {
    /// `None` without a limit.
    fn of(profile: &Profile, before: Option<&Negotiation>) -> Option<SharedRate> {
        // 4 GiB/s is no limit.
        let rate = u32::try_from(profile.total_rate?).ok()?;
        let name = profile.name.as_deref()?;
        let known = before.and_then(|before| before.shared_rates().find(|shared| *shared.profile == *name));
        let total = known.map_or_else(|| Arc::new(TotalRate::new(rate)), |shared| Arc::clone(&shared.total));
        Some(SharedRate { profile: name.into(), total, rate })
    }
}

#[derive(Clone)]
struct ProfileTimes {
    retransmit: Retransmit,
    settings: Arc<Settings>,
}

impl ProfileRules {
    fn of(profile: &Profile, fixed: &FixedTransfer, before: Option<&Negotiation>) -> ProfileRules {
        let times = profile.retransmit.map(|rules| {
            let retransmit = rules.over(&fixed.retransmit);
            let settings = Arc::new(transfer_settings(&FixedTransfer { retransmit, ..*fixed }));
            ProfileTimes { retransmit, settings }
        });
        ProfileRules { profile: profile.clone(), times, total: SharedRate::of(profile, before) }
    }
}

/// The settings of transfers with these times and this rollover.
pub(crate) fn transfer_settings(fixed: &FixedTransfer) -> Settings {
    let rollover = if fixed.rollover == 1 { Rollover::One } else { Rollover::Zero };
    Settings { timing: timing(&fixed.retransmit), rollover }
}

fn timing(times: &Retransmit) -> Timing {
    let Retransmit { floor, initial, cap, give_up, lockstep_floor } = *times;
    Timing::new(floor, initial, cap, give_up, DALLY).with_lockstep_floor(lockstep_floor)
}

struct NamedListener {
    name: Arc<str>,
    interface: Option<Arc<str>>,
    rules: ListenerRules,
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
    BuiltIn,
    /// The ceiling of a plugin.
    Policy,
}

impl fmt::Display for BoundSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundSource::Transfer => f.write_str("transfer"),
            BoundSource::Listener => f.write_str("the listener"),
            BoundSource::Profile(number) => write!(f, "profiles[{number}]"),
            BoundSource::BuiltIn => f.write_str("the class, by a profile of the server"),
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
    /// The profile whose rate the transfer shares, if there is one.
    pub(crate) total_rate_of: Option<Arc<str>>,
    /// Set if the block size follows from the route: the MTU, or `None` if the kernel knows no route.
    pub(crate) route: Option<Option<u32>>,
    /// When the server retransmits.
    pub(crate) retransmit: Retransmit,
    pub(crate) retransmit_by: BoundSource,
    /// The settings of the transfer, if they differ from the common ones.
    pub(crate) settings: Option<Arc<Settings>>,
}

impl Negotiation {
    /// `before`: the rules of the generation before. Routes and rates that transfers share are kept.
    pub(crate) fn of(settings: &ServerSettings, before: Option<&Negotiation>) -> Negotiation {
        let ServiceSettings { transfer, netboot, profiles, .. } = &settings.service;
        let interfaces = settings.listeners.iter().map(|listener| listener.interface.as_deref());
        let interfaces = interfaces.chain(std::iter::repeat(None));
        let listeners = settings.rules().zip(interfaces).map(|((name, rules), interface)| NamedListener {
            name: name.into(),
            interface: interface.map(Arc::from),
            rules: rules.clone(),
        });
        let profile = |its: &Profile, before| ProfileRules::of(its, &settings.transfer, before);
        let options = transfer.options.or(netboot.options());
        Negotiation {
            max_blksize: transfer.max_blksize,
            max_windowsize: transfer.max_windowsize,
            rate: transfer.rate,
            options,
            acknowledged: acknowledged(options),
            listeners: listeners.collect(),
            profiles: profiles.iter().map(|its| profile(its, before)).collect(),
            built_in: Profile::built_in().iter().map(|its| profile(its, None)).collect(),
            retransmit: settings.transfer.retransmit,
            settings: transfer_settings(&settings.transfer),
            ipv6_prefix: settings.bounds().ipv6_prefix,
            routes: before.map(|before| before.routes.clone()).unwrap_or_default(),
        }
    }

    /// Applies the rates of profiles that the generation before had with others, also to running transfers.
    pub(crate) fn take_effect(&self) {
        self.shared_rates().for_each(|shared| shared.total.set_rate(shared.rate));
    }

    /// Returns the rates that the transfers of profiles share.
    pub(crate) fn shared_rates(&self) -> impl Iterator<Item = &SharedRate> {
        self.profiles.iter().filter_map(|its| its.total.as_ref())
    }

    /// Returns the roots that a listener serves; `None` for all.
    pub(crate) fn roots_of(&self, listener: &str) -> Option<&[String]> {
        self.listener(listener)?.rules.roots.as_deref()
    }

    /// The names of the listeners.
    pub(crate) fn listeners(&self) -> impl Iterator<Item = &str> {
        self.listeners.iter().map(|listener| &*listener.name)
    }

    fn listener(&self, name: &str) -> Option<&NamedListener> {
        self.listeners.iter().find(|listener| *listener.name == *name)
    }

    /// Returns the bounds of a request, within the profile of policy. Runs for each request: no allocations, unless policy
    /// overrides a time.
    pub(crate) fn bounds(
        &self,
        request: &Request,
        requested: &OptionSet,
        profile: &SessionProfile,
    ) -> Bounds {
        let configured = self.configured(request);
        let (blksize, route) = self.blksize(&configured, request, requested, profile);
        let windowsize = self.windowsize(&configured, profile);
        let Configured { own, built_in, .. } = &configured;
        let rate = profile.rate.or(own.rate).or(self.rate);
        let rules = own.options.or(built_in.options);
        let acknowledged = match rules == OptionRules::default() {
            true => self.acknowledged,
            false => acknowledged(rules.or(self.options)),
        };
        let (retransmit, settings) = self.retransmission(configured.times, profile);
        Bounds {
            limits: Limits {
                blksize: blksize.value,
                windowsize: windowsize.value,
                burst: profile.burst.or(own.burst).or(built_in.burst),
                // 4 GiB/s is no limit.
                rate: rate.and_then(|rate| u32::try_from(rate).ok()),
                total_rate: configured.shared.flatten().map(|shared| Arc::clone(&shared.total)),
                client: ClientKey::of(&request.client, self.ipv6_prefix).to_bits(),
                bears_duplicates: request.class.bears_duplicates(),
                bears_repeated_oack: request.class.bears_repeated_oack(),
                acknowledged: without_refused(acknowledged, requested, profile),
                empty_tsize: ClientClass::takes_empty_tsize(request.operation, &request.options),
            },
            blksize_by: blksize.by,
            windowsize_by: windowsize.by,
            rate_by: if profile.rate.is_some() { BoundSource::Policy } else { configured.rate_by },
            total_rate_of: configured.shared.flatten().map(|shared| Arc::clone(&shared.profile)),
            route,
            retransmit: retransmit.value,
            retransmit_by: retransmit.by,
            settings,
        }
    }

    /// Merges the ceilings of the profiles that fit, and then of the listener: for each key the first one counts.
    fn configured(&self, request: &Request) -> Configured<'_> {
        let listener = self.listener(&request.listener);
        let (client, class) = (request.client.ip(), request.class);
        let fits = |its: &&ProfileRules| its.profile.fits(client, class);
        let mut all = Configured {
            listener,
            own: Ceilings::default(),
            built_in: Ceilings::default(),
            blksize_by: BoundSource::Transfer,
            windowsize_by: BoundSource::Transfer,
            rate_by: BoundSource::Transfer,
            times: None,
            shared: None,
        };
        for (number, its) in self.profiles.iter().enumerate().filter(|(_, its)| fits(its)) {
            all.add(BoundSource::Profile(number), its.profile.ceilings);
            all.add_times(BoundSource::Profile(number), its);
            all.shared = all.shared.or(its.profile.total_rate.map(|_| its.total.as_ref()));
        }
        if let Some(listener) = listener {
            all.add(BoundSource::Listener, listener.rules.ceilings);
        }
        for its in self.built_in.iter().filter(fits) {
            all.built_in = all.built_in.or(its.profile.ceilings);
            all.add_times(BoundSource::BuiltIn, its);
        }
        all
    }

    /// Returns the largest block, and the route if that limits it.
    fn blksize(
        &self,
        configured: &Configured<'_>,
        request: &Request,
        requested: &OptionSet,
        profile: &SessionProfile,
    ) -> (Sourced<u16>, Option<Option<u32>>) {
        // Without the option, the route does not matter.
        let is_requested = requested.blksize.or(requested.blksize2).is_some();
        let mut route = None;
        let value = match configured.own.max_blksize.unwrap_or(self.max_blksize) {
            MaxBlksize::Bytes(bytes) => bytes,
            MaxBlksize::Auto if is_requested => {
                let interface = configured.listener.and_then(|its| its.interface.as_ref());
                let mtu = self.routes.mtu(request.client, interface);
                route = Some(mtu);
                largest_block(request.client, mtu.unwrap_or(ETHERNET_MTU))
            }
            MaxBlksize::Auto => MAX_BLKSIZE,
        };
        let built_in = match configured.built_in.max_blksize {
            Some(MaxBlksize::Bytes(bytes)) => Some(bytes),
            _ => None,
        };
        let mut blksize = Sourced { value, by: configured.blksize_by };
        blksize.lower_by_class(built_in);
        if let Some(bytes) = profile.overrides.blksize {
            (blksize, route) = (Sourced { value: bytes, by: BoundSource::Policy }, None);
        }
        blksize.lower(profile.ceilings.blksize, BoundSource::Policy);
        (blksize, route)
    }

    fn windowsize(&self, configured: &Configured<'_>, profile: &SessionProfile) -> Sourced<u16> {
        let value = configured.own.max_windowsize.unwrap_or(self.max_windowsize);
        let mut windowsize = Sourced { value, by: configured.windowsize_by };
        windowsize.lower_by_class(configured.built_in.max_windowsize);
        if let Some(blocks) = profile.overrides.windowsize {
            windowsize = Sourced { value: blocks, by: BoundSource::Policy };
        }
        windowsize.lower(profile.ceilings.windowsize, BoundSource::Policy);
        windowsize
    }

    /// Returns the times, and the settings of the transfer if they differ from the common ones.
    fn retransmission(
        &self,
        times: Option<Sourced<&ProfileTimes>>,
        profile: &SessionProfile,
    ) -> (Sourced<Retransmit>, Option<Arc<Settings>>) {
        let usual = times.map_or(self.retransmit, |times| times.value.retransmit);
        if let Some(seconds) = profile.overrides.timeout {
            let value = with_timeout(usual, seconds);
            let settings = Settings { timing: timing(&value), ..self.settings };
            return (Sourced { value, by: BoundSource::Policy }, Some(Arc::new(settings)));
        }
        let by = times.map_or(BoundSource::Transfer, |times| times.by);
        (Sourced { value: usual, by }, times.map(|times| Arc::clone(&times.value.settings)))
    }
}

/// A value with its source.
#[derive(Clone, Copy)]
struct Sourced<T> {
    value: T,
    by: BoundSource,
}

impl Sourced<u16> {
    fn lower(&mut self, most: Option<u16>, by: BoundSource) {
        if let Some(value) = most.filter(|most| *most < self.value) {
            *self = Sourced { value, by };
        }
    }

    /// Applies the ceiling of a built-in profile, which a configured one replaces.
    fn lower_by_class(&mut self, most: Option<u16>) {
        if !matches!(self.by, BoundSource::Profile(_)) {
            self.lower(most, BoundSource::BuiltIn);
        }
    }
}

/// What the configuration says about a request.
struct Configured<'a> {
    listener: Option<&'a NamedListener>,
    /// The ceilings of configured profiles and of the listener, and of built-in profiles.
    own: Ceilings,
    built_in: Ceilings,
    /// The sources of the ceilings.
    blksize_by: BoundSource,
    windowsize_by: BoundSource,
    rate_by: BoundSource,
    times: Option<Sourced<&'a ProfileTimes>>,
    /// The rate of the first profile with one; `Some(None)` if that is no limit.
    shared: Option<Option<&'a SharedRate>>,
}

impl<'a> Configured<'a> {
    fn add(&mut self, by: BoundSource, ceilings: Ceilings) {
        let all = self.own.or(ceilings);
        if self.own.max_blksize.is_none() && all.max_blksize.is_some() {
            self.blksize_by = by;
        }
        if self.own.max_windowsize.is_none() && all.max_windowsize.is_some() {
            self.windowsize_by = by;
        }
        if self.own.rate.is_none() && all.rate.is_some() {
            self.rate_by = by;
        }
        self.own = all;
    }

    fn add_times(&mut self, by: BoundSource, rules: &'a ProfileRules) {
        self.times = self.times.or(rules.times.as_ref().map(|value| Sourced { value, by }));
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
    let Retransmit { cap, give_up, lockstep_floor, .. } = usual;
    Retransmit { floor: time, initial: time, cap: cap.max(time), give_up: give_up.max(time), lockstep_floor }
}

fn acknowledged(rules: OptionRules) -> Acknowledged {
    OptionName::ALL.into_iter().fold(Acknowledged::default(), |all, option| match rules.of(option) {
        Some(OptionRule::Acknowledge) => all.with(option),
        Some(OptionRule::Refuse) => all.without(option),
        None => all,
    })
}

/// The largest block that fits into one packet.
fn largest_block(client: SocketAddr, mtu: u32) -> u16 {
    let headers = if client.ip().to_canonical().is_ipv4() { HEADERS_V4 } else { HEADERS_V6 };
    mtu.saturating_sub(headers).clamp(MIN_BLKSIZE.into(), MAX_BLKSIZE.into()) as u16
}

#[cfg(test)]
mod tests;
