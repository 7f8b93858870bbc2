"""What completion and hover use of lsprotocol, which takes a second to import in the browser."""
