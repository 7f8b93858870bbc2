"""Evaluation of single expressions and of the rules at one place of an object, with all values in between."""
