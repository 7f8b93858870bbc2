"""The check of a file: decoding, the rules for create or update, and positions."""
