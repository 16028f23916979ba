//go:build tools

// Package tools names the programs that tools.sh builds, so that go.mod keeps their versions.
package tools

import (
	_ "github.com/yannh/kubeconform/cmd/kubeconform"
	_ "go.etcd.io/etcd/server/v3"
	_ "helm.sh/helm/v4/cmd/helm"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
