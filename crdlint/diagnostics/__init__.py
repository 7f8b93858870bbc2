"""Findings, as rules create them and reports read them, and suggestions for misspelled names."""
