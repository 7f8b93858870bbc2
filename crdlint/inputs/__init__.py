"""The sources of documents: paths, standard input, git revisions, Helm charts and kustomizations."""
