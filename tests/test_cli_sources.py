"""A corpus by configuration alone: a file and a `sources.toml`, built, answered and scored through the command line."""

import hashlib
import json
from pathlib import Path

import pytest

from tests import own_sources
from tests.conftest import Call

DOCUMENTS = [own_sources.document(place) for place in range(16)]


def asked(call: Call, board: Path, select: str) -> list[dict[str, object]]:
    ended = call("sql", "--board", board, "--format", "json", select)
    assert ended.code == 0, ended.err
    found: list[dict[str, object]] = json.loads(ended.out)
    return found


def refused(call: Call, *arguments: object) -> str:
    """What is said on stderr: one line, exit 1, nothing on stdout."""
    ended = call(*arguments)
    assert (ended.code, ended.out) == (1, ""), ended
    assert ended.err.count("\n") == 1, ended.err
    return ended.err


def test_a_parquet_file_in_the_layout_of_nemotron_is_scored_with_its_slices_and_carriers(
    call: Call, tmp_path: Path
) -> None:
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table())
    file = own_sources.parquet(board / "letters.parquet", DOCUMENTS)
    built = call("build", "--board", board)
    assert built.code == 0, built.err
    assert "16 documents" in built.out
    assert [line.split(":")[0] for line in built.out.splitlines()[1:]] == [
        *("design balanced", "design documents", "design paired", "gold spans in the sources"),
    ]
    assert built.out.endswith("gold spans in the sources: 48 scored, 32 excluded, 16 ignored, 0 unknown\n")
    assert call("predict", "rules", "mask-everything", "--board", board).code == 0
    scored = call("score", "--board", board, "--replicates", 20)
    assert scored.code == 0, scored.err
    assert "No dates are annotated in letters" in scored.out
    result = json.loads((board / "results" / "rules" / "result.json").read_text())
    assert result["_provenance"]["design"] == "balanced"
    assert result["intervals"]["document"]["f1"][0] is not None
    assert len(result["carrier_effects"]["by_carrier"]) > 3
    report = json.loads((board / "results" / "rules" / "reports" / "letters.json").read_text())
    assert report["corpus_sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    docs = {name: one["docs"] for name, one in report["slices"].items()}
    assert docs["all"] == 16
    for name in ("locale=us", "locale=intl", "document_format=structured", "document_format=unstructured"):
        assert docs[name] == 8, name
    everything = json.loads((board / "results" / "mask-everything" / "result.json").read_text())
    assert everything["scores"]["mean"]["recall"] == 1
    assert everything["scores"]["by_type"].keys() == {"PERSON", "LOCATION"}
    slices = asked(
        call,
        board,
        "select slices['locale'] as locale, slices['document_format'] as format, count(distinct doc_id) as n "
        "from contracts.rows group by all order by all",
    )
    assert slices == [
        {"locale": locale, "format": format, "n": 4}
        for locale in ("intl", "us")
        for format in ("structured", "unstructured")
    ]
    spoken = [
        row["reason"] for row in asked(call, board, "select reason from marts.label_diagnostics where role = 'ignored'")
    ]
    assert spoken == ["a trade is a trait, not a name"]
    compared = call("compare", "--a", "rules", "--b", "mask-everything", "--board", board, "--iterations", 20)
    assert compared.code == 0, compared.err
    read = json.loads((board / "warehouse" / "sources.json").read_text())["letters"]
    assert (read["sha256"], read["bytes"]) == (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_size)


def test_json_lines_with_objects_give_the_same_rows_as_parquet_with_texts(call: Call, tmp_path: Path) -> None:
    digests = set()
    for name, changes in (
        ("parquet", {}),
        ("json", {"paths": ["letters.jsonl"], "spans_encoding": "structs"}),
        ("python", {"spans_encoding": "python"}),
    ):
        board = own_sources.write_sources(tmp_path / name / "board", letters=own_sources.table(**changes))
        own_sources.parquet(board / "letters.parquet", DOCUMENTS[:4], repr if name == "python" else json.dumps)
        own_sources.jsonl(board / "letters.jsonl", DOCUMENTS[:4])
        ended = call("build", "--board", board)
        assert ended.code == 0, ended.err
        digests.add(ended.out)
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sha256": "0" * 64}, "source 'letters': its folder holds"),
        ({"labels": {"first_name": "PERSON"}}, "sources.toml does not name these gold labels: letters:"),
        ({"labels": {"first_name": "HUMAN"}}, "[letters]: 'labels' maps 'first_name' to 'HUMAN'; there are PERSON, "),
        ({"drop": [{"labels": ["occupation"], "reason": " "}]}, "[letters], 'drop' 1: has no 'reason'"),
        (
            {"text_column": "txt"},
            "'text_column' names the column 'txt', which no row has; there are document_description, ",
        ),
    ],
)
def test_a_table_that_does_not_fit_stops_the_build_with_one_sentence(
    call: Call, tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table(**changes))
    own_sources.parquet(board / "letters.parquet", DOCUMENTS[:4])
    assert said in (told := refused(call, "build", "--board", board))
    assert not any(name in told for person in own_sources.PEOPLE for name in person)
    assert not (board / "warehouse").exists()


def test_the_names_of_unknown_labels_are_told_with_how_often_they_stand_there(call: Call, tmp_path: Path) -> None:
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table(drop=None))
    own_sources.parquet(board / "letters.parquet", DOCUMENTS[:4])
    told = refused(call, "build", "--board", board)
    assert "letters:occupation (4 spans); give each a line of 'labels', or a 'drop' with its reason" in told
    assert call("build", "--board", board, "--allow-unknown-labels").code == 0


def scored_board(call: Call, tmp_path: Path, *flags: str, **changes: object) -> Path:
    """A board of four letters, built and answered by one run, whose labels can then be changed."""
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table(**changes))
    own_sources.parquet(board / "letters.parquet", DOCUMENTS[:4])
    assert call("build", "--board", board, *flags).code == 0
    assert call("predict", "mask-everything", "rules", "--board", board).code == 0
    return board


def test_a_label_taken_out_after_the_build_stops_whatever_scores(call: Call, tmp_path: Path) -> None:
    board = scored_board(call, tmp_path)
    labels = {label: type_ for label, type_ in own_sources.LABELS.items() if label != "city"}
    own_sources.write_sources(board, letters=own_sources.table(labels=labels, drop=None))
    before = {path: path.read_bytes() for path in board.rglob("*.parquet")}
    for asked in (
        ["score"],
        ["score", "--typed"],
        ["score", "--typed", "--limit", 2],
        ["sweep", "rules", "--floors", "none"],
        ["compare", "--a", "rules", "--b", "mask-everything"],
    ):
        told = refused(call, *asked, "--board", board)
        assert "sources.toml does not name these gold labels: letters:city (4 spans), letters:occupation (4 " in told
        assert "or build with --allow-unknown-labels" in told
    assert {path: path.read_bytes() for path in board.rglob("*.parquet")} == before
    assert not list((board / "results").glob("*/result.json"))


def test_labels_that_a_build_was_allowed_to_ignore_are_told_and_do_not_stop_scoring_but_later_ones_do(
    call: Call, tmp_path: Path
) -> None:
    board = scored_board(call, tmp_path, "--allow-unknown-labels", drop=None)
    assert "letters:occupation (4 spans)" in call("build", "--board", board, "--allow-unknown-labels").err
    assert call("score", "--board", board, "--replicates", 20).code == 0
    own_sources.write_sources(board, letters=own_sources.table(drop=None, labels={"city": "LOCATION"}))
    told = refused(call, "score", "--board", board)
    assert "letters:email (4 spans), letters:first_name" in told
    assert "occupation" not in told


def test_mentions_that_need_no_masking_are_ignored_in_what_a_build_and_a_report_say(call: Call, tmp_path: Path) -> None:
    judged = [
        {**one, "spans": [{**span, "identifier_type": "QUASI"} for span in one["spans"]]} for one in DOCUMENTS[:4]
    ]
    judged[0]["spans"][0]["identifier_type"] = "NO_MASK"
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table())
    own_sources.parquet(board / "letters.parquet", judged)
    built = call("build", "--board", board)
    assert built.out.endswith("gold spans in the sources: 11 scored, 8 excluded, 5 ignored, 0 unknown\n")
    assert call("predict", "rules", "--board", board).code == 0
    assert call("score", "--board", board, "--replicates", 20).code == 0
    report = json.loads((board / "results" / "rules" / "reports" / "letters.json").read_text())
    found = [line for line in report["corpus_diagnostics"] if line["source_label"] == "first_name"]
    assert [(line["role"], line["n_spans"], line["reason"]) for line in found] == [
        ("ignored", 1, "judged to need no masking (NO_MASK)"),
        ("scored", 3, None),
    ]


def test_a_column_to_slice_by_that_holds_gold_is_refused_without_its_values(call: Call, tmp_path: Path) -> None:
    folder = own_sources.write_sources(
        tmp_path / "letters", letters=own_sources.table(slices=["locale", "document_type"])
    )
    letters = [{**one, "document_type": own_sources.PEOPLE[0][1].upper()} for one in DOCUMENTS[:3]]
    own_sources.parquet(folder / "letters.parquet", letters)
    told = refused(call, "build", "--board", folder)
    assert "sources.toml: 'slices' have values that are the text of a gold span of the same document: " in told
    assert "'document_type' (1);" in told
    assert "solberg" not in told.lower()
    assert not (folder / "warehouse").exists()


def test_a_value_to_slice_by_that_is_gold_in_another_row_of_the_document_is_refused(call: Call, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "doc_id": "d", "text": "Nothing here.", "spans": [], "slices": {"who": "solberg", "of": "mail"}},
        {"id": "b", "doc_id": "d", "text": "Solberg", "spans": [{"start": 0, "end": 7, "label": "PERSON"}]},
    ]
    (tmp_path / "own").mkdir()
    file = own_sources.jsonl(tmp_path / "own" / "rows.jsonl", rows)
    preds = own_sources.jsonl(tmp_path / "preds.jsonl", [{"id": one["id"], "spans": []} for one in rows])
    asked = ["score", "--rows", file, "--preds", preds, "--model", "m", "--out-dir", tmp_path / "out"]
    for command in (["build", "--board", tmp_path / "own"], asked, [*asked, "--typed", "--limit", 1]):
        told = refused(call, *command)
        assert "rows file: 'slices' have values" in told
        assert "'who' (1)" in told
    assert not (tmp_path / "out").exists()


def test_a_build_says_how_many_documents_serve(call: Call, tmp_path: Path) -> None:
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table(most_documents=3))
    own_sources.parquet(board / "letters.parquet", DOCUMENTS[:6])
    assert "passages, 3 of 6 documents serve" in call("build", "--board", board).out


def test_a_board_of_a_rows_file_names_its_digest_in_result_and_reports(call: Call, tmp_path: Path) -> None:
    board = tmp_path / "own"
    board.mkdir()
    rows = [{"id": one["uid"], "text": one["text"], "spans": one["spans"][:2]} for one in DOCUMENTS[:2]]
    file = own_sources.jsonl(board / "rows.jsonl", rows)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert call("build", "--board", board).code == 0
    assert call("predict", "rules", "--board", board).code == 0
    own_sources.jsonl(board / "rows.jsonl", rows[:1])  # what was built counts
    assert call("score", "--board", board, "--replicates", 20).code == 0
    results = board / "results" / "rules"
    assert json.loads((results / "result.json").read_text())["_provenance"]["rows_sha256"] == digest
    assert call("score", "--board", board, "--typed", "--limit", 1).code == 0
    for path in (results / "reports").iterdir():
        assert json.loads(path.read_text())["corpus_sha256"] == digest, path.name
    assert len(list((results / "reports").iterdir())) == 2


def test_a_folder_is_one_board_and_a_mended_label_reaches_the_next_scoring(call: Call, tmp_path: Path) -> None:
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table())
    own_sources.jsonl(board / "letters.jsonl", [])
    own_sources.parquet(board / "letters.parquet", DOCUMENTS[:6])
    assert call("build", "--board", board).code == 0
    assert call("predict", "mask-everything", "--board", board, "--design", "balanced").code == 0
    assert call("score", "--board", board, "--replicates", 20).code == 0
    types = "select distinct type from marts.type_scores order by type"
    assert asked(call, board, types) == [{"type": "LOCATION"}, {"type": "PERSON"}]
    own_sources.write_sources(board, letters=own_sources.table(labels={**own_sources.LABELS, "city": "ORGANIZATION"}))
    assert call("score", "--board", board, "--replicates", 20).code == 0
    assert asked(call, board, types) == [{"type": "ORGANIZATION"}, {"type": "PERSON"}]
    assert "there are balanced, paired, documents" in refused(
        call, "predict", "mask-everything", "--board", board, "--design", "full"
    )
    (board / "rows.jsonl").write_text("")
    assert "holds rows.jsonl and sources.toml" in refused(call, "build", "--board", board)


def test_other_bytes_than_those_recorded_are_refused_and_the_lock_file_is_named(call: Call, tmp_path: Path) -> None:
    board = own_sources.write_sources(tmp_path / "letters", letters=own_sources.table(sha256="recorded"))
    own_sources.parquet(board / "letters.parquet", DOCUMENTS[:4])
    assert call("build", "--board", board).code == 0
    entry = json.loads((board / "sources.lock.json").read_text())["letters"]
    assert entry["sha256"] == hashlib.sha256((board / "letters.parquet").read_bytes()).hexdigest()
    assert call("build", "--board", board).code == 0
    own_sources.parquet(board / "letters.parquet", DOCUMENTS[:5])
    told = refused(call, "build", "--board", board)
    assert f"{entry['bytes']} bytes with {entry['sha256']}" in told
    assert "sources.lock.json has it of the first fetch" in told
