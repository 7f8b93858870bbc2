"""From the text of a file to its diagnostics: decoding, the rules of a create or update, and positions."""
