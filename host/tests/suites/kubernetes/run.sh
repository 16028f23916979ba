#!/bin/sh
# Tests the chart of packaging/helm with helm 3 and helm 4: helm lint, the schemas of Kubernetes offline, values that
# must be refused, the rendered configuration with the server itself, and the commands of
# examples/kubernetes/README.md. With --server it also installs, upgrades and removes the chart in a kube-apiserver that
# it starts (root is not needed).
#
#   host/tests/suites/kubernetes/run.sh TARGET_FOLDER TUFFET [--server]
set -eu
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

target=$(cd "$1" && pwd) tuffet=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=host/tests/suites/kubernetes
tools=$(sh $here/tools.sh "$target" "${3-}") && built=0 || built=$?
case $built in
0) ;;
69) skip "the tests of the Helm chart: there is no Go 1.26"; exit 0 ;;
*) exit 1 ;;
esac
chart=packaging/helm/tuffet
work=$(mktemp -d)
trap 'sh "$work/end" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# Nothing of who runs this.
export HOME="$work" HELM_NO_PLUGINS=1
# `helm` is the one that was named last.
use() {
    version=$1 helm=$tools/$1
}
helm() {
    "$helm" "$@"
}
fail() {
    echo "the chart: $1" >&2
    exit 1
}

# 1. What is rendered is what Kubernetes knows, with the defaults and with each example, and does not depend on helm.
conforms() {
    "$tools/kubeconform" -strict -summary -schema-location \
        "$tools/schemas/{{.ResourceKind}}_{{.Group}}_{{.ResourceAPIVersion}}.json" "$1"
}
: >"$work/default.values"
for example in examples/kubernetes/*.yaml; do
    cp "$example" "$work/$(basename "$example" .yaml).values"
done
for values in "$work"/*.values; do
    name=$(basename "$values" .values)
    for version in helm3 helm; do
        use "$version"
        helm lint --strict --quiet "$chart" --values "$values" || fail "$name: $version lint"
        helm template "$name" "$chart" --namespace boot --values "$values" >"$work/$name.$version" || fail "$name: $version"
    done
    # Each makes up a token.
    for version in helm3 helm; do
        sed 's/^  token: .*/  token:/' "$work/$name.$version" >"$work/$version.compared"
    done
    diff -B "$work/helm3.compared" "$work/helm.compared" >&2 || fail "$name: helm 3 renders something else than helm 4"
    mv "$work/$name.helm" "$work/$name.yaml"
    conforms "$work/$name.yaml" >"$work/conforms" || { cat "$work/conforms" >&2; fail "$name: not what Kubernetes knows"; }
    echo "$name: $(sed 's/^Summary: //' "$work/conforms")"
done
# The schemas refuse what they should.
sed 's/terminationGracePeriodSeconds/terminationGracePeriodsSeconds/' "$work/default.yaml" >"$work/misspelt.yaml"
! conforms "$work/misspelt.yaml" >/dev/null || fail "a misspelt key passed"

# 2. Values that must be refused, and words that the refusal must have.
refused() {
    words=$1
    shift
    if helm template bad "$chart" "$@" >"$work/out" 2>&1; then fail "$version: accepted: $*"; fi
    grep -qi -e "$words" "$work/out" || { cat "$work/out" >&2; fail "$version: $* is not refused for \`$words\`"; }
}
for version in helm3 helm; do
    use "$version"
    refused replicsa --set replicsa=3
    refused mode --set mode=bridge
    refused "drain" --set config.drain=1s
    refused "listeners" --set-json 'config.listeners=[]'
    refused "url\|oneOf" --set-json 'roots=[{"name":"a","path":"/a","url":"s3://b"}]'
    refused "pattern\|name" --set-json 'roots=[{"name":"A b","path":"/a"}]'
    refused "readinessExcludes" --set-json 'admin.readinessExcludes=["reloads"]'
    refused "parentRefs names the Gateway" --set udpRoute.enabled=true
    refused "needs .mode: service" --set mode=host --set networkPolicy.enabled=true
    refused "needs .mode: service" --set mode=host --set udpRoute.enabled=true
done

# 3. The server accepts the configuration, and the probes of the pod mean what they should.
configuration_of() {
    sed -n '/^  tuffet.yaml: |/,/^---/{/^    /s/^    //p}' "$1"
}
export TUFFET_ADMIN_TOKEN=0123456789abcdef
mkdir -p "$work/srv/tftp" "$work/srv/incoming" "$work/cache"
user=$(id -u)
"$tuffet" schema >"$work/schema.json"
for rendered in default service host gateway; do
    configuration_of "$work/$rendered.yaml" |
        sed -e "s|/srv/|$work/srv/|" -e "s|/var/cache/|$work/cache/|" -e '/^privileges:/,/^  user:/d' >"$work/$rendered.tuffet.yaml"
    if grep -q ' url: ' "$work/$rendered.tuffet.yaml" && ! grep -q '"negative"' "$work/schema.json"; then
        skip "the configuration of examples/kubernetes/$rendered.yaml: this server has no roots with \`url\`"
        continue
    fi
    AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b "$tuffet" check --user "$user" "$work/$rendered.tuffet.yaml" >"$work/check" 2>&1 ||
        { cat "$work/check" >&2; fail "$rendered: tuffet check"; }
done

# Both families, and a server that watches its ConfigMap.
helm template both "$chart" --set onConfigChange=watch --set-json 'addresses=["0.0.0.0","::"]' >"$work/both.yaml"
conforms "$work/both.yaml" >"$work/conforms" || { cat "$work/conforms" >&2; fail "two addresses: not what Kubernetes knows"; }
configuration_of "$work/both.yaml" | sed "s|/srv/|$work/srv/|" >"$work/both.tuffet.yaml"
"$tuffet" check --user "$user" "$work/both.tuffet.yaml" >"$work/check" 2>&1 || { cat "$work/check" >&2; fail "two addresses: tuffet check"; }
grep -q -e '- --watch$' "$work/both.yaml" || fail "the server does not watch its ConfigMap"
"$tuffet" serve --help | grep -q -e '--watch' || skip "\`onConfigChange: watch\` of the chart: this server does not watch"

probe=$(sed -n 's/^ *path: \(\/readyz.*\)$/\1/p' "$work/default.yaml")
[ -n "$probe" ] || fail "the readiness probe is not found"
if command -v unshare >/dev/null && unshare --net --map-root-user true 2>/dev/null; then
    TUFFET=$tuffet WORK=$work PROBE=$probe unshare --net --map-root-user sh $here/probes.sh ||
        fail "the probes"
else
    skip "the probes of the chart: no network namespace can be made"
fi
# Port 69 with the capabilities that the chart asks for, and none of them afterwards.
added=$(sed -n 's/^ *add: \[\(.*\)\]$/\1/p' "$work/host.yaml" | tr '[:upper:]' '[:lower:]' | sed 's/^/+/; s/, */,+/g')
if [ "$user" = 0 ] && unshare --net setpriv --bounding-set "-all,$added" true 2>/dev/null; then
    TUFFET=$tuffet WORK=$work ADDED=$added unshare --net sh $here/host.sh || fail "mode host"
else
    skip "port 69 with the capabilities of the chart: only root tests it"
fi

# 4. The commands of the README.
sed -n 's/^helm install \([^#]*\).*/\1/p' examples/kubernetes/README.md >"$work/commands"
[ -s "$work/commands" ] || fail "the README has no command"
while read -r words; do
    for version in helm3 helm; do
        use "$version"
        # shellcheck disable=SC2086 # the words of a command
        helm template $words >/dev/null || fail "the README's command: $version install $words"
    done
done <"$work/commands"

[ "${3-}" = --server ] || { echo "the chart is good"; exit 0; }
for version in helm3 helm; do
    echo "with $version:"
    HELM=$tools/$version TOOLS=$tools WORK=$work sh $here/apiserver.sh
done
