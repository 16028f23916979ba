//! TLS for all outgoing connections: rustls with ring, and the system's roots.

use std::sync::Once;

/// Installs ring as the crypto provider of the process, unless one is installed already.
pub fn choose_provider() {
    static CHOOSE: Once = Once::new();
    CHOOSE.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
