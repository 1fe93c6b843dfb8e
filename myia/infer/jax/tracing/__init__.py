"""From a JAX function to our IR: tracing gives a jaxpr, translation gives ops.

    in:   a function of JAX, the avals of its arguments, compile-time options
    out:  the values that the translated ops compute

Read in this order: `trace.py` (function to jaxpr), `rules.py` (the registry of translation rules),
`translate.py` (jaxpr to IR), `random_keys.py` (random keys are arrays of words).
"""
