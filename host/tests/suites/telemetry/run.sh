#!/bin/sh
# Telemetry against a real OpenTelemetry collector, and examples/observability with it and Prometheus.
#
#   host/tests/suites/telemetry/run.sh TARGET_FOLDER TUFFET CARGO
set -eu
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

if collector=$(sh scripts/tools.sh "$1" collector); then
    collector=$collector/otelcol-test
    # shellcheck disable=SC2086 # several words, such as those of a wrapper
    TUFFET_COLLECTOR=$collector $3 test --locked --workspace --test it telemetry::collector -- --ignored
    python3 host/tests/suites/telemetry/observability.py "$2" "$collector"
else
    skip "the test against an OpenTelemetry collector"
    python3 host/tests/suites/telemetry/observability.py "$2"
fi
