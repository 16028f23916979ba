//! Tests of the machines together: a model checker that searches all states of two transfers, and properties of the
//! window. Tests of one module stand beside it; `core/tests` runs seeded simulations through the public interface.

mod model;
mod window;
