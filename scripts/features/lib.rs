//! Holds no code: the manifest says what this package is for.
