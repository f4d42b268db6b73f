# SAGE Desktop. `make run` and `make test` do all the set-up themselves; the second call starts at once.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup run test test-fast test-system test-all lint bench lock translations screenshots clean

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.sage-setup
ARGS ?=
# What tests compile is kept by content from run to run (2 GiB at most); `make clean` removes it.
export SAGE_TEST_CACHE_DIR ?= $(CURDIR)/.pytest_cache/builds
# Some hundred processes start in the suite; without byte code each would compile the program first.
unexport PYTHONDONTWRITEBYTECODE
WORKERS := -n 3 --dist loadfile --no-loadscope-reorder

# Libraries Qt needs on a bare Debian or Ubuntu; the second row only for a real or virtual display.
QT_PACKAGES := libegl1 libgl1 libxkbcommon0 libdbus-1-3 libglib2.0-0 fontconfig fonts-dejavu-core \
	libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0 libxcb-shape0 libxcb-xkb1 \
	libxkbcommon-x11-0 fonts-noto-cjk
# What holds compilers and candidates back, see docs/security.md.
SANDBOX_PACKAGES := bubblewrap
# A real Slurm for tests/remote/test_slurm.py, which starts its own; the system's stays as it is.
SLURM_PACKAGES := slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge
TEST_PACKAGES := xvfb xauth openssh-client openssh-server ripgrep $(SLURM_PACKAGES)

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: $(STAMP) ## System libraries (apt, when root), .venv and packages; does nothing when up to date

$(STAMP): pyproject.toml requirements.lock Makefile
	@test -n "$(PYTHON)" || { echo "SAGE Desktop needs Python 3.11 or newer (Debian: apt-get install python3 python3-venv)."; exit 1; }
	@.ci/system-packages $(QT_PACKAGES) $(SANDBOX_PACKAGES) $(TEST_PACKAGES)
	@command -v g++ >/dev/null || command -v clang++ >/dev/null || \
		echo "note: no C++ compiler found; the CPU twin needs one (Debian: apt-get install g++)."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python cannot make virtual environments (Debian: apt-get install python3-venv)."; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/sage prepare || echo "note: the CPU twin could not be prepared; the first evaluation tries again."
	@touch $@

run: setup ## Open the window on the demo workspace (ARGS="--autorun" starts it at once)
	@if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		echo "There is no display here. Without a window: $(BIN)/sage run --demo"; exit 1; fi
	@$(BIN)/sage-desktop $(ARGS)

test: setup ## The test suite, without what is marked system or slow
	$(BIN)/python -m pytest $(WORKERS) $(ARGS)

test-system: setup ## The whole product at work: runs, judged kernels, hosts that fail, agents (CI runs it after `make test`)
	$(BIN)/python -m pytest $(WORKERS) -m "system and not slow" $(ARGS)

test-fast: setup ## The method alone: no window, no host, no compiler (under a minute)
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/core -m "not slow and not system and not outside" $(ARGS)

test-all: setup ## Everything, slower checks included
	$(BIN)/python -m pytest -m "slow or not slow" $(ARGS)

lint: setup ## ruff, formats of Python and C++, mypy --strict, import contracts, dead code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@find resources/twin tests/twin/kernels tests/data/kernels -type f \( -name '*.h' -o -name '*.cpp' \) -print0 | \
		xargs -0 $(BIN)/clang-format --dry-run -Werror
	$(BIN)/mypy
	$(BIN)/lint-imports
	@! $(BIN)/vulture | grep -v '^tests/' || { echo "dead code: remove it, or name it in pyproject.toml"; exit 1; }

bench: setup ## Benchmarks, each side by side with a peer
	@for bench in bench/bench_*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

lock: setup ## Resolve requirements.lock again, after pyproject.toml changed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/python -m tools.lock

translations: setup ## Bring resources/translations up to date with the texts of the window, and compile them
	$(BIN)/python -m tools.translations

screenshots: setup ## Take the pictures in docs/screenshots again (runs the demonstration first)
	PYTHONPATH=. $(BIN)/python -m tools.screenshots docs/screenshots

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build dist
