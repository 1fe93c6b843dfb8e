# `make demo` and `make test` work on a fresh clone that has Python 3.11 or later.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: install demo test test-slow test-versions bench docs gallery package lint clean

install: $(VENV)/.test

demo: $(VENV)/.examples
	$(BIN)/python examples/digits.py

test: lint
	$(BIN)/python -m pytest -q -m "not slow" -n 2

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -q -m slow -n 2

test-versions: $(BIN)/python
	$(BIN)/python -m tests.versions

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.page

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site
	@echo "build/site/index.html"

gallery: $(VENV)/.examples
	$(BIN)/python -m examples.gallery
	$(MAKE) docs

package: $(BIN)/python
	rm -rf dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist . >/dev/null
	$(BIN)/python -m tests.package dist

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) .versions .pytest_cache .ruff_cache .mypy_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per set of dependencies, so that installing happens once.

$(VENV)/.examples: EXTRAS := examples
$(VENV)/.test: EXTRAS := test,examples
$(VENV)/.bench: EXTRAS := bench
$(VENV)/.docs: EXTRAS := docs

$(VENV)/.examples $(VENV)/.test $(VENV)/.bench $(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$(EXTRAS)]"
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "myia needs Python 3.11 or later; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
