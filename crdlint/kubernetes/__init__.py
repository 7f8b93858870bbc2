"""The Kubernetes servers that crdlint supports."""
