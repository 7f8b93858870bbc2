"""The values of Kubernetes' CEL types. Upstream: pkg/cel of apiserver (quantity.go, ip.go, cidr.go, url.go, and so on)."""
