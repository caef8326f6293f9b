# `make play` and `make test` set up everything they need in .venv, and do so again only when what the
# installation depends on has changed.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PACKAGES := .venv/packages
READY := .venv/ready
TOOLS := .venv/tools
SITE := .venv/site
CPP := $(wildcard native/src/*/*.[chi]*)
NATIVE := CMakeLists.txt native/build_core.py $(wildcard native/*.h) $(CPP)

# A Python that is chosen once .venv is of another one would be passed over.
ifeq ($(origin PYTHON)$(wildcard $(BIN)/python),command line$(BIN)/python)
ifneq ($(shell $(PYTHON) -V 2>&1),$(shell $(BIN)/python -V))
$(error .venv is of $(shell $(BIN)/python -V), not of $(PYTHON): first run `make clean`)
endif
endif

# Warnings of the compiler are errors where CI is set, as it is in continuous integration, and nowhere else.
export SKBUILD_CMAKE_DEFINE := LUDENS_WERROR=$(if $(CI),ON,OFF)

.PHONY: play test test-all test-lanes test-web lint check test-aarch64 test-sanitized gpu format bench conformance docs sdist wheel clean

play: $(READY)
	$(BIN)/ludens match connect_four uct random --startclock 10 --playclock 2 --record records/connect_four.json

# In as many processes as the machine has cores; what is marked slow only by test-all.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal

test: lint
	$(PYTEST) -m "not slow"

test-all: lint
	$(PYTEST)

# What plays games on machines and is not slow, on every instruction set of this processor but the best: test-all runs
# it on that. With LANE_SETS="avx2-jit baseline", only on those of them that it has; with LANE_TESTS="tests/native
# tests/games/test_games.py", only what is in these folders and files.
LANE_SETS ?=
LANE_TESTS ?= tests
LANE_SETS_HERE = $(BIN)/python -c "from ludens.native.core import instruction_sets as sets; \
    print(*(s for s in sets()[1:] if s in ('$(LANE_SETS)'.split() or sets())))"

test-lanes: $(TOOLS)
	set -e; for set in $$($(LANE_SETS_HERE)); do \
	    echo "on $$set:"; LUDENS_INSTRUCTION_SET=$$set $(PYTEST) -m "lanes and not slow" $(LANE_TESTS); \
	done

# The pages, in a real browser, which has to be installed; test passes these over, and says so, where there is none.
test-web: $(TOOLS)
	@command -v chromedriver > /dev/null || { echo "Install browsers and a driver first, on Debian with" \
	    "sudo apt-get install chromium chromium-driver firefox-esr"; exit 1; }
	@command -v firefox || command -v firefox-esr || echo "Tests in Firefox are skipped: on Debian" \
	    "sudo apt-get install firefox-esr"
	$(PYTEST) tests/web

lint: $(TOOLS)
	$(BIN)/clang-format --dry-run -Werror $(CPP)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check .
	$(BIN)/mypy

# clang-tidy looks at each file, and at the headers that it includes, once and whenever the file has changed: it takes
# minutes for all, on two slow cores more than ten. With TIDY="native/src/mcts/uct.cpp ..." it looks at these alone, with
# TIDY= at none. What is an error is said in .clang-tidy, not by the options of the compiler.
TIDY ?= $(filter %.cpp,$(CPP))
check: lint
	$(if $(strip $(TIDY)),$(MAKE) --jobs=$$(nproc) --output-sync $(patsubst native/src/%,build/tidy/%,$(TIDY)))

build/tidy/%: native/src/% .clang-tidy
	@mkdir -p $(@D)
	$(BIN)/clang-tidy --quiet --extra-arg=-Wno-error -p build/cp311-abi3-* $<
	@touch $@

# The tests of the native core on aarch64, in an emulator: docs/howto/test-on-aarch64.md.
test-aarch64: $(TOOLS)
	scripts/verify/aarch64.sh -n $$(nproc) -m "not slow" tests/native

# The tests of the native core and of bad input with every access to memory checked: docs/howto/find-memory-errors.md.
test-sanitized: $(TOOLS)
	scripts/verify/sanitized.sh

# On a machine with an NVIDIA GPU: the tests of the kernels play on it, and what it does is measured: random games, and
# matches between a search that has them played there and one that does not. See docs/howto/measure-a-gpu.md.
gpu: $(TOOLS)
	$(PIP) install --no-build-isolation --editable '.[gpu]'
	$(BIN)/python -m scripts.verify.gpu_code
	LUDENS_TEST_GPU=1 $(BIN)/python -m pytest tests/native/test_cuda.py tests/native/test_kernel_search.py \
	    tests/games/test_checkers_playouts.py tests/games/test_checkers_planes.py
	$(BIN)/python -m scripts.bench.gpu --json docs/data/gpu.json
	for game in amazons breakthrough english_draughts; do \
	    $(BIN)/python -m scripts.strength.served_match $$game uct:kernel=gpu uct:kernel=off --startclock 20 \
	        --playclock 1 --games 10 || exit; \
	done

format: $(TOOLS)
	$(BIN)/clang-format -i $(CPP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m scripts.docs.folders

bench: $(READY)
	$(BIN)/ludens bench connect_four
	$(BIN)/ludens bench breakthrough

# The rule sheets and traces of these folders, which tests use too: docs/conformance.md. The built-in games against the
# oracle where there are none.
LUDENS_SHEETS ?= $(wildcard ../shared/rulesheets)
LUDENS_TRACES ?= $(wildcard ../shared/traces)

conformance: $(READY)
	$(BIN)/python -m scripts.verify.conformance --rules $(or $(LUDENS_SHEETS),games/sheets) \
	    $(addprefix --traces ,$(LUDENS_TRACES))

# The documents as a site, in docs/_build/html; warnings are errors. Says first if tables in pages are out of date.
docs: $(SITE)
	$(BIN)/python -m scripts.docs.update --check
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "The site begins at docs/_build/html/index.html."

# What would go to PyPI, in dist/: the sources; a wheel made of them for any Linux with the C library of this one or a
# later one, and with any Python from 3.11 on, which has passed its tests in an environment of its own.
sdist: $(TOOLS)
	rm -rf dist
	$(BIN)/python -m build --sdist

wheel: sdist
	$(PIP) wheel --no-deps --wheel-dir dist/unrepaired dist/*.tar.gz
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/auditwheel repair --wheel-dir dist dist/unrepaired/*.whl
	rm -r dist/unrepaired
	$(BIN)/abi3audit --strict dist/*.whl
	LUDENS_WHEEL=$$(echo dist/*.whl) $(BIN)/python -m pytest tests/project/test_packaging.py

clean:
	rm -rf .venv build dist docs/_build docs/reference/generated *.egg-info native/_core.* .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# First the packages that building needs, then the package with its native core and what it needs to play, then what
# only developers need.
$(PACKAGES): pyproject.toml
	@$(PYTHON) scripts/prerequisites.py
	@echo "Setting up .venv: packages first, then the native core is compiled; this takes some minutes."
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install cmake ninja $$($(BIN)/python -c "import tomllib; \
	    print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
	touch $@

$(READY): $(PACKAGES) $(NATIVE)
	$(PIP) install --no-build-isolation --editable .
	touch $@

$(TOOLS): pyproject.toml | $(READY)
	$(PIP) install --no-build-isolation --editable '.[test]'
	touch $@

$(SITE): pyproject.toml | $(READY)
	$(PIP) install --no-build-isolation --editable '.[docs]'
	touch $@
