"""The checks of the API server, a module for each family, in the order of its validation."""
