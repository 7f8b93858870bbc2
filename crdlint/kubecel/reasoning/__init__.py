"""What rules can evaluate to, found without objects."""
