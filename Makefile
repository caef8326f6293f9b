# `make play` and `make test` set up everything they need in .venv, and do so again only when what the
# installation depends on has changed.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
NATIVE := CMakeLists.txt native/build_core.py native/ludens.h native/strategies.h $(wildcard native/src/*/*)

.PHONY: play test test-all check bench conformance clean

play: $(READY)
	$(BIN)/ludens match connect_four uct random --startclock 10 --playclock 2 --record records/connect_four.json

# In as many processes as the machine has cores; what is marked slow only by test-all.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal

test: check
	$(PYTEST) -m "not slow"

test-all: check
	$(PYTEST)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/ludens bench connect_four
	$(BIN)/ludens bench breakthrough

# The sheets and traces of a folder beside this one, if there is one, else the built-in games against the oracle.
RULES ?= $(or $(wildcard ../shared/rulesheets),games/sheets)
TRACES ?= $(wildcard ../shared/traces)

conformance: $(READY)
	$(BIN)/python -m scripts.conformance --rules $(RULES) $(addprefix --traces ,$(TRACES))

clean:
	rm -rf .venv build dist *.egg-info native/_core.* .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml $(NATIVE)
	@$(PYTHON) scripts/prerequisites.py
	@echo "Setting up .venv: packages first, then the native core is compiled; this takes some minutes."
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --editable '.[test]'
	touch $@
