"""A user's own sources: what their tables may say, whence bytes come, what is recorded, what their labels mean."""

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from piibench_duck import designs, label_maps, places, protocol, recorded, source_tables, sources, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.source_tables import Drop, Source, Upstream
from tests import own_sources

LINES = [own_sources.document(place) for place in range(6)]
HUB = {"hub": "somebody/letters", "revision": "v1"}


def load(folder: Path, **changes: object) -> Source:
    """The one source of a folder."""
    own_sources.write_sources(folder, letters=own_sources.table(**changes))
    return source_tables.load(folder / "sources.toml", folder)["letters"]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], list[str]]:
    """Makes the hub give these bytes, and keeps the commits that it is asked for."""
    asked: list[str] = []

    def stand_in(content: bytes) -> list[str]:
        def bring(place: str, commit: str, paths: Sequence[str], folder: Path) -> list[str]:
            asked.append(commit)
            for path in paths:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
            return list(paths)

        monkeypatch.setattr("piibench_duck.hub.newest_commit", lambda place, revision, kind: f"commit of {revision}")
        monkeypatch.setattr("piibench_duck.hub.bring", bring)
        return asked

    return stand_in


def fetched(source: Source) -> Path:
    return sources.fetch(source, None, sources.downloads_of(source))


def refusal(source: Source) -> str:
    with pytest.raises(PiibenchError) as caught:
        fetched(source)
    return str(caught.value)


def test_a_table_needs_its_files_and_two_columns_and_has_the_rest_by_default(tmp_path: Path) -> None:
    own_sources.write_sources(tmp_path, notes={"paths": ["a.jsonl"], "text_column": "text", "spans_column": "spans"})
    found = source_tables.load(tmp_path / "sources.toml", tmp_path)["notes"]
    assert (found.title, found.corpus, found.licence, found.language, found.reader) == (
        *("notes", "notes", "unknown", "und", "columns"),
    )
    assert (found.splits, found.slices, found.annotates) == (("all",), (), source_tables.SCORED_TYPES)
    assert found.upstream == Upstream("folder", "", None)
    assert (found.sha256, found.bytes, found.folder) == (None, None, tmp_path)
    assert found.columns is not None
    assert found.columns.encoding == "structs"


def test_what_is_annotated_is_what_the_labels_lead_to_unless_the_table_says_it(tmp_path: Path) -> None:
    assert load(tmp_path).annotates == ("PERSON", "LOCATION")
    assert load(tmp_path, labels_of="usual").annotates == source_tables.SCORED_TYPES
    assert load(tmp_path, annotates=["PERSON", "DATE_TIME"]).annotates == ("PERSON", "DATE_TIME")
    assert load(tmp_path, labels={"email": "EMAIL"}).annotates == ()


def test_dates_of_a_board_of_ones_own_are_asked_of_its_own_table(tmp_path: Path) -> None:
    load(tmp_path)
    board = protocol.find_board(str(tmp_path), protocol.load())
    assert sources.undated(board) == ["letters"]
    assert "letters" not in sources.undated(protocol.find_board("demo", protocol.load()))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"text_colum": "text"}, "has the unknown 'text_colum'; there are title, "),
        ({"paths": None}, "lacks 'paths'"),
        ({"paths": ["../letters.jsonl"]}, "the path '../letters.jsonl' does not lie below"),
        ({"text_column": None}, "lacks 'text_column', or a 'reader' of another format"),
        ({"spans_column": None}, "lacks 'spans_column'"),
        ({"spans_column": 3}, "'spans_column' is not a text"),
        ({"spans_encoding": "xml"}, "'spans_encoding' is 'xml'; there are structs, json, python"),
        ({"reader": "jsonl"}, "'text_column' goes with the reader 'columns', found 'jsonl'"),
        ({"split_column": "part"}, "lacks 'splits', which 'split_column' asks for"),
        ({"keep": {"locale": "us"}}, "'keep' of 'locale' is not a list of texts"),
        ({"keep": {"locale": []}}, "'keep' of 'locale' is empty"),
        ({"span_keys": {"begin": "from"}}, "'span_keys' names 'begin'; there are start, end, label"),
        ({"labels": ["PERSON"]}, "'labels' is not a table of texts"),
        ({"drop": {"labels": ["occupation"]}}, "'drop' is not a list of tables"),
        ({"drop": [{"labels": ["occupation"]}]}, "'drop' 1: lacks 'reason'"),
        ({"drop": [{"labels": ["occupation"], "reason": ""}]}, "'drop' 1: has no 'reason'"),
        ({"drop": [{"labels": [], "reason": "why"}]}, "'drop' 1: 'labels' is empty"),
        ({"drop": [{"labels": ["city"], "reason": "why"}]}, "'drop' 1: 'city' stands in 'labels'"),
        ({"drop": [{"labels": ["x"], "reason": "why"}] * 2}, "'drop' 2: 'x' stands in 'labels' or in another 'drop'"),
        ({"corpus": "usual"}, "'corpus' 'usual' is a namespace of the label map"),
        ({"most_documents": 0}, "'most_documents' is not a number of documents"),
        ({"bytes": 3}, "'bytes' goes with a 'sha256' of digits"),
        ({"sha256": "recorded", "bytes": 3}, "'bytes' goes with a 'sha256' of digits"),
        ({"sha256": "no"}, "'sha256' is not 64 lower-case hexadecimal digits"),
        ({"upstream": {"package": "demo"}}, "'upstream': needs exactly one of github, hub"),
        ({"upstream": {"hub": "somebody/letters"}}, "'upstream': lacks 'revision'"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_its_key(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        load(tmp_path, **changes)
    assert str(caught.value).startswith("sources.toml, [letters]")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[[drop]]\nlabels = ["x"]\nreason = "why"\n',
            "[drop]: stands outside any source; [[SOURCE.drop]] was expected",
        ),
        ('[labels]\nx = "PERSON"\n', "[labels]: stands outside any source; [SOURCE.labels] was expected"),
        ('paths = ["a.jsonl"]\n', "[paths]: is a key outside any table; a source is a table"),
    ],
)
def test_a_key_outside_its_source_is_told_where_it_belongs(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "sources.toml").write_text(text)
    with pytest.raises(PiibenchError) as caught:
        source_tables.load(tmp_path / "sources.toml", tmp_path)
    assert said in str(caught.value)


def test_a_file_without_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_text("# nothing yet\n")
    with pytest.raises(PiibenchError, match=r"^sources\.toml: has no table; a source is a table$"):
        source_tables.load(tmp_path / "sources.toml", tmp_path)


def test_ones_own_files_are_read_where_they_lie_and_any_bytes_will_do_without_a_digest(tmp_path: Path) -> None:
    source = load(tmp_path)
    for n_documents in (1, 2):
        file = own_sources.parquet(tmp_path / "letters.parquet", LINES[:n_documents])
        assert fetched(source) == tmp_path
        assert sources.pinned(source, tmp_path) == (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_size)
    assert not (tmp_path / recorded.FILE).exists()
    other = replace(source, sha256=hashlib.sha256(b"other").hexdigest())
    assert "its folder holds" in (told := refusal(other))
    assert told.endswith(f"expected {other.sha256}")


def test_what_comes_from_the_hub_is_recorded_in_the_users_folder_and_enforced_when_downloads_are_gone(
    tmp_path: Path, hub: Callable[[bytes], list[str]]
) -> None:
    source = load(tmp_path, upstream=HUB)
    assert source.is_recorded
    asked = hub(b"first")
    root = fetched(source)
    assert root == tmp_path / "downloads" / "letters"
    assert sources.pinned(source, root) == (hashlib.sha256(b"first").hexdigest(), 5)
    fetched(source)
    assert asked == ["commit of v1"]
    for path in sorted(root.rglob("*"), reverse=True):
        path.unlink()
    asked = hub(b"other")
    told = refusal(source)
    assert asked[-1] == "commit of v1", "the commit of the first fetch, wherever the revision is now"
    assert "what hub sent of somebody/letters holds 5 bytes" in told
    assert f"as {tmp_path / recorded.FILE} has it of the first fetch" in told
    hub(b"first")
    assert (fetched(source) / "letters.parquet").read_bytes() == b"first"


def test_another_revision_is_fetched_and_recorded_anew(tmp_path: Path, hub: Callable[[bytes], list[str]]) -> None:
    asked = hub(b"first")
    fetched(load(tmp_path, upstream=HUB))
    hub(b"second")
    later = load(tmp_path, upstream={**HUB, "revision": "v2"})
    assert (fetched(later) / "letters.parquet").read_bytes() == b"second"
    assert asked == ["commit of v1", "commit of v2"]
    entry = json.loads((tmp_path / recorded.FILE).read_text())["letters"]
    assert (entry["revision"], entry["bytes"]) == ("v2", 6)


def test_bytes_of_a_mirror_are_recorded_like_those_of_the_hub(tmp_path: Path) -> None:
    source = load(tmp_path / "own", upstream=HUB)
    (tmp_path / "mirror" / "letters").mkdir(parents=True)
    file = tmp_path / "mirror" / "letters" / "letters.parquet"
    file.write_bytes(b"first")
    sources.fetch(source, tmp_path / "mirror", tmp_path / "downloads")
    file.write_bytes(b"later")
    with pytest.raises(PiibenchError, match="the mirror holds 5 bytes"):
        sources.fetch(source, tmp_path / "mirror", tmp_path / "downloads")


def test_digests_of_our_own_sources_lie_beside_the_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIIBENCH_HOME", str(tmp_path))
    source = sources.load_sources()["nemotron_pii"]
    assert recorded.of(source) is None
    recorded.record(source, "a" * 64, 3)
    assert recorded.path_of(source) == tmp_path / "sources.lock.json"
    assert recorded.of(source) == ("a" * 64, 3)
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == ["sources.lock.json"]


def _record(folder: Path, place: int) -> tuple[str, int]:
    source = source_tables.load(folder / "sources.toml", folder)[f"s{place % 4}"]
    return recorded.record(source, f"{place:064x}", place)


def test_processes_that_record_at_once_lose_nothing_and_agree(tmp_path: Path) -> None:
    own_sources.write_sources(tmp_path, **{f"s{place}": own_sources.table() for place in range(4)})
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        told = pool.starmap(_record, [(tmp_path, place) for place in range(16)])
    entries = json.loads((tmp_path / recorded.FILE).read_text())
    assert sorted(entries) == ["s0", "s1", "s2", "s3"]
    for place, (sha256, size) in enumerate(told):
        assert (entries[f"s{place % 4}"]["sha256"], entries[f"s{place % 4}"]["bytes"]) == (sha256, size)


@pytest.mark.parametrize("content", ["{", "[]", '{"letters": 3}', '{"letters": {"revision": null}}'])
def test_a_broken_lock_file_is_named(tmp_path: Path, content: str) -> None:
    source = load(tmp_path, sha256="recorded")
    own_sources.parquet(tmp_path / "letters.parquet", LINES)
    (tmp_path / recorded.FILE).write_text(content)
    assert recorded.FILE in refusal(source)


def test_documents_of_the_first_split_serve_first_and_only_so_many() -> None:
    its = {**{f"a{place}": "train" for place in range(9)}, **{f"b{place}": "test" for place in range(5)}}
    chosen = designs.documents(its, ["test", "train"], 7)
    assert {doc_id for doc_id in chosen if doc_id[0] == "b"} == {f"b{place}" for place in range(5)}
    assert len(chosen) == 7
    assert designs.documents(its, ["test"], 7) == {f"b{place}" for place in range(5)}
    assert designs.documents(its, ["test", "train"], None) == its.keys()
    assert designs.documents(dict(reversed(its.items())), ["test", "train"], 7) == chosen


def meanings(*told: Source) -> dict[tuple[str, str], label_maps.Meaning]:
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    return label_maps.meanings(con, told)


def test_labels_and_drops_of_a_table_are_the_label_map_of_its_corpus(tmp_path: Path) -> None:
    found = meanings(load(tmp_path))
    assert found["letters", "city"] == ("LOCATION", None)
    assert found["letters", "occupation"] == ("ignored", "a trade is a trait, not a name")
    assert len(found) == len(own_sources.LABELS) + 1


def test_labels_of_another_namespace_count_where_the_table_says_nothing_else(tmp_path: Path) -> None:
    source = load(tmp_path, labels_of="usual", labels={"city": "ADDRESS"})
    found = meanings(source)
    assert found["letters", "PER"] == ("PERSON", None)
    assert found["letters", "city"] == ("ADDRESS", None)
    assert found["letters", "occupation"][0] == "ignored"


def test_two_sources_of_a_corpus_may_not_contradict_each_other(tmp_path: Path) -> None:
    one = load(tmp_path)
    same = replace(one, name="more", drop=(Drop(("occupation",), "said in other words"),))
    assert meanings(one, same) == meanings(one)
    other = replace(one, name="more", labels={"city": "ADDRESS"})
    with pytest.raises(PiibenchError, match=r"\[more\]: the label 'city' of the corpus 'letters' is ADDRESS, and LOCA"):
        meanings(one, other)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"labels": {"city": "ignored"}}, "'labels' maps 'city' to 'ignored'; there are PERSON, "),
        ({"labels": {"city": "OTHER"}}, "or a 'drop' with its reason"),
        ({"labels_of": "nobody"}, "'labels_of' names 'nobody'; there are *, factrueval, "),
        ({"corpus": "nemotron"}, "the labels of the corpus 'nemotron' stand in label_map.csv"),
    ],
)
def test_labels_that_lead_nowhere_are_refused(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(PiibenchError) as caught:
        meanings(load(tmp_path, **changes))
    assert said in str(caught.value)


def test_the_sets_of_the_hub_mean_what_their_samples_mean_and_what_is_not_in_the_samples() -> None:
    known = sources.load_sources()
    found = meanings(known["nemotron_pii"], known["gretel_finance"])
    by_corpus = {corpus: {label for its, label in found if its == corpus} for corpus, _ in found}
    assert {corpus: len(labels) for corpus, labels in by_corpus.items()} == {"nemotron-pii": 55, "gretel-finance": 29}
    types = {type_ for (corpus, _), (type_, _) in found.items() if corpus == "nemotron-pii"}
    assert types & set(source_tables.SCORED_TYPES) == set(known["nemotron_pii"].annotates)
    types = {type_ for (corpus, _), (type_, _) in found.items() if corpus == "gretel-finance"}
    assert types & set(source_tables.SCORED_TYPES) == set(known["gretel_finance"].annotates)


@pytest.mark.parametrize("board", ["demo", "seven"])
def test_the_label_map_of_a_board_holds_the_seeds_and_nothing_of_other_boards(board: str) -> None:
    whole = protocol.load()
    con, seeds = warehouse.connect(), warehouse.connect()
    label_maps.fill(con, protocol.find_board(board, whole), whole)
    warehouse.fill_seeds(seeds)
    select = "select * from contracts.label_map"
    assert warehouse.content_digest(con, select) == warehouse.content_digest(seeds, select)


def test_a_board_of_ones_own_has_the_designs_of_a_named_board_and_a_rows_file_has_none(tmp_path: Path) -> None:
    whole = protocol.load()
    load(tmp_path / "demo")
    board = protocol.find_board(str(tmp_path / "demo"), whole)
    plan = protocol.board_plan(board, whole)
    assert plan is not None
    assert (plan.corpora, plan.ranked, plan.documents) == (("letters",), "balanced", "documents")
    assert protocol.board_at(board.warehouse, "demo") == board
    assert protocol.board_plan(protocol.board_at(board.warehouse, "demo"), whole) == plan
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "rows.jsonl").write_text("")
    assert protocol.board_plan(protocol.find_board(str(tmp_path / "rows"), whole), whole) is None
    named = places.Board("demo", tmp_path / "warehouse" / "demo", tmp_path / "results" / "demo", None)
    assert protocol.board_at(named.warehouse, "demo") == named
    with pytest.raises(PiibenchError, match=r"or a folder that holds rows\.jsonl, rows\.parquet or sources\.toml$"):
        protocol.find_board(str(tmp_path), whole)
