"""Texts to spans, in chunks on disk, so that a killed run goes on where it stopped and ends with the same answers.

A run's folder holds `run.json` (what it was begun with) and one Parquet file a chunk. Chunks are fixed by the order of
row ids and batches by a chunk's rows alone, so neither depends on where a run was stopped. A shard has its own folder.
"""

import hashlib
import json
import math
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.names import is_text, label_fault, labels_with_text
from piibench_duck.runners import Answer, Description, Detector, Span, Text

if TYPE_CHECKING:
    from piibench_duck.chunks import Answers, Row


BATCH_ROWS = 64
"""Rows that a detector is given together; it may make smaller batches of them."""

CHUNK_ROWS = 256


class BadAnswerError(Exception):
    """A detector's answer that breaks the contract of `runners.Answer`."""


def settings_digest(description: Description, batch_size: int = BATCH_ROWS, chunk_rows: int = CHUNK_ROWS) -> str:
    """SHA-256 of what shapes the answers: the description without its libraries, and how rows are put in batches."""
    return hashlib.sha256(_canonical(_settings(description, batch_size, chunk_rows))).hexdigest()


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keeps other processes off the run in `folder`. `predict` holds it too; one process may hold it twice."""
    from filelock import FileLock, Timeout

    folder.parent.mkdir(parents=True, exist_ok=True)
    # Beside the folder, not in it: a lock that goes with the folder would let two processes hold it at once.
    lock = FileLock(folder.with_name(folder.name + ".lock"), timeout=0, is_singleton=True)
    try:
        lock.acquire()
    except Timeout:
        raise PiibenchError(f"run {folder.name!r} is being worked on by another process; wait for it to end") from None
    try:
        yield
    finally:
        lock.release()


class Texts(NamedTuple):
    """Rows to be answered: their ids, and what gives the texts of some of them in the order asked for."""

    row_ids: Sequence[str]
    of: Callable[[Sequence[str]], Sequence[Text]]


def predict(
    texts: Texts | Sequence[Text],
    detector: Detector,
    folder: Path,
    inputs_digest: str,
    *,
    batch_size: int = BATCH_ROWS,
    chunk_rows: int = CHUNK_ROWS,
    restart: bool = False,
    fail_fast: bool = False,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Answers all `texts` into `folder`, whose name is the run's, and leaves out the chunks that are there already.

    `progress` is told how many rows were done since it was last called. Raises `PiibenchError` where the folder was
    begun with other settings or texts (`restart` throws that away), where another process works on the run, and with
    `fail_fast` at the first row that is not answered.
    """
    from piibench_duck.chunks import chunk_path, is_whole, write_chunk
    from piibench_duck.machine import machine

    asked = texts if isinstance(texts, Texts) else _held_texts(texts)
    row_ids = sorted(asked.row_ids)
    for before, after in pairwise(row_ids):
        if before == after:
            raise PiibenchError(f"row {after!r} occurs twice; expected each row once")
    manifest = _settings(detector.description, batch_size, chunk_rows) | {
        "settings_digest": settings_digest(detector.description, batch_size, chunk_rows),
        "inputs_digest": inputs_digest,
        "n_rows": len(row_ids),
    }
    with held(folder):
        if restart and folder.exists():
            shutil.rmtree(folder)
        _begin(folder, manifest)
        for start in range(0, len(row_ids), chunk_rows):
            ids = row_ids[start : start + chunk_rows]
            path = chunk_path(folder, start // chunk_rows)
            if not is_whole(path, ids):
                began = time.perf_counter()
                answered = _answer_chunk(asked.of(ids), detector, batch_size, progress)
                if fail_fast:
                    _refuse_errors(answered)
                write_chunk(path, answered, time.perf_counter() - began, machine(detector.description))
            elif progress is not None:
                progress(len(ids))


def _held_texts(texts: Sequence[Text]) -> Texts:
    by_id = {text.row_id: text for text in texts}
    return Texts([text.row_id for text in texts], lambda row_ids: [by_id[row_id] for row_id in row_ids])


def begun(folder: Path) -> dict[str, Any]:
    """What the run in `folder` was begun with: its detector, batches, texts and their digests."""
    manifest = _manifest(folder)
    kinds = {"settings_digest": str, "inputs_digest": str, "n_rows": int, "chunk_rows": int, "detector": dict}
    is_whole = all(type(manifest.get(name)) is kind for name, kind in kinds.items())
    described = {*Description._fields} - {"libraries"}
    if not is_whole or manifest["detector"].keys() != described or manifest["chunk_rows"] < 1 or manifest["n_rows"] < 0:
        raise PiibenchError(f"run.json of {folder.name!r} is damaged; answer that part again, or copy it again")
    return manifest


def _refuse_errors(answered: "Sequence[Row]") -> None:
    for row in answered:
        if row.error is not None:
            raise PiibenchError(f"row {row.row_id!r} was not answered ({row.error}), and --fail-fast ends with it")


def answers(folder: Path, run_id: str | None = None) -> "Answers":
    """What the finished run in `folder` answered; `run_id` is the folder's name unless given.

    Raises `PiibenchError` where a chunk is missing.
    """
    return answers_of([folder], folder.name if run_id is None else run_id)


def answers_of(folders: Sequence[Path], run_id: str) -> "Answers":
    """What the finished parts of a run answered together."""
    from piibench_duck.chunks import read_chunks

    manifests = [(folder, _manifest(folder)) for folder in folders]
    return read_chunks([(folder, math.ceil(one["n_rows"] / one["chunk_rows"])) for folder, one in manifests], run_id)


def _settings(description: Description, batch_size: int, chunk_rows: int) -> dict[str, Any]:
    described = {key: value for key, value in description._asdict().items() if key != "libraries"}
    described["settings"] = dict(description.settings)
    return {"detector": described, "batch_size": batch_size, "chunk_rows": chunk_rows}


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((folder / "run.json").read_bytes())
    except FileNotFoundError:
        raise PiibenchError(f"run {folder.name!r} was not begun: its folder has no run.json") from None
    except (ValueError, RecursionError):
        manifest = {}
    if not isinstance(manifest, dict) or not manifest:
        raise PiibenchError(
            f"run.json of run {folder.name!r} is not an object of JSON; pass --restart to begin it again"
        ) from None
    return manifest


def _begin(folder: Path, manifest: dict[str, Any]) -> None:
    from piibench_duck.chunks import replace

    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("*.part"):
        left.unlink()
    if not (folder / "run.json").exists():
        for stale in folder.glob("*.parquet"):
            stale.unlink()
        replace(folder / "run.json", lambda part: part.write_bytes(_canonical(manifest)))
        return
    was, now = _flat(_manifest(folder)), _flat(manifest)
    told = [key for key in sorted((was.keys() | now.keys()) - {"settings_digest"}) if was.get(key) != now.get(key)]
    if told:
        differences = ", ".join(f"{key} was {was.get(key)} and is {now.get(key)}" for key in told)
        what = "texts" if set(told) <= {"inputs_digest", "n_rows"} else "settings"
        raise PiibenchError(
            f"run {folder.name!r} was begun with other {what} ({differences}); delete {folder} or pass --restart"
        )


def _flat(value: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat |= _flat(inner) if isinstance(inner, Mapping) else {key: inner}
    return flat


def _answer_chunk(
    chunk: Sequence[Text], detector: Detector, batch_size: int, progress: Callable[[int], None] | None
) -> "list[Row]":
    """The chunk's rows in its own order; texts of like length share a batch, to pad little."""
    by_length = sorted(chunk, key=lambda text: (len(text.text), text.row_id))
    answered: list[Row] = []
    for start in range(0, len(by_length), batch_size):
        batch = by_length[start : start + batch_size]
        answered += _answer(batch, detector)
        if progress is not None:
            progress(len(batch))
    return sorted(answered, key=lambda row: row.row_id)


def _answer(batch: Sequence[Text], detector: Detector) -> "list[Row]":
    """The batch's answers; where it fails as a whole, each row by itself, and those that still fail are errors."""
    from piibench_duck.chunks import Row

    try:
        given = detector(batch)
        if len(given) != len(batch):
            raise BadAnswerError
        checked = [_checked(text, answer) for text, answer in zip(batch, given, strict=True)]
    except PiibenchError:
        raise  # what a user can mend is no fault of a row
    except Exception as error:
        if len(batch) == 1:
            return [Row(batch[0].row_id, Answer((), 0, "error"), type(error).__name__)]
        return [row for text in batch for row in _answer([text], detector)]
    return [Row(text.row_id, answer, error) for text, (answer, error) in zip(batch, checked, strict=True)]


def _checked(text: Text, answer: Answer) -> tuple[Answer, str | None]:
    if answer.status == "error":
        return Answer((), 0, "error"), "Reported"
    n_chars = len(text.text)
    right = (
        answer.status in ("ok", "truncated")
        and type(answer.chars_seen) is int
        and 0 <= answer.chars_seen <= n_chars
        and all(_is_span(span, text.text) for span in answer.spans)
        and not _tells(answer.spans, text.text)
    )
    return (answer, None) if right else (Answer((), 0, "error"), BadAnswerError.__name__)


def _tells(spans: Sequence[Span], text: str) -> bool:
    labels = [span.label for span in spans]
    return bool(labels_with_text(labels, (text[span.start : span.end] for span in spans), text))


def _is_span(span: Span, text: str) -> bool:
    return (
        type(span.start) is int
        and type(span.end) is int
        and 0 <= span.start < span.end <= len(text)
        and isinstance(span.label, str)
        and span.label != ""
        and label_fault(span.label) is None
        and not is_text(span.label, text[span.start : span.end])
        and (span.score is None or (isinstance(span.score, float) and math.isfinite(span.score)))
    )
