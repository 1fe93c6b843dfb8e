"""Training on two processes, which talk over the loopback, and training that is interrupted."""

import pytest

from tests.devices.processes import free_port, start


@pytest.mark.parametrize(
    ("devices", "networks"),
    [(1, ["perceptron"]), pytest.param(4, ["perceptron", "recurrent"], marks=pytest.mark.slow)],
)
def test_training_on_two_processes_is_that_on_one_device(devices, networks):
    port = free_port()
    both = [start("one_of_two.py", port, rank, *networks, devices=devices) for rank in range(2)]
    for process in both:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        assert output.splitlines()[-1] == "globals equal"
        assert output.count(" equal\n") == 2 * len(networks) + 1
