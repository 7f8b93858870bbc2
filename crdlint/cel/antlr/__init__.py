"""The recognizer of syntax errors; README.md describes how CEL.interp is generated."""
