"""What commands import: the heavy packages only where they are needed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shell import environment, predictions, rows, run, write_lines

MODELS = {"onnxruntime", "tokenizers", "huggingface_hub", "polars", "numpy"}
LOOK = """
import json, sys
from piibench_duck import cli
try:
    cli.main(json.loads(sys.argv[1]))
except SystemExit as ended:
    assert ended.code == 0, ended.code
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules} | {"code"})), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    write_lines(folder / "rows.jsonl", rows())
    write_lines(folder / "preds.jsonl", predictions(rows()))
    for arguments in (["build"], ["predict", "rules"]):  # also warms the cache of sql/
        assert run(*arguments, "--board", folder, home=folder).code == 0
    return folder


def imported(board: Path, *arguments: object) -> set[str]:
    ended = subprocess.run(
        [sys.executable, "-c", LOOK, json.dumps([str(argument) for argument in arguments])],
        capture_output=True,
        env=environment(board, PYTHONPATH=str(Path(__file__).parent.parent)),
        cwd=board,
        check=True,
    )
    return set(json.loads(ended.stderr.splitlines()[-1]))


def test_scoring_imports_no_model_no_frames_and_no_parser(board: Path) -> None:
    files = ["score", "--rows", "rows.jsonl", "--preds", "preds.jsonl", "--model", "m", "--out-dir", "out"]
    assert not imported(board, *files) & (MODELS - {"numpy"} | {"sqlglot", "conllu"})
    assert not imported(board, "score", "--board", board) & (MODELS - {"numpy"} | {"sqlglot", "conllu"})


def test_looking_imports_no_model_no_frames_and_no_parser(board: Path) -> None:
    assert not imported(board, "sql", "select 1", "--board", board) & (MODELS - {"numpy"} | {"sqlglot"})
    assert not imported(board, "list", "corpora") & (MODELS | {"sqlglot", "duckdb", "pyarrow"})
    assert not imported(board, "list", "runners") & (MODELS | {"sqlglot", "duckdb"})
    assert not imported(board, "validate", "rows.jsonl") & (MODELS | {"sqlglot", "duckdb", "pyarrow"})


def test_the_version_imports_next_to_nothing(board: Path) -> None:
    assert not imported(board, "--version") & (MODELS | {"sqlglot", "duckdb", "pyarrow", "rich"})


def test_rules_are_run_without_any_model_package(board: Path) -> None:
    arguments = ["predict", "--rows", "rows.jsonl", "--model", "rules", "--out", "p.jsonl"]
    assert not imported(board, *arguments) & (MODELS - {"numpy"} | {"sqlglot"})
