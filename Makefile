# The commands of this project; .ci/run calls the same. `make` lists them. The tasks are below scripts/; suites of tests
# and benchmarks are in scripts/suites.txt.

CARGO ?= cargo
# `make run PROFILE=release` serves the quickstart from an optimised build.
PROFILE ?= dev
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
BIN := $(TARGET)/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
# `make install PROFILE=dev` installs the binary of `make run`.
RELEASE := $(if $(filter file,$(origin PROFILE)),release,$(PROFILE))
RELEASE_BIN := $(TARGET)/$(if $(filter dev,$(RELEASE)),debug,$(RELEASE))
# Words for the programs of a suite.
ARGS ?=
# `make -n` prints the commands of a suite.
DRY := $(findstring n,$(firstword -$(MAKEFLAGS)))
export CARGO PROFILE ARGS DRY DESTDIR PREFIX SYSCONFDIR UNITDIR ZSHDIR

.DEFAULT_GOAL := help
.PHONY: help run build install uninstall deb container dist plugins check lint test bench verify fuzz deny sbom pictures tools clean

help: ## list these targets, and the suites of `make test` and `make bench`
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' Makefile | column -t -s '|' 2>/dev/null || sed -nE 's/^([a-z-]+):.*## /  make \1: /p' Makefile
	@for kind in test bench; do echo; echo "make $$kind SUITE='...':"; sh scripts/suite.sh list $$kind; done

run: ## build what is needed, then serve examples/quickstart on 127.0.0.1:6969
	@sh scripts/build.sh binary
	@sh examples/quickstart/run.sh "$(BIN)"

build: ## build the optimised binary, target/release/tuffet; STATIC=x86_64 or aarch64: one file without libraries, with musl
	@sh scripts/build.sh $(if $(STATIC),static "$(STATIC)" "$(RELEASE)",--release --bin tuffet)

install: ## install what `make build` built, with units, man pages and completions (PREFIX, DESTDIR; packaging/install.sh)
	@sh packaging/install.sh install "$(RELEASE_BIN)/tuffet"

uninstall: ## remove what `make install` installed, except the configuration
	@sh packaging/install.sh uninstall

deb: ## make the Debian package target/deb/package/tuffet_*.deb of what `make build` built (PROFILE=dev: of `make run`)
	@. scripts/lib.sh && packages dpkg-buildpackage=dpkg-dev dh=debhelper
	@sh packaging/deb.sh "$(RELEASE_BIN)/tuffet" "$(TARGET)/deb/package"

container: build ## build the image tuffet:latest (IMAGE, BASE); without a container engine, an archive for `docker load`
	@sh scripts/container/archive.sh "$(TARGET)" "$(TARGET)/release/tuffet" "$(or $(IMAGE),tuffet:latest)" "$(BASE)"

dist: ## make what a release page holds, in target/dist: static tarballs, Debian package, images, checksums, SBOM, provenance
	@sh scripts/dist.sh "$(RELEASE)"

plugins: ## build the bundled plugins as components below target/guests
	@sh scripts/build.sh plugins
	sh plugins/build.sh "$(TARGET)/guests"
	@ls -l "$(TARGET)"/guests/wasm32-wasip2/guest/*.wasm

check: ## a minute before each commit: format, clippy, and the unit tests of the crates that were changed (SINCE=main)
	@sh scripts/build.sh plugins
	@sh scripts/check.sh "$(CARGO)" $(SINCE)

lint: ## check formatting, lints, public interfaces, layers, links, make targets, scripts, systemd units, licences and sources of dependencies
	@sh scripts/lint.sh

test: ## run every test, or the suites SUITE; installs what they need where it can; ends with what was skipped and slow
	+@sh scripts/suite.sh test $(SUITE)

bench: ## measure Tuffet beside its peers, or run the benchmarks SUITE; ARGS has words for them
	+@sh scripts/suite.sh bench $(SUITE)

verify: ## before a release: everything that CI leaves out, an hour or two, with a table at the end (root on Debian)
	+@bash scripts/steps.sh --all verify @verify deny

FUZZ ?= packet negotiation transfer leases

fuzz: ## fuzz FUZZ (packet negotiation transfer leases config manifest request) for FUZZ_SECONDS (600) each; KEEP=1 packs their corpora
	@. scripts/lib.sh && packages c++=g++
	@sh scripts/fuzz.sh $(if $(KEEP),keep,run $(or $(FUZZ_SECONDS),600)) $(FUZZ)

deny: ## check licences, bans, sources and advisories of all dependencies with cargo-deny
	@sh scripts/lint/deny.sh

sbom: ## write target/sbom.cdx.json, the list of all components as CycloneDX
	@python3 scripts/lint/supply.py sbom "$(TARGET)/sbom.cdx.json"

pictures: ## redraw the pictures of the documentation (python3, Chromium)
	@sh scripts/build.sh binary
	@. scripts/lib.sh && packages chromium=chromium chromedriver=chromium-driver
	python3 scripts/pictures/quickstart.py "$(BIN)" docs/pictures/quickstart.svg
	python3 scripts/pictures/architecture.py docs/pictures/architecture.svg
	python3 scripts/pictures/chain.py docs/pictures/chain.svg
	python3 scripts/pictures/tid_ports.py docs/pictures/tid-ports.svg
	python3 scripts/pictures/live_view.py "$(BIN)/tuffet" docs/pictures

tools: ## fetch and build beforehand what suites of CI otherwise fetch and build when they need it
	@sh scripts/suite.sh tools ci

clean: ## remove all build output
	$(CARGO) clean
