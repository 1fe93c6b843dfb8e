"""The cache of compiled programs: used by another process, and only if everything is as before."""

import logging
import os
import pathlib
import stat
import subprocess
import sys
import types

import jax
import numpy as np
import pytest

import myia
from myia.api import sharing
from myia.api.files import cache as caches
from myia.artifacts import directory as directories
from tests.artifacts import cache_edits, training
from tests.artifacts.test_saved_programs import same, seen
from tests.fuzz.dependence_pool import execute

ROOT = pathlib.Path(myia.__file__).parents[1]
OF_THE_CACHE, COMPILED = "a program of the cache", "inference and lowering"


@pytest.fixture
def folder(tmp_path):
    """A directory that is the cache of this process during a test."""
    before = {k: v for k, v in jax.config.values.items() if "cache" in k}
    path = tmp_path / "cache"
    myia.cache(path)
    yield path
    myia.cache(None)
    for name, value in before.items():
        jax.config.update(name, value)
    caches.compilation_cache.reset_cache()


def entries(folder):
    return sorted((folder / "programs").rglob("*.myia"))


def is_kept(f, *args, **kwargs):
    """Whether a new transform of `f` finds its program in the cache; its result."""
    records = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    caches.LOG.addHandler(handler)
    level = caches.LOG.level
    caches.LOG.setLevel(logging.INFO)
    try:
        result = f(*args, **kwargs)
    finally:
        caches.LOG.setLevel(level)
        caches.LOG.removeHandler(handler)
    return any(OF_THE_CACHE in text for text in records), result


def new(f):
    """A transform as another process makes it: it shares no program with earlier ones."""
    sharing.forget()
    return myia.jit(f)


IN_ANOTHER_PROCESS = """
import logging, sys
import numpy as np
import myia
from tests.artifacts import training
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
logging.getLogger("jax").setLevel(logging.ERROR)
step = myia.jit(training.step)
args = training.arguments(seed=1)
pair, more, weights = step(*args, name="fast")
print("result", float(pair.value), *map(float, weights), args[0].count, type(pair).__name__)
pick = myia.jit(training.pick)
try:
    pick(np.ones(3), np.int64(7))
except IndexError as error:
    print("result", error, error.__notes__[0].split("/")[-1])
"""


def run_another(folder):
    result = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS],
        env={**os.environ, "PYTHONPATH": str(ROOT), "MYIA_CACHE": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = result.stdout.splitlines()
    return [x for x in lines if x.startswith("result")], sum(OF_THE_CACHE in x for x in lines)


def test_a_second_process_compiles_nothing(tmp_path):
    first, found = run_another(tmp_path / "cache")
    assert found == 0 and len(first) == 2
    second, found = run_another(tmp_path / "cache")
    assert found == 2 and second == first
    args = training.arguments(seed=1)
    pair, _, weights = training.step(*args, name="fast")
    np.testing.assert_allclose(
        [float(x) for x in first[0].split()[1:5]], [pair.value, *weights], rtol=1e-12
    )
    assert first[1].startswith("result index 7 is out of bounds for axis 0 with size 3 training")
    assert stat.S_IMODE(os.stat(tmp_path / "cache").st_mode) == 0o700


def test_objects_and_results_are_those_of_the_function(folder):
    args = training.arguments(2)
    assert not is_kept(new(training.step), *args, name="fast")[0]
    ours, plain = training.arguments(2, seed=3), training.arguments(2, seed=3)
    kept, result = is_kept(new(training.step), *ours, name="fast")
    expected = training.step(*plain, name="fast")
    assert kept and type(result[0]) is training.Pair and result[0].state is ours[0]
    same(seen(ours[0], ours[3], result), seen(plain[0], plain[3], expected))
    args[2][1] = np.nan
    with pytest.raises(ValueError, match="targets must be finite"):
        new(training.step)(*args, name="fast")


def test_a_program_of_the_cache_can_be_saved(folder, tmp_path):
    x = np.arange(3.0)
    new(training.pick)(x + 1, 1)
    kept, program = is_kept(lambda: new(training.pick).lower(x, 1).compile())
    program.save(tmp_path / "f.myia")
    assert kept and myia.load(tmp_path / "f.myia")(x + 1, 1) == 2.0


MODULE = """
def made(rate, f):
    def inner(x, *, shift={shift}):
        return f(x) * rate + shift
    return inner


def helper(x):
    return x {operator} scale


scale = {scale}
f = made({rate}, helper)
"""
FIRST = {"shift": "1.0", "operator": "*", "scale": "2.0", "rate": "3"}
EDITS = [
    ({"scale": "4.0"}, True, 13.0),  # a number that is an argument
    ({"rate": "3"}, True, 7.0),
    ({"rate": "4"}, False, 9.0),
    ({"scale": "2"}, False, 7.0),
    ({"operator": "+"}, False, 10.0),
    ({"shift": "2"}, False, 8.0),
]


def test_edits_between_processes(folder):
    """The same module again, with other globals, closures, defaults and helpers."""
    for number, (edit, kept, result) in enumerate([({}, False, 7.0), *EDITS]):
        module = sys.modules["a_module_of_the_cache"] = types.ModuleType("a_module_of_the_cache")
        execute(f"<a module {number}>", MODULE.format(**FIRST | edit), module.__dict__)
        assert is_kept(new(module.f), 1.0) == (kept, result), edit


def test_functions_that_share_programs_have_entries(folder):
    """What is made anew is an argument of the programs that it shares."""
    fs = [lambda x, rate=rate: x * rate for rate in (1.0, 2.0, 3.0, 4.0)]
    sharing.forget()
    kept = [is_kept(myia.jit(f), 2.0) for f in fs]
    assert [result for _, result in kept] == [2.0, 4.0, 6.0, 8.0]
    sharing.forget()
    assert [is_kept(myia.jit(f), 2.0) for f in fs[:2]] == [(True, 2.0), (True, 4.0)]


def test_what_has_no_name_is_compiled(folder):
    class Held:
        rate = 2.0

    held = Held()
    assert is_kept(new(lambda x: x * held.rate), 1.5) == (False, 3.0)
    assert is_kept(new(lambda x: x * held.rate), 1.5) == (False, 3.0)
    assert not entries(folder)


DAMAGE = {
    "truncated": lambda path, data: path.write_bytes(data[: len(data) // 2]),
    "empty": lambda path, data: path.write_bytes(b""),
    "a bit": lambda path, data: path.write_bytes(data[:400] + bytes([data[400] ^ 1]) + data[401:]),
    "link": lambda path, data: (path.unlink(), path.symlink_to(__file__)),
    "others may write": lambda path, data: path.chmod(0o666),
    "a pipe": lambda path, data: (path.unlink(), os.mkfifo(path)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_entry_is_compiled_again(name, folder):
    new(training.pick)(np.ones(3), 1)
    (path,) = entries(folder)
    DAMAGE[name](path, path.read_bytes())
    assert is_kept(new(training.pick), np.ones(3), 1) == (False, 1.0)
    assert entries(folder) == [path] and path.is_file() and not path.is_symlink()
    assert is_kept(new(training.pick), np.ones(3), 1) == (True, 1.0)


def test_an_entry_of_another_user_is_compiled_again(folder, monkeypatch):
    new(training.pick)(np.ones(3), 1)
    monkeypatch.setattr(directories.os, "geteuid", lambda: os.getuid() + 1)
    assert not [*directories.Directory.entries(caches.active().directory, _key(folder))]


def _key(folder):
    return entries(folder)[0].parent.name


REFUSED = {
    "others may write": (lambda p: (p.mkdir(), p.chmod(0o777)), "chmod 700"),
    "the group may": (lambda p: (p.mkdir(), p.chmod(0o770)), "chmod 700"),
    "a link": (lambda p: ((p.parent / "x").mkdir(), p.symlink_to(p.parent / "x")), "a link to one"),
    "a file": (lambda p: p.write_bytes(b""), "no directory"),
    "the parent": (lambda p: (p.mkdir(), p.parent.chmod(0o777)), "may replace the cache"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_directory_that_is_not_private_is_refused(name, tmp_path):
    make, text = REFUSED[name]
    make(tmp_path / "cache")
    with pytest.raises(myia.errors.ArtifactError, match=text):
        myia.cache(tmp_path / "cache")
    assert caches.active() is None


def test_a_directory_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for path in ("/proc/no_such_folder", tmp_path / "file" / "inside"):
        with pytest.raises(myia.errors.ArtifactError, match="the cache cannot be made there"):
            myia.cache(path)


def test_a_directory_of_another_user_is_refused(tmp_path, monkeypatch):
    (tmp_path / "cache").mkdir(0o700)
    monkeypatch.setattr(directories.os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(myia.errors.ArtifactError, match="another user"):
        directories.Directory(tmp_path / "cache")


def test_what_was_used_least_recently_is_removed(tmp_path):
    found = directories.Directory(tmp_path / "cache", most_bytes=30_000)
    for i in range(6):
        found.add("key", f"{i}", {}, [bytes(8_000)])
        for k, path in enumerate(sorted((tmp_path / "cache/programs/key").iterdir())):
            os.utime(path, (k, k))
        os.utime(tmp_path / "cache/programs/key/0.myia", (10, 10))  # used
    names = [p.stem for p in sorted((tmp_path / "cache/programs/key").iterdir())]
    assert names == ["0", "4", "5"]
    assert next(p.stem for p, *_ in found.entries("key")) == "0"


def test_a_cache_that_cannot_be_written_costs_no_result(folder, monkeypatch, caplog):
    def full(*args, **kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(directories.container, "write", full)
    assert new(training.pick)(np.ones(3), 1) == 1.0
    assert "the cache cannot be written" in caplog.text and not entries(folder)


def edited(path, count, seed):
    command = [sys.executable, "-m", "tests.artifacts.cache_edits", "--count", str(count)]
    return subprocess.run(
        [*command, "--seed", str(seed), str(path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
    )


def test_no_entry_is_used_after_random_edits(tmp_path):
    """Two processes, each with other orders of sets; the second goes on with the entries."""
    cache_edits.run(tmp_path / "store", 15, 5).save()
    result = edited(tmp_path / "store", 25, 6)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_lost_fact_would_be_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_edits, "named", lambda facts, target: [])
    assert cache_edits.run(tmp_path / "store", 20, 5).mistakes


@pytest.mark.slow
def test_two_thousand_edits(tmp_path):
    for seed in (1, 2):
        result = edited(tmp_path / "store", 1000, seed)
        assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_eight_processes_fill_one_cache(tmp_path):
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MYIA_CACHE": str(tmp_path / "cache")}
    how = {"env": env, "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen(command, **how) for _ in range(8)]
    outputs = [p.communicate()[0].splitlines() for p in started]
    results = {tuple(x for x in lines if x.startswith("result")) for lines in outputs}
    assert all(p.returncode == 0 for p in started) and len(results) == 1
    again, found = run_another(tmp_path / "cache")
    assert found == 2 and {tuple(again)} == results
    left = [p.name for p in (tmp_path / "cache/programs").rglob("*") if p.is_file()]
    assert len(left) == 2 and not [name for name in left if name.startswith(".")]
