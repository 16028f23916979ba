//! Random values from a seed.

use fastrand::Rng;

pub fn one_in(random: &mut Rng, many: u32) -> bool {
    random.u32(0..many) == 0
}

pub fn pick<T: Copy>(random: &mut Rng, of: &[T]) -> T {
    of[random.usize(0..of.len())]
}

/// Draws between `least` and `most`, with small values as likely as large ones.
pub fn logarithmic(random: &mut Rng, least: u64, most: u64) -> u64 {
    let exponent = random.f64() * (most as f64 / least as f64).ln();
    ((least as f64 * exponent.exp()) as u64).clamp(least, most)
}
