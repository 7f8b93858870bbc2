"""The Kubernetes servers that crdlint answers for."""
