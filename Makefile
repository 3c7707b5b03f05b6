# make train    set everything up, train on the embedded sample, print F1 per vertical
# make test     lint, types and tests: what CI runs
# make setup    .venv with the pinned packages; nothing to do when nothing changed
# make lint     ruff and mypy alone
# make bench    speed, as ratios against other tools in the same run
#
# On a machine where pip would fetch a CUDA build of torch that is not wanted, say where the CPU build lies:
#   make setup PIP_ARGS="--index-url …/whl/cpu --extra-index-url …/simple"

PYTHON ?= python3
PIP_ARGS ?=
ENCODER ?= onehot
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup train test lint bench clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt setup.py edrew_torch/_compiled.c
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check $(PIP_ARGS) \
		--constraint constraints.txt --editable ".[train,dev]"
	@touch $(STAMP)

train: $(STAMP)
	$(BIN)/python train.py encoder=$(ENCODER)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(STAMP)
	$(BIN)/python benchmarks/parse.py
	$(BIN)/python benchmarks/data.py

clean:
	rm -rf $(VENV) build *.egg-info outputs multirun .mypy_cache .pytest_cache .ruff_cache
