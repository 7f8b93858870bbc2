"""How Go prints and parses: quoting, encoding/json text, regexp/syntax errors."""
