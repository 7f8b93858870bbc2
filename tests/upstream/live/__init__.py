"""A running API server: building and starting it, asking it recorded requests, and trying on it what rules claim."""
