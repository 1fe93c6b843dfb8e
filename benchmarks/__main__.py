"""Run the `main()` of every benchmark file, or of those named on the command line."""

import importlib
import pkgutil
import sys

import benchmarks

NOT_BENCHMARKS = {
    "__main__",
    "counts",
    "first_compile",
    "harness",
    "kernel_programs",
    "kernel_rivals",
}


def main(names: list[str]) -> None:
    everything = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.ispkg)
    for name in names or [n for n in everything if n not in NOT_BENCHMARKS]:
        print(f"\n# {name}")
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
