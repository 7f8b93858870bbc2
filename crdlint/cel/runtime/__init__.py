"""What the functions of CEL's extension libraries do (cel-go's ext): values in, a value or FunctionError out."""
