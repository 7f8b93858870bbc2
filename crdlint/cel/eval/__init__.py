"""The evaluator of checked CEL expressions (cel-go's interpreter and cel packages, as Kubernetes uses them)."""
