"""Files: reading, git, and which files are meant."""
