"""Between Python objects and programs: arguments in, results out.

In: the Python objects of a call, and globals and closure variables. Out: the signature that selects
a compiled program, abstract values for inference, and recipes that rebuild Python's results.

Read `signature.py` (objects to leaves and a hashable signature), `integers.py` (which ints are
compile-time values), `arguments.py` (signatures to abstract values; hidden arguments),
`results.py` (abstract results to recipes), `recipes.py` (recipes to objects),
`differentiable_leaves.py` (the float leaves of arguments and results, for derivatives).
"""
