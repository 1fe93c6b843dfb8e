"""Prints, logs, warnings, clocks and progress bars: in order, once for each time Python would."""

from __future__ import annotations

import io
import logging
import re
import time
import warnings

import numpy as np
import pytest
from tqdm import auto, tqdm, trange

import myia

LOG = logging.getLogger("tests.effects")


class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.told = []

    def emit(self, record):
        line = (record.lineno, record.funcName, record.pathname)
        self.told.append((record.name, record.levelname, record.getMessage(), *line))


@pytest.fixture
def told():
    kept, level = Kept(), LOG.level
    LOG.setLevel(logging.INFO)
    LOG.addHandler(kept)
    yield kept.told
    LOG.removeHandler(kept)
    LOG.setLevel(level)


def of(told, run):
    """What `run()` logs."""
    told.clear()
    run()
    return told.copy()


def helper(x, i):
    LOG.info("item %d: %.3f", i, x, stacklevel=2)
    LOG.warning(f"now {x} and {x:6.2f}", extra={"why": i})
    return x * (i + 2.0)


def logged(x, n):
    LOG.info("start")
    LOG.debug("never %s", x)
    for i in range(n):
        x = helper(x, i)
        if x > 20.0:
            LOG.error("%s is large, %r", x, [x, i])
            break
    while x > 1.0:
        x = x * 0.5
        LOG.log(logging.CRITICAL, "%8.2e|%-6d|%+g", x, n, x)
    LOG.info("ends with %s of %s", np.array([x, 2.0]), {"x": x, "n": n})
    return x


TRANSFORMS = {
    "jit": lambda f: myia.jit(f),
    "grad": lambda f: myia.grad(f),
    "second": lambda f: myia.grad(myia.grad(f)),
    "value_and_grad": lambda f: myia.value_and_grad(f),
    "jacrev": lambda f: myia.jacrev(f),
    "jacfwd": lambda f: myia.jacfwd(f),
    "tape": lambda f: myia.grad(lambda x, n: f(x, n), checkpoint="trail"),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("args", [(1.5, 5), (0.5, 0), (0.25, 2)], ids=str)
def test_logs_are_pythons(told, transform, args):
    want = of(told, lambda: logged(*args))
    compiled = TRANSFORMS[transform](logged)
    assert len(want) >= 2
    assert of(told, lambda: compiled(*args)) == want
    assert of(told, lambda: compiled(*args)) == want  # of a call with the same program


def test_derivatives_of_a_function_that_logs():
    myia.check_grads(lambda x: logged(x, 3), (1.5,))


def test_a_disabled_level_leaves_no_ops_and_is_watched(told):
    f = myia.jit(lambda x: [LOG.debug("x %g", x), 2.0 * x][1])
    assert "host_call" not in f.ir(1.0)["finish"]
    assert of(told, lambda: f(1.0)) == []
    LOG.setLevel(logging.DEBUG)
    assert [x[2] for x in of(told, lambda: f(1.5))] == ["x 1.5"]
    LOG.setLevel(logging.INFO)
    assert of(told, lambda: f(1.0)) == []
    logging.disable(logging.CRITICAL)
    try:
        assert of(told, lambda: myia.jit(logged)(1.5, 2)) == []
    finally:
        logging.disable(logging.NOTSET)


def test_nothing_is_told_after_a_failed_check(told, capfd):
    @myia.jit
    def f(x, i):
        LOG.info("before")
        print("before", x[0])
        y = x[i]
        LOG.info("after %s", y)
        print("after", y)
        return y

    with pytest.raises(IndexError, match=r"^index 5 is out of bounds for axis 0 with size 3"):
        f(np.ones(3), np.int64(5))
    assert [x[2] for x in told] == ["before"]
    assert capfd.readouterr().out == "before 1.0\n"


def test_prints_and_logs_beside_calls_of_the_host_are_not_repeated(told, capfd):
    draw = myia.host(lambda: 2.0, like=0.0)

    def f(x):
        print("start", x)
        for i in range(3):
            LOG.info("%d", i)
            print(i)
            x = x * draw()
        return x

    assert myia.grad(f)(1.0) == 8.0
    assert [x[2] for x in told] == ["0", "1", "2"]
    assert capfd.readouterr().out == "start 1.0\n0\n1\n2\n"


def test_a_pullback_tells_nothing(told, capfd):
    def f(x):
        LOG.info("%g", x)
        print(x)
        return x**3

    value, pull = myia.vjp(f, 2.0)
    assert (value, pull(1.0), pull(2.0)) == (8.0, (12.0,), (24.0,))

    @myia.jit
    def inside(x):
        value, pull = myia.vjp(f, x)
        return value + pull(1.0)[0]

    assert inside(2.0) == 20.0
    assert [x[2] for x in told] == ["2", "2"]
    assert capfd.readouterr().out == "2.0\n2.0\n"


class Model:
    def __init__(self):
        self.w = np.array([1.0, 2.0])
        self.log = logging.getLogger("tests.effects.model")

    def loss(self, x):
        self.log.warning("loss of %s", type(self).__name__)
        return np.sum(self.w**2) * x


def test_a_logger_in_a_differentiated_instance(told):
    gradient = myia.grad(lambda model: model.loss(3.0))(Model())
    np.testing.assert_array_equal(gradient.w, [6.0, 12.0])
    assert [x[:3] for x in told] == [("tests.effects.model", "WARNING", "loss of Model")]


def test_the_root_logger(capfd):
    kept = Kept()
    logging.root.addHandler(kept)
    try:
        myia.jit(lambda x: [logging.warning("root %g", x), x][1])(2.0)
    finally:
        logging.root.removeHandler(kept)
    assert [x[:3] for x in kept.told] == [("root", "WARNING", "root 2")]


# ----- Warnings


def reported(x):
    names = {0: "zero", 1: "one"}
    try:
        if x > 3.0:
            raise ValueError(f"too large: {x:.2f}")
        if x > 0.0:
            raise KeyError("k", x)
    except (ValueError, KeyError) as e:
        print("caught", e, names[int(x) % 2])
        LOG.warning("failed: %s at %g, which is %s", e, x, "big" if x > 2.0 else "small")
        LOG.error(e)
    return x


@pytest.mark.parametrize("x", [3.5, 0.5, -1.0])
@pytest.mark.parametrize("transform", ["jit", "second"])
def test_messages_of_exceptions_and_chosen_texts(told, capsys, transform, x):
    """One of several exceptions is caught; one of several strings is chosen."""
    want = of(told, lambda: reported(x)), capsys.readouterr().out
    got = of(told, lambda: TRANSFORMS[transform](reported)(x)), capsys.readouterr().out
    assert got == want and bool(want[0]) == (x > 0)


class TooFar(ValueError):
    def __str__(self):
        return f"{self.args[0]} is too far"


def reported_as_it_is(x):
    made = KeyError("k", x) if x < 0.0 else None
    try:
        if x > 3.0:
            raise TooFar(x)
        if x > 0.0:
            raise ValueError("bad", x)
        [x][int(x) - 7]
    except (ValueError, IndexError) as e:
        LOG.warning("%r, which says %s, at %g; %r", e, e, x, made)
        LOG.error(e)
    return x


@pytest.mark.parametrize("x", [3.5, 0.5, -1.0])
def test_exceptions_as_arguments_of_a_log(told, monkeypatch, x):
    """A handler gets the exception, not its text."""
    records = []

    def emit(self, record):
        said = (record.msg, *record.args)
        records.append((record.getMessage(), [(type(a), repr(a), vars(e(a))) for a in said]))

    e = lambda a: a if isinstance(a, BaseException) else Kept  # noqa: E731
    monkeypatch.setattr(Kept, "emit", emit)
    want = of(records, lambda: reported_as_it_is(x))
    assert of(records, lambda: myia.jit(reported_as_it_is)(x)) == want and len(want) == 2


def careful(x):
    if x < 0.0:
        warnings.warn(f"{x} is negative", RuntimeWarning, stacklevel=2)
        x = -x
    for i in range(2):
        warnings.warn(DeprecationWarning("old"))  # noqa: B028 - this line is meant
        warnings.warn("plain %d" % i)  # noqa: B028, UP031 - templates are tested
    return np.sqrt(x)


def caller(x):
    return careful(x) * 2.0


@pytest.mark.parametrize("mode", ["always", "default", "once", "module", "ignore"])
@pytest.mark.parametrize("transform", [myia.jit, myia.grad, lambda f: myia.grad(myia.grad(f))])
def test_warnings_are_pythons(mode, transform):
    def warned(f):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter(mode)
            globals().pop("__warningregistry__", None)
            f(-4.0)
        return [(str(w.message), w.category, w.lineno, w.filename) for w in found]

    want = warned(caller)
    assert (len(want) > 0) == (mode != "ignore")
    assert warned(transform(caller)) == want


def test_a_warning_that_is_an_error():
    f = myia.jit(caller)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match=r"^-4.0 is negative$"):
            f(-4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert f(-4.0) == 4.0


# ----- Clocks


def test_clocks_are_read_in_order():
    @myia.jit
    def f(x):
        first = time.perf_counter()
        time.sleep(0.01)
        second = time.perf_counter()
        return second - first, time.perf_counter_ns(), time.time(), x

    took, stamp, now, _ = f(1.0)
    assert 0.009 < took < 5.0
    assert isinstance(stamp, int)
    assert abs(now - time.time()) < 60.0


def test_a_loop_until_a_time():
    @myia.jit
    def f(x):
        end = time.monotonic() + 0.02
        n = 0
        while time.monotonic() < end:
            x, n = x + 1.0, n + 1
        return x, n

    x, n = f(0.5)
    assert n > 1
    assert x == n + 0.5


def test_a_clock_has_no_derivative():
    def f(x):
        started = time.time()
        y = x**3
        return y + 0.0 * (time.time() - started)

    assert myia.grad(f)(2.0) == 12.0
    assert myia.grad(myia.grad(f))(2.0) == 12.0


# ----- Progress bars


def bars(x, xs, out):
    bar = tqdm(xs, desc="loop", file=out, mininterval=0)
    for v in bar:
        x = x * v
        bar.set_postfix(x=x, refresh=False)
    for i in trange(3, file=out, leave=False, mininterval=0):
        x = x + i
    for i in tqdm(range(4), disable=True):
        x = x + i
    with tqdm(total=5, file=out, mininterval=0) as bar:
        for _ in range(5):
            bar.update()
    for i, v in enumerate(auto.tqdm(xs, file=out, mininterval=0)):
        x = x + i * v
    for v, w in zip(tqdm(xs, file=out, mininterval=0), xs):
        x = x + v * w
    return x


XS = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("transform", [myia.jit, myia.grad])
def test_bars_are_those_of_python(transform):
    def shown(f):
        out = io.StringIO()
        result = f(2.0, XS, out)
        lines = re.sub(r"\[[^,\]]*,[^,\]]*", "", out.getvalue())  # without times and rates
        lines = re.sub(r" +$", "", lines, flags=re.MULTILINE)  # over a longer rate
        return result, [line.rstrip(" ") for line in lines.split("\r")]

    want, lines = shown(bars)
    found, same = shown(transform(bars))
    assert same == lines
    assert len(lines) > 15
    if transform is myia.jit:
        assert found == want
    else:
        assert found == 6.0


def test_a_bar_whose_loop_is_left():
    out = io.StringIO()

    @myia.jit
    def f(x):
        for _ in range(2):
            for i in tqdm(range(10), file=out, mininterval=0):
                x = x + i
                if x > 4.0:
                    break
        return x

    assert f(0.0) == 6.0
    assert "3/10" in out.getvalue()
    assert "4/10" not in out.getvalue()


def test_what_is_printed_before_an_overflow_is_printed_once(capfd):
    """The int is an argument after three values; without prints the program would run again."""

    def f(x, k):
        print("start")
        return x * float(k * 10)

    compiled = myia.jit(f)
    for k in (1, 2, 3, 4):
        compiled(2.0, k)
    capfd.readouterr()
    with pytest.raises(OverflowError, match="64 bits"):
        compiled(2.0, 2**62)
    assert capfd.readouterr().out == "start\n"
