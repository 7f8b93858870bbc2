"""Configuration files, ignore comments, and the baseline of known findings: what is told of what was found."""
