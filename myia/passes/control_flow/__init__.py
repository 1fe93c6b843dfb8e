"""Control flow: branches fused, and small branches converted to straight-line code.

In: typed IR; but for `predication.py` without derivative ops (a derivative of the result would
differ, see `if_conversion.py`). Out: typed IR with the same values, to the bit, and fewer `if` ops.

Read `if_conversion.py` first. It decides which branches are small enough to be computed on both
sides. `branch_fusion.py` then fuses branches on the same condition, where the result is still small
enough for that. `predication.py` alone runs before derivatives: it keeps branches.
`speculation.py` makes of loops whose exceptions run masked a version without the masks.
"""
