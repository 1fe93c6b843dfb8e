"""A hundred files that are not what `myia.save` wrote: each a clear error, and nothing is run."""

import copy
import hashlib
import io
import json
import os
import pickle
import random
import stat
import zipfile

import pytest

import myia
from myia.artifacts import container
from myia.artifacts.saved_program import check_calls
from myia.errors import ArtifactError
from tests.artifacts import training


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, compression=zipfile.ZIP_STORED, mode=0):
    """A zip of these members, whose names may be met twice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, blob in members:
            info = zipfile.ZipInfo(name, container.DATE)
            info.external_attr, info.compress_type = mode << 16, compression
            archive.writestr(info, blob)
    return file.getvalue()


def with_manifest(data, change):
    """The file, whose manifest is changed by somebody who makes the hash right again."""
    members = members_of(data)
    told = json.loads(members[container.MANIFEST])
    text = change(told)
    text = json.dumps(told if text is None else text).encode() if type(text) is not bytes else text
    members[container.MANIFEST] = text
    members[container.CHECKSUM] = hashlib.sha256(text).hexdigest().encode()
    return zipped(members.items())


def with_program(data, change):
    return with_manifest(data, lambda told: change(told["programs"][0]))


def with_first_module(data, **fields):
    return with_program(data, lambda told: told["modules"][0].update(fields))


def with_module(data, blob):
    """Another module, with the right hash."""
    members = members_of(data)
    told = json.loads(members[container.MANIFEST])
    number = told["programs"][0]["modules"][0]["member"]
    told["members"][number] = {"bytes": len(blob), "sha256": hashlib.sha256(blob).hexdigest()}
    members[f"{number}.module"] = blob
    return with_manifest(zipped(members.items()), lambda _: told)


def swapped(data, a, b):
    members = members_of(data)
    members[a], members[b] = members[b], members[a]
    return zipped(members.items())


def renamed(data, old, new):
    return zipped((new if name == old else name, x) for name, x in members_of(data).items())


def flipped(data, seed):
    """A bit of a member, of its name or of its place in the file."""
    changed = bytearray(data)
    changed[random.Random(seed).randrange(len(data))] ^= 1 << seed % 8
    return bytes(changed)


def between(data):
    """More bytes after the members, which the end of the file leaves out."""
    at = int.from_bytes(data[-6:-2], "little")
    end = data[at:-6] + (at + 9).to_bytes(4, "little") + data[-2:]
    return data[:at] + b"more data" + end


def bomb(data):
    """The first module is compressed, and a thousand times as long as it says."""
    members = members_of(data)
    members["0.module"] = bytes(10 << 20)
    return zipped(members.items(), zipfile.ZIP_DEFLATED)


def overlapping(data):
    """All modules are one, at one place of the file: more bytes than there are."""
    found = bytearray(zipped([*members_of(data).items(), ("9.module", bytes(len(data)))]))
    with zipfile.ZipFile(io.BytesIO(bytes(found))) as archive:
        last = archive.infolist()[-1]
    at = found.rindex(b"0.module", 0, found.rindex(b"1.module"))
    found[at - 46 + 20 : at - 46 + 28] = last.file_size.to_bytes(4, "little") * 2
    return bytes(found)


def of_class(name):
    def change(told):
        told["recipe"] = ["tuple", name, [["number", 0, []]]]

    return change


def nested(depth):
    return b'{"kind": ' + b"[" * depth + b"]" * depth + b"}"


FILES = {
    "empty": lambda data: b"",
    "text": lambda data: b"not a zip",
    "pickle": lambda data: b"cos\nsystem\n(S'touch stolen'\ntR.",
    "another zip": lambda data: zipped([("a.txt", b"a")]),
    "more bytes before": lambda data: bytes(100_000) + data[:100],
    "bytes before": lambda data: b"#!/bin/sh\n" + data,
    "bytes after": lambda data: data + b"\0",
    "a zip after": lambda data: data + data,
    "a comment": lambda data: data[:-2] + b"\5\0hello",
    "bytes between": lambda data: between(data),
    "bomb": bomb,
    "compressed": lambda data: zipped(members_of(data).items(), zipfile.ZIP_DEFLATED),
    "overlapping": overlapping,
    "links": lambda data: zipped(members_of(data).items(), mode=stat.S_IFLNK | 0o777),
    "no checksum": lambda data: renamed(data, container.CHECKSUM, "other"),
    "no manifest": lambda data: renamed(data, container.MANIFEST, "other"),
    "path upwards": lambda data: renamed(data, "0.module", "../0.module"),
    "absolute path": lambda data: renamed(data, "0.module", "/0.module"),
    "twice": lambda data: zipped([*members_of(data).items(), ("0.module", b"")]),
    "one more": lambda data: zipped([*members_of(data).items(), ("99.module", b"")]),
    "one less": lambda data: zipped([*members_of(data).items()][:-1]),
    "many members": lambda data: zipped([(f"{i}.module", b"") for i in range(5000)]),
    "modules swapped": lambda data: swapped(data, "1.module", "2.module"),
    "manifest swapped": lambda data: swapped(data, "manifest.json", "0.module"),
    "newer": lambda data: with_manifest(data, lambda m: m.update(format=container.FORMAT + 1)),
    "format 0": lambda data: with_manifest(data, lambda m: m.update(format=0)),
    "format true": lambda data: with_manifest(data, lambda m: m.update(format=True)),
    "format text": lambda data: with_manifest(data, lambda m: m.update(format="1")),
    "foreign": lambda data: with_manifest(data, lambda m: m.update(kind="another")),
    "a list": lambda data: with_manifest(data, lambda m: []),
    "not JSON": lambda data: with_manifest(data, lambda m: b"{"),
    "not text": lambda data: with_manifest(data, lambda m: b"\xff\xfe\x00"),
    "deep": lambda data: with_manifest(data, lambda m: nested(100_000)),
    "long int": lambda data: with_manifest(data, lambda m: b'{"format": ' + b"9" * 5000 + b"}"),
    "no programs": lambda data: with_manifest(data, lambda m: m.update(programs=[])),
    "programs gone": lambda data: with_manifest(data, lambda m: m.pop("programs") and None),
    "members gone": lambda data: with_manifest(data, lambda m: m.pop("members") and None),
    "members a number": lambda data: with_manifest(data, lambda m: m.update(members=3)),
    "a recipe of nothing": lambda data: with_program(data, lambda p: p.update(recipe=None)),
    "another kind": lambda data: with_program(data, lambda p: p.update(recipe=["eval", "1", []])),
    "negative number": lambda d: with_program(d, lambda p: p.update(recipe=["number", -1, []])),
    "number 99": lambda d: with_program(d, lambda p: p.update(recipe=["number", 99, []])),
    "object 99": lambda d: with_program(d, lambda p: p.update(recipe=["object", 99, []])),
    "another shape": lambda data: with_program(data, lambda p: p["shapes"].reverse()),
    "another platform": lambda data: with_first_module(data, platforms=["x"]),
    "another member": lambda data: with_first_module(data, member=10**6),
    "another program's": lambda data: with_first_module(data, member=3),
    "kinds gone": lambda data: with_program(data, lambda p: p.update(kinds=[])),
    "dtype object": lambda d: with_program(d, lambda p: p["shapes"].insert(0, ["object", [3]])),
    "pattern unknown": lambda d: with_program(d, lambda p: p["positional"].insert(0, ["eval"])),
    "a constant": lambda d: with_program(d, lambda p: p.update(constants=[[["int8", [9]], 0]])),
    "module of text": lambda data: with_module(data, b"import os"),
    "module cut": lambda data: with_module(data, members_of(data)["1.module"][:50]),
    **{f"truncated {i}": (lambda data, i=i: data[: len(data) * i // 20]) for i in range(1, 20)},
    **{f"cut at the end {i}": (lambda data, i=i: data[:-i]) for i in (1, 2, 22, 100)},
    **{f"flipped {i}": (lambda data, i=i: flipped(data, i)) for i in range(40)},
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_refused(name, step_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, data = tmp_path / "f.myia", step_file.read_bytes()
    damaged = FILES[name](data)
    path.write_bytes(damaged)
    try:
        loaded = myia.load(path)
    except ArtifactError as error:
        text = str(error)
        assert text.startswith(f"{path}: ") and len(text) < 300 and "\n" not in text
    else:  # a bit of a date or of an attribute, which mean nothing
        assert name.startswith("flipped") and members_of(damaged) == members_of(data)
        assert len(loaded.signatures) == 2
    assert path.read_bytes() == damaged and [*tmp_path.iterdir()] == [path]


def test_there_are_a_hundred():
    assert len(FILES) >= 100


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda p: os.symlink("/dev/zero", p)])
def test_what_is_no_regular_file_is_refused(make, tmp_path):
    path = tmp_path / "f.myia"
    make(path)
    with pytest.raises((ArtifactError, IsADirectoryError)):
        myia.load(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        myia.load(tmp_path / "f.myia")


def test_a_failed_save_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "f.myia"
    path.write_bytes(b"before")
    monkeypatch.setattr(container, "_write_members", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        container.write(path, {}, [])
    assert path.read_bytes() == b"before" and [*tmp_path.iterdir()] == [path]


FOREIGN = """
module @f {{
  func.func public @main(%x: tensor<f64>) -> tensor<f64> {{
    %y = stablehlo.custom_call @{name}(%x) {{api_version = 2 : i32}} : (tensor<f64>) -> tensor<f64>
    return %y : tensor<f64>
  }}
}}
"""


@pytest.mark.parametrize(
    "name", ["xla_ffi_python_cpu_callback", "xla_python_cpu_callback", "system"]
)
def test_modules_that_call_other_functions_are_refused(name):
    class Exported:
        mlir_module_serialized = b"vhlo.custom_call_v1"

        def mlir_module(self):
            return FOREIGN.format(name=name)

    with pytest.raises(ArtifactError, match=name):
        check_calls(Exported())


@pytest.mark.parametrize("name", [["os", "system"], ["builtins", "eval"], ["subprocess", "Popen"]])
def test_results_make_nothing_but_named_tuples(name, step_file, tmp_path):
    """A file that names a function, or a class that does something when it is called."""
    path = tmp_path / "f.myia"
    path.write_bytes(with_program(step_file.read_bytes(), of_class(name)))
    with pytest.raises(ArtifactError, match=r"named tuple|no such class|import"):
        myia.load(path)(*training.arguments(), name="fast")


def vectors(told, key):
    return told[key][1][0]


MISFITS = {
    "no module for plain JAX": lambda p: p["modules"][1].update(jaxlib=""),
    "a module less": lambda p: p["modules"].pop(),
    "results outside": lambda p: vectors(p, "results")[0].__setitem__(0, 10**5),
    "results twice": lambda p: vectors(p, "results")[0].__setitem__(0, 1),
    "a negative result": lambda p: vectors(p, "results")[0].__setitem__(1, -1),
    "half a result": lambda p: vectors(p, "results")[0].__setitem__(1, 1.5),
    "an argument outside": lambda p: vectors(p, "given")[0].__setitem__(0, 10**5),
    "another length": lambda p: vectors(p, "given")[1][0].__setitem__(1, [7]),
    "a constant's shape": lambda p: p["constants"][0][0].__setitem__(1, [3, 1]),
    "an argument's shape": lambda p: p["positional"][1].__setitem__(2, 99999),
    "an argument's rank": lambda p: p["positional"][1][2].append(1),
    "no dtype": lambda p: p["positional"][1].pop(1),
    "an option": lambda p: p["modules"][0].update(options={"no_such": "1"}),
    "an option's value": lambda p: p["modules"][0].update(options={"xla_cpu_use_xnnpack": "x"}),
    "alone": lambda p: p.update(alone=True),
    "an array is a float": lambda p: p.update(kinds=["float"] * len(p["kinds"])),
    "a class without a name": lambda p: p["recipe"][2][0].__setitem__(1, [["a"], ["b"]]),
    "another object": lambda p: p["updates"][0].__setitem__(0, 1),
    "exceptions gone": lambda p: p.update(exceptions=[]),
}


@pytest.mark.parametrize("name", MISFITS)
def test_a_manifest_that_does_not_fit_is_refused(name, step_file, tmp_path):
    """With the right hash. The arguments are as they were."""

    def change(told):
        for program in told["programs"]:
            MISFITS[name](program)

    path, args = tmp_path / "f.myia", training.arguments()
    path.write_bytes(with_manifest(step_file.read_bytes(), change))
    with pytest.raises(ArtifactError):
        myia.load(path)(*args, name="fast")
    state, _, _, log = args
    assert state.count == 0 and not state.weights.any() and log["losses"] == [1.0]


def test_a_loaded_program_is_not_pickled(step):
    with pytest.raises(
        TypeError, match=r"cannot be pickled: send the file itself, and `myia\.load"
    ):
        pickle.dumps(step)
    assert copy.copy(step) is step and copy.deepcopy([step])[0] is step
