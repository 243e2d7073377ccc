"""The command `tab` over TAB's own files."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call

TEXT = "Mr John Doe of Oslo, born in 1961, sued Acme Ltd. John Doe won."
JOHN, AGAIN, OSLO, YEAR, ACME = (3, 11), (50, 58), (15, 19), (29, 33), (40, 48)
FIGURES = {"ER_di", "ER_qi", "ER", "R_di+qi", "R_di", "R_qi", "P_di+qi", "WP_di+qi"}
PUBLISHED = (
    *("token_recall", "token_recall_by_type", "mention_recall", "recall_all_entities", "recall_direct_entities"),
    *("recall_quasi_entities", "token_precision", "mention_precision", "token_f1", "weighted_token_precision"),
    *("weighted_mention_precision", "mention_recall_direct", "token_recall_direct", "mention_recall_quasi"),
    "token_recall_quasi",
)


def mention(place: tuple[int, int], entity: str, judgement: str, kind: str = "PERSON") -> dict[str, Any]:
    start, end = place
    return {
        "entity_type": kind,
        "entity_mention_id": f"{entity}m{start}",
        "start_offset": start,
        "end_offset": end,
        "span_text": TEXT[start:end],
        "identifier_type": judgement,
        "entity_id": entity,
        "confidential_status": "NOT_CONFIDENTIAL",
    }


def document(doc_id: str, **annotators: list[dict[str, Any]]) -> dict[str, Any]:
    annotations = {name: {"entity_mentions": mentions} for name, mentions in annotators.items()}
    return {"doc_id": doc_id, "text": TEXT, "dataset_type": "test", "annotations": annotations}


GOLD = [
    document(
        "doc-1",
        annotator1=[
            mention(JOHN, "a1", "QUASI"),
            mention(OSLO, "a2", "QUASI", "LOC"),
            mention(YEAR, "a3", "NO_MASK", "DATETIME"),
            mention(AGAIN, "a1", "DIRECT"),
        ],
        annotator2=[],
    ),
    document("doc-2", annotator1=[mention(JOHN, "b1", "DIRECT"), mention(ACME, "b2", "QUASI", "ORG")]),
]
MASKED = {"doc-1": [JOHN, JOHN, YEAR], "doc-2": [JOHN, ACME]}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "gold.json").write_text(json.dumps(GOLD), "utf-8")
    (tmp_path / "masked.json").write_text(json.dumps(MASKED), "utf-8")
    return ["--gold", "gold.json", "--masked", "masked.json", "--spacy", "words"]


def test_corrected_figures_have_the_names_of_the_benchmark(call: Call, files: list[str]) -> None:
    ended = call("tab", *files, "--json")
    assert (ended.code, ended.err) == (0, "")
    said = json.loads(ended.out)
    assert set(said) >= FIGURES
    assert (said["primary"], said["rules"], said["weights"]) == ("ER_di", "corrected", "unigram")
    assert said["forgiven"] == ["characters", "words"]
    assert (said["ER_di"], said["ER_qi"], said["R_di"], said["R_qi"]) == (0.5, 0.5, 2 / 3, 0.5)
    assert said["P_di+qi"] == 3 / 6  # two masks for two annotators of doc-1, two for one of doc-2
    assert {name: of["mention_recall"] for name, of in said["by_type"].items()} == {
        "LOC": 0.0,
        "ORG": 1.0,
        "PERSON": 2 / 3,
    }
    assert said["tab_exact"]["R_di+qi"] == 3 / 5


def test_compat_figures_are_those_of_the_published_script_and_nothing_else(call: Call, files: list[str]) -> None:
    ended = call("tab", *files, "--tab-compat", "--json")
    assert ended.code == 0
    said = json.loads(ended.out)
    assert tuple(said) == PUBLISHED
    assert said["recall_direct_entities"] == 1.0  # the entity that is direct by its second mention is not
    assert said["recall_quasi_entities"] == 1 / 3
    assert said["mention_precision"] == 4 / 5  # twins twice, for the one annotator who found something
    assert said["token_recall_by_type"] == {"LOC": 0.0, "ORG": 1.0, "PERSON": 4 / 6}


def test_compat_figures_say_what_they_rest_on_and_whether_the_script_asks_others(call: Call, files: list[str]) -> None:
    by_list = ["tokens without content by: words, a list of six; the published script asks spaCy", "token_f1 differ"]
    by_count = ["weights from: unigram; the published script asks a masked", "weighted precisions differ"]
    in_json, in_table = call("tab", *files, "--tab-compat", "--json").err, call("tab", *files, "--tab-compat").out
    for told in (*by_list, *by_count):
        assert told in in_json
        assert told.removeprefix("tokens").removeprefix("weights") in " ".join(in_table.split())
    Path("forgiven.json").write_text(json.dumps({"doc-1": [], "doc-2": []}), "utf-8")
    Path("weights.json").write_text(json.dumps({"doc-1": [[*JOHN, 1]], "doc-2": [[*JOHN, 1]]}), "utf-8")
    given = [*files[:-2], "--forgiven", "forgiven.json", "--weights", "weights.json", "--tab-compat", "--json"]
    told = call("tab", *given).err
    assert "tokens without content by: file; recalls and token_f1 are the published script's if" in told
    assert "weights from: file; weighted precisions are the published script's if" in told
    assert "differ" not in told


def test_mentions_with_another_text_than_under_their_offsets_are_counted(call: Call, files: list[str]) -> None:
    """As they are where offsets count UTF-16 units."""
    text = "😀 " + TEXT
    gold = [{**GOLD[1], "text": text}]
    Path("gold.json").write_text(json.dumps(gold), "utf-8")
    Path("masked.json").write_text(json.dumps({"doc-2": []}), "utf-8")
    for options in ([], ["--json"], ["--tab-compat", "--json"], ["--tab-compat"]):
        ended = call("tab", *files, *options)
        assert ended.code == 0
        assert "gold.json: mentions with another text than under their offsets, which win: 2 of 2" in ended.err
        assert "UTF-16" in ended.err
        assert "John" not in ended.err


def test_tokens_that_end_before_their_text_are_told(call: Call, files: list[str]) -> None:
    tokens = TEXT.split(" ")[:3]
    masked = {"doc-1": {"tokens": tokens, "labels": ["O", "MASK", "MASK"]}, "doc-2": [JOHN, ACME]}
    Path("masked.json").write_text(json.dumps(masked), "utf-8")
    ended = call("tab", *files)
    assert "masked.json: documents whose tokens end before their text: 1 of 2; what follows counts as not" in ended.err
    assert "masked.json: 2 documents, 1 with tokens that end early\n" in ended.out
    said = json.loads(call("tab", *files, "--json").out)
    assert (said["n_rows_truncated"], said["n_rows_missing"]) == (1, 0)
    assert said["R_di"] == 2 / 3  # who is mentioned behind the last token is not masked
    assert "end before" in call("tab", *files, "--tab-compat", "--json").err
    assert call("tab", *files, "--only-docs", "doc-2").err == ""


def test_tables_fit_a_narrow_terminal(call: Call, files: list[str]) -> None:
    for options in ([], ["--tab-compat"]):
        ended = call("tab", *files, *options)
        assert (ended.code, ended.err) == (0, "")
        assert max(map(len, ended.out.splitlines())) <= 80
    ended = call("tab", *files)
    lines = {line.split()[0]: line for line in ended.out.split("\n\n")[0].splitlines()}
    assert lines.keys() >= FIGURES
    assert " 0.5000  1 of 2 entities" in lines["ER_di"]
    assert " 0.6000  3 of 5 mentions     0.6667   6 of 9 tokens" in lines["R_di+qi"]
    assert " 0.5000     3 of 6 masks     0.6000  6 of 10 tokens" in lines["P_di+qi"]
    assert "\n  words\n" in ended.out


def test_a_document_that_is_not_masked_is_an_error_missed_or_left_out(call: Call, files: list[str]) -> None:
    Path("masked.json").write_text(json.dumps({"doc-2": [JOHN, ACME]}), "utf-8")
    ended = call("tab", *files)
    assert (ended.code, ended.out) == (1, "")
    assert "doc-1" in ended.err
    assert "--allow-missing" in ended.err
    said = json.loads(call("tab", *files, "--allow-missing", "--json").out)
    assert (said["n_documents"], said["n_rows_missing"], said["ER_di"]) == (2, 1, 0.5)
    said = json.loads(call("tab", *files, "--tab-compat", "--json").out)
    assert (said["mention_recall"], said["mention_precision"]) == (1.0, 1.0)
    assert "1 of them not masked" in call("tab", *files, "--allow-missing").out


def test_masks_of_no_document_at_all_give_0_by_compat_rules(call: Call, files: list[str]) -> None:
    Path("masked.json").write_text("{}", "utf-8")
    said = json.loads(call("tab", *files, "--tab-compat", "--json").out)
    assert tuple(said) == PUBLISHED
    assert said.pop("token_recall_by_type") == {}
    assert {*said.values()} == {0.0}


@pytest.mark.parametrize("named", [["doc-1"], ["doc-2", "doc-1"]])
def test_documents_can_be_chosen(call: Call, files: list[str], named: list[str]) -> None:
    at_once = call("tab", *files, "--json", "--only-docs", ",".join(named))
    repeated = call("tab", *files, "--json", *(part for name in named for part in ("--only-docs", name)))
    assert at_once.out == repeated.out
    assert json.loads(at_once.out)["n_documents"] == len(named)


def test_only_chosen_documents_have_to_be_masked(call: Call, files: list[str]) -> None:
    Path("masked.json").write_text(json.dumps({"doc-2": []}), "utf-8")
    assert call("tab", *files, "--only-docs", "doc-2").code == 0
    assert call("tab", *files, "--only-docs", "doc-1").code == 1


def test_tokens_without_content_can_come_from_a_file(call: Call, files: list[str]) -> None:
    Path("forgiven.json").write_text(json.dumps({"doc-1": [OSLO], "doc-2": []}), "utf-8")
    ended = call("tab", *files[:-2], "--forgiven", "forgiven.json", "--json")
    said = json.loads(ended.out)
    assert said["forgiven"] == ["characters", "file"]
    assert said["ER_qi"] == 1.0
    assert ended.err == ""


def test_files_of_tokens_that_lack_a_document_are_told(call: Call, files: list[str]) -> None:
    Path("forgiven.json").write_text(json.dumps({"doc-1": [OSLO]}), "utf-8")
    Path("weights.json").write_text(json.dumps({"doc-1": [], "doc-2": [[*JOHN, 1]]}), "utf-8")
    given = [*files[:-2], "--forgiven", "forgiven.json", "--weights", "weights.json"]
    told = call("tab", *given).err
    assert "forgiven.json: documents that it does not name: 1 of 2 (doc-2); nothing but characters is forgiven" in told
    assert "weights.json: documents of which it weighs no token: 1 of 2 (doc-1); masks there weigh nothing" in told
    assert "weights.json" not in call("tab", *given, "--only-docs", "doc-2").err
    assert "forgiven.json" not in call("tab", *given, "--only-docs", "doc-1").err


def test_weights_can_come_from_a_file_or_be_uniform(call: Call, files: list[str]) -> None:
    weights = {"doc-1": [[*JOHN, 3.5]], "doc-2": [[*JOHN, 1], [*ACME, 0]]}
    Path("weights.json").write_text(json.dumps(weights), "utf-8")
    said = json.loads(call("tab", *files, "--weights", "weights.json", "--json").out)
    assert said["weights"] == "file"
    assert said["WP_di+qi"] == (3.5 + 1) / (2 * 3.5 + 1)
    said = json.loads(call("tab", *files, "--weights", "uniform", "--json").out)
    assert said["WP_di+qi"] == said["P_di+qi"]
    assert said["tokens"]["WP_di+qi"] == said["tokens"]["P_di+qi"]


@pytest.mark.parametrize(
    "annotators",
    [{"annotator1": []}, {}, {"annotator1": [mention(YEAR, "a3", "NO_MASK", "DATETIME")]}],
    ids=["an annotator who marked nothing", "nobody", "an annotator who would mask nothing"],
)
def test_gold_without_a_mention_to_be_masked_has_counts_a_reason_and_no_recall(
    call: Call, files: list[str], annotators: dict[str, list[dict[str, Any]]]
) -> None:
    Path("gold.json").write_text(json.dumps([document("doc-1", **annotators), document("doc-2")]), "utf-8")
    Path("masked.json").write_text(json.dumps({"doc-1": [JOHN, JOHN, ACME], "doc-2": [JOHN]}), "utf-8")
    ended = call("tab", *files)
    assert ended.code == 0
    assert "masked.json: 2 documents\nNo mention is judged to need masking, so there is no recall.\n" in ended.out
    assert "0 of 3 masks" in ended.out
    said = json.loads(call("tab", *files, "--json").out)
    assert "need masking" in said["reason"]
    assert (said["n_documents"], said["counts"]["masks"], said["counts"]["mentions"]) == (2, 3, 0)
    assert [said[name] for name in ("ER_di", "ER_qi", "ER", "R_di+qi", "R_di", "R_qi")] == [None] * 6
    assert (said["P_di+qi"], said["by_type"]) == (0.0, {})
    assert json.loads(call("tab", *files, "--tab-compat", "--json").out)["mention_recall"] == 0.0


@pytest.mark.parametrize(
    ("masked", "told"),
    [
        ('{"doc-1": [], "doc-2": [], "doc-3": []}', "doc-3"),
        ('{"doc-1": [[0, 9999]], "doc-2": []}', "doc-1"),
        ('{"doc-1": [[5, 5]], "doc-2": []}', "doc-1"),
        ('{"doc-1": [["0", 5]], "doc-2": []}', "doc-1"),
        ("[]", "masked.json: bad_schema: an array, a JSON object with the masks of each document was expected"),
        ("{", "masked.json: bad_json: not JSON at character 1; a JSON object with the masks of each document"),
    ],
)
def test_masks_that_cannot_be_are_refused_in_a_sentence_without_text(
    call: Call, files: list[str], masked: str, told: str
) -> None:
    Path("masked.json").write_text(masked, "utf-8")
    ended = call("tab", *files)
    assert (ended.code, ended.out) == (1, "")
    assert told in ended.err
    assert "John" not in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--only-docs", "doc-9"], 1, "doc-9"),
        (["--only-docs", ","], 2, "--only-docs"),
        (["--weights", "unigrams"], 1, "unigrams"),
        (["--weights", "mlm:nowhere"], 1, "nowhere"),
        (["--forgiven", "forgiven.json"], 2, "--spacy"),
        (["--tab-compat", "--allow-missing"], 2, "--allow-missing"),
    ],
)
def test_options_that_cannot_be_are_refused_in_a_sentence(
    call: Call, files: list[str], options: list[str], code: int, told: str
) -> None:
    ended = call("tab", *files, *options)
    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.fixture
def cases(mirror: Path) -> Path:
    folder = mirror.parent / "cases" / "tab_compat"
    if not folder.is_dir():
        pytest.skip("there is no folder cases/tab_compat beside that of the real corpora")
    return folder


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["jitter", "capitalised", "dates_numbers", "nothing"])
def test_compat_figures_of_real_documents_equal_those_of_the_published_script(
    call: Call, cases: Path, name: str
) -> None:
    given = ["--gold", cases / "gold.json", "--masked", cases / f"masked_{name}.json"]
    given += ["--forgiven", cases / "ignorable.json", "--weights", cases / "weights.json"]
    said = json.loads(call("tab", *given, "--tab-compat", "--json").out)
    wanted = json.loads((cases / "expected.json").read_text("utf-8"))[name]
    assert said.keys() == wanted.keys()
    for figure, value in wanted.items():
        assert said[figure] == pytest.approx(value, abs=1e-9), figure


@pytest.mark.corpora
def test_unigram_weights_of_real_documents_are_those_of_the_file(call: Call, cases: Path) -> None:
    given = ["--gold", cases / "gold.json", "--masked", cases / "masked_capitalised.json", "--spacy", "words"]
    from_file = json.loads(call("tab", *given, "--weights", cases / "weights.json", "--json").out)
    by_count = json.loads(call("tab", *given, "--json").out)
    assert by_count["WP_di+qi"] == pytest.approx(from_file["WP_di+qi"], abs=1e-7)  # the file has six decimals
    assert by_count["tokens"]["WP_di+qi"] == pytest.approx(from_file["tokens"]["WP_di+qi"], abs=1e-7)
