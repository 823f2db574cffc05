# Every target sets up what it needs: a virtual environment in .venv, from pyproject.toml.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench clean

.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "infold needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Setting up .venv (once; about a minute) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: .venv/.installed
	$(BIN)/infold demo --output infold-demo.png

test: .venv/.installed
	$(BIN)/python -m pytest

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.installed
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache build dist infold-demo.png
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
