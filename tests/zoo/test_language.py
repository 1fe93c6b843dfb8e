"""The language, construct by construct: values and gradients next to plain Python."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import myia
from tests.zoo.language import objects, statements, values
from tests.zoo.language.registry import PROGRAMS

THEMES = (values, objects, statements)  # imported for the programs that they register


def differences(f, x, rest, h=1e-6):
    if not np.ndim(x):
        return (f(x + h, *rest) - f(x - h, *rest)) / (2 * h)
    return np.array([(f(x + e, *rest) - f(x - e, *rest)) / (2 * h) for e in h * np.eye(len(x))])


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_value_and_gradient(f, args):
    value, gradient = myia.value_and_grad(f)(*copy.deepcopy(args))
    np.testing.assert_allclose(value, f(*copy.deepcopy(args)), rtol=1e-12)
    np.testing.assert_allclose(gradient, differences(f, args[0], args[1:]), rtol=1e-5, atol=1e-5)
