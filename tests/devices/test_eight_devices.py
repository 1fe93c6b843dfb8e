"""The checks of `eight.py`, in a process with eight devices."""

import json

import pytest

from tests.devices.eight import CHECKS
from tests.devices.processes import start


@pytest.fixture(scope="module")
def failed():
    process = start("eight.py", devices=8)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return json.loads(output.splitlines()[-1])


@pytest.mark.parametrize("name", CHECKS)
def test_on_eight_devices(failed, name):
    assert name not in failed, failed[name]
