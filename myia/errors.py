"""The exceptions of compiled functions, to be caught by name.

    MyiaError        the function uses what is not supported, at a line that the text shows
    InternalError    a bug of the compiler
    MyiaWarning      what a program does that its author may not mean
      CompileWarning   it is compiled again and again, or a part of it without its options
      StateWarning     it changes state under a derivative, which is lost
    ArtifactError    a file of compiled programs is damaged, newer or foreign; or a program cannot
                     be saved

Where Python itself would raise, a MyiaError is also of Python's type: `except TypeError` catches
it. What Python raises at run time is raised itself, with its `args` and attributes; the place is a
note (`error.__notes__`).

    try:
        step(params)
    except myia.errors.MyiaError as error:
        print(error)             # title, line, caret, help, code
        error.diagnostic.code    # "loop-changes-type": see 'Refusals' in the documentation
        error.diagnostic.span    # file, line and column, or None
"""

from __future__ import annotations

from myia.artifacts.errors import ArtifactError
from myia.source.diagnostics import InternalError, MyiaError
from myia.source.warning import CompileWarning, MyiaWarning, StateWarning

__all__ = [
    "ArtifactError",
    "CompileWarning",
    "InternalError",
    "MyiaError",
    "MyiaWarning",
    "StateWarning",
]
