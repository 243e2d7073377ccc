"""The reports of a submitted result held against its counts: what no counts give is of a known kind and adds up."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from piibench_duck import rederive, report

SKIPPED = {
    "reports, pins and labels of corpora": "they rest on sources; they are compared with the board's other results",
    "reports, slices by language and columns": "they rest on the rows; those of a column have to add up to the whole",
}
"""What of the reports no counts give, and what is done with it instead."""

_EXACT = re.compile("all|carrier=.*")
_OF_GOLD = ("docs", "n_rows", "gold")
_RATIOS = ("precision", "recall", "f1", "f2")
_NOT_SUMMED = ("docs", *_RATIOS, "per_type", "high_severity_leaks")
_PINS = ("corpus_sha256", "corpus_revision", "corpus_diagnostics", "rows_digest")
_DIGEST = re.compile("[0-9a-f]{64}")
_PLAIN = re.compile(r"[\w.@:/+#-]{1,200}")
_VERSION = re.compile(r"\d[\w.+-]{0,40}")
_ROLES = ("scored", "excluded", "ignored", "unknown")
_LABEL_KEYS = {"n_spans", "reason", "role", "source", "source_label", "type"}
_LONGEST = 200
_SLICES = 5000


def findings(
    folder: Path, said: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]], reference: Path | None
) -> Iterator[str]:
    """What is wrong with the reports, a line each; `found` are those that the counts give, by corpus.

    `reference` holds a result of the same rows.
    """
    wanted = {report.file_name(corpus): one for corpus, one in found.items()}
    there = {path.name for path in (folder / report.FOLDER).glob("*")}
    for name in sorted(wanted.keys() - there):
        yield f"{report.FOLDER}/{name} is not there; score the run again"
    for name in sorted(there - wanted.keys()):
        yield f"{report.FOLDER}/{name[:100]!r} is no report that the counts give"
    for name in sorted(wanted.keys() & there):
        where = f"{report.FOLDER}/{name}"
        try:
            one = json.loads((folder / report.FOLDER / name).read_text("utf-8"))
            other = _other(reference, name)
            lines = list(_of_one(one, wanted[name], said, other))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            yield f"{where} is no report; score the run again"
            continue
        yield from (f"{where}: {line}" for line in lines)


def _other(reference: Path | None, name: str) -> Mapping[str, Any] | None:
    path = None if reference is None else reference / report.FOLDER / name
    return json.loads(path.read_text("utf-8")) if path is not None and path.is_file() else None


def _of_one(
    one: Mapping[str, Any], found: Mapping[str, Any], said: Mapping[str, Any], other: Mapping[str, Any] | None
) -> Iterator[str]:
    of = said["_provenance"]
    is_of_rank = found["design"] == of["design"]
    told = {
        **{name: value for name, value in found.items() if name not in ("slices", *_PINS)},
        "preset_revision": of["model_revision"],
        "taxonomy": of["taxonomy_digest"],
        "label_map": of["label_map_digest"],
        **({"rows_digest": of["rows_digest"]} if is_of_rank else {}),
        "environment": {name: of[name] for name in ("piibench_duck", "runner", "settings_digest", "weights_sha256")},
    }
    environment = {name: value for name, value in one["environment"].items() if name != "duckdb"}
    head = {name: value for name, value in one.items() if name != "slices" and name not in (*_PINS,)}
    head |= {"environment": environment} | ({"rows_digest": one["rows_digest"]} if is_of_rank else {})
    yield from rederive.differences(head, told)
    for name in sorted({*_PINS} - one.keys()):
        yield f"{name} is not said"
    if not _VERSION.fullmatch(str(one["environment"].get("duckdb"))):
        yield "environment.duckdb is no version"
    yield from _pins(one)
    exact = {
        name
        for name in {*one["slices"], *found["slices"]}
        if _EXACT.fullmatch(name) or (is_of_rank and name.startswith("language="))
    }
    given, derived = ({name: line for name, line in each["slices"].items() if name in exact} for each in (one, found))
    yield from rederive.differences({"slices": given}, {"slices": derived})
    yield from _columns({name: line for name, line in one["slices"].items() if name not in exact}, found["slices"])
    if other is not None and other["design"] == one["design"]:
        yield from _beside(one, other)


def _pins(one: Mapping[str, Any]) -> Iterator[str]:
    """Pins and labels are of the kinds that `score` writes."""
    for name, pattern in (("corpus_sha256", _DIGEST), ("corpus_revision", _PLAIN), ("rows_digest", _DIGEST)):
        pin = one[name]
        by_source = {str(key): value for key, value in pin.items()} if isinstance(pin, dict) else {"one": pin}
        is_pin = all(
            value is None or (isinstance(value, str) and pattern.fullmatch(value)) for value in by_source.values()
        )
        if not is_pin or not all(map(_PLAIN.fullmatch, by_source)):
            yield f"{name} is no pin"
    for label in one["corpus_diagnostics"]:
        texts = [label[name] for name in ("source", "source_label")]
        texts += [label[name] for name in ("reason", "type") if label[name] is not None]
        is_line = label.keys() == _LABEL_KEYS and type(label["n_spans"]) is int and label["role"] in _ROLES
        if not is_line or not all(isinstance(text, str) and len(text) <= _LONGEST for text in texts):
            yield "corpus_diagnostics has a line that no label has"
            return


def _columns(lines: Mapping[str, Mapping[str, Any]], found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Slices that no counts name: each within the whole, and those of a kind no more than it."""
    whole = found["all"]
    if len(lines) > _SLICES:
        yield f"it has {len(lines)} slices; {_SLICES} at most were expected"
        return
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for name, line in lines.items():
        if "=" not in name or len(name) > _LONGEST:
            yield "it has a slice that no column names"
            return
        kinds.setdefault(name.partition("=")[0], []).append(line)
        if fault := _fault(line, whole):
            yield f"slices.{name}: {fault}"
            return
    for kind, of_kind in kinds.items():
        is_all = sum(line["n_rows"] for line in of_kind) == whole["n_rows"]
        for key, total in _counts(whole).items():
            summed = sum(_counts(line).get(key, 0) for line in of_kind)
            if summed > total or (is_all and summed != total):
                yield f"slices by {kind} add up to {summed} of {'.'.join(key)}; the counts give {total}"


def _counts(line: Mapping[str, Any]) -> dict[tuple[str, ...], int]:
    """The counts of a slice that add up over slices, by key."""
    found: dict[tuple[str, ...], int] = {
        (name,): value for name, value in line.items() if name not in _NOT_SUMMED and value is not None
    }
    for part in ("per_type", "high_severity_leaks"):
        for label, of in line[part].items():
            found |= {
                (part, label, name): value for name, value in of.items() if name not in _RATIOS and value is not None
            }
    return found


def _fault(line: Mapping[str, Any], whole: Mapping[str, Any]) -> str | None:
    """What one slice says that none can."""
    pairs = [(line, whole)]
    for part in ("per_type", "high_severity_leaks"):
        if not line[part].keys() <= whole[part].keys():
            return f"{part} has a label that the whole does not have"
        pairs += [(of, whole[part][label]) for label, of in line[part].items()]
    for one, of_whole in pairs:
        if one.keys() != of_whole.keys():
            return "it has other keys than `score` writes"
        for name, value in one.items():
            if name in ("per_type", "high_severity_leaks", *_RATIOS):
                continue
            most = of_whole[name]
            if (value is None) != (most is None) or (
                value is not None and not (type(value) is int and 0 <= value <= most)
            ):
                return f"{name} is no count within the whole"
        if "tp" in one and (told := _ratios(one)) is not None:
            for name, value in told.items():
                if name in one and rederive.differences({name: one[name]}, {name: value}):
                    return f"{name} is not that of its counts"
    return None


def _ratios(one: Mapping[str, Any]) -> dict[str, float | None]:
    tp, pred, gold = one["tp"], one["pred"], one["gold"]
    if tp is None:
        return dict.fromkeys((*_RATIOS, "fp", "fn"))
    parts = {
        "precision": (tp, pred),
        "recall": (tp, gold),
        "f1": (2 * tp, pred + gold),
        "f2": (5 * tp, pred + 4 * gold),
    }
    ratios = {name: part / of if of else None for name, (part, of) in parts.items()}
    return {**ratios, "fp": pred - tp, "fn": gold - tp}


def _beside(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """What no run changes is what another result of the same rows says."""
    name = other["run"]
    for key in _PINS:
        if one[key] != other[key]:
            yield f"{key} is not that of {name!r}"
    if one["slices"].keys() != other["slices"].keys():
        yield f"it has other slices than the report of {name!r}"
        return
    for key, line in one["slices"].items():
        if any(line[part] != other["slices"][key][part] for part in _OF_GOLD):
            yield f"slices.{key} has other gold than the report of {name!r}"
            return
