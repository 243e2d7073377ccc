"""Files that no reader expects, deep, huge, half or twice: each is refused in one sentence, none with a traceback."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import door, recorded, source_tables, sources, tab_files
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tab
from tests import own_sources

SECRET = "Quillon"
TEXT = f"{SECRET} was here."
SPANS = [{"start": 0, "end": 7, "label": "NAME"}]
ROW = {"text": TEXT, "spans": SPANS}
DEEP = "[" * 100_000
LIST = "[" * 975 + "]" * 975
HALF = "\ud83d"


def read(folder: Path, content: str, name: str = "a.jsonl", **changes: object) -> sources.Reading:
    """Documents of a file by a table of a user's own."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(content, "utf-8")
    columns = {"text_column": "text", "spans_column": "spans"} if "reader" not in changes else {}
    own_sources.write_sources(folder, notes={"paths": [name], **columns, **changes})
    source = source_tables.load(folder / "sources.toml", folder)["notes"]
    return sources.read(source, sources.fetch(source, None, folder / "downloads"))


def refusal(folder: Path, content: str, name: str = "a.jsonl", **changes: object) -> str:
    with pytest.raises(PiibenchError) as caught:
        read(folder, content, name, **changes)
    said = str(caught.value)
    assert SECRET not in said
    assert "\n" not in said
    said.encode()
    return said


@pytest.mark.parametrize(
    "line",
    [
        {**ROW, "spans": [{**SPANS[0], "label": HALF}]},
        {**ROW, "spans": [{**SPANS[0], "entity_id": HALF}]},
        {**ROW, "spans": [{**SPANS[0], "annotator": HALF}]},
        {**ROW, "spans": [{**SPANS[0], HALF: 1}]},
        {**ROW, "n": HALF},
        {**ROW, "kind": HALF},
        {**ROW, "part": HALF},
        {**ROW, "text": TEXT + HALF},
        {**ROW, HALF: 1},
    ],
)
def test_half_of_a_surrogate_pair_is_refused_wherever_it_stands(tmp_path: Path, line: dict[str, Any]) -> None:
    line = {"n": 1, "kind": "x", "part": "all", **line}
    said = refusal(tmp_path, json.dumps(line), id_column="n", split_column="part", splits=["all"], slices=["kind"])
    assert "half of a surrogate pair" in said


@pytest.mark.parametrize("key", ["label", "entity_id", "annotator"])
@pytest.mark.parametrize(("encoding", "encode"), [("json", json.dumps), ("python", repr)])
def test_half_of_a_surrogate_pair_inside_spans_that_are_texts_is_refused(
    tmp_path: Path, key: str, encoding: str, encode: Any
) -> None:
    line = {**ROW, "spans": encode([{**SPANS[0], key: HALF}])}
    assert "half of a surrogate pair" in refusal(tmp_path, json.dumps(line), spans_encoding=encoding)


@pytest.mark.parametrize(
    ("encoding", "spans", "said"),
    [
        ("python", "[{[1]: 2}]", "the text cannot be read as such"),
        ("python", "[{{}}]", "the text cannot be read as such"),
        ("python", f"{'-' * 5000}1", "nested too deeply"),
        ("python", "[{'start': 0, 'end': 7, 'label': 'A', 'label': 'B'}]", "a key stands twice in one object"),
        ("python", f"[{{'start': 0, 'end': 7, 'label': 'A', 'entity_id': 0x{'f' * 9000}}}]", "or is a huge number"),
        ("python", f"[{{'start': 0, 'end': 0x{'f' * 9000}, 'label': 'A'}}]", "or is a huge number"),
        ("json", '[{"start": 0, "end": 7, "label": "A", "label": "B"}]', "a key stands twice in one object"),
        ("json", '[{"start": 0, "end": 7, "label": "A", "x": {"y": 1, "y": 1}}]', "a key stands twice in one object"),
        ("json", '[{"start": 0, "end": 7, "label": "A", "x": NaN}]', "the text cannot be read as such"),
        ("json", f'[{{"start": {"9" * 6000}, "end": 7, "label": "A"}}]', "the text cannot be read as such"),
        ("json", DEEP, "nested too deeply"),
    ],
)
def test_spans_that_are_no_texts_of_spans_are_refused(tmp_path: Path, encoding: str, spans: str, said: str) -> None:
    assert said in refusal(tmp_path, json.dumps({**ROW, "spans": spans}), spans_encoding=encoding)


@pytest.mark.parametrize("key", ["entity_id", "annotator", "text"])
def test_a_name_that_is_lists_in_lists_is_refused(tmp_path: Path, key: str) -> None:
    line = f'{{"text": "{TEXT}", "spans": [{{"start": 0, "end": 7, "label": "A", "{key}": {LIST}}}]}}'
    assert "nested too deeply" in refusal(tmp_path, line)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (DEEP, "nested too deeply"),
        ('[{"doc_id": "d1", "doc_id": "d2"}]', "a key stands twice in one object"),
        ("[NaN]", "is not JSON"),
        ("[" + "9" * 6000 + "]", "is not JSON"),
    ],
)
@pytest.mark.parametrize(("reader", "name"), [("tab", "a.json"), ("tab", "a.jsonl"), ("jsonl", "a.jsonl")])
def test_json_of_the_other_readers_is_read_as_strictly(
    tmp_path: Path, content: str, said: str, reader: str, name: str
) -> None:
    assert said in refusal(tmp_path, content, name, reader=reader)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("paths = " + "[" * 3000 + "]" * 3000, "is nested too deeply"),
        ("paths = " + "{a = " * 3000 + "1" + "}" * 3000, "is nested too deeply"),
        ("bytes = " + "9" * 6000, "is nested too deeply or has a number of thousands of digits"),
        ("paths = \ufeff", "is not TOML"),
    ],
)
def test_a_table_that_no_reader_of_toml_takes_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "sources.toml"
    path.write_text(f"[notes]\n{content}\n", "utf-8")
    with pytest.raises(PiibenchError) as caught:
        source_tables.load(path, tmp_path)
    assert str(caught.value).startswith(f"sources.toml: {said}")


def test_a_bom_before_a_table_is_no_fault(tmp_path: Path) -> None:
    read(tmp_path, json.dumps(ROW))
    path = tmp_path / "sources.toml"
    path.write_text("\ufeff" + path.read_text("utf-8"), "utf-8")
    assert source_tables.load(path, tmp_path).keys() == {"notes"}


def test_recorded_digests_that_are_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    (tmp_path / recorded.FILE).write_text(DEEP)
    said = refusal(tmp_path, json.dumps(ROW), sha256="recorded")
    assert f"{recorded.FILE}: cannot be read as JSON" in said


def test_masks_that_are_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "masks.json"
    for content in (f'{{"d1":{LIST}}}', DEEP, f'{{"d1":{DEEP}'):
        path.write_text(content)
        with pytest.raises(door.Refused) as caught:
            tab.read_masked(path, {"d1": TEXT})
        assert caught.value.findings[0].reason in ("bad_json", "bad_schema")


def gold(path: Path) -> Path:
    mention = {"entity_id": "e", "entity_type": "PERSON", "identifier_type": "DIRECT"}
    mention |= {"start_offset": 0, "end_offset": 7, "span_text": SECRET}
    annotations = {name: {"entity_mentions": [mention]} for name in ("a1", "a2")}
    path.write_text(json.dumps([{"doc_id": "d1", "text": TEXT, "annotations": annotations}]))
    return path


@pytest.mark.parametrize("compat", [False, True])
def test_weights_that_would_not_fit_into_their_sum_are_refused_and_those_that_do_are_summed(
    tmp_path: Path, compat: bool
) -> None:
    (tmp_path / "masks.json").write_text(json.dumps({"d1": [[0, 17]] * 500}))
    options = tab_files.Options(compat=compat, weights=str(tmp_path / "weights.json"))

    def scored(bits: float) -> dict[str, Any]:
        (tmp_path / "weights.json").write_text(json.dumps({"d1": [[0, 17, bits]]}))
        return tab_files.score(gold(tmp_path / "gold.json"), tmp_path / "masks.json", options).figures

    for bits in (1_000_001, 9.3e9, 1e300, 10**400):
        with pytest.raises(door.Refused) as caught:
            scored(bits)
        (finding,) = caught.value.findings
        assert "a number of bits from 0 to 1000000" in finding.detail
    with pytest.raises(PiibenchError, match="weights of up to 1e\\+06 are too large to be summed here"):
        scored(1_000_000)
    assert scored(500_000)


@pytest.mark.parametrize("of", ["file", "folder"])
def test_a_link_in_ones_own_folder_leads_where_it_leads(tmp_path: Path, of: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.jsonl").write_text(json.dumps(ROW))
    board = tmp_path / "board"
    read(board, json.dumps(ROW))
    (board / "a.jsonl").unlink()
    if of == "file":
        (board / "link.jsonl").symlink_to(elsewhere / "a.jsonl")
    else:
        (board / "link").symlink_to(elsewhere)
    path = "link.jsonl" if of == "file" else "link"
    own_sources.write_sources(board, notes={"paths": [path], "text_column": "text", "spans_column": "spans"})
    source = source_tables.load(board / "sources.toml", board)["notes"]
    root = sources.fetch(source, None, board / "downloads")
    assert len(sources.read(source, root).documents) == 1
    before, _ = sources.pinned(source, root)
    (elsewhere / "a.jsonl").write_text(json.dumps({**ROW, "spans": []}))
    assert sources.pinned(source, root)[0] != before
    shutil.rmtree(elsewhere)
    with pytest.raises(PiibenchError, match=f"there is no '{path}'"):
        sources.fetch(source, None, board / "downloads")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_that_would_be_read_twice_is_refused_before_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PiibenchError, match="pipe: is a pipe or a device; it is read more than once"):
        door.validate(tmp_path / "pipe")
