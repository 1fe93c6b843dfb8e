"""Which cases of a long sweep run by default: a spread of them; the others are in the slow run.

`SPREADS` holds the folders and files whose sweeps take most of the time, `LONG` single tests; in a
test file `every` marks one of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

# Of each test with parameters in these files: by default, one of so many cases, from the first on.
# The longest of the names that fits counts.
SPREADS = {
    "tests/api/": 5,
    "tests/api/guests/": 6,
    "tests/api/interop/": 5,
    "tests/api/storage/": 9,
    "tests/backends/": 4,
    "tests/frontend/test_random_programs.py": 5,
    "tests/fuzz/": 6,
    "tests/fuzz/test_aliases.py": 1,
    "tests/infer/": 10,
    "tests/infer/jax/": 12,
    "tests/infer/lists/": 8,
    "tests/infer/paths/test_may_alias.py": 1,
    "tests/infer/recursion/": 9,
    "tests/lax/": 5,
    "tests/library/": 5,
    "tests/library/random/": 8,
    "tests/library/test_conformance_kinds.py": 6,
    "tests/library/test_numpy_gradients.py": 6,
    "tests/library/test_ways.py": 1,
    "tests/passes/": 5,
    "tests/passes/idioms/": 8,
    "tests/passes/memory/": 6,
    "tests/passes/vectorize/": 8,
    "tests/primitives/": 4,
    "tests/primitives/test_primitive_evaluation.py": 5,
    "tests/programs/test_programs.py": 20,
    "tests/storage/": 5,
    "tests/transforms/test_selections.py": 8,
    "tests/zoo/": 5,
    "tests/zoo/arrays/": 6,
    "tests/zoo/kernels/": 5,
    "tests/zoo/python_page/": 6,
    "tests/zoo/test_programs.py": 6,
}

# Tests of more than six seconds beside shorter ones of the same: none of them by default.
LONG = {
    "tests/api/interop/test_jax_libraries.py::test_numpyro_factor_and_potential",
    "tests/api/interop/test_scikit_learn.py::test_cross_validation_in_two_processes",
    "tests/api/interop/test_scikit_learn.py::test_cross_validation_of_fitted_attributes",
    "tests/api/processes/test_pickling.py::test_functions_of_a_script_that_the_reader_has_not",
    "tests/api/storage/test_capacities.py::test_a_derivative_beyond_the_first_capacity",
    "tests/api/storage/test_capacities.py::test_the_same_bits_at_every_capacity",
    "tests/benchmarks/test_page.py::test_a_kernel_through_the_whole_machinery",
    "tests/debugging/test_commands.py::test_programs_by_name[kernel:lu]",
    "tests/fuzz/focused/test_poles.py::test_unguarded_products_would_be_found",
    "tests/infer/jax/test_jax_control.py::test_second_derivatives",
    "tests/infer/jax/test_jax_control.py::test_values_and_gradients",
    "tests/infer/jax/test_translator.py::test_on_xla",
    "tests/infer/jax/test_translator_random.py::test_samples_by_rejection_and_by_products",
    "tests/infer/jax/test_translator_random.py::test_samples_move_as_in_jax",
    "tests/infer/jax/test_translator_special.py::test_values_and_first_derivatives",
    "tests/infer/lists/test_collections.py::test_derivatives",
    "tests/infer/lists/test_heaps_of_objects.py::test_derivatives",
    "tests/infer/lists/test_list_rows.py::test_gradient_inside_of_a_loop",
    "tests/infer/lists/test_sorting_and_heaps.py::test_derivatives_of_heaps",
    "tests/infer/recursion/test_programs.py::test_caught_around_the_recursion",
    "tests/infer/recursion/test_programs.py::test_gradient_of_an_inner_recursion",
    "tests/library/python/test_cmath.py::test_derivatives",
    "tests/library/random/test_shared_generators.py::test_a_gamma_number_of_python_moves_with_its_shape",
    "tests/passes/vectorize/test_nest_dependence.py::test_second_derivatives_of_programs",
    "tests/storage/test_adjoint_with_undo.py::test_second_derivatives",
    "tests/test_examples.py::test_data_parallel",
    "tests/test_examples.py::test_equinox",
    "tests/test_examples.py::test_estimators",
    "tests/test_examples.py::test_hmc",
    "tests/test_examples.py::test_ode",
    "tests/test_examples.py::test_tuning",
}


def every(count: int, cases: Sequence[Any]) -> list:
    """All `cases` of a test; by default, each `count`-th of them, from the first one on."""
    slow = pytest.mark.slow
    return [x if i % count == 0 else pytest.param(x, marks=slow) for i, x in enumerate(cases)]


def mark_spreads(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what `SPREADS` leaves out, and what `LONG` names."""
    seen: Counter[str] = Counter()
    for item in items:
        starts = [start for start in SPREADS if item.nodeid.startswith(start)]
        count = SPREADS[max(starts, key=len)] if starts else 1
        if item.nodeid in LONG or item.nodeid.partition("[")[0] in LONG:
            item.add_marker(pytest.mark.slow)
        if count == 1 or "[" not in item.nodeid or item.get_closest_marker("slow"):
            continue
        test = item.nodeid.partition("[")[0]
        if seen[test] % count:
            item.add_marker(pytest.mark.slow)
        seen[test] += 1
