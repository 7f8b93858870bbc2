"""The costs of rules: estimates, explanations, and limits that would reduce them."""
