"""The command line as a shell sees it: small files to give it, and what comes back."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SENTINEL = "Zzyzx-Quuxley"


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment with a home of its own for warehouse and results."""
    screen = ("COLUMNS", "LINES")  # of the terminal that the tests themselves are run from
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIIBENCH_", *screen))}
    cache = os.environ.get("PIIBENCH_CACHE")
    return {**kept, **({"PIIBENCH_CACHE": cache} if cache else {}), "PIIBENCH_HOME": str(home), **more}


def command(*arguments: object) -> list[str]:
    """The command line of a command."""
    return [sys.executable, "-m", "piibench_duck.cli", *map(str, arguments)]


def run(*arguments: object, home: Path, cwd: Path | None = None, **more: str) -> Ended:
    """Run a command in a process of its own."""
    root = str(Path(__file__).parent.parent)
    ended = subprocess.run(
        command(*arguments),
        capture_output=True,
        cwd=cwd or home,
        env=environment(home, PYTHONPATH=root, **more),
        timeout=60,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """A JSONL file."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def rows(n_rows: int = 10, text: str = "😀 Ana Fox left on 3 May 2020") -> list[dict[str, Any]]:
    """Lines of a rows file: two corpora, two rows a document, a name to find."""
    return [
        {
            **{"id": f"r{index:03d}", "dataset": f"corpus-{index % 2}", "doc_id": f"d{index // 2}", "language": "en"},
            **{"carrier": "prose", "text": text, "excluded": []},
            "spans": [{"start": 2, "end": 9, "label": "PERSON"}],
        }
        for index in range(n_rows)
    ]


def predictions(of: Sequence[Mapping[str, Any]], start: int = 2, end: int = 9) -> list[dict[str, Any]]:
    """Lines of a predictions file: one span a row."""
    return [{"id": row["id"], "spans": [{"start": start, "end": end, "label": "NAME"}]} for row in of]
