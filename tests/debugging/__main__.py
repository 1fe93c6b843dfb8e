"""Find the piece of the compiler that makes a number wrong.

    python -m tests.debugging bisect PROGRAM    which stage, and which pass, makes it wrong
    python -m tests.debugging stages PROGRAM    the number after each stage: frontend and
                                                inference, adjoint, passes, storage of loops, XLA
    python -m tests.debugging reduce PROGRAM    a smaller program that fails in the same way, in
                                                program.reduced.py

Right is what plain Python gives, and for gradients what central differences of it give. The exit
status of `bisect` and `stages` is 1 if something is wrong, that of `reduce` if nothing is.

PROGRAM is one of
    program.py                 a Python file that defines
                                 f         the function; not needed if the file defines one
                                           public function only
                                 args      a tuple of its arguments
                                 argnums   optional: the arguments whose gradient is checked,
                                           besides the value: an int, a tuple of ints, or "all"
                                 options   optional: a dict of options of `myia.jit`
    zoo:loops.power_by_range   a program of tests/zoo/small_programs
    seed:17                    a program of the random tester, tests/fuzz
    kernel:lu                  a kernel of benchmarks/kernel_programs

The gradient of a function that returns more than one float, or changes its arguments, is that of a
weighted sum of what it returns and changes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.debugging import bisect_passes, compare_stages, reduce_program
from tests.debugging.quantities import quantities
from tests.debugging.subject import filename_of, source_of, subject_of


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.debugging",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("bisect", "stages", "reduce"))
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("--input", type=int, default=0, help="which input of a program by name")
    parser.add_argument("--rtol", type=float, help="how much rounding is allowed, relatively")
    parser.add_argument("--show", action="store_true", help="bisect: the IR before and after")
    parser.add_argument("-o", "--output", metavar="FILE", help="reduce: the file to write")
    parser.add_argument("--xla", action="store_true", help="reduce seed:N: as run.py --xla")
    options = parser.parse_args()
    family, _, name = options.program.partition(":")
    output = Path(options.output or reduce_program.output_of(options.program))
    if (options.command, family) == ("reduce", "seed"):
        found = reduce_program.reduce_random(int(name), options.input, options.xla)
        return reduce_program.report(*found, output)
    try:
        source = source_of(options.program, options.input)
        subject = subject_of(source, filename_of(options.program))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    if options.command == "reduce":
        return reduce_program.report(*reduce_program.reduce(source, options.rtol), output)
    right = True
    for quantity in quantities(subject, options.rtol):
        if options.command == "stages":
            right &= compare_stages.report(quantity)
        else:
            right &= bisect_passes.report(quantity, options.show)
    return not right


if __name__ == "__main__":
    raise SystemExit(main())
