"""Custom resources against their CRDs: what the API server makes of an object on create and update."""
