"""Exceptions of saved programs: as those of the function, in class, arguments and attributes."""

import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import myia
from myia.artifacts.errors import ArtifactError
from myia.artifacts.exceptions import exception_json, exception_of


class Own(Exception):
    def __init__(self, code, value):
        super().__init__(f"code {code}")
        self.code, self.value = code, value


class Missing(FileNotFoundError):
    def __init__(self, name, tries=1):
        super().__init__(2, "no such", name)
        self.tries = {"number": tries, "names": [name, ("a", None)]}


class Silent(Exception):
    def __init__(self, code):
        self.code = code


class Slotted(ValueError):
    __slots__ = ("axis",)

    def __init__(self, axis):
        super().__init__("axis", axis)
        self.axis = axis


def os_error(x):
    if x > 0:
        raise OSError(2, "no")
    return x


def os_error_with_a_name(x):
    if x > 0:
        raise OSError(2, "no", "file")
    return x


def file_not_found(x):
    if x > 0:
        raise FileNotFoundError(2, "no")
    return x


def without_arguments(x):
    if x > 0:
        raise ZeroDivisionError
    return x


def several_arguments(x):
    if x > 0:
        raise KeyError("a", 2, None)
    return x


def own(x):
    if x > 0:
        raise Own(3, "v")
    return x


def missing(x):
    if x > 0:
        raise Missing("f.txt", tries=2)
    return x


def silent(x):
    if x > 0:
        raise Silent(7)
    return x


def slotted(x):
    if x > 0:
        raise Slotted(2)
    return x


def import_error(x):
    if x > 0:
        raise ImportError("no", name="a", path="b")
    return x


def unicode_error(x):
    if x > 0:
        raise UnicodeDecodeError("ascii", b"\xff", 0, 1, "bad")
    return x


def with_a_cause(x):
    if x > 0:
        raise ValueError("outer") from Own(4, "w")
    return x


def with_a_caught_cause(x):
    try:
        if x > 0:
            raise KeyError("k")
    except KeyError as e:
        raise Own(1, 2) from e
    return x


def from_none(x):
    try:
        if x > 0:
            raise KeyError("k")
    except KeyError:
        raise ValueError("only") from None
    return x


def nested_arguments(x):
    if x > 0:
        raise ValueError(("pair", [2, {"k": 1.5}]), np.float32(2))
    return x


ALL = [
    *(os_error, os_error_with_a_name, file_not_found, without_arguments, several_arguments, own),
    *(missing, silent, slotted, import_error, unicode_error, with_a_cause, with_a_caught_cause),
    *(from_none, nested_arguments),
]


def described(error):
    """All that a handler sees of an exception."""
    if error is None:
        return None
    held = {k: v for k, v in getattr(error, "__dict__", {}).items() if k != "__notes__"}
    names = ("errno", "strerror", "filename", "name", "path", "reason", "axis")
    more = [getattr(error, name, None) for name in names]
    cause = described(error.__cause__)
    return type(error), error.args, str(error), held, more, cause, error.__suppress_context__


def caught(f, *args):
    with pytest.raises(Exception) as found:
        f(*args)
    return found.value


@pytest.mark.parametrize("f", ALL, ids=[f.__name__ for f in ALL])
def test_exceptions_are_those_of_the_function(f, tmp_path):
    path = tmp_path / "f.myia"
    myia.jit(f).lower(1.0).compile().save(path)
    loaded = myia.load(path)
    for _ in range(2):
        error = caught(loaded, 1.0)
        assert described(error) == described(caught(f, 1.0))
        assert len(error.__notes__) == 1 and error.__notes__[0].startswith("at ")
    assert loaded(-1.0) == -1.0


def test_numbers_of_the_run_are_marked(tmp_path):
    def f(x):
        if x > 0:
            raise KeyError("a", 2, x)
        if x < 0:
            raise Own(3, x)
        return x

    myia.jit(f).lower(1.0).compile().save(tmp_path / "f.myia")
    loaded = myia.load(tmp_path / "f.myia")
    error = caught(loaded, 1.0)
    assert type(error) is KeyError and error.args[:2] == ("a", 2)
    assert str(error) == "('a', 2, <run-time value>)"
    error = caught(loaded, -1.0)
    assert error.args == ("code 3",) and error.code == 3 and str(error.value) == "<run-time value>"


class Asking(Exception):
    def __init__(self, value):
        super().__init__("asked")
        self.is_zero, self.is_true = value == 0, bool(value)


def test_what_a_class_finds_out_about_a_number_is_not_told(tmp_path):
    def f(x):
        if x > 0:
            raise Asking(x)
        return x

    myia.jit(f).lower(1.0).compile().save(tmp_path / "f.myia")
    error = caught(myia.load(tmp_path / "f.myia"), 1.0)
    assert type(error) is Asking and str(error) == "asked"
    assert str(error.is_zero) == str(error.is_true) == "<run-time value>"


def test_what_an_exception_holds_is_made_anew(tmp_path):
    myia.jit(missing).lower(1.0).compile().save(tmp_path / "f.myia")
    loaded = myia.load(tmp_path / "f.myia")
    caught(loaded, 1.0).tries["names"].clear()
    assert described(caught(loaded, 1.0)) == described(caught(missing, 1.0))


def test_no_code_of_a_class_is_run(monkeypatch, tmp_path):
    myia.jit(own).lower(1.0).compile().save(tmp_path / "f.myia")
    monkeypatch.setattr(Own, "__init__", lambda *_: pytest.fail("it was run"))
    monkeypatch.setattr(Own, "__new__", lambda *_: pytest.fail("it was run"))
    assert caught(myia.load(tmp_path / "f.myia"), 1.0).code == 3


ELSEWHERE = """
import sys, myia
try:
    myia.load(sys.argv[1])(1.0)
except Exception as error:
    print(type(error).__name__, error, "<-", repr(error.__cause__))
"""


def test_a_class_that_is_not_there_is_told_by_its_name(tmp_path):
    myia.jit(with_a_cause).lower(1.0).compile().save(tmp_path / "f.myia")
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path / "f.myia")]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.strip() == f"ValueError outer <- RuntimeError('{__name__}.Own: code 4')"


def test_files_without_what_exceptions_hold_can_be_read(tmp_path):
    """As those of earlier versions."""
    path = tmp_path / "f.myia"
    myia.jit(own).lower(1.0).compile().save(path)
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert exception_of(None, [__name__, "Own"], "code 3").args == ("code 3",)
    assert manifest["programs"][0]["exceptions"][0][0] == [__name__, "Own"]


def test_an_object_that_has_no_form_is_left_out():
    assert exception_json(ValueError(object())) is None
    xs: list = []
    xs.append(xs)
    assert exception_json(ValueError(xs)) is None


class Point:
    def __init__(self, total):
        self.total = total


def changing(a):
    a[0] += 5.0
    return Point(a.sum())


IN_A_SCRIPT = """
import numpy as np, myia, os, sys
class Point:
    def __init__(self, total):
        self.total = total
def changing(a):
    a[0] += 5.0
    return Point(a.sum())
myia.jit(changing).lower(np.ones(3)).compile().save(sys.argv[1])
"""


def test_a_result_whose_class_is_not_there_changes_nothing(tmp_path, monkeypatch):
    path, a = tmp_path / "f.myia", np.ones(3)
    myia.jit(changing).lower(a).compile().save(path)
    loaded = myia.load(path)
    monkeypatch.delattr(sys.modules[__name__], "Point")
    for _ in range(2):
        with pytest.raises(ArtifactError, match=f"the module {__name__} has no such class"):
            loaded(a)
    np.testing.assert_array_equal(a, np.ones(3))
    monkeypatch.undo()
    assert loaded(a).total == 8.0 and a[0] == 6.0


def test_a_result_of_a_class_of_a_script(tmp_path):
    path, a = str(tmp_path / "f.myia"), np.ones(3)
    (tmp_path / "script.py").write_text(IN_A_SCRIPT)
    subprocess.run([sys.executable, str(tmp_path / "script.py"), path], check=True)
    with pytest.raises(ArtifactError, match="it is of the script that saved the file"):
        myia.load(path)(a)
    np.testing.assert_array_equal(a, np.ones(3))
