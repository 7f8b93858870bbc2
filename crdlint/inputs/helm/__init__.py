"""Charts of Helm: rendered offline where Helm is there, read with their directives masked where it is not."""
