"""The commands: the programs that they take, what they print; the samples of CONTRIBUTING.md."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import myia
from myia.passes.memory.load_scheduling import load_scheduling
from tests.debugging import __main__ as commands
from tests.debugging import bisect_passes, compare_stages, reduce_program
from tests.debugging.compare_stages import ROOT
from tests.debugging.quantities import argument_names, number_name, quantities
from tests.debugging.subject import Subject, filename_of, source_of, subject_of
from tests.debugging.test_debugging import LATE, PROGRAM, WRONG_RULE, wrong, wrong_stage
from tests.fuzz.programs import define
from tests.passes.before_after import unchanged
from tests.passes.by_name import EVERY, substitute

# ----- Programs


@pytest.mark.parametrize("name", ["zoo:loops.power_by_range", "seed:17", "kernel:lu"])
def test_programs_by_name(name):
    for quantity in quantities(subject_of(source_of(name), filename_of(name))):
        assert wrong_stage(quantity) is None


def test_unknown_programs():
    for name in ("zoo:nothing", "kernel:nothing"):
        with pytest.raises(ValueError, match="nothing"):
            source_of(name)


def test_the_only_public_function_need_not_be_named():
    subject = subject_of(
        "def _helper(x):\n    return x\n\ndef smooth(x):\n    return x\n\nargs = (1.0,)"
    )
    assert subject.f.__name__ == "smooth"


@pytest.mark.parametrize(
    "source, added",
    [
        ("", ["f = smooth", "args = (...)"]),
        ("def g(x, n): return x\ndef h(y): return g(y, 1)\nargs = (1.0,)", ["f = h"]),
        ("def g(x, n): return x\ndef h(y): return g(y, 1)", ["f = h", "args = (...)"]),
        ("def g(x, n): return x", ["args = (...)  # a tuple, the values of: x, n"]),
    ],
)
def test_the_error_says_what_to_add(source, added):
    with pytest.raises(ValueError) as error:
        subject_of(source)
    _, *lines = str(error.value).splitlines()
    assert len(lines) == len(added)
    assert all(line.strip().startswith(start) for line, start in zip(lines, added))


def test_numbers_are_named_as_in_python():
    trees = {"x": np.zeros((2, 3)), "n": 1, "z": np.zeros(2, complex), "d": {"w": [0.5, (1.5,)]}}
    names = [number_name(i, trees.items()) for i in range(13)]
    assert names[:2] == ["x[0, 0]", "x[0, 1]"] and names[5:7] == ["x[1, 2]", "n"]
    assert names[7:11] == ["z[0].real", "z[1].real", "z[0].imag", "z[1].imag"]
    assert names[11:] == ["d['w'][0]", "d['w'][1][0]"]
    assert argument_names(Subject(lambda x, *rest: x, (1, 2, 3))) == ["x", "args[1]", "args[2]"]


# ----- What is printed and written


def run_here(monkeypatch, capsys, *arguments) -> tuple[bool, str]:
    """The exit status of a command in this process, and what it prints."""
    monkeypatch.setattr(sys, "argv", ["tests.debugging", *map(str, arguments)])
    status = commands.main()
    return status, capsys.readouterr().out


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_right_program(monkeypatch, capsys, program):
    status, printed = run_here(monkeypatch, capsys, "stages", program)
    assert not status and printed.count(compare_stages.RIGHT) == 2
    status, printed = run_here(monkeypatch, capsys, "reduce", program)
    assert status and "does not fail" in printed
    assert list(program.parent.iterdir()) == [program]


def test_a_wrong_pass(monkeypatch, capsys, program):
    substitute(monkeypatch, "finish", LATE, wrong)
    status, printed = run_here(monkeypatch, capsys, "bisect", "--show", program)
    assert status and "x[3] after the call" in printed and "gradient, x[" in printed
    assert "# program.py:7" in printed
    status, printed = run_here(monkeypatch, capsys, "reduce", program)
    reduced = program.with_name("program.reduced.py")
    assert not status and f"python -m tests.debugging bisect --show {reduced}" in printed
    assert reduce_program.failure(reduced.read_text())[0] is not None
    other = program.with_name("other.py")
    run_here(monkeypatch, capsys, "reduce", program, "-o", other)
    assert other.read_text() == reduced.read_text()


def test_where_the_smaller_program_is_written():
    assert str(reduce_program.output_of("there/program.py")) == "there/program.reduced.py"
    assert str(reduce_program.output_of("zoo:loops.power")) == "zoo_loops.power.reduced.py"


@pytest.mark.parametrize("name", EVERY)
def test_the_files_named_beside_a_pass_exist(name):
    step = bisect_passes.Step(name, 1, EVERY[name], None)
    assert step.file.startswith("myia/passes/")
    assert step.tests[0].endswith(".py")
    assert all((ROOT / file).exists() for file in (step.file, *step.tests, *step.imports))


def run(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tests.debugging", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_commands(program):
    program.write_text(WRONG_RULE)
    stages = run("stages", str(program))
    assert stages.returncode == 1, stages.stderr
    (marked,) = (line for line in stages.stdout.splitlines() if "<-- first wrong stage" in line)
    assert marked.split()[0] == "typed"
    assert run("stages", "nothing.py").returncode == 2


# ----- The samples of CONTRIBUTING.md


def samples() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_sample_programs_are_right():
    programs = [text for text in samples() if "args = " in text]
    assert len(programs) == 2
    for text in programs:
        for quantity in quantities(subject_of(text)):
            assert wrong_stage(quantity) is None


def test_the_sample_tests_pass():
    tests = [text for text in samples() if text.startswith("def test_")]
    assert len(tests) == 2
    names = {"np": np, "myia": myia, "unchanged": unchanged, "load_scheduling": load_scheduling}
    for text in tests:
        defined = define(text, names)
        (test,) = (x for name, x in defined.items() if name.startswith("test_"))
        test()
