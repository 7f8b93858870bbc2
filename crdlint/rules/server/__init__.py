"""What the API server says of a CRD, a module a family, in the order of its validation."""
