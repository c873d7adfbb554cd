# wikisearch: `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# --- what you may set ---------------------------------------------------------------------------------
# Python that makes the virtual environment; 3.11 is the newest that Spark 3.5 supports.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
# A dump file or glob; none means enwik8, which is fetched.
DUMP ?=
ROOT ?= demo
SNAPSHOT ?= $(if $(DUMP),$(shell date -u +%Y%m%d),20060303)
# Read the first LIMIT pages only.
LIMIT ?=
CONFIG ?= conf/local.toml
SPARK_CONF ?= conf/spark/local.conf
# A question for `make ask`; none means a prompt.
Q ?=

VENV := .venv
READY := $(VENV)/.ready
# spark-submit looks for python3 on the PATH, and must find the environment's.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
SUBMIT := spark-submit --properties-file $(SPARK_CONF)

.PHONY: help setup demo refresh ask test test-unit test-spark test-submit golden lint soak bench dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv with Spark, Delta Lake and GraphFrames in it

$(READY): pyproject.toml lib/wikisearch/app/setup_environment.py
	@command -v java >/dev/null || [ -x "$${JAVA_HOME:-/none}/bin/java" ] || \
	  { echo "set-up: error: Java is missing; install Java 17 (Debian: openjdk-17-jre-headless)" >&2; exit 1; }
	@[ -n "$(PYTHON)" ] && "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "set-up: error: Python 3.11 is needed; install it, or name it: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	@[ -x $(VENV)/bin/python ] || "$(PYTHON)" -m venv $(VENV) || \
	  { echo "set-up: error: no virtual environment could be made (Debian: install python3.11-venv)" >&2; exit 1; }
	@echo "set-up: installing packages into $(VENV) (about a minute)"
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' || \
	  { echo "set-up: error: packages could not be installed; check the network and try again" >&2; exit 1; }
	@$(VENV)/bin/python -m wikisearch.app.setup_environment jars
	@$(VENV)/bin/python -m wikisearch.app.setup_environment classes conf/spark/local.conf $(VENV)/spark.jsa || true
	@touch $@

demo: $(READY) ## a whole refresh of a real dump, ending in ROOT/report (DUMP= ROOT= SNAPSHOT= LIMIT=)
	@dump="$(DUMP)"; [ -n "$$dump" ] || dump=$$(python -m wikisearch.app.setup_environment enwik8 data); \
	$(SUBMIT) jobs/refresh.py --root "$(ROOT)" --snapshot "$(SNAPSHOT)" --config "$(CONFIG)" \
	  --dump "$$dump" --in-process --allow-truncated $(if $(LIMIT),--limit $(LIMIT))

refresh: $(READY) ## a refresh by one spark-submit a step (DUMP= ROOT= SNAPSHOT=)
	@[ -n "$(DUMP)" ] || { echo "make refresh DUMP=path-or-glob [ROOT= SNAPSHOT=]" >&2; exit 2; }
	@$(SUBMIT) jobs/refresh.py --root "$(ROOT)" --snapshot "$(SNAPSHOT)" --config "$(CONFIG)" \
	  --dump $(DUMP) --spark-conf "$(SPARK_CONF)" $(if $(LIMIT),--limit $(LIMIT))

ask: $(READY) ## ask the demo a question: make ask Q="french revolution"
	@$(SUBMIT) jobs/ask.py --root "$(ROOT)" $(if $(Q),--query "$(Q)")

test: test-unit test-spark test-submit ## all tests

test-unit: $(READY) ## tests of rules: no JVM
	@python -m pytest -m "not spark and not submit and not soak"

test-spark: $(READY) ## tests of transformations and jobs in one Spark session
	@python -m pytest -m "spark and not submit and not soak"

test-submit: $(READY) dist ## tests by real spark-submit, local and on a standalone cluster
	@python -m pytest -m "submit and not soak"

soak: $(READY) dist ## long tests: kills and reruns on enwik8
	@python -m wikisearch.app.setup_environment enwik8 data >/dev/null
	@python -m pytest -m soak -s

bench: $(READY) ## speed beside a peer measured in the same run; writes tests/bench/RESULTS.md
	@python tests/bench/run.py
	@python tests/bench/run_evaluation.py

golden: $(READY) ## write the golden files anew: help texts and plan commands
	@python -m pytest -m "not soak" tests/golden --rewrite-golden

lint: $(READY) ## ruff, mypy, layers
	@ruff check lib jobs tests conf
	@MYPYPATH=lib mypy -p wikisearch
	@lint-imports --no-cache

dist: $(READY) ## dist/wikisearch.zip for spark-submit --py-files
	@python -m wikisearch.app.setup_environment zip dist/wikisearch.zip

clean: ## remove what can be made again (keeps data/)
	rm -rf $(VENV) dist demo soak .pytest_cache .mypy_cache .ruff_cache .hypothesis
