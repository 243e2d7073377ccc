"""PII Bench's data set, an invented one of its layout: fetched from a hub on loopback, scored, and made a board."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import hub_server, shell
from tests.conftest import Call
from tests.hub_server import Hub

NAME = "ScienceSoft/piibench"
LINES = [
    {
        **{"id": f"{corpus}-{place}", "dataset": corpus, "language": "en", "carrier": carrier, "licence": "CC0-1.0"},
        "text": f'{{"from": "{person}", "id": "4711-{place}"}}',
        "spans": [{"start": 10, "end": 10 + len(person), "label": "PERSON"}],
        "excluded": [{"start": 20 + len(person), "end": 26 + len(person), "label": "RECORD_NUMBER"}],
    }
    for corpus in ("tab", "gretel")
    for place, (person, carrier) in enumerate([("Anna Fox", "json"), ("Bert Oak", "json"), ("Carla Elm", "log")])
]


def jsonl(lines: list[Any]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


ROWS = jsonl(LINES)


def predictions(cut: int, lines: list[dict[str, Any]] = LINES) -> bytes:
    """Each name without its last `cut` characters."""
    return jsonl(
        [
            {
                "id": line["id"],
                "spans": [{**span, "end": span["end"] - cut, "label": "NAME", "score": 0.9} for span in line["spans"]],
            }
            for line in lines
        ]
    )


def result(model: str, rows: bytes = ROWS) -> bytes:
    provenance = {"model": model, "model_revision": "a" * 40, "rows_sha256": hashlib.sha256(rows).hexdigest()}
    return json.dumps({"model": model, "_provenance": provenance}).encode()


FILES = {
    "README.md": b"Another benchmark.\n",
    "data/rows.jsonl": ROWS,
    "piibench/score.py": b"raise SystemExit('not to be fetched')\n",
    "results/half-tagger/preds.jsonl": predictions(4),
    "results/half-tagger/result.json": result("someone/half-tagger"),
    "results/whole-tagger/meta.json": b"{}",
    "results/whole-tagger/preds.jsonl": predictions(0),
    "results/whole-tagger/result.json": result("someone/whole-tagger"),
}


@pytest.fixture
def hub() -> Iterator[Hub]:
    with hub_server.serving() as hub:
        hub.add(NAME, FILES, kind="datasets")
        yield hub


class Desk:
    """A home, and commands in processes of their own that take the hub on loopback for the hub."""

    def __init__(self, home: Path, hub: Hub) -> None:
        self.home, self.environment = home, hub.environment(home / "cache")

    def call(self, *arguments: object, **more: str) -> shell.Ended:
        return shell.run(*arguments, home=self.home, **{**self.environment, **more})

    def done(self, *arguments: object, **more: str) -> str:
        ended = self.call(*arguments, **more)
        assert ended.code == 0, ended.err
        return ended.out

    def refused(self, *arguments: object, **more: str) -> str:
        ended = self.call(*arguments, **more)
        assert (ended.code, ended.out) == (1, ""), ended
        assert ended.err.count("\n") == 1, ended.err
        return ended.err

    def fetched(self) -> Path:
        return Path(self.done("fetch", "piibench", "--where").rstrip("\n"))

    def lock(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads((self.home / "sources.lock.json").read_text())["piibench"]
        return found


@pytest.fixture
def desk(tmp_path: Path, hub: Hub) -> Desk:
    return Desk(tmp_path, hub)


def test_fetch_brings_rows_and_published_predictions_and_says_where_they_are(hub: Hub, desk: Desk) -> None:
    root = desk.fetched()
    assert {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()} == {
        name for name in FILES if name.startswith(("data/", "results/"))
    }
    assert (root / "data/rows.jsonl").read_bytes() == ROWS
    asked = len(hub.asked)
    assert desk.done("fetch", "piibench").startswith("piibench: ")
    assert len(hub.asked) == asked
    commit = hub.repositories["datasets", NAME].refs["main"]
    assert (desk.lock()["commit"], desk.lock()["revision"]) == (commit, "main")


def test_what_was_fetched_scores_and_compares_like_our_own(desk: Desk) -> None:
    root = desk.fetched()
    rows, out = root / "data" / "rows.jsonl", desk.home / "scored"
    for name in ("half-tagger", "whole-tagger"):
        preds = root / "results" / name / "preds.jsonl"
        desk.done("score", "--rows", rows, "--preds", preds, "--model", name, "--out-dir", out / name)
    whole, half = (json.loads((out / name / "result.json").read_text()) for name in ("whole-tagger", "half-tagger"))
    assert whole["scores"]["mean"]["f1"] == 1
    assert half["scores"]["mean"]["recall"] == (4 + 4 + 5) / (8 + 8 + 9)
    assert whole["_provenance"]["rows_sha256"] == hashlib.sha256(ROWS).hexdigest()
    both = [root / "results" / name / "preds.jsonl" for name in ("whole-tagger", "half-tagger")]
    compared = desk.done("compare", "--rows", rows, "--a", both[0], "--b", both[1], "--json", "--iterations", 20)
    assert json.loads(compared)["difference"] == pytest.approx(1 - half["scores"]["mean"]["f1"])


def test_one_command_makes_a_board_of_it_with_all_published_runs(desk: Desk) -> None:
    told = desk.done("fetch", "piibench", "--as-board", "bench")
    assert told.splitlines()[1:] == ["bench: 6 rows, 2 published runs", "half-tagger: 6 spans", "whole-tagger: 6 spans"]
    desk.done("score", "--board", "bench")
    results = desk.home / "bench" / "results"
    found = {name: json.loads((results / name / "result.json").read_text()) for name in ("half-tagger", "whole-tagger")}
    assert found["whole-tagger"]["scores"]["mean"]["f1"] == 1
    assert found["half-tagger"]["scores"]["mean"]["f1"] < 1
    note = f"published by PII Bench, model someone/half-tagger, revision {'a' * 40}"
    assert found["half-tagger"]["_provenance"]["note"] == note
    again = desk.done("fetch", "piibench", "--as-board", "bench")
    assert again == told


def test_a_published_run_that_is_refused_does_not_keep_the_others_out(hub: Hub, desk: Desk) -> None:
    files = {
        **FILES,
        "results/bad offsets/preds.jsonl": predictions(-99),
        "results/bad-offsets/preds.jsonl": predictions(-99),
        "results/few/preds.jsonl": predictions(0, LINES[1:]),
        "results/of-others/preds.jsonl": predictions(0),
        "results/of-others/result.json": result("x/y", b"other rows"),
    }
    hub.add(NAME, files, kind="datasets")
    ended = desk.call("fetch", "piibench", "--as-board", "bench")
    assert ended.code == 1
    assert "bench: 6 rows, 2 published runs" in ended.out
    said = ended.err.splitlines()
    assert [line.split(" is left out: ")[0] for line in said] == [
        f"piibench-duck: {name}" for name in ("bad offsets", "bad-offsets", "few", "of-others")
    ]
    assert "its result.json is of other rows" in said[-1]
    assert "Anna" not in ended.err


def test_a_folder_with_other_rows_is_left_alone(desk: Desk) -> None:
    (desk.home / "bench").mkdir()
    other = shell.write_lines(desk.home / "bench" / "rows.jsonl", shell.rows(1))
    before = other.read_bytes()
    ended = desk.call("fetch", "piibench", "--as-board", "bench")
    assert ended.code == 1
    assert "holds other rows; an empty folder, or the same rows, was expected" in ended.err
    assert other.read_bytes() == before


@pytest.mark.parametrize(
    "arguments", [(), ("demo-en", "piibench"), ("piibench", "--where"), ("demo-en",)], ids=" ".join
)
def test_only_rows_can_be_made_a_board(call: Call, arguments: tuple[str, ...]) -> None:
    ended = call("fetch", *arguments, "--as-board", "bench")
    assert (ended.code, ended.out) == (2, "")
    assert "--as-board" in ended.err


def test_the_first_fetch_counts_and_a_branch_that_moved_does_not(hub: Hub, desk: Desk) -> None:
    root = desk.fetched()
    first = desk.lock()
    hub.repositories["datasets", NAME].commit({**FILES, "data/rows.jsonl": jsonl(LINES[:1])})
    (root / "data" / "rows.jsonl").unlink()
    assert desk.fetched() == root
    assert (root / "data" / "rows.jsonl").read_bytes() == ROWS
    assert desk.lock() == first
    (desk.home / "sources.lock.json").unlink()
    desk.fetched()
    assert desk.lock()["commit"] != first["commit"]
    assert len((root / "data" / "rows.jsonl").read_bytes().splitlines()) == 1


@pytest.mark.parametrize("status", [401, 404])
def test_a_data_set_that_cannot_be_had_is_one_sentence(hub: Hub, desk: Desk, status: int) -> None:
    hub.status["/api/datasets"] = status
    told = desk.refused("fetch", "piibench")
    assert told.startswith(f"piibench-duck: source 'piibench': data set '{NAME}' at main cannot be had from the hub: ")
    assert f"answered {status}" in told


def test_bytes_with_another_digest_are_neither_kept_nor_recorded(hub: Hub, desk: Desk) -> None:
    hub.other_bytes["data/rows.jsonl"] = ROWS[:-2] + b"x\n"
    told = desk.refused("fetch", "piibench")
    assert f"'data/rows.jsonl' of data set '{NAME}' at " in told
    assert "has other bytes than the hub states" in told
    assert not (desk.home / "sources.lock.json").exists()
    hub.other_bytes.clear()
    desk.fetched()


def test_a_data_set_without_results_is_named(hub: Hub, desk: Desk) -> None:
    hub.add(NAME, {"data/rows.jsonl": ROWS}, kind="datasets")
    assert "has no 'results'" in desk.refused("fetch", "piibench")


def test_without_the_network_what_was_fetched_is_used_and_what_was_not_is_named(hub: Hub, desk: Desk) -> None:
    assert "HF_HUB_OFFLINE is set" in desk.refused("fetch", "piibench", HF_HUB_OFFLINE="1")
    assert hub.asked == []
    desk.fetched()
    desk.done("fetch", "piibench", HF_HUB_OFFLINE="1")
