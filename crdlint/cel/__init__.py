"""The Common Expression Language as cel-go v0.26 implements it, independent of Kubernetes."""
