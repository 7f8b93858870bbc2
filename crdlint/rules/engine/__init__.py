"""The common parts of all rules: texts and examples, the options of a check, and the walk over a schema."""
