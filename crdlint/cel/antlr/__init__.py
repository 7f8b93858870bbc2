"""The recognizer of syntax errors; README.md describes how CELLexer.py and CELParser.py are generated."""
