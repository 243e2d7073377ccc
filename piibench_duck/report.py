"""Typed scores as what people read: a report for each corpus of a run, and the section of `result.json`."""

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck import entities, warehouse
from piibench_duck.beside import write_json

MARTS = ("marts.typed_scores", "marts.typed_type_scores", "marts.label_diagnostics")
"""What has to be derived before `sections` is asked for; reports also need `marts.rows_digest` and `design_digests`."""

FOLDER = "reports"
ALL_ROWS = "all_rows"
"""What stands for the design where there is none, as in a rows file."""

_COUNTS = ("gold", "pred", "tp", "fp", "fn")
_RATIOS = ("precision", "recall", "f1", "f2")
_COVERAGE = ("leak", "exposed", "contained", "covered", "touched", "missed", "exposed_chars")
_APART = ("n_out_of_scope", "n_unmapped", "n_ignored", "n_left_out")
_OF_SLICE = ("docs", "n_rows", "n_rows_missing", *_COUNTS, *_RATIOS, *_COVERAGE, *_APART)
_OF_TYPE = (*_COUNTS, *_RATIOS, "leak")
_BRIEF = ("gold", "pred", "tp", *_RATIOS, "leak")

Line = dict[str, Any]


class Common(NamedTuple):
    """What the reports of all runs of one scoring share."""

    taxonomy: str  # digest of the seed
    label_map: str  # digest of the map
    limit: int | None  # documents of each slice
    digests: dict[str | None, str | None]  # of the rows of each design; None: of all rows
    sources: dict[str, dict[str, tuple[str, str | None]]]  # digest and revision by corpus and source
    rows_sha256: str | None  # of the rows file that holds every corpus
    labels: dict[str, list[Line]]  # what became of the labels of a corpus
    versions: dict[str, str]  # of this package and of DuckDB
    described: dict[str, Line]  # lines of staging.runs, by run
    runs: dict[str, list[Line]]  # lines of marts.typed_scores that a run's reports show
    types: dict[tuple[object, ...], list[Line]]  # of marts.typed_type_scores, by run, corpus and slice


def common(
    con: warehouse.Connection, read: Mapping[str, Mapping[str, Any]] | None = None, rows_sha256: str | None = None
) -> Common:
    """What is known before any run is looked at, once the marts and digests are derived.

    `read` is what `sources.read_at_build` says of a board, `rows_sha256` the digest of a rows file.
    """
    pins: dict[str, dict[str, tuple[str, str | None]]] = {}
    for source, said in (read or {}).items():
        pins.setdefault(said["corpus"], {})[source] = (said["sha256"], said["revision"])
    digests: dict[str | None, str | None] = {
        line["design"]: line["rows_digest"] for line in warehouse.rows_of(con, "select * from marts.design_digests")
    }
    settings = warehouse.rows_of(con, "select * from staging.settings")[0]
    if settings["design"] is None:  # it reads all gold again, so not where nobody asks for it
        digests[None] = warehouse.one_value(con, "select rows_digest from marts.rows_digest")
    labels: dict[str, list[Line]] = {}
    for line in warehouse.rows_of(con, "select * from marts.label_diagnostics order by all"):
        labels.setdefault(line.pop("corpus"), []).append(line)
    runs: dict[str, list[Line]] = {}
    for line in _scores(con, "is_reported"):
        runs.setdefault(line["run_id"], []).append(line)
    return Common(
        warehouse.content_digest(con, "select * from contracts.taxonomy"),
        warehouse.content_digest(con, "select * from contracts.label_map"),
        settings["document_limit"],
        digests,
        pins,
        rows_sha256,
        labels,
        {name.replace("-", "_"): version(name) for name in ("piibench-duck", "duckdb")},
        {line["run_id"]: line for line in warehouse.rows_of(con, "select * from staging.runs")},
        runs,
        _types(con, "is_reported"),
    )


def reports(known: Common, run: str) -> dict[str, Line]:
    """The report on each corpus of a run that ran, in order of their names.

    Of whole documents where the run answered any, else of the rows that rank. Counts of spans, ratios, digests and
    versions; no text.
    """
    found: dict[str, Line] = {}
    for line in known.runs.get(run, []):
        corpus = line["corpus"]
        name = "all" if line["slice_by"] == "all" else f"{line['slice_by']}={line['slice']}"
        by_type = known.types.get(_key(line), [])
        report = found.setdefault(corpus, _head(known.described[run], corpus, line["design"], known))
        if name == "all":
            report["documents_scored"] = line["docs"]
        report["slices"][name] = {
            **{key: line[key] for key in _OF_SLICE},
            "per_type": {of["label"]: {key: of[key] for key in _OF_TYPE} for of in by_type if of["gold"] + of["pred"]},
            "high_severity_leaks": {
                of["label"]: {key: of[key] for key in ("gold", "leak", "exposed")}
                for of in by_type
                if of["is_high_severity"] and of["gold"]
            },
        }
    return found


def _head(described: Mapping[str, Any], corpus: str, design: str | None, known: Common) -> Line:
    pins = known.sources.get(corpus, {})
    one = next(iter(pins.values())) if len(pins) == 1 else (known.rows_sha256, None)
    several = len(pins) > 1
    return {
        "run": described["run_id"],
        "corpus": corpus,
        "corpus_sha256": {name: pin[0] for name, pin in pins.items()} if several else one[0],
        "corpus_revision": {name: pin[1] for name, pin in pins.items()} if several else one[1],
        "preset_revision": described["revision"],
        "taxonomy": known.taxonomy,
        "label_map": known.label_map,
        "limit": known.limit,
        "comparable": known.limit is None,
        "design": design,
        "rows_digest": known.digests.get(design),
        "corpus_diagnostics": known.labels.get(corpus, []),
        "slices": {},
        "environment": {
            **known.versions,
            "runner": described["runner"],
            "settings_digest": described["settings_digest"] or None,
            "weights_sha256": described["weights_sha256"],
        },
    }


def write(known: Common, run: str, folder: Path) -> list[Path]:
    """Write `reports/<corpus>.json` into a run's folder of results, each beside and renamed, and remove stale ones.

    With a limit, `reports/<corpus>.limit-<N>.json`, and nothing but those of the same limit is touched.
    """
    place = folder / FOLDER
    written = []
    for corpus, report in reports(known, run).items():
        place.mkdir(parents=True, exist_ok=True)
        path = place / file_name(corpus, known.limit)
        write_json(path, report)
        written.append(path)
    for path in _there(folder, known.limit):
        if path not in written:
            path.unlink()
    return written


def _there(folder: Path, limit: int | None) -> list[Path]:
    """The files of reports with that limit."""
    ending = ".json" if limit is None else f".limit-{limit}.json"
    return [path for path in (folder / FOLDER).glob(f"*{ending}") if limit is not None or ".limit-" not in path.name]


def clear(folder: Path) -> None:
    """Remove the reports in a run's folder of results, those with a limit too: it was not run after all."""
    shutil.rmtree(folder / FOLDER, ignore_errors=True)


def read(folder: Path, limit: int | None = None) -> list[Line]:
    """The reports in a run's folder of results, in order of their corpora."""
    found = (json.loads(path.read_text("utf-8")) for path in _there(folder, limit))
    return sorted(found, key=lambda report: str(report["corpus"]))


def file_name(corpus: str, limit: int | None = None) -> str:
    """The name of a corpus where it is plain, else a digest of it.

    >>> file_name("tab", 50)
    'tab.limit-50.json'
    """
    plain = re.fullmatch("[a-z0-9][a-z0-9_-]{0,60}", corpus)
    stem = corpus if plain else hashlib.sha256(corpus.encode()).hexdigest()
    return f"{stem}.json" if limit is None else f"{stem}.limit-{limit}.json"


def sections(con: warehouse.Connection) -> dict[str, Line]:
    """What `result.json` says of typed scores, by run: of each corpus and design, and by carrier of what ranks.

    Where nothing can be said there is a `reason` instead.
    """
    annotated = {corpus for (corpus,) in con.sql("select distinct corpus from intermediate.typed_scope").fetchall()}
    types = _types(con, "slice_by = 'all'")
    unlabelled = entities.unlabelled(con)
    found: dict[str, dict[str, Line]] = {
        run: {} for (run,) in con.sql("select run_id from staging.runs where status = 'ran' order by run_id").fetchall()
    }
    for line in _scores(con, "slice_by = 'all' or (slice_by = 'carrier' and is_ranked)"):
        of = found[line["run_id"]].setdefault(line["corpus"], {}).setdefault(line["design"] or ALL_ROWS, {})
        if line["corpus"] not in annotated:
            of["reason"] = "nothing in the corpus is annotated with a type that is scored or excluded"
        elif not line["docs"]:
            of["reason"] = "the run left texts of this design open"
        elif line["slice_by"] == "carrier":
            of.setdefault("by_carrier", {})[line["slice"]] = {key: line[key] for key in ("docs", *_BRIEF)}
        else:
            if line["run_id"] in unlabelled:
                of["reason"] = entities.NO_LABELS
            of["all"] = {key: line[key] for key in _OF_SLICE}
            of["per_type"] = {
                one["label"]: {key: one[key] for key in _BRIEF}
                for one in types.get(_key(line), [])
                if one["gold"] + one["pred"]
            }
    return {run: {"by_corpus": by_corpus} for run, by_corpus in found.items()}


def _scores(con: warehouse.Connection, condition: str) -> list[Line]:
    order = "run_id, corpus, is_ranked, slice_by, slice"
    return warehouse.rows_of(con, f"select * from marts.typed_scores where {condition} order by {order}")


def _types(con: warehouse.Connection, condition: str) -> dict[tuple[object, ...], list[Line]]:
    found: dict[tuple[object, ...], list[Line]] = {}
    for line in warehouse.rows_of(con, f"select * from marts.typed_type_scores where {condition} order by label"):
        found.setdefault(_key(line), []).append(line)
    return found


def _key(line: Line) -> tuple[object, ...]:
    return tuple(line[name] for name in ("run_id", "corpus", "is_ranked", "slice_by", "slice"))
