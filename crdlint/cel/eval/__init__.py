"""The evaluator of checked CEL expressions. Upstream: cel-go's interpreter and cel packages, as Kubernetes uses them."""
