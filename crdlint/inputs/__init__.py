"""Where documents come from: paths, standard input, git revisions, Helm charts and kustomizations."""
