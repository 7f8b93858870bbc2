"""What is meant by an expression that does not compile: rewrites from a table, each proved by compiling the result."""
