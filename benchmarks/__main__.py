"""Run the `main()` of every benchmark file, or of those named on the command line."""

import sys

from benchmarks import benchmark_modules


def main(names: list[str]) -> None:
    for module in benchmark_modules("main", names):
        print(f"\n# {module.__name__.rpartition('.')[2]}")
        module.main()


if __name__ == "__main__":
    main(sys.argv[1:])
