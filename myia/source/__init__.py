"""Source locations and error messages: the ground floor, which every stage imports.

`span.py` has the source files and the spans (ranges of characters) that each op of the IR carries,
so that an error, the metadata of an HLO op and a line of generated code can name the user's line.
`diagnostics.py` has the base class of all diagnostics and their renderer: title, location, the
source line with carets, notes and help. Each stage declares its own diagnostics in its `errors.py`.
`process.py` has what threads and forks share: locks, and settings of Python while one compiles.

Nothing comes in; spans and `MyiaError` go out. Read `span.py` first.
"""
