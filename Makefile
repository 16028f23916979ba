# The commands of this project; .ci/run calls the same. `make` lists them.

CARGO ?= cargo
# `make run PROFILE=release` serves the quickstart from an optimised build.
PROFILE ?= dev
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
BIN := $(TARGET)/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
# `--examples` makes cargo build programs with the features that tests have: where both are built, as in .ci/run, their
# dependencies are then compiled once.
WITH_TESTS ?=
SKIPPED := $(TARGET)/skipped.txt

# COMMAND=PACKAGE, for scripts/packages.sh.
TEST_PACKAGES := curl=curl atftp=atftp tftp=tftp-hpa busybox=busybox ip=iproute2 iptables=iptables python3=python3 node=nodejs \
	npm=npm nats-server=nats-server docker-registry=docker-registry openssl=openssl faketime=faketime strace=strace mandoc=mandoc \
	man=man-db zsh=zsh fish=fish
C_PACKAGES := clang-19=clang-19 wasm-ld-19=lld-19 /usr/lib/wasm32-wasi/libc.a=wasi-libc \
	/usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a=libclang-rt-19-dev-wasm32
SYSTEMD_PACKAGES := systemctl=systemd curl=curl
DEB_PACKAGES := dpkg-buildpackage=dpkg-dev dh=debhelper lintian=lintian mmdebstrap=mmdebstrap ip=iproute2
BROWSER_PACKAGES := python3=python3 chromium=chromium chromedriver=chromium-driver
ORIGIN_PACKAGES := nginx=nginx-light openssl=openssl node=nodejs npm=npm
BOOT_PACKAGES := python3=python3 qemu-system-x86_64=qemu-system-x86 qemu-system-aarch64=qemu-system-arm \
	/usr/lib/u-boot/qemu_arm64/u-boot.bin=u-boot-qemu /usr/lib/ipxe/qemu/efi-virtio.rom=ipxe-qemu \
	/usr/share/seabios/bios-256k.bin=seabios dnsmasq=dnsmasq-base tcpdump=tcpdump ip=iproute2 nft=nftables \
	/lib/x86_64-linux-gnu/libdevmapper.so.1.02.1=libdevmapper1.02.1
ADDRESS_PACKAGES := python3=python3 curl=curl atftp=atftp keepalived=keepalived bird=bird2 nft=nftables \
	conntrack=conntrack ip=iproute2

.DEFAULT_GOAL := help

include bench/bench.mk

.PHONY: help check verify tools test-sdks test-unit test-it run build install uninstall deb static static-aarch64 container test test-install test-deb check-migrate test-static test-arm test-systemd test-firmware test-boot test-boot-smoke test-helm test-kube-apiserver test-addresses test-addresses-smoke addresses bench-pressure test-live-view test-editor test-python test-js test-go test-c simulate fuzz fuzz-smoke fuzz-keep model lint deny sbom plugins pictures check-examples check-wit-package check-plugin-guide test-telemetry test-origins clean wasm-target binary

help: ## list these targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
		|| sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1: \2/p' $(MAKEFILE_LIST)

run: binary ## build what is needed, then serve examples/quickstart on 127.0.0.1:6969
	@sh scripts/quickstart.sh "$(BIN)"

build: wasm-target ## build the optimised binary, target/release/tuffet
	$(CARGO) build --locked --release --bin tuffet

# `make install PROFILE=dev` installs the binary of `make run`.
RELEASE := $(if $(filter file,$(origin PROFILE)),release,$(PROFILE))
RELEASE_BIN := $(TARGET)/$(if $(filter dev,$(RELEASE)),debug,$(RELEASE))
export DESTDIR PREFIX SYSCONFDIR UNITDIR ZSHDIR

install: ## install what `make build` built, with units, man pages and completions (PREFIX, DESTDIR; packaging/install.sh)
	@sh packaging/install.sh install "$(RELEASE_BIN)/tuffet"

uninstall: ## remove what `make install` installed, except the configuration
	@sh packaging/install.sh uninstall

deb: ## make the Debian package target/deb/package/tuffet_*.deb of what `make build` built (PROFILE=dev: of `make run`)
	@sh scripts/packages.sh dpkg-buildpackage=dpkg-dev dh=debhelper
	@sh packaging/deb.sh "$(RELEASE_BIN)/tuffet" "$(TARGET)/deb/package"

static: wasm-target ## build a static binary for x86_64 with musl, target/x86_64-unknown-linux-musl/release/tuffet
	@sh scripts/static.sh x86_64 "$(RELEASE)" "$(CARGO)"

static-aarch64: wasm-target ## cross-build a static binary for aarch64, target/aarch64-unknown-linux-musl/release/tuffet
	@sh scripts/static.sh aarch64 "$(RELEASE)" "$(CARGO)"

# Most tests wait for time-outs and processes half of their time.
TEST_THREADS ?= $(shell echo $$(( $$(nproc) * 3 / 2 )))
# A test that took longer, in seconds, is named.
SLOW_TEST := 10
TIMES := $(TARGET)/times.txt
RUST_TESTS = RUST_TEST_THREADS="$(TEST_THREADS)" TUFFET_SKIPPED="$(SKIPPED)" TUFFET_TEST_TIMES="$(TIMES)" \
	TUFFET_PYTHON_GUESTS="$(TARGET)/python" TUFFET_JS_GUESTS="$(TARGET)/js" TUFFET_GO_GUESTS="$(TARGET)/go" \
	TUFFET_C_GUESTS="$(TARGET)/c" TUFFET_PEERS="$(TARGET)/peers" PATH="$$PATH:$(TARGET)/peers/tftpd-hpa/usr/sbin" \
	$(CARGO) test --locked --workspace

test: binary ## run every test; installs the clients that it needs where it can; ends with what it skipped and how long each group took
	@sh scripts/packages.sh $(TEST_PACKAGES) $(C_PACKAGES)
	@rm -f "$(SKIPPED)" "$(TIMES)"
	@bash scripts/steps.sh test test-sdks test-unit test-it check-examples test-install check-plugin-guide
	@if [ -s "$(SKIPPED)" ]; then echo; echo "skipped:"; sort -u "$(SKIPPED)" | sed 's/^/  /'; \
		else echo; echo "nothing was skipped"; fi
	@[ ! -f "$(TIMES)" ] || sort -rn "$(TIMES)" | awk -F '\t' '$$1 >= $(SLOW_TEST) { printf "slow: %s, %d s\n", $$2, $$1 }'

tools: ## fetch and build beforehand what the targets of CI otherwise fetch and build when they need it: packages, and tools written in Go
	@sh scripts/packages.sh $(SYSTEMD_PACKAGES) $(DEB_PACKAGES) $(BOOT_PACKAGES) $(BROWSER_PACKAGES) $(ORIGIN_PACKAGES) $(ADDRESS_PACKAGES) valgrind=valgrind
	-@TARGET_DIR="$(TARGET)" sh scripts/fuzz.sh install
	-@sh scripts/collector.sh "$(TARGET)"
	-@sh scripts/s3-servers.sh "$(TARGET)"
	-@sh bench/k6/build.sh "$(TARGET)"
	-@sh scripts/kubernetes.sh "$(TARGET)"

# The groups of `make test`, in their order. The SDKs: their own tests, and the guests that other tests need.
test-sdks: binary
	@sh scripts/peers.sh "$(TARGET)/peers"
	@TUFFET_SKIPPED="$(SKIPPED)" sh scripts/python-guests.sh "$(TARGET)/python"
	@TUFFET_SKIPPED="$(SKIPPED)" sh scripts/js-guests.sh "$(TARGET)/js" "$(BIN)/tuffet"
	@TUFFET_SKIPPED="$(SKIPPED)" sh scripts/go-guests.sh "$(BIN)/tuffet" "$(TARGET)/go"
	@TUFFET_SKIPPED="$(SKIPPED)" sh scripts/c-guests.sh "$(BIN)/tuffet" "$(TARGET)/c"

# All but `it`, and those in containers.
TEST_TARGETS = $(filter-out it containers,$(notdir $(patsubst %/main.rs,%,$(wildcard */tests/*/main.rs */*/tests/*/main.rs)) \
	$(basename $(wildcard */tests/*.rs */*/tests/*.rs))))

# Compiles the tests of all groups.
test-unit: wasm-target
	$(CARGO) test --locked --workspace --no-run
	$(RUST_TESTS) --lib --bins --examples $(addprefix --test ,$(TEST_TARGETS))
	$(RUST_TESTS) --doc

test-it: binary
	$(RUST_TESTS) --test it

test-python: binary ## run the tests of the Python SDK, and of the plugin interface in each language
	@sh scripts/packages.sh python3=python3
	@sh scripts/python-guests.sh "$(TARGET)/python"
	TUFFET_PYTHON_GUESTS="$(TARGET)/python" $(CARGO) test --locked --workspace --test it languages

test-js: binary ## run the tests of the JavaScript SDK, and of the plugin interface in each language
	@sh scripts/packages.sh node=nodejs npm=npm
	@sh scripts/js-guests.sh "$(TARGET)/js" "$(BIN)/tuffet"
	TUFFET_JS_GUESTS="$(TARGET)/js" $(CARGO) test --locked --workspace --test it languages

test-go: binary ## run the tests of the Go SDK, and of the plugin interface in each language
	@sh scripts/go-guests.sh "$(BIN)/tuffet" "$(TARGET)/go"
	TUFFET_GO_GUESTS="$(TARGET)/go" $(CARGO) test --locked --workspace --test it languages

test-c: binary ## run the tests of the C SDK, and of the plugin interface in each language
	@sh scripts/packages.sh $(C_PACKAGES)
	@sh scripts/c-guests.sh "$(BIN)/tuffet" "$(TARGET)/c"
	TUFFET_C_GUESTS="$(TARGET)/c" $(CARGO) test --locked --workspace --test it languages

simulate: ## simulate transfers and the worker with SEEDS seeds from FIRST_SEED on (minutes)
	TUFFET_SEEDS=$(or $(SEEDS),1000000) TUFFET_FIRST_SEED=$(or $(FIRST_SEED),0) \
		nice -n 19 $(CARGO) test --locked -p tuffet-core --test simulation seeds
	TUFFET_SEEDS=$$(( $(or $(SEEDS),1000000) / 100 + 1 )) TUFFET_FIRST_SEED=$(or $(FIRST_SEED),0) \
		nice -n 19 $(CARGO) test --locked --workspace --lib worker::simulation

test-telemetry: binary ## test telemetry against a real OpenTelemetry collector and Prometheus (needs Go and prometheus)
	@if collector=$$(sh scripts/collector.sh "$(TARGET)"); then \
		TUFFET_COLLECTOR="$$collector" $(CARGO) test --locked --workspace --test it telemetry::collector -- --ignored && \
		python3 scripts/check-observability.py "$(BIN)/tuffet" "$$collector"; \
	else echo "skipped: the test against an OpenTelemetry collector"; \
		python3 scripts/check-observability.py "$(BIN)/tuffet"; fi

test-origins: wasm-target ## test roots in object stores and on web servers: versitygw, gofakes3, fake-gcs-server (built with Go), Azurite (npm) and nginx
	@sh scripts/packages.sh $(ORIGIN_PACKAGES)
	@servers=$$(sh scripts/s3-servers.sh "$(TARGET)") && \
		PATH="$$PATH:/usr/sbin$${servers:+:$$servers}" $(CARGO) test --locked --workspace --test servers

test-cosign: wasm-target ## test signatures of plugins with cosign itself, built with Go once (5 minutes); TUFFET_BLESS=1 records them anew
	@sh scripts/packages.sh docker-registry=docker-registry openssl=openssl
	@if cosign=$$(sh scripts/cosign.sh "$(TARGET)"); then \
		TUFFET_COSIGN="$$cosign" $(CARGO) test --locked --workspace --test it registry::cosign -- --include-ignored; \
	else echo "skipped: the tests with cosign"; fi

lint: wasm-target ## check formatting, lints, layers, links, shell scripts, systemd units, licences and sources of dependencies
	$(CARGO) fmt --all --check
	@for fuzz in core/fuzz host/fuzz; do $(CARGO) fmt --manifest-path $$fuzz/Cargo.toml --check || exit 1; done
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	@sh scripts/check-unsafe.sh
	@sh scripts/check-aarch64.sh "$(TARGET)" "$(CARGO)"
	@sh scripts/sdk-bindings.sh "$(TARGET)" --check
	@sh scripts/c-bindings.sh --check
	@sh scripts/check-links.sh
	@sh scripts/check-systemd.sh
	@if command -v python3 >/dev/null; then python3 scripts/check-layers.py && python3 scripts/supply.py check; \
		else echo "python3 is not installed: layers, licences and sources were not checked" >&2; fi
	@if command -v shellcheck >/dev/null; then shellcheck .ci/run plugins/build.sh scripts/*.sh scripts/kubernetes/*.sh scripts/systemd/*.sh packaging/*.sh bench/k6/*.sh bench/multicast/*.sh; \
		else echo "shellcheck is not installed: the scripts were not checked" >&2; fi

FUZZ ?= packet negotiation transfer leases
FUZZ_SECONDS ?= 600

fuzz: ## run the fuzz targets FUZZ (packet negotiation transfer leases config manifest) for FUZZ_SECONDS each; see docs/fuzzing.md
	@sh scripts/packages.sh c++=g++
	@TARGET_DIR="$(TARGET)" sh scripts/fuzz.sh run $(FUZZ_SECONDS) $(FUZZ)

fuzz-smoke: ## run the fuzz targets of the core and of lease files from their corpora for half a minute, all at once
	@sh scripts/packages.sh c++=g++
	@TARGET_DIR="$(TARGET)" sh scripts/fuzz.sh run 30 packet negotiation transfer leases

fuzz-keep: ## minimise the corpora of FUZZ and pack them for the repository
	@TARGET_DIR="$(TARGET)" sh scripts/fuzz.sh keep $(FUZZ)

model: ## check all interleavings of a transfer, within larger bounds than `make test` (minutes)
	$(CARGO) test --locked -p tuffet-core --lib model:: -- --include-ignored --nocapture

deny: ## check licences, bans, sources and advisories of all dependencies with cargo-deny
	@sh scripts/deny.sh

sbom: ## write target/sbom.cdx.json, the list of all components as CycloneDX
	@python3 scripts/supply.py sbom "$(TARGET)/sbom.cdx.json"

container: build ## build the image tuffet:latest (IMAGE, BASE); without a container engine, an archive for `docker load`
	@sh scripts/container.sh "$(TARGET)" "$(TARGET)/release/tuffet" "$(or $(IMAGE),tuffet:latest)" "$(BASE)"

plugins: wasm-target ## build the bundled plugins as components below target/guests
	sh plugins/build.sh "$(TARGET)/guests"
	@ls -l "$(TARGET)"/guests/wasm32-wasip2/guest/*.wasm

check: wasm-target ## a minute before each commit: format, clippy, and the unit tests of the crates that were changed
	@sh scripts/check.sh "$(CARGO)" $(SINCE)

# What guards rare ground, or takes long.
VERIFY := check-wit-package check-migrate test-cosign test-static test-arm test-firmware test-boot test-kube-apiserver test-addresses deny model

verify: ## before a release: everything that CI leaves out, an hour or two, with a table at the end (root on Debian)
	@bash scripts/steps.sh --all verify $(VERIFY)

test-install: binary ## test `make install` and `make uninstall` in a folder
	@sh scripts/test-install.sh "$(BIN)/tuffet"

test-systemd: binary ## test the units of examples/systemd under a real systemd, in namespaces (root)
	@sh scripts/packages.sh $(SYSTEMD_PACKAGES)
	@sh scripts/test-systemd.sh "$(BIN)/tuffet"

test-static: wasm-target ## build both static binaries in the dev profile and serve with each, aarch64 through QEMU (20 minutes)
	@sh scripts/static.sh x86_64 "$(PROFILE)" "$(CARGO)"
	@sh scripts/test-static.sh "$(TARGET)/x86_64-unknown-linux-musl/$(notdir $(BIN))/tuffet" x86_64
	@sh scripts/static.sh aarch64 "$(PROFILE)" "$(CARGO)"
	@sh scripts/test-static.sh "$(TARGET)/aarch64-unknown-linux-musl/$(notdir $(BIN))/tuffet" aarch64

test-arm: wasm-target ## boot Linux for ARM in QEMU and serve there, behind its seccomp and Landlock, with the static binary (10 minutes)
	@sh scripts/static.sh aarch64 "$(PROFILE)" "$(CARGO)"
	@sh scripts/test-arm.sh "$(TARGET)/aarch64-unknown-linux-musl/$(notdir $(BIN))/tuffet" "$(TARGET)/arm"

test-deb: binary ## install, upgrade, remove and purge the Debian package in a clean system under a real systemd (root)
	@sh scripts/packages.sh $(DEB_PACKAGES)
	@sh scripts/test-deb.sh "$(BIN)/tuffet" "$(TARGET)/deb"

check-migrate: binary ## follow the guides of docs/migrate in a clean system under a real systemd, there and back (root); GUIDES=atftpd selects
	@sh scripts/packages.sh dpkg-buildpackage=dpkg-dev dh=debhelper mmdebstrap=mmdebstrap ip=iproute2
	@sh scripts/check-migrate.sh "$(BIN)/tuffet" "$(TARGET)/migrate" $(GUIDES)

test-firmware: binary ## load 40 MB with U-Boot in QEMU while it is paused and packets are lost (root, minutes); FIRMWARE='--case stops' selects
	@sh scripts/packages.sh python3=python3 qemu-system-aarch64=qemu-system-arm ip=iproute2 nft=nftables \
		/usr/lib/u-boot/qemu_arm64/u-boot.bin=u-boot-qemu
	@python3 scripts/test-firmware.py "$(BIN)/tuffet" $(FIRMWARE)

test-boot: binary ## boot iPXE, PXELINUX, UEFI (also over IPv6), GRUB, shim and U-Boot in QEMU, without and with loss (root, minutes); BOOT='--case grub' selects
	@sh scripts/packages.sh $(BOOT_PACKAGES)
	@sh scripts/boot-packages.sh "$(TARGET)/boot-packages"
	@python3 scripts/test-boot.py "$(BIN)/tuffet" "$(TARGET)/boot-packages" $(BOOT)

test-boot-smoke: binary ## the two fastest of test-boot on a good path, as CI does: U-Boot, and an iPXE ROM
	@sh scripts/packages.sh $(BOOT_PACKAGES)
	@sh scripts/boot-packages.sh "$(TARGET)/boot-packages" boot/vmlinuz
	@python3 scripts/test-boot.py "$(BIN)/tuffet" "$(TARGET)/boot-packages" --case u-boot --case ipxe --loss 0

test-helm: binary ## test the Helm chart without a cluster, with Helm 3 and 4: lint, the schemas of Kubernetes, the server with its configuration; needs Go
	@sh scripts/packages.sh curl=curl ip=iproute2
	@sh scripts/test-helm.sh "$(TARGET)" "$(BIN)/tuffet"

test-kube-apiserver: binary ## test-helm, and install, upgrade and remove the chart in a kube-apiserver with etcd, built once (10 minutes)
	@sh scripts/packages.sh curl=curl ip=iproute2 openssl=openssl
	@sh scripts/test-helm.sh "$(TARGET)" "$(BIN)/tuffet" --server

test-addresses: addresses ## addresses move between two servers under 200 clients, by keepalived, bird and nftables (root, 2 minutes); ADDRESSES='--case vrrp-crash' selects
	@python3 scripts/test-addresses.py "$(BIN)" $(ADDRESSES)

test-addresses-smoke: addresses ## the planned moves of test-addresses, as CI does
	@python3 scripts/test-addresses.py "$(BIN)" --case vrrp-planned --case anycast-withdrawn-last --case kube-proxy-flows-kept

addresses: binary
	@sh scripts/packages.sh $(ADDRESS_PACKAGES)
	$(CARGO) build --locked --profile $(PROFILE) --workspace --bin tuffet --bin tuffet-load $(WITH_TESTS)

bench-pressure: binary ## count the clean transfers that see a block twice beside a busy process on each core (a minute)
	$(CARGO) test --locked --workspace --test it loss::pressure -- --ignored --nocapture

test-live-view: binary ## test the web page in a headless browser; installs Chromium where it can
	@sh scripts/packages.sh $(BROWSER_PACKAGES)
	@if command -v chromedriver >/dev/null; then python3 scripts/live-view/check.py "$(BIN)/tuffet"; \
		else echo "skipped: there is no Chromium, so the web page was not tested"; fi

test-editor: binary ## what the YAML language server of VS Code and vim makes of the schema; needs node and npm
	@python3 scripts/check-editor.py "$(BIN)/tuffet" "$(TARGET)/editor"

pictures: binary ## redraw the pictures of the documentation (python3, Chromium)
	python3 scripts/pictures/quickstart.py "$(BIN)" docs/pictures/quickstart.svg
	python3 scripts/pictures/architecture.py docs/pictures/architecture.svg
	@sh scripts/packages.sh chromium=chromium chromedriver=chromium-driver
	python3 scripts/live-view/pictures.py "$(BIN)/tuffet" docs/pictures

check-wit-package: wasm-target ## push the interface of plugins to a registry, fetch it with wkg, and build a plugin in Rust from it alone
	@sh scripts/check-wit-package.sh "$(TARGET)"

check-examples: binary ## check that every example is a valid configuration, and build and test the example plugins
	@sh scripts/check-examples.sh "$(BIN)"

check-plugin-guide: binary ## run docs/plugins.md, the pages for Go and C and the one without an SDK as they are written, and print how long it took
	@sh scripts/check-plugin-guide.sh "$(BIN)"
	@sh scripts/check-plugin-guide.sh "$(BIN)" docs/plugins-go.md
	@sh scripts/check-plugin-guide.sh "$(BIN)" docs/plugins-c.md
	@sh scripts/check-plugin-guide.sh "$(BIN)" docs/plugins-without-sdk.md

clean: ## remove all build output
	$(CARGO) clean

# The whole workspace decides on the features of dependencies, as it does for `make test`: otherwise the
# Wasm runtime would be compiled twice. The bundled plugins are built beside it, since the crate that embeds
# them comes almost last.
binary: wasm-target
	@[ -n "$$TUFFET_GUESTS" ] || sh plugins/build.sh "$(TARGET)/guests" >/dev/null 2>&1 & \
		set -x; $(CARGO) build --locked --profile $(PROFILE) --workspace --bin tuffet $(WITH_TESTS)

wasm-target:
	@sh scripts/wasm-target.sh
