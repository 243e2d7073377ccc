"""PII Bench's rows as a board of the user's own, with the predictions published for them as its runs."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.protocol import Protocol, find_board

READER = "pii_bench"
"""The `reader` of sources that are laid out so."""

_ROWS = "data/rows.jsonl"
_PREDICTIONS = "results/*/preds.jsonl"
_PLAIN = re.compile(r"[\w./:@+-]{1,120}", re.ASCII)


class Published(NamedTuple):
    """What became of a data set."""

    n_rows: int
    taken: Mapping[str, int]  # spans of each run that was imported
    refused: Mapping[str, str]  # why a run was not, by its name


def as_board(root: Path, folder: Path, protocol: Protocol, progress: Callable[[str], None]) -> Published:
    """Put the rows below `root` into `folder`, build that as a board, and import what is published for them.

    What is there is made anew; other rows in the folder, or sources, are refused. A run that is refused does not keep
    the others out.
    """
    from piibench_duck import build, imports
    from piibench_duck.beside import beside

    rows = root / _ROWS
    if not rows.is_file():
        raise PiibenchError(f"{root.name!r} has no {_ROWS}; the layout of PII Bench was expected")
    sha256 = _sha256(rows)
    place = folder / "rows.jsonl"
    if place.is_file() and _sha256(place) != sha256:
        raise PiibenchError(f"{place}: holds other rows; an empty folder, or the same rows, was expected")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with beside(place) as part:
            shutil.copyfile(rows, part)
    except OSError as error:
        raise PiibenchError(f"{folder}: cannot be made a board ({error.strerror or type(error).__name__})") from error
    board = find_board(str(folder), protocol)
    n_rows = sum(corpus.n_rows for corpus in build.build(board, protocol, progress=progress).corpora)
    taken: dict[str, int] = {}
    refused: dict[str, str] = {}
    for path in sorted(root.glob(_PREDICTIONS)):
        name = path.parent.name
        progress(f"import {name}")
        try:
            said = _provenance(path.with_name("result.json"))
            if said.get("rows_sha256", sha256) != sha256:
                raise PiibenchError("its result.json is of other rows than those published beside it")
            taken[name] = imports.import_run(board, protocol, path, name, "jsonl", note=_note(said)).n_spans
        except PiibenchError as error:
            refused[name] = str(error)
    return Published(n_rows, taken, refused)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _provenance(path: Path) -> Mapping[str, Any]:
    """What a result says of how it came about; nothing where there is none."""
    try:
        found = json.loads(path.read_bytes())["_provenance"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _note(said: Mapping[str, Any]) -> str:
    """Where a run is from, with its model and revision where its result names them plainly."""
    parts = ["published by PII Bench"]
    for word, keys in (("model", ("model_id", "model")), ("revision", ("model_revision",))):
        values = [said.get(key) for key in keys]
        parts += [f"{word} {value}" for value in values if isinstance(value, str) and _PLAIN.fullmatch(value)][:1]
    return ", ".join(parts)
