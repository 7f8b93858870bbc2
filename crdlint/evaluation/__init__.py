"""Evaluation of single expressions and of the rules at one field of an object, with all values in between."""
