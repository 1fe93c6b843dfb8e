"""Exceptions of Python's classes: what their constructors make of the arguments, beside Python."""

import numpy as np
import pytest

import myia


class Named(ValueError):
    pass


RAISED = {
    "too few details": lambda x: SyntaxError("bad", (1, 2)),
    "details at run time": lambda x: SyntaxError("bad", (x, 2)),
    "details": lambda x: SyntaxError("bad", ("f", 1, 2, "t")),
    "one argument of five": lambda x: UnicodeDecodeError("utf"),
    "another type": lambda x: UnicodeDecodeError("utf-8", b"abc", x, 1, "why"),
    "five arguments": lambda x: UnicodeDecodeError("utf-8", b"abc", 0, 1, "why"),
    "a class": lambda x: UnicodeEncodeError,
    "a keyword": lambda x: ValueError(a=x),
    "a keyword of a class of its own": lambda x: Named(a=1),
    "another keyword": lambda x: ImportError("m", nam="a"),
    "its keyword": lambda x: ImportError("m", name="a"),
    "no exceptions": lambda x: ExceptionGroup("m", []),
    "a file that is missing": lambda x: OSError(2, "nope"),
    "a file with its name": lambda x: OSError(13, "nope", "file"),
    "another number": lambda x: OSError(-7, "nope"),
    "a text": lambda x: OSError("nope"),
}


@pytest.mark.parametrize("name", RAISED)
def test_a_constructor_that_raises(name):
    make = RAISED[name]

    def raises(x):
        raise make(x)

    def handled(x):
        try:
            raise make(x)
        except (FileNotFoundError, PermissionError):
            return x
        except (TypeError, OSError):
            return 2.0 * x
        except (SyntaxError, ValueError, ImportError):
            return 3.0 * x

    with pytest.raises(Exception) as wanted:
        raises(1.5)
    with pytest.raises(wanted.type) as caught:
        myia.jit(raises)(1.5)
    assert type(caught.value) is wanted.type
    assert caught.value.args == wanted.value.args
    assert myia.jit(handled)(1.5) == handled(1.5)
    assert myia.grad(handled)(1.5) == handled(1.0)


def test_the_cause_is_made_first():
    def f(x):
        raise ValueError("a") from UnicodeDecodeError("utf")

    with pytest.raises(TypeError, match="function takes exactly 5 arguments"):
        myia.jit(f)(1.5)


def numbers(e):
    return e.args, e.errno, e.strerror, e.filename, e.filename2, str(e), repr(e)


def codec(e):
    return e.encoding, e.object, e.start, e.end, e.reason, str(e), e.args


HELD = {
    "number and text": (lambda x: OSError(2, "nope"), numbers),
    "a file": (lambda x: OSError(2, "nope", "file"), numbers),
    "no file": (lambda x: OSError(2, "nope", None), numbers),
    "two files": (lambda x: OSError(2, "nope", "file", 3, "other"), numbers),
    "six arguments": (lambda x: OSError(2, "nope", "file", 3, "other", 5), lambda e: e.errno),
    "what was written": (lambda x: BlockingIOError(1, "nope", 5), numbers),
    "a text": (lambda x: OSError("nope"), numbers),
    "at run time": (lambda x: PermissionError(13, "nope", x), lambda e: (e.args, e.filename)),
    "of a codec": (lambda x: UnicodeDecodeError("utf-8", b"abc", 0, 1, "why"), codec),
    "of a generator": (lambda x: StopIteration(x), lambda e: e.value * 2.0),
    "a name": (lambda x: AttributeError("m", name="n"), lambda e: (e.name, e.args)),
    "of a key": (lambda x: KeyError("a", "b"), lambda e: str(e)),
}


@pytest.mark.parametrize("name", HELD)
def test_attributes(name):
    make, look = HELD[name]

    def f(x):
        try:
            raise make(x)
        except Exception as e:
            return look(e)

    assert repr(myia.jit(f)(1.5)) == repr(f(1.5))


def of_a_generator(x):
    def items():
        yield x
        return 2.0 * x

    found = items()
    try:
        next(found), next(found)
    except StopIteration as e:
        return e.value


def of_a_missing_attribute(x):
    try:
        return x.foo
    except AttributeError as e:
        return e.name


def of_a_number_at_run_time(x):
    try:
        raise OSError(int(x), "nope")
    except FileNotFoundError:
        return x


REFUSED = {
    of_a_generator: "the descriptor `member_descriptor` is not supported",
    of_a_missing_attribute: "the descriptor `member_descriptor` is not supported",
    of_a_number_at_run_time: "an OSError whose number, which decides its class",
}


@pytest.mark.parametrize("f", REFUSED)
def test_refused(f):
    """What an exception holds that no argument of it tells."""
    with pytest.raises(myia.errors.MyiaError, match=REFUSED[f]):
        myia.jit(f)(np.float64(2.5))
