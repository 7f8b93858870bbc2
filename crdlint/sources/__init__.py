"""What commands read: charts, kustomizations, the old side, and files that only look like CRDs."""
