# Benchmarks: included by the Makefile at the root. bench/README.md says what each is and how to read it.

.PHONY: bench bench-peers bench-limit bench-smoke bench-instructions bench-instructions-update bench-valgrind bench-fleet bench-fleet-origins bench-relay

bench: wasm-target ## measure Tuffet beside its peers; results and plots in bench/results (an hour, a quiet machine of two cores)
	$(CARGO) build --locked --release --workspace --bins
	$(TARGET)/release/tuffet-compare peers --cache $(TARGET)/peers --out bench/results $(BENCH)

bench-peers: ## fetch and build the peers, and stop there
	$(CARGO) build --locked --release --workspace --bins
	$(TARGET)/release/tuffet-compare peers --cache $(TARGET)/peers --install-only

bench-limit: ## what raw UDP on this machine can carry
	$(CARGO) build --locked --release --workspace --bins
	$(TARGET)/release/tuffet-micro limit $(LIMIT)

bench-smoke: wasm-target ## every case and every published table in small with a peer that is here: shows that it runs and that bytes are right
	$(CARGO) build --locked --workspace --bins $(WITH_TESTS)
	$(TARGET)/debug/tuffet-compare peers --smoke --cache $(TARGET)/peers --out $(TARGET)/bench-smoke
	$(TARGET)/debug/tuffet-compare published --scale smoke --cache $(TARGET)/peers --out $(TARGET)/bench-smoke
	$(TARGET)/debug/tuffet-compare abuse --smoke --cache $(TARGET)/peers

bench-instructions: bench-valgrind ## count the instructions of hot functions and compare with bench/instructions.json
	$(CARGO) build --locked --release -p tuffet-micro
	$(TARGET)/release/tuffet-micro instructions check

bench-instructions-update: bench-valgrind ## count them and keep the counts
	$(CARGO) build --locked --release -p tuffet-micro
	$(TARGET)/release/tuffet-micro instructions update

bench-valgrind:
	@command -v valgrind > /dev/null || apt-get install --yes --no-install-recommends valgrind || \
		{ echo 'valgrind is needed: install it, or run this as root on Debian' >&2; exit 1; }

.PHONY: bench-k6 test-k6

bench-k6: wasm-target ## boot storm, phones and uploads by k6 with TFTP, which is built where Go is installed; K6='smoke phones' chooses, PEER=in.tftpd compares
	$(CARGO) build --locked --release --workspace --bin tuffet
	@sh bench/k6/bench.sh "$(TARGET)" "$(TARGET)/release/tuffet"

test-k6: binary ## the tests of k6/x/tftp, and its smoke script against Tuffet; needs Go, else it is skipped
	@sh bench/k6/test.sh "$(TARGET)" "$(BIN)/tuffet"

bench-fleet: ## simulate a million clients over 1 to 64 servers: docs/fleet.md, its pictures, bench/results/fleet.json
	$(CARGO) build --locked --release -p tuffet-fleet
	$(TARGET)/release/tuffet-fleet study

bench-fleet-origins: ## simulate cold caches before a store: docs/scale.md, dated results in bench/results (minutes)
	$(CARGO) build --locked --release -p tuffet-fleet
	$(TARGET)/release/tuffet-fleet origins --date "$$(date -u +%F)"

bench-relay: ## what the relay for slow and lossy paths carries beside the direct path, and its CPU s/GB
	$(CARGO) build --locked --release -p tuffet-load
	$(TARGET)/release/tuffet-relay measure

.PHONY: bench-origin

bench-origin: wasm-target ## a cold cache before a web server: 1,000 clients of one file, 10,000 small files; beside it fbtftp as a proxy, without and with a caching nginx (needs nginx)
	$(CARGO) build --locked --release --workspace --bin tuffet --bin tuffet-load
	@sh scripts/packages.sh nginx=nginx-light python3=python3
	@[ -x "$(TARGET)/fbtftp/bin/python" ] || { python3 -m venv "$(TARGET)/fbtftp" && "$(TARGET)/fbtftp/bin/pip" install -q fbtftp==0.5; } || \
		rm -rf "$(TARGET)/fbtftp"
	@python3 bench/origin/bench.py --tuffet "$(TARGET)/release/tuffet" --load "$(TARGET)/release/tuffet-load" --out bench/results \
		$$([ -x "$(TARGET)/fbtftp/bin/python" ] && echo --python "$(TARGET)/fbtftp/bin/python") $(BENCH)

.PHONY: test-containers

test-containers: binary ## the server, clients, a collector and a balancer in containers; as root on Debian it brings its own engine
	$(CARGO) build --locked --profile $(PROFILE) --workspace --bin tuffet --bin tuffet-load $(WITH_TESTS)
	$(CARGO) test --locked --workspace --test containers --no-run
	@sh scripts/test-containers.sh "$(TARGET)" "$(BIN)" "$(CARGO)"

.PHONY: bench-published

bench-published: wasm-target ## tables that others published, on Tuffet beside a peer; PUBLISHED='1 3' chooses, PUBLISHED='2 --scale quick' is shorter
	$(CARGO) build --locked --release --workspace --bins
	$(TARGET)/release/tuffet-compare published --cache $(TARGET)/peers --out bench/results $(PUBLISHED)

.PHONY: soak soak-smoke

SOAK_MINUTES ?= 30

soak: wasm-target ## everything at once for SOAK_MINUTES (30): fails if memory, descriptors or threads grow, or an honest client is let down
	$(CARGO) build --locked --release --workspace --bin tuffet --bin tuffet-load --bin tuffet-compare
	@sh plugins/build.sh "$(TARGET)/guests" tuffet-misbehave
	$(TARGET)/release/tuffet-compare soak --cache $(TARGET)/peers --out bench/results --duration $(SOAK_MINUTES)m \
		--misbehave "$(TARGET)/guests/wasm32-wasip2/guest/tuffet_misbehave.wasm"

soak-smoke: wasm-target ## the same in a minute, with the debug build
	$(CARGO) build --locked --workspace --bins $(WITH_TESTS)
	@sh plugins/build.sh "$(TARGET)/guests" tuffet-misbehave
	$(TARGET)/debug/tuffet-compare soak --cache $(TARGET)/peers --out $(TARGET)/soak --duration 60s --interval 500ms --rate 50 \
		--misbehave "$(TARGET)/guests/wasm32-wasip2/guest/tuffet_misbehave.wasm"

.PHONY: bench-abuse

bench-abuse: wasm-target ## what honest clients see beside floods, slow readers and endless uploads; ABUSE='--peer dnsmasq --kind half-open' chooses
	$(CARGO) build --locked --release --workspace --bins
	$(TARGET)/release/tuffet-compare abuse --cache $(TARGET)/peers --out bench/results $(ABUSE)

.PHONY: bench-multicast

bench-multicast: wasm-target ## 200 clients x 64 MiB over one cable, in a multicast group and each for itself; MULTICAST='50 16' is shorter (needs root)
	$(CARGO) build --locked --release --workspace --bins
	@sh bench/multicast/run.sh $(TARGET)/release $(MULTICAST)

.PHONY: bench-rate

bench-rate: wasm-target ## 100 clients with a rate of 1 MB/s beside 100 without: whether they keep it, and what it costs; BENCH=--smoke is short
	$(CARGO) build --locked --release --workspace --bin tuffet --bin tuffet-load
	@python3 bench/rate/bench.py --tuffet "$(TARGET)/release/tuffet" --load "$(TARGET)/release/tuffet-load" --out bench/results $(BENCH)

.PHONY: bench-neighbour

bench-neighbour: wasm-target ## busy polling beside a process that computes on the same core, and with half a CPU (root: a control group); six minutes; BENCH=--smoke is short
	$(CARGO) build --locked --release --workspace --bin tuffet --bin tuffet-load
	@python3 bench/neighbour/bench.py --tuffet "$(TARGET)/release/tuffet" --load "$(TARGET)/release/tuffet-load" --out bench/results $(BENCH)
