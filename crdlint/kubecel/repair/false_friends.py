# ruff: noqa: E501, RUF001  a row a line; characters that look alike
"""What other languages write in a different way than CEL: JavaScript, Python, Go, Rust, Rego, SQL, JSONPath and templates.

A row is a pattern (see `crdlint.kubecel.repair.patterns`) and the texts that may be meant. A text applies only if the
expression gets further with it. If several apply, the help names all of them and there is no fix.
"""

from __future__ import annotations

from typing import Final

from crdlint.light import NamedTuple


class FalseFriend(NamedTuple):
    """A pattern, and the texts that may be meant.

    Unless it `is_certain`, the author may have meant something else. It applies to the part of an expression that has
    an error unless it `is_everywhere`.
    """

    written: str
    meant: tuple[str, ...]
    is_certain: bool = True
    is_everywhere: bool = False


def _row(written: str, *meant: str, certain: bool = True) -> FalseFriend:
    return FalseFriend(written, meant, certain)


def _rows(spellings: tuple[str, ...], *meant: str, certain: bool = True) -> list[FalseFriend]:
    return [_row(written, *meant, certain=certain) for written in spellings]


def _functions(names: str, *meant: str) -> list[FalseFriend]:
    """Return the rows of functions of one operand `A`: as a field, a member function, a function, and one of a package."""
    forms = ("A . {} ( )", "A . {}", "{} ( A )", "v . {} ( A )")
    return [FalseFriend(form.format(name), meant) for name in names.split() for form in forms]


def _with_argument(names: str, *meant: str, arguments: str = "X") -> list[FalseFriend]:
    """Return the rows of functions of an operand `A` and of arguments, as `_functions` does."""
    forms = ("A . {} ( %s )", "{} ( A , %s )", "v . {} ( A , %s )")
    return [
        FalseFriend((form % arguments).format(name), meant)
        for name in names.split()
        for form in forms
    ]


def _macros(names: str, meant: str) -> list[FalseFriend]:
    """Return the rows of macros over a list `A`, with the variable before the condition or only in it (`{u}`)."""
    without_variable = meant.replace("{v}", "{u}").replace("{X}", "{E}")
    forms = {"A . {} ( v , X )": meant, "{} ( A , v , X )": meant, "A . {} ( E )": without_variable}
    return [_row(form.format(name), text) for form, text in forms.items() for name in names.split()]


_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
_OPERATORS: Final = {
    "===": "==", "!==": "!=", "<>": "!=", ":=": "==", "&&&": "&&", "&": "&&", "|||": "||", "and": "&&", "or": "||", "=<": "<=",
    "≤": "<=", "≥": ">=", "≠": "!=", "⩽": "<=", "⩾": ">=", "∧": "&&", "∨": "||", "¬": "!", "∈": "in", "~": "!",
    "&lt;": "<", "&gt;": ">", "&amp; &amp;": "&&", "eq": "==", "equals": "==", "ne": "!=", "neq": "!=", "lt": "<",
    "lte": "<=", "le": "<=", "gt": ">", "gte": ">=", "ge": ">=", "is": "==", "mod": "%", "div": "/", "plus": "+", "minus": "-", "xor": "!=", "^": "!=", "#": "//",
}  # fmt: skip
_WORDS: Final = {
    "true": ("true",), "false": ("false",), "this": ("self",), "object": ("self",), "obj": ("self",), "input": ("self",),
    "value": ("self",), "root": ("self",), "item": ("self",), "$": ("self",), "@": ("self",), "old": ("oldSelf",),
    "selfold": ("oldSelf",), "self_old": ("oldSelf",),
    "oldobject": ("oldSelf",), "oldvalue": ("oldSelf",), "previous": ("oldSelf",), "prev": ("oldSelf",),
    "yes": ("true",), "no": ("false",), "on": ("true",), "off": ("false",),
}  # fmt: skip
# Macros of other languages over pairs, as CEL writes them with the index or key first.
_OVER_PAIRS: Final = {
    "all": "all({K}, {v}, {X})", "every": "all({K}, {v}, {X})", "exists": "exists({K}, {v}, {X})",
    "some": "exists({K}, {v}, {X})", "any": "exists({K}, {v}, {X})",
    "map": "transformList({K}, {v}, {X})", "filter": "transformList({K}, {v}, {X}, {v})",
}  # fmt: skip
_TYPES: Final = ("string", "int", "bool", "double", "list", "map")
_NULLS: Final = ("null", "nil", "none", "undefined")

ROWS: Final[tuple[FalseFriend, ...]] = (
    # Paths that begin with a dot, wherever the error is
    FalseFriend("START . v", ("self.{v}",), is_everywhere=True),
    *(FalseFriend(f"{before} . v", (f"{before} self.{{v}}",), is_everywhere=True) for before in ("&&", "||", "!", "(", ",")),
    # Words that are no names of CEL, as fields
    *(FalseFriend(f"A . {word}", (f"{{A}}.__{word}__",), is_everywhere=True) for word in ("in", "true", "false", "null")),
    # JavaScript's value is `undefined` where something on the way is absent, which equals no value.
    *(_row(f"A . v ?. B {sign} {null}", "has({A}.{v}) && has({A}.{v}.{B})") for null in _NULLS for sign in ("!=", "!==")),
    *(_row(f"A . v ?. B {sign} {null}", "!has({A}.{v}) || !has({A}.{v}.{B})") for null in _NULLS for sign in ("==", "===")),
    *(_row(f"A . v ?. w . k ( ) {sign} C", f"has({{A}}.{{v}}) && has({{A}}.{{v}}.{{w}}) && {{A}}.{{v}}.{{w}}.{{k}}() {sign} {{C}}", certain=False)
      for sign in _COMPARISONS if sign != "!="),
    *(_row(f"A . v ?. w ?. k {sign} C", f"has({{A}}.{{v}}) && has({{A}}.{{v}}.{{w}}) && has({{A}}.{{v}}.{{w}}.{{k}}) && {{A}}.{{v}}.{{w}}.{{k}} {sign} {{C}}")
      for sign in _COMPARISONS if sign != "!="),
    _row("A . v ?. w ?. k != C", "!has({A}.{v}) || !has({A}.{v}.{w}) || !has({A}.{v}.{w}.{k}) || {A}.{v}.{w}.{k} != {C}"),
    *(row for dot in ("?", "?.") for row in (
        _row(f"A {dot} [ n ] == C", "has({A}) && {A}.size() > {n} && {A}[{n}] == {C}"),
        _row(f"A {dot} [ n ] != C", "!has({A}) || {A}.size() <= {n} || {A}[{n}] != {C}"),
        _row(f"A {dot} [ s ] == C", "has({A}) && {s} in {A} && {A}[{s}] == {C}"),
        _row(f"A {dot} [ s ] != C", "!has({A}) || !({s} in {A}) || {A}[{s}] != {C}"),
    )),
    # Absent values
    *(row for null in _NULLS for row in (
        _row(f"A [ s ] == {null}", "!({s} in {A})"), _row(f"A [ s ] != {null}", "{s} in {A}"),
    )),
    *(_row(f"A {words} {null}", meant) for null in _NULLS for words, meant in (
        ("is not", "has({A})"), ("!=", "has({A})"), ("!==", "has({A})"),
        ("is", "!has({A})"), ("==", "!has({A})"), ("===", "!has({A})"),
    )),
    _row("typeof A != s", "has({A})"), _row("has ( s )", "has({s'})"), _row("has ( s )", "has({scope}.{s'})"),
    _row("has ( v )", "has({scope}.{v})"),
    # A key of a map is not escaped as the name of a field is.
    *(_row(form, meant) for form in ("has ( A [ s ] )", "has ( A . [ s ] )", "has ( A , s )") for meant in ("{s} in {A}", "has({A}.{s'})")),
    _row("has ( A , v )", "has({A}.{v})"), _row("has ( A , B )", "has({A}) && has({B})", "has({A}) || has({B})"),
    _row("A . has ( v )", "has({A}.{v})"), _row("A . has ( )", "has({A})"),
    _row("has ( A . v ( ) )", "has({A})", "{A}.{v}() > 0"),
    *_rows(("has ( A )", "has A", "has [ A ]", "has { A }", "has ( { A } )"), "has({A})"),
    *(_row(f"has ( A {sign} {other} )", f"has({{A}}) {sign} has({{B}})", certain=False)
      for sign in ("&&", "||") for other in ("has ( B )", "B")),
    *_functions("exists exist defined isdefined isset present ispresent notnull nonnull exist", "has({A})"),
    *_functions("isnull isnone isundefined isnil missing absent", "!has({A})"),
    # Types of operands
    *(row for name in _TYPES for row in (
        *_rows((f"A is not {name}", f"A is not instance of {name}"), f"type({{A}}) != {name}"),
        *_rows((f"A is {name}", f"A is a {name}", f"A instanceof {name}", f"isinstance ( A , {name} )"), f"type({{A}}) == {name}"),
    )),
    # Operators of several words
    *_rows(("is not", "= !"), "!="), _row("A not s", "{A} != {s}"),
    *_rows(("A not in B", "A ! in B", "! A in B", "A notin B", "A nin B"), "!({A} in {B})"),
    _row("! A == B", "{A} != {B}"),
    *_rows(("A between B and C", "A . between ( B , C )"), "{A} >= {B} && {A} <= {C}"),
    _row("A ? ? B", "(has({A}) ? {A} : {B})", certain=False),
    *(_row(f"A {first} B {second} C", f"{{A}} {first} {{B}} && {{B}} {second} {{C}}")
      for first in ("<", "<=", ">", ">=") for second in ("<", "<=", ">", ">=")),
    _row("A in range ( B , C )", "{A} >= {B} && {A} < {C}"), _row("A in range ( B )", "{A} >= 0 && {A} < {B}"),
    _row("A in B .. C", "{A} >= {B} && {A} <= {C}"), _row("in ( A , B )", "{A} in {B}"),
    *_rows(("in ( X )", "in v ( X )", "in v [ X ]"), "in [{X}]"), _row("A == [ s ]", "{A} == {s}"),
    _row("A == [ X ]", "{A} in [{X}]"), _row("A != [ s ]", "{A} != {s}"), _row("A != [ X ]", "!({A} in [{X}])"),
    _row("in { X }", "in [{X}]"), _row("A in ( s )", "{A} in [{s}]"), _row("A . in ( B )", "{A} in {B}"),
    _row("A in s , t", "{A} in [{s}, {t}]"),
    *(_row(f"A {first} B {both} {second} C", f"{{A}} {first} {{B}} {both} {{A}} {second} {{C}}")
      for first in _COMPARISONS for second in _COMPARISONS for both in ("&&", "||")),
    *(_row(f"A == B {either} C", "{A} == {B} || {A} == {C}") for either in ("||", "or")),
    # Conditions
    _row("if X then Y else Z", "{X} ? {Y} : {Z}"),
    *_rows(("if A { return X ; } else { return Y ; }", "if A { return X } else { return Y }", "if A { X } else { Y }"), "{A} ? {X} : {Y}"),
    _row("START X if Y else Z END", "{Y} ? {X} : {Z}"), _row("START if X then Y END", "{X} ? {Y} : true"),
    _row("START if A { X } END", "{A} ? {X} : true"), _row("START if ( X ) Y END", "{X} ? {Y} : true"),
    _row("START has ( A ) ? Y END", "has({A}) ? {Y} : true", certain=False),
    *_rows(("START X ? Y ; Z END", "START X ? Y , Z END"), "{X} ? {Y} : {Z}"),
    *_rows(("START X ? Y : END", "START X ? Y END"), "{X} ? {Y} : true", "{X} ? {Y} : false"),
    # Functions as values, and comprehensions
    *(_row(f"( {parameter} {arrow} X )", "({v}, {X})") for parameter in ("v", "( v )") for arrow in ("=>", "->")),
    *(_row(f"{macro} ( ( {parameters} ) => X )", meant, certain=parameters.startswith("K"))
      for macro, meant in _OVER_PAIRS.items() for parameters in ("K , v", "v , K")),
    *_rows(("A . reduce ( ( v , w ) => v + w )", "A . reduce ( ( v , w ) => v + w , 0 )"), "{A}.sum()", certain=False),
    _row("map ( v , w , X )", "transformList({v}, {w}, {X})"),
    _row("filter ( v , w , X )", "transformList({v}, {w}, {X}, {w})", certain=False),
    *(_row(f"A . values ( ) . {macro} ( v , X )", f"{{A}}.{macro}(key, {{v}}, {{X}})") for macro in ("all", "exists")),
    *_rows(("( | v | X )", "( lambda v : X )", "( v : X )", "( v | X )", "( v ; X )", "( function ( v ) { return X } )"), "({v}, {X})"),
    *(_row(f"{macro} [ v , X ]", f"{macro}({{v}}, {{X}})") for macro in ("all", "exists", "filter", "map")),
    _row("( s , X )", "({s'}, {X})"),
    _row("all ( X for v in A )", "{A}.all({v}, {X})"),
    _row("any ( X for v in A )", "{A}.exists({v}, {X})"),
    _row("[ X for v in A if Y ]", "{A}.filter({v}, {Y}).map({v}, {X})"),
    _row("[ X for v in A ]", "{A}.map({v}, {X})"),
    *(_row(f"{macro} ( v in A , X )", f"{{A}}.{macro}({{v}}, {{X}})") for macro in ("all", "exists", "filter", "map")),
    *(_row(f"{word} v in A : X", "{A}.exists({v}, {X})") for word in ("exists", "some", "any")),
    *_rows(("for all v in A : X", "for v in A : X", "all v in A : X", "every v in A { X }"), "{A}.all({v}, {X})"),
    _row("some v in A ; X", "{A}.exists({v}, {X})"), _row("A . all ( A , v , X )", "{A}.all({v}, {X})"),
    *_rows(("START ( self ) => X END", "START self => X END"), "{X}"),
    # Implications
    *(_row(f"START X {arrow} Y END", "{X} ? {Y} : true") for arrow in ("=>", "->", "== >", "implies", "⇒", "→")),
    _row("=>", ">="),
    # Regular expressions
    *_rows(("A =~ B", "A ~ B"), "{A}.matches({B})"), _row("A !~ B", "!{A}.matches({B})"),
    *(_row(f"{package} . {name} ( A , B )", "{B}.matches({A})")
      for package in ("re", "regex", "regexp") for name in ("match", "matches", "matchstring", "fullmatch", "search", "ismatch")),
    _row("rematch ( A , B )", "{B}.matches({A})"), _row("s . test ( A )", "{A}.matches({s})"),
    # Operators
    _row("# A", "size({A})", certain=False), _row("START A : s END", "{A} == {s}", certain=False),
    *(_row(written, meant) for written, meant in _OPERATORS.items()),
    _row("not ( X )", "!({X})"), _row("not A", "!{A}"), _row("not X", "!({X})"),
    *(_row(f"not X {both}", f"!({{X}}) {both}") for both in ("&&", "||", "and", "or")),
    _row("|", "||"), _row("=", "==", certain=False),
    # Text around an expression
    *_rows(("START { { X } } END", "START $ { { X } } END", "START $ { X } END", "START { X } END"), "{X}"),
    *(_row(f"START {word} X END", "{X}") for word in ("return", "assert", "rule :", "cel :", "when")),
    *(_row(f"START X {end} END", "{X}") for end in (";", ",")),
    *(_row(f"START X {end} END", "{X}", certain=False) for end in ("&&", "||", "and", "or", ".")),
    *(_row(f"START {start} X END", "{X}", certain=False) for start in ("&&", "||", "and", "or")),
    _row("START s END", "{s'}", certain=False),
    # Paths
    _row("A . keys ( ) . v ( X )", "{X} in {A}"),
    *_rows(("v . keys ( A ) . length", "v . values ( A ) . length"), "{A}.size()"),
    _row("A .. v", "{A}.{v}"), _row("A .. B", "{A} + {B}"), *_rows(("A -> v", "A :: v"), "{A}.{v}"),
    *(_row(f"A . v ?. B {sign} C", f"has({{A}}.{{v}}) && has({{A}}.{{v}}.{{B}}) && {{A}}.{{v}}.{{B}} {sign} {{C}}")
      for sign in _COMPARISONS if sign != "!="),
    _row("A . v ?. B != C", "!has({A}.{v}) || !has({A}.{v}.{B}) || {A}.{v}.{B} != {C}"),
    _row("self ?. A", "self.{A}", certain=False), _row("oldself ?. A", "oldSelf.{A}", certain=False),
    # Values in place of absent ones
    *(row for name in ("default", "getordefault", "coalesce", "ifnull", "nvl", "orelse") for row in (
        _row(f"{name} ( self . v , B )", "self.?{v}.orValue({B})"),
        _row(f"{name} ( self . v . w , B )", "self.?{v}.?{w}.orValue({B})"),
        _row(f"{name} ( A . v , B )", "{A}.?{v}.orValue({B})", certain=False),
        _row(f"{name} ( A , B )", "has({A}) ? {A} : {B}", certain=False),
    )),
    _row("A . get ( s , B )", "{A}[?{s}].orValue({B})"), _row("A . get ( s , B )", "{A}.?{s'}.orValue({B})"),
    _row("A . get ( s ) == B", "{s} in {A} && {A}[{s}] == {B}"), _row("A . get ( s ) == B", "has({A}.{s'}) && {A}.{s'} == {B}"),
    _row("A . get ( s ) != B", "!({s} in {A}) || {A}[{s}] != {B}"), _row("A . get ( s ) != B", "!has({A}.{s'}) || {A}.{s'} != {B}"),
    _row("A . exists ( s )", "{s} in {A}"), _row("A . exists ( n )", "{n} in {A}"), *_rows(("A ** 2", "A * * 2", "pow ( A , 2 )", "v . pow ( A , 2 )"), "{A} * {A}"),
    *_rows(("A ** 3", "A * * 3", "pow ( A , 3 )"), "{A} * {A} * {A}"),
    _row("A ^ 2", "{A} * {A}", certain=False),
    *_rows(("A . *", "A [ * ]", "A [ ]"), "{A}"), _row("A . n", "{A}[{n}]"), _row("A . [ X ]", "{A}[{X}]"),
    _row("self . spec . v", "self.{v}"), _row("oldself . spec . v", "oldSelf.{v}"),
    *_rows(("spec . v", "object . spec . v", "this . spec . v"), "self.{v}"),
    *_rows(("oldobject . spec . v", "old . spec . v"), "oldSelf.{v}"), _row("self . self", "self"),
    *_rows(("self . oldself", "self . old"), "oldSelf"), _row("self . v == oldself", "self.{v} == oldSelf.{v}"),
    *(_row(f"A . {name}", "{A}", certain=False) for name in ("items", "value")),
    _row("A . spec . v", "{A}.{v}", certain=False), _row("A [ s ]", "{A}.{s'}"), _row("A [ v ]", "{A}.{v}", "{A}['{v}']"),
    _row("A [ q ]", "{A}[{q'}]"), _row("A [ n . 0 ]", "{A}[{n}]"),
    *(_row(f"A ( {index} )", f"{{A}}[{{{index}}}]") for index in "vns"),
    *_rows(("A . type ( )", "typeof ( A )", "typeof A"), "type({A})"), _row("A ( )", "{A}"),
    # Calls without brackets
    *_rows(("A . v s", "A v s"), "{A}.{v}({s})", certain=False),
    *(_row(f"{name} ( A {sign} B )", f"size({{A}}) {sign} {{B}}") for name in ("size", "len") for sign in _COMPARISONS),
    *_rows(("size ( X )", "len ( X )", "length ( X )", "count ( X )", "strlen ( X )"), "size({X})"),
    *_rows(("size A", "len A", "length A"), "size({A})"),
    # Literals
    _row("s t", "{s}, {t}", certain=False), *_rows(("'' v ''", '"" v ""'), "'{v}'"), _row("new v", "{v}"),
    _row("( X ) . v", "[{X}].{v}"), _row("* in A", "'*' in {A}"), _row("n , m", "{n}{m}", certain=False),
    _row("( d )", "('{d}')"), _row("d", "duration('{d}')", "'{d}'"),
    # Names
    *(_row(written, *meant) for written, meant in _WORDS.items()),
    # Macros
    *_macros("all every forall each allmatch foreach", "{A}.all({v}, {X})"),
    *_macros("exists some any anymatch contains find includes has", "{A}.exists({v}, {X})"),
    *_macros("existsone one single exactlyone onlyone", "{A}.exists_one({v}, {X})"),
    *_macros("none nonematch notany", "!{A}.exists({v}, {X})"), *_macros("filter where select grep", "{A}.filter({v}, {X})"),
    *_macros("map collect pluck select", "{A}.map({v}, {X})"), *_macros("count", "{A}.filter({v}, {X}).size()"),
    # Functions
    *_functions("size len length count strlen getlength", "{A}.size()"), *_functions("isempty empty", "{A}.size() == 0"),
    *_functions("isblank", "{A}.trim() == ''"), *_functions("notempty isnotempty nonempty", "{A}.size() > 0"),
    *_functions("lowerascii tolowercase tolower lower lowercase downcase", "{A}.lowerAscii()"),
    *_functions("upperascii touppercase toupper upper uppercase upcase", "{A}.upperAscii()"),
    *_functions("trim strip trimspace", "{A}.trim()"), *_functions("string tostring str itoa stringify", "string({A})"),
    *_functions("int parseint toint atoi integer", "int({A})"),
    *_functions("number tonumber", "int({A})", "double({A})"),
    *_functions("double float parsefloat tofloat todouble", "double({A})"),
    *_functions("keys keyset getkeys", "{A}"), *_functions("isurl isuri isvalidurl", "isURL({A})"),
    *_functions("isip isvalidip isipaddress isipv4", "isIP({A})"), *_functions("iscidr isvalidcidr", "isCIDR({A})"),
    *_functions("isquantity isvalidquantity", "isQuantity({A})"),
    *_functions("duration parseduration toduration", "duration({A})"),
    *_functions("timestamp totimestamp parsetime todate", "timestamp({A})"),
    *_functions("url parseurl", "url({A})"),
    *(row for names, getter in (
        ("getscheme scheme protocol", "getScheme"), ("gethost host", "getHost"), ("gethostname hostname", "getHostname"),
        ("getport", "getPort"), ("getescapedpath getpath path pathname", "getEscapedPath"), ("getquery query", "getQuery"),
    ) for row in _functions(names, f"{{A}}.{getter}()", f"url({{A}}).{getter}()")),
    *_functions("issorted sorted", "{A}.isSorted()"), *_functions("first head", "{A}[0]"),
    *_functions("last", "{A}[{A}.size() - 1]"),
    *_with_argument("contains includes include contain has containsstring", "{A}.contains({X})", "{X} in {A}"),
    *_with_argument("haskey containskey hasownproperty containsvalue", "{X} in {A}"),
    *_with_argument("haskey containskey hasownproperty hasproperty has contains", "has({A}.{s'})", arguments="s"),
    *_with_argument("startswith startwith hasprefix beginswith prefix", "{A}.startsWith({X})"),
    *_with_argument("endswith endwith hassuffix suffix", "{A}.endsWith({X})"),
    *(_row(f"{name} ( s , B )", "{B}.matches({s})") for name in ("regexmatch", "regex_match", "matchregex", "match", "regex", "ismatch")),
    *(_row(f"START {word} END", "self == oldSelf", certain=False) for word in ("immutable", "readonly")),
    *_with_argument("matches match test regex regexmatch matchesregex ismatch like", "{A}.matches({X})"),
    *_rows(("sets . equal ( A , B )", "sets . equals ( A , B )", "sets . isequal ( A , B )"), "sets.equivalent({A}, {B})"),
    *_with_argument("equals equal isequal deepequal", "{A} == {X}"), *_with_argument("notequals notequal", "{A} != {X}"),
    *_with_argument("equalsignorecase equalfold", "{A}.lowerAscii() == {X}.lowerAscii()"),
    *_with_argument("split", "{A}.split({X})"), *_with_argument("join", "{A}.join({X})", "{X}.join({A})"),
    *_with_argument("concat", "{A} + {X}"), *_with_argument("indexof index strpos", "{A}.indexOf({X})"),
    _row("START A . indexof ( X ) END", "{A}.contains({X})", "{X} in {A}", certain=False),
    _row("A . get ( s )", "{A}[{s}]", certain=False), _row("A . get ( s )", "{A}.{s'}", certain=False),
    *_with_argument("charat at get", "{A}.charAt({X})", "{A}[{X}]"),
    *_with_argument("substring substr slice", "{A}.substring({X})"),
    *_with_argument("sprintf format printf", "{A}.format({X})", "{A}.format([{X}])"),
    *_with_argument("ordefault orelse getordefault unwrapor", "{A}.orValue({X})"),
    *_with_argument("intersects", "sets.intersects({A}, {X})"),
    *_with_argument("issubset subset containsall", "sets.contains({A}, {X})", "sets.contains({X}, {A})"),
    *_with_argument("substring substr slice", "{A}.substring({X}, {Y})", arguments="X , Y"),
    *_with_argument("replace replaceall", "{A}.replace({X}, {Y})", arguments="X , Y"),
    *(_row(f"v . {name} ( A , B )", f"[{{A}}, {{B}}].{name}()") for name in ("min", "max")),
    *(_row(f"{name} ( A , B )", f"[{{A}}, {{B}}].{name}()") for name in ("min", "max")),
    _row("v ( X )", "{scope}.{v}({X})"),
    _row("A . v ( X )", "{A}.all(x, x.{v}({X}))", "{A}.exists(x, x.{v}({X}))"),
    # Texts and lists
    _row("A in B", "{B}.contains({A})"), _row("s in A", "has({A}.{s'})"), _row("s in A . v", "{A}.exists(x, x.{v} == {s})"),
    _row("A [ n : m ]", "{A}.substring({n}, {m})"), _row("A [ n : ]", "{A}.substring({n})"),
    _row("A [ : n ]", "{A}.substring(0, {n})"), _row("A [ n ]", "{A}.charAt({n})"),
    *(row for sign in "+-*/%" for row in (
        _row(f"A {sign} q", f"{{A}} {sign} {{q'}}"),
        _row(f"A {sign} n . 0", f"{{A}} {sign} {{n}}"),
    )),
    _row("A + B", "{A} + string({B})", "string({A}) + {B}"),
    # Types of operands
    *_rows(("type ( A ) == s", "typeof ( A ) == s", "typeof A == s"), "type({A}) == {s'}"),
    *(_row(f"duration ( A ) {sign} n", *(f"duration({{A}}) {sign} duration('{{n}}{unit}')" for unit in "smh")) for sign in _COMPARISONS),
    _row("string ( A ) == n", "{A} == {n}"), _row("? q", "? {q'}"), _row(": q", ": {q'}"),
    *(row for sign in _COMPARISONS for row in (
        *(_row(f"A . {name} {sign} n", f"{{A}}.size() {sign} {{n}}") for name in ("length", "size")),
        _row(f"A {sign} q", f"{{A}} {sign} {{q'}}"),
        _row(f"A {sign} s", f"{{A}} {sign} duration({{s}})", f"{{A}} {sign} timestamp({{s}})", f"{{A}} {sign} quantity({{s}})", f"{{A}}.compareTo(quantity({{s}})) {sign} 0"),
        _row(f"q {sign} A", f"{{q'}} {sign} {{A}}"),
        _row(f"s {sign} A", f"duration({{s}}) {sign} {{A}}"),
        _row(f"A {sign} n . 0", f"{{A}} {sign} {{n}}"),
        _row(f"A {sign} n", *(f"{{A}} {sign} duration('{{n}}{unit}')" for unit in "smh")),
        _row(f"A {sign} n", f"{{A}}.size() {sign} {{n}}", f"{{A}} {sign} '{{n}}'", f"int({{A}}) {sign} {{n}}"),
        _row(f"A {sign} B", f"duration({{A}}) {sign} {{B}}", f"{{A}} {sign} duration({{B}})", f"timestamp({{A}}) {sign} {{B}}", f"{{A}}.compareTo({{B}}) {sign} 0", f"quantity({{A}}).compareTo({{B}}) {sign} 0"),
        _row(f"A . v {sign} B", f"{{A}}.all(x, x.{{v}} {sign} {{B}})", f"{{A}}.exists(x, x.{{v}} {sign} {{B}})"),
        _row(f"A {sign} B", f"{{A}}.all(x, x {sign} {{B}})", f"{{A}}.exists(x, x {sign} {{B}})"),
    )),
    *(row for sign in ("==", "!=") for row in (
        _row(f"A {sign} self", f"string({{A}}) {sign} self", certain=False),
        _row(f"self . v {sign} B", f"self.{{v}} {sign} string({{B}})", certain=False),
    )),
    _row("A . v ( s )", *(f"{{A}}.{{v}}({type_}({{s}}))" for type_ in ("quantity", "semver", "cidr", "ip"))),
    *(_row(f"A {sign} {digit}", f"{{A}} {sign} {word}") for sign in ("==", "!=") for digit, word in (("1", "true"), ("0", "false"))),
    _row("s . self . v", "{s} + self.{v}", certain=False), _row("s A", "{s} + {A}", certain=False),
)  # fmt: skip

# What may be meant by a value that is not a condition: the first of an optional field, the others of a value that is set.
CONDITIONS: Final = ("has({A})", "{A} != ''", "{A}.size() > 0")
NEGATED: Final = ("!has({A})", "{A} == ''", "{A}.size() == 0")
# Functions that fail for a text that is not valid, and those that check it.
CHECKS: Final = {
    "url": "isURL",
    "ip": "isIP",
    "cidr": "isCIDR",
    "quantity": "isQuantity",
    "semver": "isSemver",
}

CURLY_QUOTES: Final = frozenset("‘’‚“”„")
# Characters that look like those of CEL.
CHARACTERS: Final = str.maketrans({
    "‘": "'", "’": "'", "‚": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "\u00a0": " ", "\u200b": "",
    "\ufeff": "", "（": "(", "）": ")", "，": ",", "：": ":", "！": "!", "＝": "=", "＆": "&", "｜": "|", "–": "-", "−": "-", "…": "",
})  # fmt: skip
