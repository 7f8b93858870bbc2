"""What an update of a CRD changes for clients and stored objects, beside what the API server rejects."""
