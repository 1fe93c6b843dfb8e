"""Dead code elimination, through loops, branches, adjoint loops and derivatives.

%y, %s = for %k < %n (%y = %a, %s = %b) {         ->    %y = for %k < %n (%y = %a) {
  %1 = mul %y, %c                                         %1 = mul %y, %c
  %2 = add %s, %1                                         yield %1
  yield %1, %2                                          }
}                                                       return %y
%z = sin %s
return %y
"""

from __future__ import annotations

from myia.ir.core import Function
from myia.rewriting.liveness import eliminate_dead_values
from myia.rewriting.walk import with_region


def dce(function: Function) -> Function:
    """`function` with only the ops that its results or its effects depend on."""
    return with_region(function, eliminate_dead_values(function.region))
