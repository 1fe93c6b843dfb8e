"""The text of a function: found, and proven to be the text that Python runs.

A function is compiled from its text, but a file may be edited while its old code runs, and a name
such as `<timed exec>` may stand for many texts. So a text is used only if it compiles to the code
object of the function.

In: a Python function. Out: the syntax tree of its `def` or `lambda`, with its file. Read `find.py`
(the entry), `texts.py` (which texts a file name may stand for), `code_objects.py` (does this text
compile to that code?), `notebooks.py` (texts that only IPython has).
"""
