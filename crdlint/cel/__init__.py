"""The Common Expression Language as cel-go v0.26 has it, with no Kubernetes in it."""
