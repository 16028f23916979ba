//! The random numbers of a plugin without the grant `random`: the same in every instance. They exist because the
//! standard libraries of most languages need some, for hash tables.

use wasmtime_wasi::random::Deterministic;

/// Returns 64 repeating bytes.
pub(crate) fn constant() -> Deterministic {
    let mut state = 0x7475_6666_6574_3031_u64;
    let bytes = std::iter::repeat_with(|| {
        // splitmix64, so that successive bytes look unrelated.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 56) as u8
    });
    Deterministic::new(bytes.take(64).collect())
}
