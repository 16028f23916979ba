//! The section `profiles`: what its keys must agree in.

use tuffet_request::settings::{Profile, Retransmit, RetransmitRules};

use super::resolver::Resolver;

impl Resolver<'_> {
    /// Checks profiles. `transfer`: the times that those of a profile are instead of.
    pub(crate) fn profiles(&mut self, profiles: &[Profile], transfer: &Retransmit) {
        for (number, profile) in profiles.iter().enumerate() {
            let at = format!("/profiles/{number}");
            match &profile.name {
                Some(name) if profiles[..number].iter().any(|other| other.name.as_ref() == Some(name)) => {
                    let message = format!("two profiles are named `{name}`; rename one");
                    self.wrong(format!("{at}/name"), message);
                }
                None if profile.total_rate.is_some() => {
                    let message = "a profile with `total-rate` needs a `name`, by which metrics and views show what it uses";
                    self.wrong(format!("{at}/total-rate"), message);
                }
                _ => {}
            }
            if let Some(rules) = &profile.retransmit {
                self.retransmit_of_profile(&format!("{at}/retransmit"), rules, transfer);
            }
        }
    }

    /// Checks the order of the times, if one of the two is written in this profile.
    fn retransmit_of_profile(&mut self, section: &str, rules: &RetransmitRules, transfer: &Retransmit) {
        let Retransmit { floor, initial, cap, give_up, .. } = rules.over(transfer);
        let ordered = [
            ("floor", floor, rules.floor),
            ("initial", initial, rules.initial),
            ("cap", cap, rules.cap),
            ("give-up", give_up, rules.give_up),
        ];
        for &[(low, shorter, low_here), (high, longer, high_here)] in ordered.array_windows() {
            let because = match (low_here, high_here) {
                (None, None) => continue,
                (Some(_), Some(_)) => "",
                (None, Some(_)) | (Some(_), None) => "; missing times come from `transfer.retransmit`",
            };
            self.ascending(section, (low, shorter), (high, longer), because);
        }
    }
}
