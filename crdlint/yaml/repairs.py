"""The repairs of syntax errors: each is declared once, for the causes that it removes and for the rule's fixes."""

from __future__ import annotations

from typing import Final, Literal

from crdlint.light import NamedTuple


class Repair(NamedTuple):
    """An imperative title, whether only one reading makes sense (safe), and properties of a schema before and after it.

    They are YAML, or JSON that begins with a brace. `around` is the text around the document before it.
    """

    title: str
    applicability: Literal["safe", "unsafe"]
    bad: str
    good: str
    around: str = "{}"


def _repair(
    title: str,
    applicability: Literal["safe", "unsafe"],
    bad: str,
    good: str,
) -> Repair:
    """Return a repair of fields of the property `host`, which has further fields."""
    return Repair(title, applicability, *(f"host:\n{text}  type: string\n" for text in (bad, good)))


_REST: Final = f"{' ' * 11}maxLength: "  # of a line of a patch
_TYPE: Final = "host:\n  type: string\n"
_LENGTH: Final = "  maxLength: 9\n"

# fmt: off
QUOTES: Final = _repair("Put the value in quotes", "safe",
    "  description: The host: a name.\n", "  description: 'The host: a name.'\n")
IN_BRACKETS: Final = _repair("Put the values in brackets", "safe",
    "  enum: 'fast', 'slow'\n", "  enum: ['fast', 'slow']\n")
SPLIT: Final = _repair("Write each key on a line of its own", "safe",
    "  maxLength: 9 minLength: 1\n", "  maxLength: 9\n  minLength: 1\n")
ENTRY_COMMA: Final = Repair("Add a comma between the entries", "safe",
    "host: {type: string maxLength: 9}\n", "host: {type: string, maxLength: 9}\n")
NO_MARK: Final = _repair("Remove the mark of a text below", "safe",
    "  description: | The host.\n", "  description: The host.\n")
BELOW_MARK: Final = _repair("Write the text below its mark", "safe",
    "  description: | The\n    host.\n", "  description: |\n    The\n    host.\n")
BACKSLASH: Final = _repair("Write the backslash twice", "safe", '  pattern: "^\\d+$"\n', '  pattern: "^\\\\d+$"\n')
BLANK_AFTER_COLON: Final = Repair("Add a space after the colon", "safe", f"host:\n  type:string\n{_LENGTH}", _TYPE + _LENGTH)
EACH_LINE: Final = _repair("Correct each of the lines", "safe",
    '  pattern: "^\\d+$"\n  maxLength:9\n', '  pattern: "^\\\\d+$"\n  maxLength: 9\n')
COLON: Final = Repair("Add a colon after the key", "safe", "host\n  type: string\n", _TYPE)
BLANK_AFTER_DASH: Final = _repair("Add a space after the dash", "safe",
    "  enum:\n  -fast\n  -slow\n", "  enum:\n  - fast\n  - slow\n")
DASH: Final = _repair("Begin the item with a dash", "safe", "  enum:\n  \u2013 fast\n", "  enum:\n  - fast\n")
PLAIN_SPACES: Final = Repair("Replace special spaces with plain spaces", "safe",
    f"host:\n  type:\u00a0string\n{_LENGTH}", _TYPE + _LENGTH)
SPACES: Final = Repair("Indent with spaces", "unsafe", "host:\n\t  type: string\n", _TYPE)
CLOSED_QUOTE: Final = _repair("Close the quote", "unsafe", "  description: 'The host.\n", "  description: 'The host.'\n")
INNER_QUOTE: Final = _repair("Escape the quotes inside of the value", "unsafe",
    "  description: 'It isn't long.'\n", "  description: 'It isn''t long.'\n")
CLOSED_BRACKET: Final = _repair("Close the bracket", "unsafe",
    "  enum: [on-demand, spot\n", "  enum: [on-demand, spot]\n")
COMMA: Final = _repair("Add a comma after the item", "unsafe",
    "  enum: [\n    'a'\n    'b']\n", "  enum: [\n    'a',\n    'b']\n")
LIST_BELOW: Final = _repair("Move the list to the lines below its key", "safe", "  enum: - fast\n", "  enum:\n  - fast\n")
NO_STRAYS: Final = Repair("Remove the lines that are not YAML", "unsafe",
    "host: {type: string}\n", "host: {type: string}\n", "```yaml\n{}```\n")
NO_VALUE: Final = Repair("Remove the empty value of a key with fields below it", "safe",
    "host: {}\n  type: string\n", _TYPE)
INDENTATION: Final = Repair("Indent the line like the lines around it", "unsafe",
    "host:\n  maxLength: 9\n type: string\n", "host:\n  maxLength: 9\n  type: string\n")
LIST_KEY: Final = Repair(
    "Add the key of a list",
    "unsafe",
    "mode:\n  description: How it runs.\n  - Fast\n  - Slow\n  type: string\n",
    "mode:\n  description: How it runs.\n  enum:\n  - Fast\n  - Slow\n  type: string\n",
)
PROPERTIES: Final = Repair("Add `properties` above the properties of an object", "unsafe",
    "host:\n  type: object\n    name:\n      type: string\n",
    "host:\n  type: object\n  properties:\n    name:\n      type: string\n")
SAME_SIDES: Final = _repair("Keep one side of a conflict whose sides are equal", "safe",
    f"<<<<<<< HEAD\n{_LENGTH}=======\n{_LENGTH}>>>>>>> main\n", _LENGTH)
ONE_SIDE: Final = _repair("Keep the only side of a conflict, without its markers", "unsafe",
    f"<<<<<<< HEAD\n{_LENGTH}=======\n>>>>>>> main\n", _LENGTH)
PATCH: Final = _repair("Remove the marks of a patch", "safe", f"+{_REST}9\n", _LENGTH)
REMOVED_LINES: Final = _repair("Remove the lines that a patch removes, and its marks", "unsafe",
    f"-{_REST}8\n+{_REST}9\n", _LENGTH)
COMMENT: Final = _repair("Begin the comment with `#`", "safe",
    f"  // Not too long.\n{_LENGTH}", f"  # Not too long.\n{_LENGTH}")
COMMENTED: Final = _repair("Make a comment of the text", "unsafe",
    f"  +genclient\n{_LENGTH}", f"  # +genclient\n{_LENGTH}")
KEYWORDS: Final = _repair("Write the keyword that the marker means", "unsafe",
    "  +kubebuilder:validation:MaxLength=9\n", _LENGTH)
ENTITIES: Final = _repair("Write the characters instead of HTML entities", "safe",
    "  pattern: &quot;^a&quot;\n", '  pattern: "^a"\n')
PLAIN_KEYS: Final = Repair("Remove the marks of Markdown around the keys", "safe",
    f"host:\n  **type**: string\n{_LENGTH}", _TYPE + _LENGTH)
NO_COMMAS: Final = Repair("Remove the commas at the ends of lines", "safe",
    'host:\n  "type": "string",\n  "maxLength": 9\n', 'host:\n  "type": "string"\n  "maxLength": 9\n')
NO_JSON_COMMENTS: Final = Repair("Remove the comments, which JSON does not have", "unsafe",
    '{"host": {"type": "string" /* a name */}}', '{"host": {"type": "string"}}')
JOINED: Final = Repair("Remove the line that ends the document inside of its object", "unsafe",
    '{"host": {"type": "string"\n---\n}}', '{"host": {"type": "string"\n}}')
# fmt: on
ALL: Final = tuple(value for value in list(globals().values()) if isinstance(value, Repair))
