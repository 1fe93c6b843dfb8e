"""`myia.load`: a callable of the programs in a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NoReturn, Self

import jax.export

from myia.artifacts import container
from myia.artifacts.errors import ArtifactError
from myia.artifacts.patterns import Mismatch
from myia.artifacts.saved_program import SavedProgram, deserialized
from myia.source.tracebacks import edge, shown

MALFORMED = "its manifest does not describe compiled programs: {}"

NOT_PICKLED = (
    "{!r} cannot be pickled: send the file itself, and `myia.load({!r})` in the other process"
)


class Loaded:
    """The programs of a file: called with the arguments of one of them, it runs that one.

    `signatures`: the arguments of each program, as text; `versions`: of the packages with which the
    file was made; `exported(i)`: program number `i` for plain JAX, a `jax.export.Exported`.
    """

    __myia__ = True  # compiled code does not look into it

    def __init__(self, path: str, manifest: dict[str, Any], blobs: Sequence[bytes]):
        self._path = path
        self._programs = [SavedProgram(told, blobs) for told in manifest["programs"]]
        self.versions = {str(k): str(v) for k, v in manifest["versions"].items()}
        self.__name__ = self._programs[0].name
        for program in self._programs:
            program.check()

    def __repr__(self) -> str:
        return f"<{self.__name__} of {self._path}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(NOT_PICKLED.format(self, self._path))

    def __copy__(self) -> Self:
        return self  # it cannot change

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def signatures(self) -> tuple[str, ...]:
        return tuple(str(program.arguments) for program in self._programs)

    def compile(self) -> Loaded:
        """Itself, with all programs compiled by XLA now, and not when they are called first."""
        for program in self._programs:
            program.compile()
        return self

    def exported(self, index: int = 0) -> jax.export.Exported:
        """A program as JAX alone can call it, of flat arrays: without the rules of a processor."""
        return deserialized(self._programs[index].plain.blob)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        first: Mismatch | None = None
        try:
            for program in self._programs:
                try:
                    flat = program.arguments.match(args, kwargs)
                except Mismatch as found:
                    first = first or found
                else:
                    return program.run(flat)
            raise TypeError(self._unlike(first)) from None
        except Exception as error:
            raise shown(error)

    def _unlike(self, first: Mismatch | None) -> str:
        if len(self._programs) == 1:
            return f"{self!r}: {first}"
        known = "".join(f"\n  {text}" for text in self.signatures)
        return f"{self!r} has no program for these arguments ({first}), only for:{known}"


@edge
def load(path: str | os.PathLike[str]) -> Loaded:
    """The callable that `compiled.save(path)` or `myia.save(path, ...)` saved.

        step = myia.load("step.myia")
        params, loss = step(params, batch)

    It takes arguments of the types, dtypes and shapes of one of its programs, with the same ints of
    Python (one lowered with `np.int64(n)` takes any `np.int64`), and returns and changes what the
    function would; neither the function's source nor the compiler is needed. What
    the function read beside its arguments has the values that it had when it was saved.
    Nothing of the file is executed before it is called.

    Errors: `ArtifactError`: the file is damaged, foreign, or made by a newer version; OSError: it
    cannot be opened. A call raises a TypeError for arguments of no program; the exceptions of the
    function, with their line as a note; run-time numbers in them are not known.

    Example:
        >>> import os, tempfile, numpy as np, myia
        >>> path = os.path.join(tempfile.mkdtemp(), "slope.myia")
        >>> myia.grad(lambda x: np.sum(x * x)).lower(np.ones(2)).compile().save(path)
        >>> myia.load(path)(np.array([1.0, 2.0]))
        array([2., 4.])
    """
    text = os.fspath(path)
    manifest, blobs = container.read(path)
    try:
        return Loaded(text, manifest, blobs)
    except ArtifactError as error:
        raise ArtifactError(f"{text}: {error}") from None
    except Exception as error:  # whatever a manifest that somebody has written leads to
        raise ArtifactError(f"{text}: {MALFORMED.format(type(error).__name__)}") from None
