# Everything runs in .venv: a fresh machine needs Python 3.11 and git only.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEST_ARGS ?= -n auto --dist worksteal

.PHONY: setup sample check format lint types test soak unreached gate schemas bench clean

setup: $(VENV)/.developing

# The package alone, for those who want to see it work.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

# The main job on the sample fleet: rendered, then judged.
sample: $(VENV)/.installed
	$(BIN)/drivergate render
	$(BIN)/drivergate check

check: lint types test gate

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

test: setup
	$(BIN)/pytest $(TEST_ARGS)

# What takes long: fleets of thousands, hundreds of kills, many examples of each grammar. SOAK=full: the largest numbers.
soak: setup
	HYPOTHESIS_PROFILE=soak $(BIN)/pytest $(TEST_ARGS) -m "soak or hypothesis"

# Every function of generator/ is reached by a command, or listed with a reason in tests/unreached.txt.
unreached: setup
	$(BIN)/python -m tests.unreached

# The gate on our own sample fleet: every rule, and no drift between inventory/ and out/.
gate: setup
	$(BIN)/drivergate check

schemas: setup
	$(BIN)/python -m tests.testing.schemas

bench: setup
	$(BIN)/python -m tests.bench

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
