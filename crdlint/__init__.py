"""crdlint: what kube-apiserver would say about a CustomResourceDefinition, offline, at the exact line and column."""
