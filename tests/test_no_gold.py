"""What a detector is given, seen by a program that writes down all that reaches it: id and text, never gold."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from piibench_duck import build, door, protocol, run_files, runs, warehouse
from piibench_duck.run_plans import RunPlan
from tests import shell

GOLD = "GOLD-LABEL"
PROBE = "probe"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Rows with gold, and with everything else that a rows file may say."""
    return shell.write_lines(
        tmp_path / "rows.jsonl",
        [
            {
                **{
                    "id": f"r{place}",
                    "text": f"Anna Fox wrote {place} lines.",
                    "dataset": "corpus-x",
                    "doc_id": "doc-x",
                },
                **{"language": "en", "carrier": "carrier-x", "licence": "licence-x", "slices": {"kind": "slice-x"}},
                "spans": [{"start": 0, "end": 8, "label": GOLD, "entity_id": "entity-x", "annotator": "annotator-x"}],
                "excluded": [{"start": 15, "end": 16, "label": "EXCLUDED-X"}],
            }
            for place in range(3)
        ],
    )


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    """A program that keeps its input and answers with the keys that each line has."""
    script = tmp_path / "listen.py"
    script.write_text(
        "import json, sys\n"
        f"heard = open({str(tmp_path / 'heard')!r}, 'a')\n"
        "for line in sys.stdin:\n"
        "    heard.write(line)\n"
        "    row = json.loads(line)\n"
        "    print(json.dumps({'id': row['id'], 'spans': [{'start': 0, 'end': 1, 'label': '+'.join(row)}]}))\n"
    )
    return RunPlan("listener", "command", shlex.join([sys.executable, str(script)]))


def heard(folder: Path) -> list[dict[str, object]]:
    """The rows that the program was given, without the invented one that it is tried with."""
    text = (folder / "heard").read_text()
    assert "GOLD" not in text
    assert "-x" not in text.lower()
    return [row for row in map(json.loads, text.splitlines()) if row["id"] != PROBE]


def test_a_detector_of_a_board_is_given_id_and_text_alone(tmp_path: Path, rows: Path, plan: RunPlan) -> None:
    whole = protocol.load()
    board = protocol.find_board(str(tmp_path), whole)
    build.build(board, whole)
    assert runs.run_on_board(board, whole, plan).state == "ran"
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse)
    assert con.sql("select distinct source_label from contracts.pred_spans").fetchall() == [("id+text",)]
    given = [(line["id"], line["text"]) for line in map(json.loads, rows.read_text().splitlines())]
    assert sorted(heard(tmp_path), key=str) == [{"id": row_id, "text": text} for row_id, text in given]


def test_a_detector_of_a_rows_file_is_given_id_and_text_alone(tmp_path: Path, rows: Path, plan: RunPlan) -> None:
    run_files.run_on_file(door.read_rows(rows), plan, tmp_path / "preds.jsonl")
    found = [json.loads(line) for line in (tmp_path / "preds.jsonl").read_text().splitlines()]
    assert [[span["label"] for span in row["spans"]] for row in found] == [["id+text"]] * 3
    assert {tuple(row) for row in heard(tmp_path)} == {("id", "text")}
