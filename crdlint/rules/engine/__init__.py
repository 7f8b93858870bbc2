"""What every rule is made of: its texts and examples, the options of a check, and the walk over a schema."""
