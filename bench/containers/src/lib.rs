//! Nothing but its tests: `make test-containers`.
