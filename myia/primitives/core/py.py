"""The vocabulary of IR(py): Python's own operations, on values that are any Python object.

Nothing here has a shape rule worth the name, a lowering or a derivative: `infer` runs these
operations abstractly and emits typed ones. One result each unless said otherwise.

    py.const {value}                 a literal
    py.global {name}                 a name of the function's module, or a builtin
    py.free {name}                   a variable of a Python closure around the compiled function
    py.undefined {name}              the state of a local name that has no value yet
    py.defined (x) {name}            x, or the UnboundLocalError of reading `name` before it has one
    py.cell {name}                   a new, empty variable that inner functions share
    py.load_cell (cell) {name}       its value, or the UnboundLocalError when it has none;
                                     {captured}: it is an enclosing function's, a NameError;
                                     {bound}: it has one
    py.store_cell (cell, x)          no result
    py.function (*cells, *defaults) {code}        a closure: `def` or `lambda`
    py.call (f, *args) {spec}        spec[i] of argument i: None, "*", "**" or a keyword's name
    py.unary (x) {op}                op: + - ~ not truth
    py.binary (x, y) {op}            op: + - * / // % ** @ << >> & | ^
    py.inplace (x, y) {op}           as `x op= y`: the new value of x, maybe x itself, changed
    py.compare (x, y) {op}           op: == != < <= > >= is, is not, in, not in
    py.getattr (x) {name}            py.setattr (x, value) {name}    no result
    py.getitem (x, key)              py.setitem (x, key, value)      no result
    py.delitem (x, key)              no result
    py.slice (start, stop, step)
    py.tuple py.list py.set (*items) {stars}      stars[i]: item i is unpacked into the display
    py.dict (*keys and values) {stars}            k0 v0 k1 v1 ...; stars[i]: v_i is a `**mapping`
    py.unpack (x) {before, starred, after}        before + starred + after results
    py.yield (x)                     whether the consumer of the items takes no more, or what
                                     it sends; {delegates}: it stands for `yield from`
    py.format (*values) {parts}      an f-string; parts: str | (conversion, format spec), in order
    py.assert (condition, message)   no result
    py.raise (exception, [cause])    no result
    py.try                           regions: body, else, then the type and the body of each handler
    py.caught                        the exception of the handler that runs
    py.discard                       None: the exception that a `finally` holds back is forgotten
    py.finally {jumps}               regions: body, `finally`; no results: names are in cells

With `if` and `loop` of `primitives/core/structured.py`, whose conditions may be any object here.
"""

from __future__ import annotations

from myia.ir.avals import PY
from myia.ir.code import Code as Code
from myia.ir.code import Namespace as Namespace
from myia.ir.code import Parameter as Parameter
from myia.ir.primitive import Primitive


def _py(name: str, results: int = 1, effect: bool = False, structured: bool = False) -> Primitive:
    return Primitive(
        name=f"py.{name}",
        avals=lambda *operands, **params: (PY,) * results,
        effect=effect,
        structured=structured,
    )


const = _py("const")
global_ = _py("global")
free = _py("free")
undefined = _py("undefined")
defined = _py("defined", effect=True)
cell = _py("cell", effect=True)
load_cell = _py("load_cell", effect=True)
store_cell = _py("store_cell", results=0, effect=True)
store_global = _py("store_global", results=0, effect=True)
function = _py("function", effect=True)
call = _py("call", effect=True)
unary = _py("unary", effect=True)
binary = _py("binary", effect=True)
inplace = _py("inplace", effect=True)
compare = _py("compare", effect=True)
getattr_ = _py("getattr", effect=True)
setattr_ = _py("setattr", results=0, effect=True)
getitem = _py("getitem", effect=True)
setitem = _py("setitem", results=0, effect=True)
delitem = _py("delitem", results=0, effect=True)
slice_ = _py("slice")
tuple_ = _py("tuple", effect=True)
list_ = _py("list", effect=True)
set_ = _py("set", effect=True)
dict_ = _py("dict", effect=True)
generator = _py("generator", effect=True)  # of the list of its items, and of its first iterable
yield_ = _py("yield", effect=True)
format_ = _py("format", effect=True)
assert_ = _py("assert", results=0, effect=True)
raise_ = _py("raise", results=0, effect=True)
caught = _py("caught", effect=True)
discard = _py("discard", effect=True)
try_ = _py("try", results=0, effect=True, structured=True)
finally_ = _py("finally", results=0, effect=True, structured=True)
unpack = Primitive(
    name="py.unpack",
    avals=lambda x, *, before, starred, after: (PY,) * (before + starred + after),
    effect=True,
)
