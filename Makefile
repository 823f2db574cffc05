# Every target sets up what it needs: a virtual environment in .venv, from pyproject.toml.
PYTHON ?= python3
BIN := .venv/bin
# Byte-compiling all modules takes longer than installing them, and most are never imported.
INSTALL := install --quiet --no-compile --disable-pip-version-check

.PHONY: demo test test-safe test-oldest smoke coverage lint docs bench clean

.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "infold needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Setting up .venv (once; about a minute) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip $(INSTALL) --editable '.[dev]'
	@touch $@

demo: .venv/.installed
	$(BIN)/infold demo --output infold-demo.png

# All but the fuzzing of kernels, which `make test-safe` does with every index checked.
test: .venv/.installed
	$(BIN)/python -m pytest --ignore=tests/safety

# numba checks indices only if told to, and its cache does not know whether it was: so these tests have a cache of their own.
# Tests of the cache itself start Pythons with settings of their own, so they need not run here again.
KERNELS := tests/core --ignore=tests/core/test_jit.py
test-safe: .venv/.installed
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba-safe $(BIN)/python -m pytest $(KERNELS) tests/safety

# The oldest versions that pyproject.toml admits; their warnings are not ours to fix.
OLDEST := tests/test_measures.py tests/test_display.py tests/tables tests/estimators/test_ksg.py tests/core/certificate
.venv-oldest/.installed: pyproject.toml .ci/oldest.py
	@$(PYTHON) -m venv .venv-oldest
	@.venv-oldest/bin/python .ci/oldest.py > .venv-oldest/constraints.txt
	@.venv-oldest/bin/pip $(INSTALL) --constraint .venv-oldest/constraints.txt \
		--editable '.[plot,report]' pandas pyarrow pytest hypothesis
	@touch $@

test-oldest: .venv-oldest/.installed
	NUMBA_CACHE_DIR=.venv-oldest/kernels .venv-oldest/bin/python -m pytest -o filterwarnings=default $(OLDEST)

# A wheel and an sdist, each in an empty environment.
smoke:
	PYTHON=$(PYTHON) .ci/smoke

# Kernels as plain Python, whose lines can be counted.
coverage: .venv/.installed
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m "not slow" -W ignore::RuntimeWarning $(KERNELS)
	$(BIN)/coverage report

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site, in docs/_build/html: warnings are errors, and its own tests follow links and open it in a browser.
.venv/.docs-installed: .venv/.installed
	@echo "Adding Sphinx to .venv (once) ..."
	@$(BIN)/pip $(INSTALL) --editable '.[docs]'
	@touch $@

docs: .venv/.docs-installed
	$(BIN)/sphinx-build -q --fail-on-warning --keep-going --builder html --doctree-dir docs/_build/doctrees docs docs/_build/html
	INFOLD_NEEDS_SITE=1 $(BIN)/python -m pytest tests/website
	@echo "Open docs/_build/html/index.html"

bench: .venv/.installed
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf .venv .venv-oldest .numba-safe .coverage .pytest_cache .mypy_cache .ruff_cache build dist docs/_build docs/gallery docs/generated infold-demo.png infold-demo.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
