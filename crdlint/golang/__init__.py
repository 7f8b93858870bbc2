"""Printing and parsing as in Go: quoting, encoding/json, numbers, times, addresses, URLs and regular expressions."""
