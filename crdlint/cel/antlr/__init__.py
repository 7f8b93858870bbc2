"""The recogniser of syntax errors; README.md says how CELLexer.py and CELParser.py are made."""
