"""Findings as every rule makes them and every report reads them, and names suggested for misspelled ones."""
