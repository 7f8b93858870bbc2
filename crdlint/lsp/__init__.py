"""The language server: diagnostics, code actions, hover, completion and more for editors, over stdio."""
