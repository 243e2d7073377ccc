"""The commands `wrap` and `unwrap` as a shell sees them: files whole or not at all, and no text of any row."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import carriers
from piibench_duck.interchange import writing
from tests.conftest import Call
from tests.shell import SENTINEL, Ended, command, environment, predictions, rows, run, write_lines

TEXT = f'😀 Ana Fox ("{SENTINEL}") left.\nShe wrote to A & B, then to C | D. Nobody <answered>!'
PICKY = '''"""Holds what has no bell."""

from piibench_duck.carriers.writer import CannotHoldError


def wrap(writer, values, key):
    """Takes the passage whole."""
    place = writer.passage.text.find("\\a")
    if place >= 0:
        raise CannotHoldError(f"picky cannot hold U+0007, which stands at {place}")
    writer.value(writer.passage)


def unwrap(wire):
    """The passage."""
    return [wire]
'''


@pytest.fixture
def picky(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A carrier that cannot hold everything."""
    folder = tmp_path_factory.mktemp("carriers")
    (folder / "picky.py").write_text(PICKY, "utf-8")
    monkeypatch.setattr(carriers, "__path__", [*carriers.__path__, str(folder)])
    yield "picky"
    sys.modules.pop(f"{carriers.__name__}.picky", None)


def annotated(n_rows: int = 3, text: str = TEXT) -> list[dict[str, Any]]:
    """Rows with scored and excluded spans; the first has every key that a span may have."""
    lines = rows(n_rows, text)
    for line in lines:
        line["spans"].append({"start": 11, "end": 26, "label": "ORG"})
        line["excluded"] = [{"start": 50, "end": 55, "label": "CODE", "annotator": "a2"}]
    lines[0]["spans"][0] |= {"text": "Ana Fox", "entity_id": "e1", "identifier_type": "DIRECT", "annotator": "a1"}
    return lines


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def as_predicted(wrapped: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The gold of wrapped rows as if a detector had found it there."""
    return [
        {"id": row["id"], "spans": [{name: span[name] for name in ("start", "end", "label")} for span in row["spans"]]}
        for row in wrapped
    ]


def test_gold_found_on_the_wire_of_any_carrier_scores_1_there_and_brought_back(call: Call, tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", annotated())
    wires, brought_back = [], set()
    for carrier in carriers.carrier_names():
        assert call("wrap", "--carrier", carrier, "--in", "rows.jsonl", "--out", "wrapped.jsonl").code == 0
        wires += lines_of(tmp_path / "wrapped.jsonl")
        write_lines(tmp_path / "preds.jsonl", as_predicted(wires[-3:]))
        unwrapped = call("unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "back.jsonl")
        assert unwrapped == Ended(0, "3 rows in back.jsonl\n", ""), carrier
        brought_back.add((tmp_path / "back.jsonl").read_text("utf-8"))
    assert len(brought_back) == 1
    write_lines(tmp_path / "wires.jsonl", wires)
    write_lines(tmp_path / "of_wires.jsonl", as_predicted(wires))
    for rows_file, preds_file, n_rows in (
        ("wires.jsonl", "of_wires.jsonl", len(wires)),
        ("rows.jsonl", "back.jsonl", 3),
    ):
        scored = call(
            *("score", "--rows", rows_file, "--preds", preds_file, "--model", "m", "--out-dir", "out", "--json"),
            *("--replicates", 1),
        )
        assert scored.code == 0, scored.err
        found = json.loads(scored.out)
        assert (found["scores"]["mean"]["f1"], found["n_rows"]) == (1, n_rows)


def test_a_wrapped_row_keeps_what_it_said_and_names_its_text(call: Call, tmp_path: Path) -> None:
    given = annotated(1)
    del given[0]["doc_id"]
    given[0]["annotators"] = ["a1", "a2", "a3"]
    write_lines(tmp_path / "rows.jsonl", given)
    ended = call("wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "wrapped.jsonl")
    assert ended == Ended(0, "1 row in wrapped.jsonl\n", "")
    (row,) = lines_of(tmp_path / "wrapped.jsonl")
    said = {name: row[name] for name in ("id", "passage_id", "doc_id", "carrier", "dataset", "language")}
    assert said == {
        **{"id": "r000@json", "passage_id": "r000", "doc_id": "r000"},
        **{"carrier": "json", "dataset": "corpus-0", "language": "en"},
    }
    (person, organisation), (code,) = row["spans"], row["excluded"]
    assert {name: person[name] for name in person if name not in ("start", "end")} == {
        **{"label": "PERSON", "entity_id": "e1", "identifier_type": "DIRECT", "annotator": "a1"}
    }
    assert (organisation["label"], code["label"], code["annotator"]) == ("ORG", "CODE", "a2")
    assert row["text"][organisation["start"] : organisation["end"]] == f'\\"{SENTINEL}\\"'
    assert row["alignments"]
    assert row["annotators"] == ["a1", "a2", "a3"]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_both_commands_read_and_write_jsonl_and_parquet(suffix: str, call: Call, tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", annotated())
    files = {name: f"{name}.{suffix}" for name in ("wrapped", "preds", "back")}
    assert call("wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", files["wrapped"]).code == 0
    assert call("validate", files["wrapped"]).out == f"{files['wrapped']}: nothing wrong\n"
    predicted = call("predict", "--rows", files["wrapped"], "--model", "mask-everything", "--out", files["preds"])
    assert predicted.code == 0
    assert call("unwrap", "--in", files["wrapped"], "--preds", files["preds"], "--out", "back.jsonl").code == 0
    assert [row["spans"][0]["end"] for row in lines_of(tmp_path / "back.jsonl")] == [len(TEXT)] * 3
    assert call("unwrap", "--in", files["wrapped"], "--preds", files["preds"], "--out", files["back"]).code == 0
    assert call("validate", files["back"], "--rows", "rows.jsonl").code == 0


def test_other_keys_and_units_are_read_when_told(call: Call, tmp_path: Path) -> None:
    odd = [{"nr": row["id"], "text": row["text"], "spans": row["spans"]} for row in annotated()]
    write_lines(tmp_path / "rows.jsonl", odd)
    wrap = ("wrap", "--carrier", "prose", "--in", "rows.jsonl", "--out", "wrapped.jsonl")
    assert call(*wrap).code == 1
    assert call(*wrap, "--map", "id=nr").code == 0
    spans = [{"from": 3, "end": 10, "label": "NAME", "score": 0.5}]
    write_lines(tmp_path / "preds.jsonl", [{"id": f"{row['nr']}@prose", "spans": spans} for row in odd])
    unwrap = ("unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "back.jsonl")
    assert call(*unwrap).code == 1
    assert call(*unwrap, "--map", "start=from", "--offset-unit", "utf16").code == 0
    assert lines_of(tmp_path / "back.jsonl")[2] == {
        "id": "r002",
        "spans": [{"start": 2, "end": 9, "label": "NAME", "score": 0.5}],
    }


def test_spans_on_syntax_alone_are_dropped_and_counted(call: Call, tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", annotated())
    call("wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "wrapped.jsonl")
    spans = [{"start": 0, "end": 1, "label": "A"}, {"start": 1, "end": 2, "label": "A"}]
    write_lines(tmp_path / "preds.jsonl", [{"id": f"r00{n}@json", "spans": spans[: n + 1]} for n in range(2)])
    unwrap = ("unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "back.jsonl")
    refused = call(*unwrap)
    assert refused.code == 1
    assert "missing_rows" in refused.err
    assert not (tmp_path / "back.jsonl").exists()
    ended = call(*unwrap, "--allow-missing")
    assert (ended.code, ended.out) == (0, "2 rows in back.jsonl\n")
    assert ended.err.splitlines() == [
        "piibench-duck: 1 row not answered and left out",
        "piibench-duck: 3 spans dropped, on nothing but the carrier's syntax and keys",
    ]
    assert lines_of(tmp_path / "back.jsonl") == [{"id": "r000", "spans": []}, {"id": "r001", "spans": []}]


def test_texts_that_the_format_cannot_hold_stop_the_command_or_are_left_out_by_name(
    call: Call, picky: str, tmp_path: Path
) -> None:
    given = annotated(4)
    for row in given[1:3]:
        row["text"] += "\a"
    write_lines(tmp_path / "rows.jsonl", given)
    wrap = ("wrap", "--carrier", picky, "--in", "rows.jsonl", "--out", "wrapped.jsonl")
    place = len(TEXT)
    assert call(*wrap) == Ended(
        1,
        "",
        "piibench-duck: rows.jsonl: 2 of 4 rows hold what picky cannot, the first 'r001': "
        f"picky cannot hold U+0007, which stands at {place}; --allow-refused leaves such rows out\n",
    )
    assert not (tmp_path / "wrapped.jsonl").exists()
    ended = call(*wrap, "--allow-refused")
    assert (ended.code, ended.out) == (0, "2 rows in wrapped.jsonl\n")
    assert ended.err.splitlines() == [
        "piibench-duck: 2 rows of 4 left out, which picky cannot hold",
        f"piibench-duck: row 'r001' is left out: picky cannot hold U+0007, which stands at {place}",
        f"piibench-duck: row 'r002' is left out: picky cannot hold U+0007, which stands at {place}",
    ]
    assert [row["id"] for row in lines_of(tmp_path / "wrapped.jsonl")] == ["r000@picky", "r003@picky"]
    write_lines(tmp_path / "rows.jsonl", given[1:3])
    nothing = call(*wrap, "--allow-refused")
    assert nothing.code == 1
    assert "no text is left to write" in nothing.err


def test_a_row_that_is_wrapped_already_is_refused_and_so_is_one_that_never_was(call: Call, tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", annotated())
    assert call("wrap", "--carrier", "prose", "--in", "rows.jsonl", "--out", "prose.jsonl").code == 0
    write_lines(tmp_path / "csv.jsonl", [*annotated(1), {**annotated(2)[1], "carrier": "csv"}])
    for name, said in (
        ("prose.jsonl", "3 of 3 rows are wrapped already, the first 'r000@prose' (carrier 'prose', with alignments)"),
        ("csv.jsonl", "1 of 2 rows are wrapped already, the first 'r001' (carrier 'csv', without alignments)"),
    ):
        ended = call("wrap", "--carrier", "json", "--in", name, "--out", "out.jsonl")
        assert ended == Ended(1, "", f"piibench-duck: {said}; texts that nobody has wrapped were expected\n")
    write_lines(tmp_path / "preds.jsonl", predictions(annotated()))
    ended = call("unwrap", "--in", "rows.jsonl", "--preds", "preds.jsonl", "--out", "out.jsonl")
    assert ended == Ended(
        1,
        "",
        "piibench-duck: row 'r000' has no alignments; rows as `piibench-duck wrap` writes them were expected\n",
    )
    assert not (tmp_path / "out.jsonl").exists()


def test_an_empty_text_comes_back_from_every_carrier(call: Call, tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", [{"id": "r", "text": "", "spans": []}])
    for carrier in carriers.carrier_names():
        assert call("wrap", "--carrier", carrier, "--in", "rows.jsonl", "--out", "wrapped.jsonl").code == 0
        write_lines(tmp_path / "preds.jsonl", [{"id": f"r@{carrier}", "spans": []}])
        ended = call("unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "back.jsonl")
        assert (ended.code, ended.err) == (0, ""), carrier
        assert lines_of(tmp_path / "back.jsonl") == [{"id": "r", "spans": []}]


WRONG_USES = [
    ["wrap"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl"],
    ["wrap", "--carrier", "json", "--out", "o.jsonl"],
    ["wrap", "--in", "rows.jsonl", "--out", "o.jsonl"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "o.txt"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "o.jsonl", "--map", "id"],
    ["unwrap"],
    ["unwrap", "--in", "wrapped.jsonl", "--out", "o.jsonl"],
    ["unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "o.csv"],
    ["unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "o.jsonl", "--offset-unit", "nibble"],
]
FAULTS = [
    ["wrap", "--carrier", "nosuch", "--in", "rows.jsonl", "--out", "o.jsonl"],
    ["wrap", "--carrier", "json.decoder", "--in", "rows.jsonl", "--out", "o.jsonl"],
    ["wrap", "--carrier", "writer", "--in", "rows.jsonl", "--out", "o.jsonl"],
    ["wrap", "--carrier", "json", "--in", "nosuch.jsonl", "--out", "o.jsonl"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "nosuch/o.jsonl"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "folder.jsonl"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "rows.jsonl"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "link.jsonl"],
    ["wrap", "--carrier", "json", "--in", "wrapped.jsonl", "--out", "o.jsonl"],
    ["wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "o.jsonl", "--map", "colour=x"],
    ["wrap", "--carrier", "picky", "--in", "rows.jsonl", "--out", "o.jsonl"],
    ["unwrap", "--in", "nosuch.jsonl", "--preds", "preds.jsonl", "--out", "o.jsonl"],
    ["unwrap", "--in", "wrapped.jsonl", "--preds", "nosuch.jsonl", "--out", "o.jsonl"],
    ["unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "wrapped.jsonl"],
    ["unwrap", "--in", "wrapped.jsonl", "--preds", "preds.jsonl", "--out", "preds.jsonl"],
    ["unwrap", "--in", "rows.jsonl", "--preds", "of_rows.jsonl", "--out", "o.jsonl"],
    ["unwrap", "--in", "both.jsonl", "--preds", "of_both.jsonl", "--out", "o.jsonl"],
    ["unwrap", "--in", "renamed.jsonl", "--preds", "of_renamed.jsonl", "--out", "o.jsonl"],
    ["unwrap", "--in", "stripped.jsonl", "--preds", "preds.jsonl", "--out", "o.jsonl"],
]


def test_wrong_usage_ends_with_2_and_what_can_be_mended_with_1_in_one_sentence_without_any_text(
    call: Call, picky: str, tmp_path: Path
) -> None:
    given = write_lines(tmp_path / "rows.jsonl", annotated(2, f"{TEXT}\a"))
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "link.jsonl").symlink_to(given)
    assert call("wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "wrapped.jsonl").code == 0
    wrapped = lines_of(tmp_path / "wrapped.jsonl")
    assert call("wrap", "--carrier", "prose", "--in", "rows.jsonl", "--out", "prose.jsonl").code == 0
    prose = lines_of(tmp_path / "prose.jsonl")
    for name, lines in (
        ("both.jsonl", [*wrapped, *prose]),
        ("renamed.jsonl", [{**row, "id": f"{row['id']}x"} for row in wrapped]),
        ("stripped.jsonl", [{name: row[name] for name in row if name != "alignments"} for row in wrapped]),
    ):
        write_lines(tmp_path / name, lines)
        write_lines(tmp_path / f"of_{name}", predictions(lines))
    write_lines(tmp_path / "of_rows.jsonl", predictions(annotated(2)))
    write_lines(tmp_path / "preds.jsonl", as_predicted(wrapped))
    before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    said = set()
    for code, uses in ((2, WRONG_USES), (1, FAULTS)):
        for arguments in uses:
            ended = call(*arguments)
            assert (ended.code, ended.out) == (code, ""), (arguments, ended)
            assert ended.err.startswith("piibench-duck: "), (arguments, ended.err)
            assert ended.err.count("\n") == 1, (arguments, ended.err)
            assert SENTINEL not in ended.err, arguments
            said.add(ended.err)
    assert {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()} == before
    assert len(said) > len(FAULTS)  # each has its own sentence, but for some that repeat


def test_a_disk_that_fills_leaves_the_old_file(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path / "rows.jsonl", annotated())
    (tmp_path / "wrapped.jsonl").write_text("old", "utf-8")

    def full(path: Path, lines: Any, kind: str) -> None:
        path.write_text("half", "utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_write_jsonl", full)
    ended = call("wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "wrapped.jsonl")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert (tmp_path / "wrapped.jsonl").read_text("utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.jsonl", "wrapped.jsonl"]


def test_a_command_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", annotated(300))
    out = tmp_path / "wrapped.jsonl"
    arguments = ("wrap", "--carrier", "json", "--in", "rows.jsonl", "--out", "wrapped.jsonl")
    began = time.perf_counter()
    assert run(*arguments, home=tmp_path).code == 0
    seconds = time.perf_counter() - began
    new = out.read_bytes()
    chance = random.Random(20260)
    for _ in range(3):
        out.write_bytes(b"old")
        process = subprocess.Popen(
            command(*arguments),
            cwd=tmp_path,
            env=environment(tmp_path, PYTHONPATH=str(Path(__file__).parent.parent)),
            stdout=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.5, 1.0) * seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert out.read_bytes() in (b"old", new)
    assert run(*arguments, home=tmp_path).code == 0
    assert out.read_bytes() == new
