"""Configuration files, ignore comments, and the baseline of known findings, which determine the reported findings."""
