"""Texts wrapped in any carrier and predictions brought back, through the files that the commands read and write."""

import json
import string
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck import carriers, door
from piibench_duck.interchange.writing import write_predictions, write_rows
from piibench_duck.wrapping import unwrap_predictions, wrap_rows

Line = dict[str, Any]

ODD = [
    *"\"\\'`&<>,;|=#:{}[]%$/ \t\n\r\v\f\0\x01\x1b\x7f\x85\xa0",
    *"\u2028\u2029\ufeff\u200b\u200d\u200e\u202e\u0301é",
    *("\r\n", "\\n", "\\u00e9", "&amp;", "👩‍👧", "שָׁלוֹם", "مرحبا", "Иван"),
    *(". ", "! She ", "\n\nThen "),
]
PIECES = st.one_of(st.sampled_from(ODD), st.sampled_from("abc Z.é"), st.characters(exclude_categories=["Cs"]))
WORDS = st.text(st.sampled_from(string.ascii_letters + "@#/é "), min_size=1, max_size=6)
FILES = st.sampled_from(["jsonl", "parquet"])
GOLD_KEYS = ("start", "end", "label", "entity_id", "identifier_type", "annotator")
ROW_KEYS = ("dataset", "doc_id", "language", "split", "source", "licence", "passage_start")


def wirable(text: str) -> str:
    """The text without control characters, which some formats cannot hold."""
    return "".join(char for char in text if char >= " " or char in "\t\n")


@st.composite
def row_lists(draw: st.DrawFn) -> list[Line]:
    """Lines of a rows file with distinct ids, half of them without control characters."""
    rows = []
    for row_id in draw(st.lists(WORDS, min_size=1, max_size=3, unique=True)):
        text = "".join(draw(st.lists(PIECES, max_size=30)))
        text = wirable(text) if draw(st.booleans()) else text
        optional = {name: draw(WORDS) for name in ROW_KEYS[:-1] if draw(st.booleans())}
        spans = {name: draw(span_lists(len(text))) for name in ("spans", "excluded")}
        slices = draw(st.dictionaries(WORDS, WORDS, max_size=2))
        given_ = {"id": row_id, "text": text, "passage_start": draw(st.integers(0, 9)), "slices": slices}
        rows.append({**given_, **optional, **spans})
    return rows


@st.composite
def span_lists(draw: st.DrawFn, n_chars: int) -> list[Line]:
    place = st.integers(0, n_chars)
    spans = []
    for start, end in draw(st.lists(st.tuples(place, place), max_size=4)):
        if start != end:
            optional = {name: draw(WORDS) for name in ("entity_id", "annotator") if draw(st.booleans())}
            judged = {"identifier_type": draw(st.sampled_from(["DIRECT", "QUASI"]))} if draw(st.booleans()) else {}
            spans.append({"start": min(start, end), "end": max(start, end), "label": draw(WORDS), **optional, **judged})
    return spans


def write(path: Path, lines: list[Line]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return path
    gold = pa.struct([(name, pa.int64() if name in ("start", "end") else pa.string()) for name in GOLD_KEYS])
    schema: list[tuple[str, pa.DataType]] = [(name, pa.string()) for name in ("id", "text", *ROW_KEYS[:-1])]
    schema += [("passage_start", pa.int64()), ("spans", pa.list_(gold)), ("excluded", pa.list_(gold))]
    schema += [("slices", pa.map_(pa.string(), pa.string()))]
    as_pairs = [{**line, "slices": list(line.get("slices", {}).items())} for line in lines]
    pq.write_table(pa.Table.from_pylist(as_pairs, pa.schema(schema)), path)
    return path


def read(path: Path) -> list[Line]:
    """The lines of a file, without this package's reader."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    lines = pq.read_table(path).to_pylist(maps_as_pydicts="strict")
    return [{name: value for name, value in line.items() if value is not None} for line in lines]


def in_order(spans: list[Line]) -> list[str]:
    """Spans to compare: without nulls, in one order."""
    return sorted(json.dumps({name: span[name] for name in sorted(span) if span[name] is not None}) for span in spans)


def placed(spans: list[Line]) -> list[Line]:
    return [{name: span[name] for name in ("start", "end", "label")} for span in spans]


def through_wrap(folder: Path, rows: list[Line], carrier: str, kind: str) -> tuple[Path, dict[str, str]]:
    """The wrapped file, and the rows that were refused."""
    wrapped, refused = wrap_rows(door.read_rows(write(folder / f"rows.{kind}", rows)), carrier)
    path = folder / f"wrapped.{kind}"
    write_rows(path, wrapped)
    return path, refused


def through_unwrap(folder: Path, wrapped: Path, preds: list[Line], kind: str) -> tuple[dict[str, Line], int]:
    """The lines that come back, by their ids, and how many spans were dropped."""
    rows = door.read_rows(wrapped)
    answered = door.read_predictions(write(folder / f"preds.{kind}", preds), rows)
    back, n_dropped = unwrap_predictions(rows, answered)
    write_predictions(folder / f"back.{kind}", back)
    return {line["id"]: line for line in read(folder / f"back.{kind}")}, n_dropped


@pytest.mark.parametrize("carrier", carriers.carrier_names())
@settings(max_examples=15, deadline=None)
@given(rows=row_lists(), one=FILES, other=FILES)
def test_gold_found_on_the_wire_comes_back_as_exactly_the_spans_that_were(
    carrier: str, rows: list[Line], one: str, other: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        wrapped, refused = through_wrap(Path(name), rows, carrier, one)
        kept = [row for row in rows if row["id"] not in refused]
        if not kept:
            return
        found = [{"id": row["id"], "spans": placed(row["spans"] + row["excluded"])} for row in read(wrapped)]
        back, n_dropped = through_unwrap(Path(name), wrapped, found, other)
    assert n_dropped == 0
    assert back.keys() == {row["id"] for row in kept}
    for row in kept:
        assert "chars_seen" not in back[row["id"]] or back[row["id"]]["chars_seen"] is None
        assert in_order(back[row["id"]]["spans"]) == in_order(placed(row["spans"] + row["excluded"]))


@pytest.mark.parametrize("carrier", carriers.carrier_names())
@settings(max_examples=10, deadline=None)
@given(rows=row_lists(), kind=FILES)
def test_a_wrapped_row_keeps_all_that_it_said_but_for_text_and_offsets(
    carrier: str, rows: list[Line], kind: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        path, refused = through_wrap(Path(name), rows, carrier, kind)
        kept = {f"{row['id']}@{carrier}": row for row in rows if row["id"] not in refused}
        wrapped = {row["id"]: row for row in read(path)}
    assert wrapped.keys() == kept.keys()
    for row_id, row in kept.items():
        said = wrapped[row_id]
        assert said["carrier"] == carrier
        assert said["passage_id"] == row["id"]
        assert said["doc_id"] == row.get("doc_id", row["id"])
        assert {name: said[name] for name in row.keys() & {*ROW_KEYS, "slices"}} == {
            name: row[name] for name in row.keys() & {*ROW_KEYS, "slices"}
        }
        for role in ("spans", "excluded"):
            there, here = ([{**span, "start": 0, "end": 0} for span in of[role]] for of in (said, row))
            assert in_order(there) == in_order(here)


def stands_for(alignments: list[Line]) -> Iterator[tuple[int, int, int]]:
    """Each passage character that is on the wire, with the wire interval that has to be seen to know it."""
    for line in alignments:
        if line["kind"] == "copied":
            for step in range(line["wire_end"] - line["wire_start"]):
                yield line["passage_start"] + step, line["wire_start"] + step, line["wire_start"] + step + 1
        elif line["kind"] in ("escaped", "changed"):
            yield line["passage_start"], line["wire_start"], line["wire_end"]


@pytest.mark.parametrize("carrier", carriers.carrier_names())
@settings(max_examples=15, deadline=None)
@given(rows=row_lists(), data=st.data())
def test_any_span_on_the_wire_becomes_what_it_touches_of_the_text(
    carrier: str, rows: list[Line], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        path, refused = through_wrap(Path(name), rows, carrier, "jsonl")
        if len(refused) == len(rows):
            return
        preds, wanted, dropped = [], {}, 0
        texts = {f"{row['id']}@{carrier}": row["text"] for row in rows}
        for row in read(path):
            chars = list(stands_for(row["alignments"]))
            spans = data.draw(span_lists(len(row["text"])))
            edges = [0, *(start for _, start, _ in chars)]
            n_seen = data.draw(st.one_of(st.sampled_from(edges), st.integers(0, len(row["text"]))))
            preds.append({"id": row["id"], "spans": placed(spans), "chars_seen": n_seen})
            back = []
            for span in placed(spans):
                touched = [char for char, start, end in chars if start < span["end"] and span["start"] < end]
                if touched:
                    back.append({**span, "start": min(touched), "end": max(touched) + 1})
            dropped += len(spans) - len(back)
            unseen = [char for char, _, end in chars if end > n_seen]
            wanted[row["passage_id"]] = (in_order(back), min(unseen, default=len(texts[row["id"]])), row["id"])
        found, n_dropped = through_unwrap(Path(name), path, preds, "jsonl")
    assert n_dropped == dropped
    assert found.keys() == wanted.keys()
    for row_id, (spans_back, n_seen, wire_id) in wanted.items():
        assert in_order(found[row_id]["spans"]) == spans_back
        assert found[row_id].get("chars_seen", len(texts[wire_id])) == n_seen
