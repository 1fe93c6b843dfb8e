"""Functions with derivative rules written by the user: `custom_jvp`, `custom_vjp`.

    in:   a call of such a function where a derivative is being taken
    out:  a `custom` op: the function's region, and the regions of its rule

Read in this order: `rules.py` (the call, and inference of function and rule), `regions.py` (regions
closed over constants), `rule_checks.py` (the results of a rule have the required structure).
"""
