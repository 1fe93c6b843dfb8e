"""Saved programs: as the function in numbers, errors and changes, without the compiler."""

import copy
import json
import os
import pathlib
import subprocess
import sys
import zipfile

import jax
import numpy as np
import pytest

import myia
from tests.artifacts import training

ROOT = pathlib.Path(myia.__file__).parents[1]


def leaves(x):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(x)]


def same(x, y):
    """Equal structure, dtypes and numbers, but for rounding."""
    xs, ys = leaves(x), leaves(y)
    assert jax.tree.structure(x) == jax.tree.structure(y)
    assert [(a.dtype, a.shape) for a in xs] == [(b.dtype, b.shape) for b in ys]
    for a, b in zip(xs, ys):
        if a.dtype.kind == "U":
            assert a == b
            continue
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def seen(state, log, result):
    """The caller's objects and the result of a step."""
    (pair, more, weights) = result
    return [state.weights, state.count, log, pair.value, pair.state.weights, more, weights]


@pytest.mark.parametrize("count", [4, 2])
def test_numbers_and_changes_are_those_of_the_function(step, count):
    ours, plain = training.arguments(count, seed=1), training.arguments(count, seed=1)
    result, expected = step(*ours, name="fast"), training.step(*plain, name="fast")
    same(seen(ours[0], ours[3], result), seen(plain[0], plain[3], expected))
    assert result[0].state is ours[0] and type(result[0]) is type(expected[0])
    assert result[2] is ours[0].weights


def test_run_time_errors_have_their_lines_and_change_nothing(step):
    args = training.arguments()
    args[2][1] = np.nan
    with pytest.raises(ValueError, match="targets must be finite") as caught:
        step(*args, name="fast")
    assert [note.split(":")[0][-11:] for note in caught.value.__notes__] == ["training.py"]
    assert args[0].count == 0 and not args[0].weights.any() and args[3]["losses"] == [1.0]


REFUSED = [
    (lambda a: (*a[:2], a[2].astype(np.float32), a[3]), "`ys` is the array float32[4]"),
    (lambda a: (*a[:1], np.asfortranarray(a[1]), *a[2:]), "not contiguous"),
    (lambda a: (*a[:3], {**a[3], "more": 1.0}), "`log` is a dict"),
    (lambda a: (*a[:3], {**a[3], "best": 9}), "`log`['best'] is the int 9, and not float"),
    (lambda a: a[:3], "3 positional arguments"),
    (lambda a: (training.State(a[2], 0), *a[1:]), "`state`.weights"),
    (lambda a: (training.Pair(a[0].weights, 0), *a[1:]), "`state` is a Pair"),
]


@pytest.mark.parametrize("change, text", REFUSED, ids=[t for _, t in REFUSED])
def test_other_arguments_are_refused_by_name(step, change, text):
    with pytest.raises(TypeError) as caught:
        step(*change(training.arguments()), name="fast")
    assert text in str(caught.value) and "array float64[2,3]" in str(caught.value)


def power(x, n, kind="sum"):
    total = 0.0
    for i in range(n):
        total = total + x**i if kind == "sum" else x**i
    return total


def test_ints_and_strings_are_those_of_the_program(tmp_path):
    one, any_int = tmp_path / "one.myia", tmp_path / "any.myia"
    myia.jit(power).lower(2.0, 3, kind="sum").compile().save(one)
    saved = myia.load(one)
    assert saved(3.0, 3, kind="sum") == power(3.0, 3)
    text = r"`n` is the int 4, and not 3, the value that it was compiled for: .*`np.int64\(3\)`"
    with pytest.raises(TypeError, match=text):
        saved(2.0, 4, kind="sum")
    with pytest.raises(
        TypeError, match=r"`kind` is the str 'last', and not 'sum', .*compiled for$"
    ):
        saved(2.0, 3, kind="last")
    myia.jit(power).lower(2.0, np.int64(3), kind="sum").compile().save(any_int)
    for n in (0, 4):
        assert myia.load(any_int)(3.0, np.int64(n), kind="sum") == power(3.0, n)


def test_arrays_that_share_memory_are_refused(step, tmp_path):
    pair_file = tmp_path / "pair.myia"
    x = np.zeros(4)
    myia.jit(lambda x, y: x + y).lower(x, x.copy()).compile().save(pair_file)
    state, xs, ys, log = training.arguments()
    with pytest.raises(TypeError, match="which is passed twice"):
        myia.load(pair_file)(ys, ys)
    state.weights = xs[0]
    with pytest.raises(ValueError, match="and `xs` share memory"):
        step(state, xs, ys, log, name="fast")


IN_ANOTHER_PROCESS = """
import sys
import numpy as np
from tests.artifacts.records import State
import myia
step = myia.load(sys.argv[1])
rng = np.random.default_rng(1)
xs, ys = rng.normal(size=(4, 3)), rng.normal(size=4)
state = State(np.zeros(3), 0)
pair, more, weights = step(state, xs, ys, {"losses": [1.0], "best": 9.0}, name="fast")
print([float(pair.value), *map(float, state.weights)], file=sys.stderr)
rooms = {name.split(".")[1] for name in sys.modules if name.startswith("myia.")}
print(*sorted(rooms))
print("gast" in sys.modules, "tests.artifacts.training" in sys.modules)
"""


def test_another_process_needs_neither_the_source_nor_the_compiler(step_file, tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, step_file],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split("\n") == [
        "artifacts backends errors infer ir source",
        "False False",
        "",
    ]
    args = training.arguments(seed=1)
    pair, _, _ = training.step(*args, name="fast")
    found = json.loads(run.stderr.strip().splitlines()[-1])
    np.testing.assert_allclose(found, [pair.value, *args[0].weights], rtol=1e-12)


def test_the_module_for_plain_jax_has_the_same_numbers(step_file):
    """JAX alone reads it from the zip."""
    with zipfile.ZipFile(step_file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        told = manifest["programs"][0]
        (plain,) = [m for m in told["modules"] if m["jaxlib"] is None]
        blob = archive.read(f"{plain['member']}.module")
    exported = jax.export.deserialize(bytearray(blob))
    assert {"cpu", "cuda", "tpu"} <= {*exported.platforms} and plain["options"] == {}
    assert all("float64" in x.str_short() for x in exported.in_avals)
    text = exported.mlir_module()
    assert "custom_call" not in text and "xla_cpu_small_call" not in text


def test_what_a_program_reads_is_saved_with_its_value(tmp_path, monkeypatch):
    power = myia.jit(lambda x: x * training.RATE + training.SCALES[2])
    program = power.lower(2.0).compile()
    monkeypatch.setattr(training, "RATE", 3.0)
    program.save(tmp_path / "power.myia")
    monkeypatch.setattr(training, "RATE", 5.0)
    assert myia.load(tmp_path / "power.myia")(2.0) == 10.0 and program(2.0) == 14.0


def test_results_follow_the_arguments(tmp_path):
    """Arrays of JAX in, arrays of JAX out, and a program inside of `jax.jit`."""
    x = jax.numpy.arange(3.0, dtype=np.float32)
    program = myia.jit(lambda x, y: (x * y + 1.0, y)).lower(x, x).compile()
    program.save(tmp_path / "f.myia")
    loaded = myia.load(tmp_path / "f.myia").compile()
    (result, _), inside = loaded(x, x), jax.jit(lambda x: loaded(x, x)[0])(x)
    assert isinstance(result, jax.Array) and result.dtype == np.float32
    np.testing.assert_array_equal(result, [1, 2, 5])
    np.testing.assert_array_equal(inside, result)


def test_transforms_of_a_loaded_program_are_refused(tmp_path):
    x = jax.numpy.arange(3.0)
    myia.jit(lambda x: np.sum(x * x)).lower(x).compile().save(tmp_path / "f.myia")
    loaded = myia.load(tmp_path / "f.myia")
    for transform in (jax.grad, jax.hessian, lambda f: jax.jit(jax.jacfwd(f))):
        with pytest.raises(TypeError, match="has no derivative: save the program"):
            transform(loaded)(x)
    with pytest.raises(TypeError, match="has no batches: save the program"):
        jax.vmap(loaded)(x[None])
    assert jax.jit(lambda x: 2.0 * loaded(x))(x) == 10.0
    for ours in (myia.grad(loaded), myia.vmap(loaded), myia.jit(lambda x: loaded(x) + 1.0)):
        with pytest.raises(myia.MyiaError, match="a program of a file in compiled code is not"):
            ours(x[None])


def a_printer(x):
    print(x)
    return x


COUNTS = {"calls": 0}


def a_counter(x):
    COUNTS["calls"] += 1
    return x


def a_generator(rng):
    return rng.normal()


NOT_SAVED = [
    (a_printer, 1.0, "prints"),
    (a_counter, 1.0, "it changes a global"),
    (a_generator, np.random.default_rng(0), "a random generator is among its arguments"),
    (lambda f: f(1.0), np.sin, "a function is among its arguments"),
]


@pytest.mark.parametrize("f, x, text", NOT_SAVED, ids=[t for *_, t in NOT_SAVED])
def test_what_cannot_be_saved_is_refused(f, x, text, tmp_path):
    program = myia.jit(f).lower(x).compile()
    with pytest.raises(myia.errors.ArtifactError, match=text):
        program.save(tmp_path / "f.myia")
    assert not [*tmp_path.iterdir()]


def test_what_is_no_program_is_refused(tmp_path):
    with pytest.raises(TypeError, match=r"F\.lower"):
        myia.save(tmp_path / "f.myia", myia.jit(training.pick))
    with pytest.raises(TypeError, match="takes programs"):
        myia.save(tmp_path / "f.myia")


class Sub(np.ndarray):
    pass


A = np.ones((3, 3))
UNLIKE = {
    "matrix": (
        lambda: (A.view(np.matrix), A),
        "`x` is a numpy.matrix of float64",
        "numpy.matrix f",
    ),
    "masked": (lambda: (np.ma.array(A), A), "is a numpy.ma.MaskedArray", "numpy.ma.MaskedArray f"),
    "subclass": (lambda: (A.view(Sub), A), "`x` is a tests.artifacts.", "the tests.artifacts"),
    "big-endian": (lambda: (A.astype(">f8"), A), "of another byte order", "of the byte order '>'"),
    "objects": (lambda: (A.astype(object), A), "a NumPy array of object", "the array object[3,3]"),
    "twice": (lambda: (A, A), "`y` is passed twice, was not", "passed twice, and not an object of"),
    "strided": (lambda: (A, np.ones((3, 6))[:, ::2]), "is not C-contiguous", "not contiguous"),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_messages_say_what_differs(name, tmp_path):
    arguments, here, there = UNLIKE[name]
    program = myia.jit(lambda x, y: x @ y).lower(A, A.copy()).compile()
    program.save(tmp_path / "f.myia")
    for f, text in ((program, here), (myia.load(tmp_path / "f.myia"), there)):
        with pytest.raises(TypeError) as caught:
            f(*arguments())
        assert text in str(caught.value)


def test_an_array_that_is_not_passed_twice(tmp_path):
    program = myia.jit(lambda x, y: x + y).lower(A, A).compile()
    program.save(tmp_path / "f.myia")
    np.testing.assert_array_equal(myia.load(tmp_path / "f.myia")(A, A), A + A)
    with pytest.raises(TypeError, match="`y` is not passed twice, was"):
        program(A, A.copy())


BIG = 10**5000  # Python has no text for it


def of_big(n, d, x):
    return (x if n > 3 else -x) + d[BIG]


def test_ints_that_have_no_text(tmp_path):
    args = BIG, {BIG: 2.0}, 1.0
    myia.jit(of_big).lower(*args).compile().save(tmp_path / "f.myia")
    loaded = myia.load(tmp_path / "f.myia")
    assert loaded(*args) == of_big(*args) == 3.0
    with pytest.raises(TypeError, match="`n` is the int an int of 16611 bits, and not an int of"):
        loaded(2 * BIG, {BIG: 2.0}, 1.0)
    with pytest.raises(TypeError, match=r"`d`\[an int of 16610 bits\] is the int 2, and not float"):
        loaded(BIG, {BIG: 2}, 1.0)


WEIGHTS, SCALES = np.array([1.0, 2.0]), [1.0, 2.0]


def with_weights(w, x):
    return w[0] * WEIGHTS[1] * x


def with_scales(w, x):
    return w[0][0] * SCALES[1] * x


SHARED = [(with_weights, WEIGHTS, "WEIGHTS"), (with_scales, [SCALES], "SCALES")]


@pytest.mark.parametrize("f, w, name", SHARED, ids=[name for *_, name in SHARED])
def test_an_argument_that_is_a_global_too(f, w, name, tmp_path):
    """A caller of the file may pass another one: the global would be that."""
    program = myia.jit(f).lower(w, 3.0).compile()
    assert program(w, 3.0) == f(w, 3.0)
    with pytest.raises(myia.errors.ArtifactError, match=f"reads as `{name}` is one of its arg"):
        program.save(tmp_path / "f.myia")
    copied = copy.deepcopy(w)
    myia.jit(f).lower(copied, 3.0).compile().save(tmp_path / "f.myia")
    loaded = myia.load(tmp_path / "f.myia")
    assert loaded(w, 3.0) == f(w, 3.0)
