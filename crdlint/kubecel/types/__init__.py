"""The values of Kubernetes' own CEL types (apiserver pkg/cel: quantity.go, ip.go, cidr.go, url.go, semver.go, format.go)."""
