"""A dataset folder for the hub: what its card declares, and what it says of licences."""

from pathlib import Path
from typing import Any

import huggingface_hub
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from piibench_duck import converting
from piibench_duck.door import read_predictions, read_rows
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import hub_folder
from piibench_duck.interchange.tables import Predictions, Rows
from tests.shell import write_lines


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    lines: list[dict[str, Any]] = [
        {"id": f"r{index}", "dataset": corpus, "licence": licence, "language": language, "text": "Bo | Fox", **more}
        | {"spans": [{"start": 0, "end": 2, "label": "PERSON"}]}
        for index, (corpus, licence, language, more) in enumerate(
            [
                ("free", "CC-BY-4.0", "en", {"slices": {"year": "2001"}}),
                ("bought", "LicenseRef-private", "de", {"slices": {"court": "high"}}),
                ("bought", "CC-BY-NC-4.0", "de", {}),
                ("a|b", "CC-BY-ND-4.0", "und", {}),
            ]
        )
    ]
    return read_rows(write_lines(tmp_path / "rows.jsonl", lines))


RUN = Predictions(
    {"row_id": ["r0", "r1"], "status": ["ok", "error"], "chars_seen": [8, 0]},
    {"row_id": ["r0"], "start_char": [5], "end_char": [8], "source_label": ["X"], "score": [0.5]},
    *([], ""),
)


def test_the_card_declares_every_file_and_the_hubs_own_library_reads_it(tmp_path: Path, rows: Rows) -> None:
    assert hub_folder.write(tmp_path / "made", rows, {"mine": RUN}) == {}
    card = huggingface_hub.DatasetCard.load(tmp_path / "made" / "README.md")
    said = card.data.to_dict()
    assert said["configs"] == [
        {"config_name": "rows", "data_files": [{"split": "test", "path": "data/rows.parquet"}], "default": True},
        {"config_name": "predictions_mine", "data_files": [{"split": "test", "path": "predictions/mine.parquet"}]},
    ]
    assert all((tmp_path / "made" / of["data_files"][0]["path"]).is_file() for of in said["configs"])
    assert (said["license"], said["language"]) == (["cc-by-4.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "other"], ["de", "en"])
    assert (said["pretty_name"], said["task_categories"]) == ("made", ["token-classification"])
    assert {path.name for path in (tmp_path / "made").rglob("*") if path.is_file()} == {
        *("README.md", "rows.parquet", "mine.parquet")
    }


def test_the_card_names_the_licence_of_each_corpus_and_those_that_hold_it_back(tmp_path: Path, rows: Rows) -> None:
    hub_folder.write(tmp_path / "made", rows, {})
    card = (tmp_path / "made" / "README.md").read_text("utf-8")
    assert "| free | 1 | CC-BY-4.0 | yes |" in card
    assert "| bought | 1 | LicenseRef-private | not known |" in card
    assert "| bought | 1 | CC-BY-NC-4.0 | not for money |" in card
    assert "| a\\|b | 1 | CC-BY-ND-4.0 | no: not in changed form |" in card
    held = "a\\|b (CC-BY-ND-4.0: no: not in changed form); bought (CC-BY-NC-4.0: not for money); bought (LicenseRef"
    assert f"Ask before you share this folder: {held}" in card
    assert len(converting.held_back("hub-folder", converting.Given(rows, {}))) == 3
    assert converting.held_back("brat", converting.Given(rows, {})) == []


def test_its_files_read_back_and_have_no_type_that_the_hub_lacks(tmp_path: Path, rows: Rows) -> None:
    hub_folder.write(tmp_path / "made", rows, {"mine": RUN})
    back = read_rows(tmp_path / "made" / "data" / "rows.parquet")
    assert (back.rows, back.gold_spans) == (rows.rows, rows.gold_spans)
    answers = read_predictions(tmp_path / "made" / "predictions" / "mine.parquet", back, allow_missing=True)
    assert (answers.pred_spans, answers.missing_row_ids) == (RUN.pred_spans, ["r1", "r2", "r3"])
    schema = pq.read_schema(tmp_path / "made" / "data" / "rows.parquet")
    assert not [field.name for field in schema if pa.types.is_map(field.type)]
    assert schema.field("slices").type == pa.struct([("court", pa.string()), ("year", pa.string())])


def test_the_same_rows_give_the_same_bytes(tmp_path: Path, rows: Rows) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        hub_folder.write(tmp_path / name / "made", rows, {"mine": RUN})
    for path in (tmp_path / "one").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path, rows: Rows) -> None:
    (tmp_path / "made").mkdir()
    converting.write(tmp_path / "made", "hub-folder", converting.Given(rows, {}))
    before = sorted(path.name for path in (tmp_path / "made").rglob("*"))
    for to in ("hub-folder", "brat", "conll"):
        with pytest.raises(PiibenchError, match="a folder that holds something; a new or an empty one was expected"):
            converting.write(tmp_path / "made", to, converting.Given(rows, {}))
    assert sorted(path.name for path in (tmp_path / "made").rglob("*")) == before
    with pytest.raises(PiibenchError, match="cannot be written"):
        converting.write(tmp_path / "absent" / "made", "hub-folder", converting.Given(rows, {}))


@pytest.mark.parametrize("to", ["brat", "conll", "hub-folder"])
def test_what_fails_halfway_leaves_nothing(tmp_path: Path, rows: Rows, to: str) -> None:
    bad = rows._replace(rows={**rows.rows, "text": [*rows.rows["text"][:-1], "Bo \ud800"]})
    with pytest.raises(UnicodeEncodeError):
        converting.write(tmp_path / "made", to, converting.Given(bad, {}))
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


@pytest.mark.parametrize(("to", "name"), [("brat", "x" * 300), ("conll", "a\nb")])
def test_ids_that_a_format_cannot_write_are_refused(tmp_path: Path, rows: Rows, to: str, name: str) -> None:
    named = rows._replace(rows={**rows.rows, "row_id": ["r0", "r1", "r2", name]})
    with pytest.raises(PiibenchError, match="a row's id"):
        converting.write(tmp_path / "made", to, converting.Given(named, {}))
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]
