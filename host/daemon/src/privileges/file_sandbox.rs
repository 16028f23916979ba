//! Landlock: the kernel restricts which files this process can open. Open files stay usable.

use super::allowed_paths::AllowedPaths;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, PathBeneath, RestrictSelf,
    Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
};

/// Why Landlock is not in force.
pub(super) struct NotEnforced(pub(super) String);

/// Restricts the calling thread and its future threads; returns the number of rules.
pub(super) fn restrict(allowed: AllowedPaths) -> Result<usize, NotEnforced> {
    if let Err(why) = landlock_here() {
        return Err(NotEnforced(why));
    }
    let refused = |error: landlock::RulesetError| NotEnforced(error.to_string());
    let rules = allowed.rules.len();
    let created = || -> Result<_, landlock::RulesetError> {
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(ABI::V7))?
            // No TCP port is bound after the start.
            .handle_access(AccessNet::BindTcp)?
            .scope(Scope::Signal)?;
        // The notification socket of systemd may be an abstract one.
        let notified = std::env::var_os("NOTIFY_SOCKET").unwrap_or_default();
        if !notified.as_encoded_bytes().starts_with(b"@") {
            ruleset = ruleset.scope(Scope::AbstractUnixSocket)?;
        }
        let mut created = ruleset.create()?;
        for (path, access) in allowed.rules {
            created = created.add_rule(PathBeneath::new(path, access))?;
        }
        created.restrict_self()
    };
    created().map(|_| rules).map_err(refused)
}

/// Returns the Landlock version of this kernel, or why it has none.
pub fn landlock_here() -> Result<i32, String> {
    // A query: without flags it changes nothing.
    let status = RestrictSelf::default().no_new_privs(false).apply().map_err(|error| error.to_string())?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            Ok(kernel_abi.unwrap_or(effective_abi as i32))
        }
        LandlockStatus::NotEnabled => {
            Err("it is not among the security modules that this kernel starts with (`lsm=`)".into())
        }
        LandlockStatus::NotImplemented => Err("this kernel is built without it (Linux 5.13 has it)".into()),
    }
}
