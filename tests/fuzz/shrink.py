"""Makes a failing program smaller: `python tests/fuzz/shrink.py SEED [--xla]`.

Statements are removed, compound ones replaced by their bodies and expressions by their parts, as
long as the program fails in the same way.
"""

from __future__ import annotations

import argparse
import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from generator import Generator, Program
from harness import Checks, check, random_checks

BLOCKS = ("body", "orelse")


def failure(program: Program, seed: int, checks: Checks) -> str | None:
    """How the program fails: the kind of mismatch, or of exception and the start of its text."""
    try:
        check(program, seed, checks)
    except Exception as error:
        text = "".join(c for c in str(error).partition("\n")[0][:60] if not c.isdigit())
        return f"{type(error).__name__} {getattr(error, 'kind', text)}"
    return None


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The smallest program that is found to fail."""
    tree = ast.parse(program.source)
    found = True
    while found:
        found = False
        for candidate in _smaller(tree):
            smaller = replace(program, source=ast.unparse(ast.fix_missing_locations(candidate)))
            if len(smaller.source) < len(program.source) and fails(smaller):
                program, tree, found = smaller, ast.parse(smaller.source), True
                break
    return program


def _smaller(tree: ast.Module) -> Iterator[ast.Module]:
    """Trees with one thing less."""
    for i, node in enumerate(ast.walk(tree)):
        for edit in (*_block_edits(node), *_expression_edits(node)):
            changed = copy.deepcopy(tree)
            edit(list(ast.walk(changed))[i])
            yield changed


Edit = Callable[[ast.AST], None]


def _block_edits(node: ast.AST) -> Iterator[Edit]:
    for name in BLOCKS:
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        for start in range(len(block)):
            yield lambda n, name=name, start=start: _splice(n, name, start, ())
            for inner in BLOCKS:
                lines = getattr(block[start], inner, None)
                if isinstance(lines, list) and not isinstance(block[start], ast.FunctionDef):
                    yield lambda n, name=name, start=start, inner=inner: _splice(
                        n, name, start, getattr(getattr(n, name)[start], inner)
                    )


def _splice(node: ast.AST, name: str, at: int, new) -> None:
    """Replace a statement by others; an empty body is a `pass`."""
    block = getattr(node, name)
    block[at : at + 1] = new
    if not block and name == "body":
        block.append(ast.Pass())


def _expression_edits(node: ast.AST) -> Iterator[Edit]:
    """For each expression in the node: one of its parts, or a number, in its place."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr) and name != "func":
            for replacement in _parts(value):
                yield lambda n, name=name, new=replacement: setattr(n, name, new)
        elif isinstance(value, list):
            for j, item in enumerate(value):
                if isinstance(item, ast.expr):
                    for new in _parts(item):
                        yield lambda n, name=name, j=j, new=new: getattr(n, name).__setitem__(
                            j, new
                        )


def _parts(x: ast.expr) -> list[ast.expr]:
    if isinstance(x, (ast.Constant, ast.Name)) or isinstance(getattr(x, "ctx", None), ast.Store):
        return []
    inner = [part for part in ast.iter_child_nodes(x) if isinstance(part, ast.expr)]
    if isinstance(x, ast.Call):
        inner = x.args
    return [*map(copy.deepcopy, inner), ast.Constant(1.0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--xla", action="store_true")
    options = parser.parse_args()
    rng = Random(options.seed)
    program = Generator(rng).program()
    checks = replace(random_checks(rng), xla=options.xla)
    kind = failure(program, options.seed, checks)
    print(f"{kind}  {checks}")
    if kind is not None:
        print(shrink(program, lambda p: failure(p, options.seed, checks) == kind).source)


if __name__ == "__main__":
    main()
