# Benchmarks: included by the Makefile at the root. bench/README.md says what each is and how to read it.

BENCH_TARGET  := $(or $(CARGO_TARGET_DIR),target)
BENCH_PACKAGES := -p tuffet -p tuffet-load -p tuffet-limit -p tuffet-peers

.PHONY: bench bench-peers bench-limit bench-smoke bench-instructions bench-instructions-update bench-valgrind

## bench: measure Tuffet beside its peers; results and plots in bench/results (half an hour, a quiet machine of two cores)
bench:
	cargo build --locked --release $(BENCH_PACKAGES)
	$(BENCH_TARGET)/release/tuffet-peers --cache $(BENCH_TARGET)/peers --out bench/results $(BENCH)

## bench-peers: fetch and build the peers, and stop there
bench-peers:
	cargo build --locked --release $(BENCH_PACKAGES)
	$(BENCH_TARGET)/release/tuffet-peers --cache $(BENCH_TARGET)/peers --install-only

## bench-limit: what raw UDP on this machine can carry
bench-limit:
	cargo build --locked --release -p tuffet-limit
	$(BENCH_TARGET)/release/tuffet-limit $(LIMIT)

## bench-smoke: every case in small with a peer that is here: shows that it runs and that bytes are right
bench-smoke:
	cargo build --locked $(BENCH_PACKAGES)
	$(BENCH_TARGET)/debug/tuffet-peers --smoke --cache $(BENCH_TARGET)/peers --out $(BENCH_TARGET)/bench-smoke

## bench-instructions: count the instructions of hot functions and compare with bench/instructions.json
bench-instructions: bench-valgrind
	cargo build --locked --release -p tuffet-instructions
	$(BENCH_TARGET)/release/tuffet-instructions check

## bench-instructions-update: count them and keep the counts
bench-instructions-update: bench-valgrind
	cargo build --locked --release -p tuffet-instructions
	$(BENCH_TARGET)/release/tuffet-instructions update

bench-valgrind:
	@command -v valgrind > /dev/null || apt-get install --yes --no-install-recommends valgrind || \
		{ echo 'valgrind is needed: install it, or run this as root on Debian' >&2; exit 1; }
