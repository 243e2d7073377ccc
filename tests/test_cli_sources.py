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
        ({"text_column": "txt"}, "letters.parquet, row 1: has nothing in the column 'txt'"),
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
