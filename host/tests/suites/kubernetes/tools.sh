#!/bin/sh
# Builds helm 4, helm 3 as helm3, and kubeconform, and makes the schemas that kubeconform compares with, once; prints their folder. With
# --server also kube-apiserver and etcd, which takes many minutes. Needs Go 1.26; without it prints nothing and ends
# with 69.
#
#   host/tests/suites/kubernetes/tools.sh TARGET_FOLDER [--server]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../../../../scripts/lib.sh"
# Their definitions come as modules, too. They are data, so that no other module depends on their versions.
gateway=sigs.k8s.io/gateway-api@v1.6.3
prometheus=github.com/prometheus-operator/prometheus-operator@v0.85.0
# Not a module of go.mod: both versions of helm would have to agree on all others.
helm3=helm.sh/helm/v3/cmd/helm@v3.22.0

PATH=$PATH:/usr/local/go/bin
installed go || { echo "no Go, so no helm: install Go 1.26 or later" >&2; exit 69; }
export GOFLAGS="-mod=mod -trimpath"
digest=$(cat "$here/tools.sh" "$here/go.mod" "$here/schemas/main.go" | sha256sum | cut -c1-12)
lock "$1/kubernetes"
made=$tools/$digest
if ! go list -C "$here" -m >/dev/null 2>&1; then
    echo "no helm: $(cd "$here" && go version) does not build it" >&2
    exit 69
fi

make_here() {
    begin
    cp -r "$here/." "$work/src"
}
folder_of() {
    again go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'
}

if [ ! -d "$made" ]; then
    make_here
    (
        cd "$work/src"
        again go build -ldflags='-s -w' -o "$work/out/" github.com/yannh/kubeconform/cmd/kubeconform helm.sh/helm/v4/cmd/helm
        kubernetes=$(folder_of k8s.io/kubernetes@"$(go list -m -f '{{.Version}}' k8s.io/kubernetes)")
        # As its releases are built: the version of Kubernetes that charts are rendered for.
        minor=$(go list -m -f '{{.Version}}' k8s.io/api | cut -d. -f2)
        flags='-s -w'
        for package in pkg/lint/rules pkg/chartutil; do
            flags="$flags -X helm.sh/helm/v3/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/$package.k8sVersionMinor=$minor"
        done
        again env GOBIN="$work/helm3" go install -ldflags="$flags" "$helm3"
        mv "$work/helm3/helm" "$work/out/helm3"
        mkdir "$work/out/crds"
        cp "$(folder_of $gateway)/config/crd/experimental/gateway.networking.k8s.io_udproutes.yaml" \
            "$(folder_of $prometheus)/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml" \
            "$work/out/crds"
        chmod u+w "$work/out/crds"/*
        go run ./schemas "$work/out/schemas" "$kubernetes/api/openapi-spec/swagger.json" "$work/out/crds"/*.yaml
    ) >&2
    mv "$work/out" "$made"
fi
if [ "${2-}" = --server ] && [ ! -x "$made/kube-apiserver" ]; then
    [ -n "${work-}" ] || make_here
    (
        cd "$work/src"
        again go build -ldflags='-s -w' -o "$made/etcd" go.etcd.io/etcd/server/v3
        # The version that it reports; tables of features depend on it.
        version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
        minor=${version#v1.}
        package=k8s.io/component-base/version
        again go build -ldflags="-s -w -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}" \
            -o "$work/kube-apiserver" k8s.io/kubernetes/cmd/kube-apiserver
        mv "$work/kube-apiserver" "$made/"
    ) >&2
fi
echo "$made"
