#!/bin/sh
# Starts etcd and kube-apiserver from TOOLS on loopback, and installs, upgrades and removes the chart with HELM. No controller
# and no kubelet runs, so no pod does. Called by run.sh.
set -eu

chart=packaging/helm/tuffet
folder=$WORK/apiserver-$(basename "$HELM")
mkdir -p "$folder"
fail() {
    tail -n 20 "$folder"/*.log >&2
    echo "apiserver: $1" >&2
    exit 1
}
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
client=$(free_port) peer=$(free_port) port=$(free_port)
openssl genrsa -out "$folder/accounts.key" 2048 2>/dev/null
echo 'token-of-the-test,admin,admin,"system:masters"' >"$folder/tokens.csv"

"$TOOLS/etcd" --data-dir "$folder/etcd" --listen-client-urls "http://127.0.0.1:$client" \
    --advertise-client-urls "http://127.0.0.1:$client" --listen-peer-urls "http://127.0.0.1:$peer" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer" --initial-cluster "default=http://127.0.0.1:$peer" \
    >"$folder/etcd.log" 2>&1 &
etcd=$!
"$TOOLS/kube-apiserver" --etcd-servers "http://127.0.0.1:$client" --bind-address 127.0.0.1 --secure-port "$port" \
    --cert-dir "$folder/certificates" --token-auth-file "$folder/tokens.csv" --authorization-mode RBAC \
    --service-account-key-file "$folder/accounts.key" --service-account-signing-key-file "$folder/accounts.key" \
    --service-account-issuer https://tuffet.invalid --service-cluster-ip-range 10.96.0.0/16 \
    >"$folder/kube-apiserver.log" 2>&1 &
server=$!
# In this order: a kube-apiserver without its store takes minutes to end.
trap 'kill $server 2>/dev/null || true; wait $server || true; kill $etcd 2>/dev/null || true; wait' EXIT
trap 'exit 130' INT TERM

api() {
    method=$1 path=$2
    shift 2
    curl --silent --noproxy '*' --insecure --header 'Authorization: Bearer token-of-the-test' --max-time 30 \
        --request "$method" "$@" "https://127.0.0.1:$port$path"
}
for _ in $(seq 600); do
    [ "$(api GET /readyz)" != ok ] || break
    kill -0 $server 2>/dev/null || fail "kube-apiserver ended"
    sleep 0.2
done
[ "$(api GET /readyz)" = ok ] || fail "kube-apiserver is not ready"
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1
helm() {
    "$HELM" --kube-apiserver "https://127.0.0.1:$port" --kube-token token-of-the-test \
        --kube-insecure-skip-tls-verify --namespace boot "$@"
}
for crd in "$TOOLS"/crds/*.yaml; do
    api POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions --header 'Content-Type: application/yaml' \
        --data-binary "@$crd" | grep -q '"uid"' || fail "$crd is refused"
done
for resource in gateway.networking.k8s.io/v1/udproutes monitoring.coreos.com/v1/servicemonitors; do
    for _ in $(seq 100); do
        ! api GET "/apis/$resource" | grep -q '"items"' || break
        sleep 0.1
    done
done

for values in "$WORK"/*.values; do
    name=$(basename "$values" .values)
    helm install "$name" "$chart" --create-namespace --values "$values" >"$folder/helm.log" 2>&1 ||
        fail "helm install with the values of $name"
    token=$(api GET "/api/v1/namespaces/boot/secrets/$name-tuffet-admin" | grep '"token"')
    [ -n "$token" ] || fail "$name has no token"
    helm upgrade "$name" "$chart" --values "$values" --set drain.seconds=40 >"$folder/helm.log" 2>&1 ||
        fail "helm upgrade with the values of $name"
    [ "$(api GET "/api/v1/namespaces/boot/secrets/$name-tuffet-admin" | grep '"token"')" = "$token" ] ||
        fail "an upgrade replaced the token of $name"
    helm uninstall "$name" >"$folder/helm.log" 2>&1 || fail "helm uninstall $name"
    echo "$name: installed, upgraded and removed in $(api GET /version | sed -n 's/.*"gitVersion": "\(.*\)",/\1/p')"
done
# What the chart asks of a cluster passes the strictest standard for pods, unless it uses the nodes' network.
for namespace in restricted privileged; do
    api POST /api/v1/namespaces --header 'Content-Type: application/json' --data "{\"metadata\":{\"name\":\"$namespace\",
        \"labels\":{\"pod-security.kubernetes.io/enforce\":\"$namespace\"}}}" >/dev/null
done
pod_of() {
    "$HELM" template pod "$chart" --values "$WORK/$1.values" --show-only templates/workload.yaml |
        sed -n '/^  template:/,$s/^    //p' | sed "1i apiVersion: v1\nkind: Pod" | sed 's/^metadata:/metadata:\n  name: pod/' |
        sed 's/^  serviceAccountName:.*/  serviceAccountName: default/'
}
for pair in default:restricted gateway:restricted service:restricted host:privileged; do
    namespace=${pair#*:}
    api POST "/api/v1/namespaces/$namespace/serviceaccounts" --header 'Content-Type: application/json' \
        --data '{"metadata":{"name":"default"}}' >/dev/null
    pod_of "${pair%%:*}" >"$folder/pod.yaml"
    api POST "/api/v1/namespaces/$namespace/pods?dryRun=All&fieldValidation=Strict" --header 'Content-Type: application/yaml' \
        --data-binary "@$folder/pod.yaml" >"$folder/pod.log"
    grep -q '"uid"' "$folder/pod.log" || fail "the pod of ${pair%%:*} is refused in a namespace that is $namespace"
done
echo "the pods pass the pod security standard \`restricted\`, those in the nodes' network \`privileged\`"
