"""The commands `import` and `convert`: other tools' gold as a board, other tools' answers as its runs."""

import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import build, imports, places, warehouse
from piibench_duck.door import Refused
from piibench_duck.errors import PiibenchError
from tests import built
from tests.conftest import Call
from tests.shell import SENTINEL, predictions, rows, write_lines

TEXT = f"{SENTINEL} sued. No Bo Fox left in 2001."
NAME = len(SENTINEL)
MENTIONS = {  # surface to where it stands, its label and what an annotator judged
    SENTINEL: (0, NAME, "PERSON", "DIRECT"),
    "Bo Fox": (NAME + 10, NAME + 16, "PERSON", "QUASI"),
    "2001": (NAME + 25, NAME + 29, "DATETIME", "NO_MASK"),
}


def document(doc_id: str, **marked: list[str]) -> dict[str, Any]:
    """A document of TAB with the surfaces that each annotator marked."""
    annotations = {}
    for annotator, surfaces in marked.items():
        annotations[annotator] = {"entity_mentions": []}
        for surface in surfaces:
            start, end, label, judged = MENTIONS[surface]
            assert TEXT[start:end] == surface
            annotations[annotator]["entity_mentions"].append(
                {
                    **{"start_offset": start, "end_offset": end, "span_text": surface, "entity_type": label},
                    **{"entity_id": f"{doc_id}-{annotator}-{start}", "identifier_type": judged},
                }
            )
    return {"doc_id": doc_id, "text": TEXT, "dataset_type": "dev", "annotations": annotations}


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Two documents; in the second one of two annotators marked nothing."""
    documents = [document("d1", a1=list(MENTIONS)), document("d2", a1=list(MENTIONS)[1:], a2=[])]
    return written(tmp_path / "gold.json", documents)


@pytest.fixture(scope="module")
def built_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board of four rows, built; whoever changes one takes a copy."""
    folder = tmp_path_factory.mktemp("built") / "board"
    folder.mkdir()
    write_lines(folder / "rows.jsonl", rows(4))
    build.build(places.Board("board", folder / "warehouse", folder / "results", folder), built.PROTOCOL)
    return folder


@pytest.fixture
def board(tmp_path: Path, built_board: Path) -> Path:
    """A board of one's own."""
    return Path(shutil.copytree(built_board, tmp_path / "board"))


def lines_of(board: Path, select: str) -> list[Any]:
    """Lines of the tables of a board."""
    con = warehouse.connect()
    warehouse.attach(con, board / "warehouse")
    return con.sql(select).fetchall()


def spans_of(board: Path, run: str) -> list[Any]:
    """Row, start, end, label and score of what a run of a board predicted."""
    return lines_of(board, f"select * exclude (run_id) from contracts.pred_spans where run_id = '{run}' order by all")


def test_gold_of_tab_becomes_a_board_on_which_masks_are_runs(call: Call, tmp_path: Path, gold: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    converted = call("convert", gold, "own/rows.jsonl")
    assert (converted.code, converted.out) == (0, "2 rows in own/rows.jsonl\n")
    assert converted.err == ""
    whole = {doc_id: [[start, end] for start, end, *_ in MENTIONS.values()] for doc_id in ("d1", "d2")}
    written(tmp_path / "whole.json", whole)
    tokens = {"tokens": TEXT.split(), "labels": ["O", "O", "O", "B-PER", "I-PER", "O", "O", "O"]}
    written(tmp_path / "tokens.json", {"d1": tokens, "d2": tokens})
    said = [call("build", "--board", folder)]
    said.append(call("import", "whole.json", "--as", "whole", "--board", folder))
    assert said[-1].out == "whole: 2 rows with 6 spans\n"
    said.append(call("import", "tokens.json", "--as", "tokens", "--board", folder, "--note", "by hand"))
    assert said[-1].out == "tokens: 2 rows with 2 spans\n"
    said.append(call("score", "--board", folder))
    said.append(call("compare", "--a", "whole", "--b", "tokens", "--board", folder))
    said.append(call("list", "runs", "--board", folder))
    assert [ended.code for ended in said] == [0] * 6
    scores = json.loads((folder / "results" / "whole" / "result.json").read_bytes())["scores"]["by_corpus"]["tab"]
    # What needs no masking is neither missed nor free to mask.
    assert (scores["tp"], scores["fp"], scores["fn"]) == (NAME + 6 + 6, NAME + 4 + 4, 0)
    assert spans_of(folder, "tokens") == [(doc_id, NAME + 10, NAME + 16, "PER", None) for doc_id in ("d1", "d2")]
    results = [path.read_text("utf-8") for path in folder.rglob("results/**/*.json")]
    assert len(results) >= 4
    assert not [text for text in (*results, *(ended.out + ended.err for ended in said)) if SENTINEL in text]


def test_a_converted_file_keeps_entities_judgements_and_annotators(call: Call, tmp_path: Path, gold: Path) -> None:
    assert call("convert", "gold.json", "rows.jsonl", "--from", "tab").code == 0
    lines = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    assert [(line["id"], line["doc_id"], line["dataset"], line["split"]) for line in lines] == [
        *(("d1", "d1", "tab", "dev"), ("d2", "d2", "tab", "dev"))
    ]
    assert lines[0]["spans"] == [
        {
            **{"start": start, "end": end, "label": label, "entity_id": f"d1-a1-{start}"},
            **{"identifier_type": judged, "annotator": "a1"},
        }
        for start, end, label, judged in MENTIONS.values()
    ]
    assert [line["annotators"] for line in lines] == [["a1"], ["a1", "a2"]]
    assert call("convert", "gold.json", "rows.parquet").code == 0
    assert call("validate", "rows.parquet").code == call("validate", "rows.jsonl").code == 0


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_masks_have_the_same_figures_through_a_board_through_a_rows_file_and_through_tab(
    call: Call, tmp_path: Path, gold: Path, suffix: str
) -> None:
    """Also where an annotator marked nothing, who disagrees with every mask."""
    masks = {doc_id: [[NAME + 10, NAME + 16], [NAME + 17, NAME + 21]] for doc_id in ("d1", "d2")}
    written(tmp_path / "masks.json", masks)
    files = ["--gold", "gold.json", "--masked", "masks.json", "--spacy", "words"]
    wanted = json.loads(call("tab", *files, "--json").out)
    (tmp_path / "own").mkdir()
    assert call("convert", gold, f"own/rows.{suffix}").code == 0
    preds = [{"id": d, "spans": [{"start": s, "end": e, "label": "X"} for s, e in of]} for d, of in masks.items()]
    write_lines(tmp_path / "preds.jsonl", preds)
    options = ["--rows", f"own/rows.{suffix}", "--preds", "preds.jsonl", "--model", "files", "--out-dir", "out"]
    on_board = (["build"], ["import", "masks.json", "--as", "masks"], ["score"])
    said = [call("score", *options), *(call(*of, "--board", tmp_path / "own") for of in on_board)]
    assert [ended.code for ended in said] == [0] * 4, [ended.err for ended in said]
    for path in (*(tmp_path / "out").rglob("result.json"), tmp_path / "own" / "results" / "masks" / "result.json"):
        found = json.loads(path.read_bytes())["tab"]["by_corpus"]["tab"]
        assert found["counts"] == wanted["counts"]
        assert found["P_di+qi"] == wanted["P_di+qi"] == 2 / 6


def test_gold_that_is_not_what_it_says_is_counted(call: Call, tmp_path: Path, gold: Path) -> None:
    documents = json.loads(gold.read_bytes())
    documents[0]["annotations"]["a1"]["entity_mentions"][0]["span_text"] = "Somebody"
    written(tmp_path / "gold.json", documents)
    ended = call("convert", "gold.json", "rows.jsonl")
    assert ended.code == 0
    assert "gold.json: mentions with another text than under their offsets, which win: 1 of 5" in ended.err
    assert "Somebody" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gold.json", "gold.json.txt"], 2, "ends in neither .jsonl nor .parquet"),
        (["absent.json", "rows.jsonl"], 1, "absent.json: cannot be read"),
        (["gold.json", "absent/rows.jsonl"], 1, "a file in a folder that exists was expected"),
        (["broken.json", "rows.jsonl"], 1, "row 'd2': out_of_range: annotator 'a1': mention 0: [0, 999) of a text of"),
        (["gold.json", "rows.jsonl", "--from", "nothing"], 2, "'nothing' is no format of gold; there are brat, "),
    ],
)
def test_a_conversion_that_fails_leaves_the_old_file(
    call: Call, tmp_path: Path, gold: Path, arguments: list[str], code: int, said: str
) -> None:
    broken = json.loads(gold.read_bytes())
    broken[1]["annotations"]["a1"]["entity_mentions"][0] |= {"start_offset": 0, "end_offset": 999}
    written(tmp_path / "broken.json", broken)
    (tmp_path / "rows.jsonl").write_text("old")
    ended = call("convert", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert SENTINEL not in ended.err
    assert (tmp_path / "rows.jsonl").read_text() == "old"
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_predictions_file_is_a_run_and_the_next_of_its_name_replaces_it(
    call: Call, tmp_path: Path, board: Path
) -> None:
    write_lines(tmp_path / "preds.jsonl", predictions(rows(4)))
    first = call("import", "preds.jsonl", "--as", "theirs-1.0", "--board", board, "--note", "made by others")
    assert (first.code, first.out, first.err) == (0, "theirs-1.0: 4 rows with 4 spans\n", "")
    assert call("score", "--board", board).code == 0
    result = json.loads((board / "results" / "theirs-1.0" / "result.json").read_bytes())
    assert (result["kind"], result["scores"]["mean"]["f1"]) == ("file", 1)
    ((settings, digest, note),) = lines_of(board, "select settings, settings_digest, note from contracts.runs")
    assert (settings, note) == ({"file_sha256": digest, "format": "jsonl"}, "made by others")
    assert digest == hashlib.sha256((tmp_path / "preds.jsonl").read_bytes()).hexdigest()
    write_lines(tmp_path / "preds.jsonl", predictions(rows(4), 2, 5))
    assert call("import", "preds.jsonl", "--as", "theirs-1.0", "--board", board).code == 0
    assert "run `piibench-duck score` again" in call("sql", "select 1", "--board", board).err
    assert call("score", "--board", board).code == 0
    assert {tuple(span[1:4]) for span in spans_of(board, "theirs-1.0")} == {(2, 5, "NAME")}


def test_offsets_and_keys_of_other_tools_are_read(call: Call, tmp_path: Path, board: Path) -> None:
    """The rows open with an emoji, which is two UTF-16 units."""
    lines = [{"uid": row["id"], "found": [{"start": 3, "end": 10, "label": "X"}]} for row in rows(4)]
    write_lines(tmp_path / "preds.jsonl", lines)
    mapped = ["--map", "id=uid", "--map", "spans=found", "--offset-unit", "utf16"]
    assert call("import", "preds.jsonl", "--as", "theirs", "--board", board, *mapped).code == 0
    assert {tuple(span[1:3]) for span in spans_of(board, "theirs")} == {(2, 9)}
    written(tmp_path / "masks.json", {f"r00{index}": [[3, 10]] for index in range(4)})
    arguments = ["import", "masks.json", "--as", "masks", "--board", board, "--offset-unit", "utf16"]
    assert call(*arguments).code == 0
    assert spans_of(board, "masks") == [(f"r00{index}", 2, 9, "MASK", None) for index in range(4)]
    assert "--map goes with a predictions file" in call(*arguments, "--map", "id=uid").err


def test_rows_left_out_are_refused_unless_allowed(call: Call, tmp_path: Path, board: Path) -> None:
    write_lines(tmp_path / "preds.jsonl", predictions(rows(3)))
    arguments = ["import", "preds.jsonl", "--as", "theirs", "--board", board]
    refused = call(*arguments)
    assert (refused.code, refused.out) == (1, "")
    assert "rows not answered: 1, the first 'r003': missing_rows" in refused.err
    assert json.loads(call(*arguments, "--json").out)[0]["reason"] == "missing_rows"
    assert call("list", "runs", "--board", board).out.count("theirs") == 0
    allowed = call(*arguments, "--allow-missing", "--json")
    said = {"run": "theirs", "n_rows": 3, "n_spans": 3, "n_ranked": 4, "n_missing": 1}
    assert json.loads(allowed.out) == {**said, "designs": [], "unexplained": {}, "unused": []}
    assert "leaves 1 of 4 rows that the board ranks on unanswered" in allowed.err
    assert "missing_rows" in call("score", "--board", board).err
    assert call("score", "--board", board, "--allow-missing").code == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rules", "run 'rules' is one that protocol.toml defines"),
        ("../theirs", "run name '../theirs': letters, digits"),
        ("_empty", "run name '_empty': letters, digits"),
        ("", "run name '': letters, digits"),
        ("board.json", "a file of the board's results is called so"),
    ],
)
def test_a_name_that_cannot_be_is_refused(call: Call, tmp_path: Path, board: Path, name: str, said: str) -> None:
    write_lines(tmp_path / "preds.jsonl", predictions(rows(4)))
    (board / "results").mkdir()
    (board / "results" / "board.json").write_text("{}")
    ended = call("import", "preds.jsonl", "--as", name, "--board", board)
    assert (ended.code, ended.out) == (1, "")
    assert said in ended.err


@pytest.mark.parametrize(
    ("content", "more", "said"),
    [
        ('{"id": "r009", "spans": []}\n', [], "unknown_row"),
        ('{"id": "r000", "spans": [{"start": 2, "end": 99, "label": "X"}]}\n', [], "out_of_range"),
        ('{"r000": [[2, 9]], "r009": []}', [], "unknown_row"),
        ('{"r000": [[2, 99]]}', [], "out_of_range"),
        ('{"r000": [[2, 9]]}', ["--from", "jsonl"], "bad_schema"),
        ('{"id": "r000", "spans": []}\n', ["--from", "tab"], "unknown_row"),
        ('["r000"]', [], "is an array; predictions, an object with id and spans on each line, or masks, one object"),
        ('["r000"]', ["--from", "jsonl"], "bad_schema"),
        ('{"r000": [[2, 9]]}', [], "the file does not name its document; --allow-missing leaves it open"),
        ("r000", [], "bad_json"),
        ("", ["--from", "tab"], "bad_json"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_reason(
    call: Call, tmp_path: Path, board: Path, content: str, more: list[str], said: str
) -> None:
    (tmp_path / "given").write_text(content)
    ended = call("import", "given", "--as", "theirs", "--board", board, *more)
    assert (ended.code, ended.out) == (1, "")
    assert said in ended.err
    assert not (board / "warehouse" / "runs" / "theirs.parquet").exists()


def test_a_board_that_was_not_built_takes_nothing(call: Call, tmp_path: Path) -> None:
    write_lines(tmp_path / "rows.jsonl", rows(4))
    assert "has not been built" in call("import", "rows.jsonl", "--as", "theirs", "--board", tmp_path).err
    assert "no board 'absent'" in call("import", "rows.jsonl", "--as", "theirs", "--board", "absent").err


def passages(tmp_path: Path, call: Call, *lines: dict[str, Any]) -> Path:
    """A board of rows that are given in part."""
    folder = tmp_path / "passages"
    folder.mkdir()
    write_lines(folder / "rows.jsonl", [{"dataset": "c", "carrier": "prose", "spans": []} | line for line in lines])
    assert call("build", "--board", folder).code == 0
    return folder


def test_masks_fall_on_the_passages_of_their_document_and_are_cut_at_their_ends(call: Call, tmp_path: Path) -> None:
    folder = passages(
        *(tmp_path, call),
        {"id": "p2", "doc_id": "d1", "passage_start": 12, "text": "Fox left."},
        {"id": "p1", "doc_id": "d1", "passage_start": 0, "text": "Here is Bo"},
        {"id": "p1@json", "doc_id": "d1", "passage_start": 0, "text": '"Here is Bo"', "carrier": "json"},
        {"id": "q", "doc_id": "d2", "text": "Alone"},
    )
    written(tmp_path / "masks.json", {"d1": [[8, 15], [10, 12], [11, 21]], "q": [[0, 5]]})
    ended = call("import", "masks.json", "--as", "masks", "--board", folder)
    assert (ended.code, ended.out) == (0, "masks: 3 rows with 4 spans\n")
    assert "leaves 1 of 4 rows" in ended.err
    assert [span[:3] for span in spans_of(folder, "masks")] == [
        *(("p1", 8, 10), ("p2", 0, 3), ("p2", 0, 9), ("q", 0, 5))
    ]
    tokens = {"tokens": ["Here", "is", "Bo", "Fox"], "labels": ["O", "O", "B-PER", "I-PER"]}
    written(tmp_path / "masks.json", {"d1": tokens, "d2": []})
    assert call("import", "masks.json", "--as", "masks", "--board", folder).code == 0
    assert [span[:3] for span in spans_of(folder, "masks")] == [("p1", 8, 10), ("p2", 0, 3)]
    assert lines_of(folder, "select row_id, status, chars_seen from contracts.run_rows order by all") == [
        *(("p1", "ok", 10), ("p2", "truncated", 3), ("q", "ok", 5))
    ]


def test_a_document_of_rows_without_places_is_refused_but_its_rows_have_names(call: Call, tmp_path: Path) -> None:
    lines = [{"id": f"p{index}", "doc_id": "d1", "text": "Bo Fox"} for index in range(2)]
    folder = passages(tmp_path, call, *lines)
    written(tmp_path / "masks.json", {"d1": [[0, 2]]})
    ended = call("import", "masks.json", "--as", "masks", "--board", folder)
    assert "document 'd1' is several rows of the board" in ended.err
    written(tmp_path / "masks.json", {"p0": [[0, 2]], "p1": []})
    assert call("import", "masks.json", "--as", "masks", "--board", folder).out == "masks: 2 rows with 1 span\n"
    written(tmp_path / "masks.json", {})
    assert "rows not answered: 2" in call("import", "masks.json", "--as", "masks", "--board", folder).err
    empty = call("import", "masks.json", "--as", "masks", "--board", folder, "--allow-missing")
    assert (empty.code, empty.out) == (0, "masks: 0 rows with 0 spans\n")
    assert call("score", "--board", folder, "--allow-missing").code == 0


def test_a_document_named_twice_is_refused(call: Call, tmp_path: Path) -> None:
    folder = passages(tmp_path, call, {"id": "p", "doc_id": "d1", "text": "Bo Fox"})
    written(tmp_path / "masks.json", {"p": [], "d1": [[0, 2]]})
    ended = call("import", "masks.json", "--as", "masks", "--board", folder)
    assert "document 'd1' stands twice, under two of its names" in ended.err


def test_masks_of_a_built_boards_documents_fall_on_their_prose(tmp_path: Path) -> None:
    """Every document masked from its second character to its last but one leaves its ends readable and nothing else."""
    board = built.copy_of_demo(tmp_path / "copy")
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse, [])
    lines = con.sql(
        "select doc_id, source, corpus, passage_start, row_id, n_chars from contracts.rows "
        "where row_id in (select row_id from contracts.designs where design = 'documents')"
    ).fetchall()
    ends: dict[str, int] = {}
    for doc_id, source, corpus, start, _, n_chars in lines:
        if corpus == "demo-en":
            name = doc_id.removeprefix(f"{source}/")
            ends[name] = max(ends.get(name, 0), start + n_chars)
    path = written(tmp_path / "masks.json", {name: [[1, end - 1]] for name, end in ends.items()})
    done = imports.import_run(board, built.PROTOCOL, path, "masks")
    assert done.n_rows == sum(corpus == "demo-en" for _, _, corpus, *_ in lines)
    assert done.n_missing > 0  # of other corpora, which the file could not answer
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse, ["masks"])
    masked = dict(
        con.sql(
            "select row_id, list({'s': start_char, 'e': end_char}) from contracts.pred_spans group by all"
        ).fetchall()
    )
    for doc_id, source, corpus, start, row_id, n_chars in lines:
        if corpus == "demo-en":
            last = start + n_chars == ends[doc_id.removeprefix(f"{source}/")]
            assert masked[row_id] == [{"s": int(start == 0), "e": n_chars - int(last)}], row_id
    path = written(tmp_path / "masks.json", {name: [] for name in list(ends)[1:]})
    with pytest.raises(Refused) as caught:
        imports.import_run(board, built.PROTOCOL, path, "masks")
    assert all(finding.reason == "missing_rows" for finding in caught.value.findings)


def test_a_built_board_asks_for_the_rows_that_it_ranks_on_and_no_others(tmp_path: Path) -> None:
    board = built.copy_of_demo(tmp_path / "copy")
    con = warehouse.connect()
    warehouse.attach(con, board.warehouse, [])
    ranked = [
        row_id
        for (row_id,) in con.sql("select row_id from contracts.designs where design = 'balanced' order by 1").fetchall()
    ]
    path = write_lines(tmp_path / "preds.jsonl", [{"id": row_id, "spans": []} for row_id in ranked])
    done = imports.import_run(board, built.PROTOCOL, path, "theirs")
    assert (done.n_rows, done.n_ranked, done.n_missing) == (len(ranked), len(ranked), 0)
    write_lines(tmp_path / "preds.jsonl", [{"id": row_id, "spans": []} for row_id in ranked[1:]])
    with pytest.raises(Refused, match="rows not answered: 1"):
        imports.import_run(board, built.PROTOCOL, path, "theirs")


def test_a_run_that_was_not_imported_is_not_replaced(tmp_path: Path) -> None:
    board = built.copy_of_demo(tmp_path / "copy")
    protocol = built.PROTOCOL._replace(runs={})
    path = write_lines(tmp_path / "preds.jsonl", [{"id": "x", "spans": []}])
    with pytest.raises(PiibenchError, match="run 'rules' of board 'demo' was not imported"):
        imports.import_run(board, protocol, path, "rules")


def test_a_file_that_answers_the_ranked_rows_alone_is_told_what_it_leaves_open_in_each_design(
    call: Call, tmp_path: Path
) -> None:
    shutil.copytree(built.demo_board().warehouse, tmp_path / "home" / "warehouse" / "demo")
    exported = call("export", "marts.bench_rows", "--columns", "id,spans", "--out", tmp_path / "ranked.jsonl")
    assert exported.code == 0, exported.err
    ended = call("import", tmp_path / "ranked.jsonl", "--as", "theirs")
    assert ended.code == 0, ended.err
    assert re.findall(r"leaves (\d+) of (\d+) rows of the design (\w+) open: (\w+)", ended.err) == [
        ("225", "470", "paired", "carriers"),
        ("225", "245", "documents", "without"),
    ]
    assert "export marts.bench_texts --board demo" in ended.err
    call("export", "marts.bench_texts", "--columns", "id", "--out", tmp_path / "ids.jsonl")
    answers = [{"id": json.loads(line)["id"], "spans": []} for line in (tmp_path / "ids.jsonl").open()]
    write_lines(tmp_path / "all.jsonl", answers)
    whole = call("import", tmp_path / "all.jsonl", "--as", "theirs")
    assert (whole.code, whole.err) == (0, "")


def test_labels_that_nobody_explains_are_told_and_an_explanation_is_kept_with_the_run(
    call: Call, tmp_path: Path, board: Path
) -> None:
    lines = predictions(rows(4))
    lines[0]["spans"][0]["label"] = "Ort"
    for line in lines[1:]:
        line["spans"][0]["label"] = "Vor=name"
    write_lines(tmp_path / "preds.jsonl", lines)
    asked = ["import", "preds.jsonl", "--as", "theirs", "--board", board]
    told = call(*asked).err
    assert "Ort (1), Vor=name (3); import again with --label SOURCE=TYPE" in told

    def typed() -> dict[str, Any]:
        assert call("score", "theirs", "--board", board, "--replicates", 5).code == 0
        found = [json.loads(path.read_text()) for path in (board / "results" / "theirs" / "reports").iterdir()]
        names = ("tp", "n_unmapped", "n_ignored")
        return {name: sum(one["slices"]["all"][name] or 0 for one in found) for name in names}

    assert typed() == {"tp": 0, "n_unmapped": 4, "n_ignored": 0}
    explained = call(*asked, "--label", "Vor=name=PERSON", "--label", "Ort=ignored", "--label", "x=EMAIL")
    assert "no map names" not in explained.err
    assert "--label x: no span of theirs is called so" in explained.err
    assert "has changed since" in call("sql", "from marts.scores", "--board", board).err
    assert typed() == {"tp": 3, "n_unmapped": 0, "n_ignored": 1}
    assert typed() == {"tp": 3, "n_unmapped": 0, "n_ignored": 1}
    assert {label for _, _, _, label, _ in spans_of(board, "theirs")} == {"Ort", "Vor=name"}
    said = json.loads((board / "results" / "theirs" / "result.json").read_text())
    assert said["_provenance"]["settings"]["label Vor=name"] == "PERSON"


@pytest.mark.parametrize(
    ("label", "code", "said"),
    [
        ("Ort=PLACE", 1, "--label Ort=PLACE: there is no type 'PLACE'; there are PERSON, "),
        ("Ort", 2, "--label 'Ort' is not of the form SOURCE=TYPE"),
        ("Ort=", 2, "is not of the form SOURCE=TYPE"),
    ],
)
def test_a_label_that_is_said_to_mean_nothing_there_is_is_refused(
    call: Call, tmp_path: Path, board: Path, label: str, code: int, said: str
) -> None:
    write_lines(tmp_path / "preds.jsonl", predictions(rows(4)))
    ended = call("import", "preds.jsonl", "--as", "theirs", "--board", board, "--label", label)
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert not (board / "warehouse" / "runs" / "theirs.parquet").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_refused_before_it_is_read(call: Call, tmp_path: Path, board: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    ended = call("import", "pipe", "--as", "theirs", "--board", board)
    assert (ended.code, ended.out) == (1, "")
    assert "pipe: is a pipe or a device; it is read more than once, so a file was expected" in ended.err


@pytest.mark.parametrize("kind", ["tab", "jsonl"])
def test_many_faults_are_cut_short_with_what_lists_all_of_them(
    call: Call, tmp_path: Path, board: Path, kind: str
) -> None:
    if kind == "tab":
        written(tmp_path / "theirs", {f"x{index}": [] for index in range(80)})
    else:
        write_lines(tmp_path / "theirs", [{"id": f"x{index}", "spans": []} for index in range(80)])
    arguments = ("import", "theirs", "--as", "theirs", "--board", board)
    told = next(line for line in call(*arguments).err.splitlines() if line.startswith("… and "))
    assert told.endswith(" more; `--json` lists all")
    assert len(json.loads(call(*arguments, "--json").out)) == 80


def test_many_faults_of_gold_are_cut_short_with_what_lists_all_of_them(call: Call, tmp_path: Path) -> None:
    written(tmp_path / "gold.json", [{"doc_id": f"d{index}"} for index in range(80)])
    told = next(line for line in call("convert", "gold.json", "rows.jsonl").err.splitlines() if line.startswith("… "))
    assert told.endswith(" more; `--json` lists all")
    assert len(json.loads(call("convert", "gold.json", "rows.jsonl", "--json").out)) >= 80
