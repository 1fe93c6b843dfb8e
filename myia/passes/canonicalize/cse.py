"""Common subexpression elimination: an expression that is available already is not computed again.

%1 = mul %x, %y                 ->      %1 = mul %x, %y
%2 = mul %y, %x                         %3 = add %1, %1
%3 = add %1, %2
"""

from __future__ import annotations

from myia.ir.core import Function
from myia.rewriting.common_subexpressions import eliminate_common_subexpressions
from myia.rewriting.walk import with_region


def cse(function: Function) -> Function:
    """`function` in which an expression is computed once wherever the first result is available."""
    return with_region(function, eliminate_common_subexpressions(function.region))
