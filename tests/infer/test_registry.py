"""What is known by name is registered once."""

import numpy as np
import pytest

from myia.infer.registry import FUNCTIONS, function, method


def test_two_handlers_for_a_function_are_an_error():
    with pytest.raises(ValueError, match="two handlers"):
        function(np.where)(lambda ctx, a: a)
    assert FUNCTIONS[np.where].__name__ != "<lambda>"


def test_two_handlers_for_a_method_are_an_error():
    with pytest.raises(ValueError, match="two handlers"):
        method("array", "sum")(lambda ctx, a: a)


def test_the_same_handler_twice_is_none():
    function(np.sum)(FUNCTIONS[np.sum])
