//! TLS for all outgoing connections: rustls with ring, and the system's roots.

use std::sync::Once;

/// Chooses the cryptography provider of the process; an earlier choice stays.
pub(crate) fn choose_provider() {
    static CHOOSE: Once = Once::new();
    CHOOSE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
