"""What completion and hover use of pygls."""
