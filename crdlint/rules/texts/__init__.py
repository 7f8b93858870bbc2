"""Rules whose findings are made elsewhere: of changes, resources and reading."""
