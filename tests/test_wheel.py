"""The wheel, unpacked far from the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.paged import copied
from tests.shell import predictions, rows, write_lines

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_a_wheel_holds_the_sql_and_the_data_and_no_generators(installed: Path) -> None:
    package = installed / "piibench_duck"
    for name in (
        "py.typed",
        "sql/marts/scores.sql",
        "data/sources.toml",
        "data/protocol.toml",
        "data/demo/demo-he.jsonl",
    ):
        assert (package / name).is_file(), name
    assert {path.name for path in (package / "data" / "seeds").iterdir()} >= {"taxonomy.csv", "label_map.csv"}
    for name in ("templates/page.html.j2", "templates/parts.html.j2", "templates/page.css", "templates/page.js"):
        assert (package / "board" / name).is_file(), name
    assert (package / "board" / "vendored" / "sortable.LICENSE").is_file()
    assert not (package / "data" / "demo" / "make_demo.py").exists()
    assert not (package / "data" / "demo" / "frames").exists()
    assert not (package / "data" / "downloads").exists()
    wanted = {path.relative_to(ROOT / "sql") for path in (ROOT / "sql").rglob("*.sql")}
    assert {path.relative_to(package / "sql") for path in (package / "sql").rglob("*.sql")} == wanted


def test_an_installed_wheel_works_outside_the_checkout(installed: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", rows())
    write_lines(tmp_path / "preds.jsonl", predictions(rows()))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PIIBENCH_")},
        "PYTHONPATH": str(installed),
        "PIIBENCH_CACHE": str(tmp_path / "cache"),
    }

    def run(*arguments: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "piibench_duck.cli", *arguments],
            capture_output=True,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, b""), arguments
        return ended.stdout.decode()

    where = subprocess.run(
        [sys.executable, "-c", "import piibench_duck; print(piibench_duck.__file__)"],
        capture_output=True,
        cwd=tmp_path,
        env=environment,
        check=True,
    )
    assert Path(where.stdout.decode().strip()).is_relative_to(installed)
    assert run("--version").startswith("piibench-duck ")
    assert "demo-he" in run("list", "corpora")
    run("score", "--rows", "rows.jsonl", "--preds", "preds.jsonl", "--model", "m", "--out-dir", "out")
    assert json.loads((tmp_path / "out" / "result.json").read_text("utf-8"))["scores"]["mean"]["f1"] == 1
    run("build", "--board", "demo")  # into the current folder
    assert (tmp_path / "warehouse" / "demo" / "rows").is_dir()
    copied("demo", tmp_path / "results")
    assert run("board", "--board", "demo") == "results/demo/page/index.html\n"
