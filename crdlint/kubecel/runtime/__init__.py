"""What the functions of Kubernetes' CEL libraries do (apiserver pkg/cel/library): values in, a value or FunctionError out."""
