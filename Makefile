# Two commands for a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A torch for the CPU is enough. Where the default package index serves builds for GPUs, name an index
# of CPU builds: make test-devices TORCH_INDEX="--index-url ..."
TORCH_VERSION ?= 2.13.0
TORCH_INDEX ?=
# One BLAS thread in each of two workers: the tests are many and small. The processes that they start
# find the package compiled.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test test-browser test-devices test-explore lint style types unit docs dist clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[cli,report]"
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[test,lint]"
	touch $@

$(VENV)/.devices: $(VENV)/.test
	$(BIN)/python -m pip install --quiet $(TORCH_INDEX) "torch==$(TORCH_VERSION)"
	touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[docs]"
	touch $@

demo: $(VENV)/.demo
	$(BIN)/sparsegp demo

# mypy has one thread: it runs beside the tests, and what it says is shown after them.
test: style
	@said=$$(mktemp) && trap 'rm -f "$$said"' EXIT && \
	{ $(MAKE) --no-print-directory types >"$$said" 2>&1 & } && types=$$! && \
	{ $(MAKE) --no-print-directory unit; tests=$$?; wait $$types; types=$$?; cat "$$said"; } && \
	[ $$tests -eq 0 ] && [ $$types -eq 0 ]

lint: style types

style: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(VENV)/.test
	$(BIN)/mypy

unit: $(VENV)/.test
	$(PYTEST)

# Array libraries with torch among them; `make test` compares array_api_strict alone.
test-devices: $(VENV)/.devices
	$(PYTEST) tests/backends tests/estimators/test_same_model.py

# Property tests on new random cases, several times as many as in `make test`.
test-explore: $(VENV)/.test
	HYPOTHESIS_PROFILE=explore $(PYTEST) -m hypothesis tests

# The report and a page of the documentation (after `make docs`) in a headless Chromium, found on PATH
# or named: make test-browser CHROMIUM=/path/to/chromium
test-browser: $(VENV)/.test
	CHROMIUM="$(CHROMIUM)" $(BIN)/python -m pytest -rs tests/browser/check_pages.py

# Every page, every example and the reference, with warnings as errors: docs/_build/html/index.html.
docs: $(VENV)/.docs
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# Wheel and source distribution, built and checked in a temporary folder that is removed again; with
# DIST=folder they are kept there.
DIST ?=
dist:
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	$(PYTHON) -m venv "$$folder/venv" && \
	"$$folder/venv/bin/python" -m pip install --quiet build twine && \
	"$$folder/venv/bin/python" -m build --outdir "$$folder/dist" . && \
	"$$folder/venv/bin/python" -m twine check --strict "$$folder"/dist/* && \
	"$$folder/venv/bin/python" packaging/check_wheel.py "$$folder"/dist/*.whl && \
	if [ -n "$(DIST)" ]; then mkdir -p "$(DIST)" && cp "$$folder"/dist/* "$(DIST)"; fi

clean:
	rm -rf docs/_build docs/api docs/gallery
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
