"""A gate: what a policy may say, what it takes for broken, and the page for whoever answers for it."""

import copy
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from piibench_duck import gate, policy, results
from piibench_duck.board import sign_off, terminal, terminal_gate
from piibench_duck.errors import PiibenchError
from tests.conftest import Call

COMMITTED = Path(__file__).parent.parent / "results" / "demo"


@pytest.fixture(scope="module")
def rules() -> dict[str, Any]:
    return results.read_result(COMMITTED / "rules")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """The demo board's results in the home of `call`."""
    folder = tmp_path / "home" / "results" / "demo"
    for run in ("rules", "mask-nothing"):
        shutil.copytree(COMMITTED / run, folder / run)
    return folder


def read(text: str | bytes, folder: Path) -> policy.Policy:
    path = folder / "policy.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return policy.read(path)


def judged(text: str, said: Mapping[str, Any], folder: Path) -> list[gate.Judged]:
    return gate.judge(gate.Found(folder, dict(said)), read(text, folder)).clauses


def test_each_kind_of_bound_is_read_where_it_stands(tmp_path: Path) -> None:
    text = """
        hold = "interval"
        [recall]
        mean = 0.1
        type.PERSON = 0.2
        [recall.corpus]
        "demo-de" = 1
        [f1]
        unit = "document"
        carrier.json = 0.01
        [protected]
        overall = 0.5
        hold = "figure"
        [leaks]
        corpus.demo-en = 3
        [speed]
        p95_ms = 40.5
    """
    assert read(text, tmp_path).clauses == (
        ("recall", "mean", None, 0.1, "interval", "row"),
        ("recall", "type", "PERSON", 0.2, "interval", "row"),
        ("recall", "corpus", "demo-de", 1.0, "interval", "row"),
        ("f1", "carrier", "json", 0.01, "interval", "document"),
        ("protected", "overall", None, 0.5, "figure", "document"),
        ("leaks", "corpus", "demo-en", 3.0, "figure", "document"),
        ("p95_ms", "overall", None, 40.5, "figure", "row"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[recal]\nmean = 0.5", "no key 'recal'; 'recall' was meant?"),
        ("[recall]\ntypes.PERSON = 0.5", "no key 'types' in 'recall'; 'type' was meant?"),
        ("[leaks]\nhold = 'interval'", "no key 'hold' in 'leaks'"),
        ("[protected]\nunit = 'row'", "no key 'unit' in 'protected'"),
        ("[speed]\np95 = 3", "no key 'p95' in 'speed'; 'p95_ms' was meant?"),
        ("[recall]\nmean = 'high'", "'recall.mean' is a string; a number above 0 and up to 1 was expected"),
        ("[recall]\nmean = true", "'recall.mean' is true or false"),
        ("[recall]\nmean = [0.5]", "'recall.mean' is an array"),
        ("[recall]\nmean = 2024-01-01", "'recall.mean' is a date"),
        ("[recall]\nmean = nan", "'recall.mean' is nan"),
        ("[recall]\nmean = inf", "'recall.mean' is inf"),
        ("[recall]\nmean = -0.1", "'recall.mean' is -0.1"),
        ("[recall]\nmean = 1.5", "'recall.mean' is 1.5"),
        ("[recall]\ntype = 0.5", "'recall.type' is a number; a table was expected"),
        ("recall = 0.5", "'recall' is a number; a table was expected"),
        ("[recall]\ntype.PERSON.x = 0.5", "'recall.type.PERSON' is an object"),
        ("[[recall]]\nmean = 0.5", "'recall' is an array; a table was expected"),
        ("[leaks]\noverall = 1.5", "'leaks.overall' is 1.5; a whole number"),
        ("[leaks]\noverall = -1", "'leaks.overall' is -1; a whole number"),
        ("[leaks]\noverall = 1" + "0" * 400, "'leaks.overall' is inf"),
        ("[speed]\np95_ms = 0", "'speed.p95_ms' is 0; a number above 0"),
        ("[speed]\np95_ms = 1e300", "'speed.p95_ms' is 1e+300; a number above 0"),
        ("hold = 'maybe'\n[recall]\nmean = 0.5", "'hold' is 'maybe'; 'figure' or 'interval' was expected"),
        ("[recall]\nunit = 3\nmean = 0.5", "'recall.unit' is an integer; 'row' or 'document' was expected"),
        ("[recall]\nmean = 0.5\n[recall]\nmean = 0.6", "cannot be read (it is not TOML"),
        ("[recall]\nmean = 0.5\nmean = 0.6", "cannot be read (it is not TOML"),
        ("x = " + "[" * 5000, "cannot be read (it is not TOML"),
        ("[leaks]\noverall = 1" + "0" * 5000, "cannot be read (it is not TOML"),
        (b"\xff\xfe", "cannot be read (it is not UTF-8"),
        ("", "has no clause"),
        ("[recall]", "has no clause"),
        ("[recall]\nmean = 0", "'recall.mean' is 0; a number above 0"),
        ("[f1]\ncarrier.json = 0.0", "'f1.carrier.json' is 0; a number above 0"),
        ("[protected]\noverall = -0.0", "'protected.overall' is -0; a number above 0"),
        ("[recall]\nmean = 0.5\n[f1]", "'f1' has no clause; a bound was expected"),
        ("[recall]\nmean = 0.5\n[leaks]", "'leaks' has no clause"),
        ("[recall]\nmean = 0.5\n[speed]", "'speed' has no clause"),
        ("[recall]\nmean = 0.5\ntype = {}", "'recall.type' has no clause"),
        ("[recall]\nmean = 0.5\n[f1]\nhold = 'interval'", "'f1' has no clause"),
    ],
)
def test_a_policy_that_is_none_gets_one_sentence(text: str | bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(PiibenchError) as refused:
        read(text, tmp_path)
    assert said in str(refused.value)
    assert str(refused.value).startswith(f"{tmp_path / 'policy.toml'}: ")
    assert "\n" not in str(refused.value)


def test_a_policy_that_is_not_there_or_a_folder_gets_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(PiibenchError, match=r"cannot be read .*; a policy was expected"):
            policy.read(path)


def test_bounds_just_at_the_figure_hold_and_just_beyond_are_broken(rules: dict[str, Any], tmp_path: Path) -> None:
    scores = rules["scores"]
    figures = {
        "recall.mean": scores["mean"]["recall"],
        "recall.type.PERSON": scores["by_type"]["PERSON"]["recall"],
        "recall.carrier.json": scores["by_carrier"]["json"]["recall"],
        "recall.corpus.demo-de": scores["by_corpus"]["demo-de"]["recall"],
        "recall.language.he": scores["by_language"]["he"]["recall"],
        "f1.mean": scores["mean"]["f1"],
        "f1.corpus.demo-ru": scores["by_corpus"]["demo-ru"]["f1"],
    }
    for key, figure in figures.items():
        for bound, holds in ((figure, True), (figure + 1e-12, False)):
            [clause] = judged(f"{key} = {bound!r}", rules, tmp_path)
            assert (clause.key.removesuffix(".mean"), clause.figure) == (key.removesuffix(".mean"), figure)
            assert clause.holds is holds, clause.line()


def test_the_leaks_are_those_of_whole_documents_among_gold_of_high_severity(
    rules: dict[str, Any], tmp_path: Path
) -> None:
    high = {"NATIONAL_ID", "IBAN", "PAYMENT_CARD", "PASSPORT"}
    by_type = {c: of["documents"]["per_type"] for c, of in rules["typed"]["by_corpus"].items()}
    leaks = {c: sum(one["leak"] for one in of.values()) for c, of in by_type.items()}
    gold = {c: sum(one["gold"] for label, one in of.items() if label in high) for c, of in by_type.items()}
    assert sum(leaks.values()) > 0
    for bound, holds in ((sum(leaks.values()), True), (sum(leaks.values()) - 1, False)):
        [clause] = judged(f"leaks.overall = {bound}", rules, tmp_path)
        assert (clause.figure, clause.of, clause.holds) == (sum(leaks.values()), sum(gold.values()), holds)
    [clause] = judged("leaks.corpus.demo-en = 0", rules, tmp_path)
    assert (clause.figure, clause.of) == (leaks["demo-en"], gold["demo-en"])


def test_where_the_interval_has_to_hold_its_lower_end_does(rules: dict[str, Any], tmp_path: Path) -> None:
    cases = {
        "recall.type.PERSON": (rules["scores"]["by_type"]["PERSON"]["intervals"], "recall"),
        "recall.corpus.demo-de": (rules["scores"]["by_corpus"]["demo-de"]["intervals"], "recall"),
        "f1.carrier.json": (rules["scores"]["by_carrier"]["json"]["intervals"], "f1"),
        "f1.mean": (rules["intervals"], "f1"),
    }
    for key, (intervals, figure) in cases.items():
        for unit in ("row", "document"):
            low, high = intervals[unit][figure]
            how = f"hold = 'interval'\nunit = '{unit}'\n"
            for bound, holds in ((low, True), (low + 1e-9, False)):
                [clause] = judged(f"{how}{key} = {bound!r}", rules, tmp_path)
                assert (clause.holds, clause.interval) == (holds, [low, high])
                assert holds or f"lower end of the 95 % interval by {unit}" in clause.line()
            [of_figure] = judged(f"unit = '{unit}'\n{key} = {low + 1e-9!r}", rules, tmp_path)
            assert of_figure.holds


def test_protected_documents_hold_by_share_or_by_interval(rules: dict[str, Any], tmp_path: Path) -> None:
    said = json.loads(json.dumps(rules))
    said["documents"]["overall"] |= {
        "share_protected": 0.5,
        "share_protected_low": 0.4,
        "share_protected_high": 0.6,
    }
    assert [c.holds for c in judged("protected.overall = 0.45", said, tmp_path)] == [True]
    [clause] = judged("hold = 'interval'\nprotected.overall = 0.45", said, tmp_path)
    assert clause.line() == (
        "mean share of fully protected documents over corpora, lower end of the 95 % interval by document, "
        "is 0.400, below 0.450"
    )


@pytest.mark.parametrize(
    ("clause", "change", "why"),
    [
        ("recall.corpus.demo-d = 0.01", {}, "the result has no corpus 'demo-d'; 'demo-de' was meant?"),
        ("recall.type.PERSN = 0.01", {}, "the result has no type 'PERSN'; 'PERSON' was meant?"),
        ("f1.carrier.telegram = 0.01", {}, "the result has no carrier 'telegram'"),
        ("protected.corpus.demo-fr = 0.01", {}, "the result has no corpus 'demo-fr'"),
        ("leaks.corpus.demo-fr = 9", {}, "the result has no corpus 'demo-fr'"),
        ("speed.p95_ms = 1e6", {}, "no rows were timed one at a time"),
        ("f1.mean = 0.01", {"scores": {"mean": {"f1": None}}}, "is not defined"),
        ("hold = 'interval'\nrecall.mean = 0.01", {"intervals": {"row": {"recall": None}}}, "has no interval by row"),
        ("hold = 'interval'\nf1.mean = 0.01", {"intervals": {"row": {"f1": [None, None]}}}, "has no interval by row"),
        ("protected.overall = 0.01", {"documents": {"overall": None}}, "no corpus was measured document by document"),
    ],
)
def test_a_gate_never_passes_for_lack_of_data(
    clause: str, change: dict[str, Any], why: str, rules: dict[str, Any], tmp_path: Path
) -> None:
    said = json.loads(json.dumps(rules))
    merge(said, change)
    [found] = judged(clause, said, tmp_path)
    assert not found.holds
    assert why in found.line()


def merge(into: dict[str, Any], change: Mapping[str, Any]) -> None:
    for key, value in change.items():
        if isinstance(value, dict):
            merge(into[key], value)
        else:
            into[key] = value


def test_what_a_run_left_open_is_not_taken_for_free_of_leaks(rules: dict[str, Any], tmp_path: Path) -> None:
    said = json.loads(json.dumps(rules))
    for design in said["typed"]["by_corpus"]["demo-de"].values():
        design.clear()
        design["reason"] = "the run left texts of this design open"
    for clause in ("leaks.overall = 1000", "leaks.corpus.demo-de = 1000"):
        [found] = judged(clause, said, tmp_path)
        assert not found.holds
        assert found.line().endswith("is not defined: of demo-de, the run left texts of this design open")


def test_figures_that_differ_look_different(rules: dict[str, Any], tmp_path: Path) -> None:
    figure = rules["scores"]["by_type"]["PERSON"]["recall"]
    [clause] = judged(f"recall.type.PERSON = {figure + 1e-7!r}", rules, tmp_path)
    shown, bound = clause.line().removeprefix("recall of PERSON in all corpora is ").split(", below ")
    assert float(shown) < float(bound)
    [clause] = judged("recall.type.PERSON = 0.5", rules, tmp_path)
    assert clause.line() == f"recall of PERSON in all corpora is {figure:.3f}, below 0.500"


def test_a_gate_that_holds_ends_with_0_and_one_that_does_not_with_1(board: Path, call: Call, tmp_path: Path) -> None:
    (tmp_path / "low.toml").write_text("recall.mean = 0.1\n")
    (tmp_path / "high.toml").write_text("recall.mean = 0.1\nrecall.type.PERSON = 0.999\nspeed.p95_ms = 5\n")
    passed = call("gate", "rules", "--policy", "low.toml")
    assert (passed.code, passed.err) == (0, "")
    assert passed.out.endswith("rules: the one clause holds\n")
    broken = call("gate", "rules", "--policy", "high.toml")
    assert (broken.code, broken.err) == (1, "")
    lines = broken.out.splitlines()[-2:]
    assert lines[0].startswith("recall of PERSON in all corpora is 0.1")
    assert lines[0].endswith(", below 0.999")
    assert lines[1].startswith("95th percentile of milliseconds a text is not defined: ")


def test_wrong_usage_ends_with_2(board: Path, call: Call, tmp_path: Path) -> None:
    assert call("gate", "rules").code == 2
    assert call("gate", "rules", "--max-drop", "0.1").code == 2
    for value in ("nan", "-0.1", "2", "inf"):
        ended = call("gate", "rules", "--baseline", "mask-nothing", "--max-drop", value)
        assert (ended.code, ended.out) == (2, "")
        assert len(ended.err.splitlines()) == 1


def test_a_hostile_policy_ends_a_command_with_1_and_one_line(board: Path, call: Call, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_bytes(b"\x00\x1b[31m = 1")
    for path in ("p.toml", "missing.toml", "."):
        ended = call("gate", "rules", "--policy", path)
        assert (ended.code, ended.out, len(ended.err.splitlines())) == (1, "", 1)


def test_the_drop_is_the_mean_f1_of_the_baseline_less_that_of_the_run(
    board: Path, call: Call, rules: dict[str, Any]
) -> None:
    f1 = rules["scores"]["mean"]["f1"]
    ended = call("gate", "mask-nothing", "--baseline", "rules", "--json")
    assert ended.code == 1
    found = json.loads(ended.out)
    [clause] = found["clauses"]
    assert clause["figure"] == pytest.approx(f1 - results.read_result(board / "mask-nothing")["scores"]["mean"]["f1"])
    assert (clause["bound"], clause["holds"], found["holds"]) == (0.01, False, False)
    low, high = clause["interval"]
    assert 0 < low < clause["figure"] < high < 1
    other = json.loads(call("gate", "rules", "--baseline", "mask-nothing", "--json").out)
    assert other["clauses"][0]["figure"] == pytest.approx(-clause["figure"])
    assert other["clauses"][0]["interval"] == pytest.approx([-high, -low])
    assert call("gate", "mask-nothing", "--baseline", "rules", "--max-drop", f1 + 1e-9).code == 0


def test_results_in_folders_are_held_against_each_other(board: Path, call: Call, tmp_path: Path) -> None:
    shutil.copytree(board / "rules", tmp_path / "ours")
    ended = call("gate", "ours", "--baseline", "rules", "--max-drop", "0")
    assert ended.code == 0
    assert "drop of mean F1 from rules" in ended.out
    assert call("gate", "rules", "--baseline", board / "rules").err.endswith("cannot be compared with itself\n")
    assert "no result of a run 'nobody'" in call("gate", "nobody", "--baseline", "rules").err


def test_results_of_other_rows_or_another_protocol_are_refused_by_name(board: Path, call: Call, tmp_path: Path) -> None:
    path = board / "mask-nothing" / "result.json"
    said = json.loads(path.read_text("utf-8"))
    said["_provenance"] |= {"rows_digest": "0" * 64, "protocol": "1"}
    path.write_text(json.dumps(said))
    ended = call("gate", "rules", "--baseline", "mask-nothing")
    assert (ended.code, ended.out) == (1, "")
    assert "its protocol and rows_digest differs" in ended.err


def test_a_result_of_other_keys_is_refused_in_a_sentence(board: Path, call: Call, tmp_path: Path) -> None:
    path = board / "rules" / "result.json"
    said = json.loads(path.read_text("utf-8"))
    said["documents"] = 3
    path.write_text(json.dumps(said))
    (tmp_path / "p.toml").write_text("protected.overall = 0.1\n")
    ended = call("gate", "rules", "--policy", "p.toml")
    assert (ended.code, len(ended.err.splitlines())) == (1, 1)
    assert "has other keys than `score` writes" in ended.err


MUCH = """
recall = {mean = 0.1, type.PERSON = 0.999}
protected = {overall = 0.9, corpus.demo-de = 0.1}
leaks = {overall = 0}
hold = "interval"
f1 = {mean = 0.2, carrier.markdown_table = 0.2}
"""


def test_the_table_fits_80_columns(
    rules: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = gate.judge(gate.Found(tmp_path, rules), read(MUCH, tmp_path))
    terminal_gate.verdict(found)
    wide = capsys.readouterr().out
    monkeypatch.setattr(terminal, "PIPED_WIDTH", 80)
    terminal_gate.verdict(found)
    table = capsys.readouterr().out.split("recall of PERSON in all corpora, lower")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert "…" not in table
    assert {*wide.split()} == {*table.split(), *wide.split()}


def test_json_says_all_that_the_table_does(board: Path, call: Call, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(MUCH)
    found = json.loads(call("gate", "rules", "--policy", "p.toml", "--json").out)
    assert [clause["key"] for clause in found["clauses"]][:2] == ["recall.mean", "recall.type.PERSON"]
    for clause in found["clauses"]:
        assert {"figure", "bound", "interval", "holds", "hold", "unit", "why", "says"} <= clause.keys()
    assert found["holds"] is False
    assert len(found["policy_sha256"]) == 64


def test_a_sign_off_says_what_was_held_against_what(board: Path, call: Call, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(MUCH)
    assert call("gate", "rules", "--policy", "p.toml", "--baseline", "mask-nothing", "--sign-off", "s.md").code == 1
    page = (tmp_path / "s.md").read_text("utf-8")
    said = results.read_result(board / "rules")
    digest = policy.read(tmp_path / "p.toml").sha256
    for text in (said["_provenance"]["rows_digest"], digest, "| board | demo |", "| baseline | mask-nothing |"):
        assert text in page
    for text in ("Rows scored: 245, of which not answered", "Conflict of interest: ", "Name: ____", "Date: ____"):
        assert text in page
    assert "speed: no rows were timed one at a time" in page
    assert page.count("| holds |") + page.count("| broken |") == 8
    assert [path.name for path in tmp_path.glob("*s.md*")] == ["s.md"]


HOSTILE = [
    "x](http://example.org) ![y](z)",
    "<script>alert(1)</script>",
    "a | b | c",
    "`code` **bold** _it_ ~~no~~",
    "line\n\n# heading\n- item\n1. one",
    "www.example.org https://example.org a@example.org &lt; &#60;",
    "\\| \\",
    "\x1b[31m\u202e\u200b",
    "$x$ #1 @everyone",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_results_and_policies_say_is_never_markdown(hostile: str, rules: dict[str, Any], tmp_path: Path) -> None:
    def shapes(word: str) -> tuple[list[str], str]:
        said = json.loads(json.dumps(rules))
        said["model"] = said["kind"] = word
        said["_provenance"] |= {"note": word, "steered": {word: word}, "conflict_of_interest": word, "model_id": word}
        said["speed"]["reason"] = word
        clause = policy.Clause("recall", "corpus", word, 0.5)
        found = gate.judge(gate.Found(tmp_path, said), policy.Policy((clause,), "0" * 64))
        page = sign_off.page(found)
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(page)
        return [inner.type for token in tokens for inner in (token, *(token.children or ()))], page

    (expected, _), (found, page) = shapes("word"), shapes(hostile)
    assert [kind for kind in found if kind != "text_special"] == [kind for kind in expected if kind != "text_special"]
    assert not set(page) & set("\x1b\u202e\u200b")
    assert "://" not in page.replace("\\://", "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[f1]\nhold = "interval"\nunit = "document"\nmean = 0.1', "mean F1 over corpora"),
        ('[recall]\nhold = "interval"\nunit = "document"\ncorpus.demo-en = 0.1', "recall in corpus demo-en"),
        ('[protected]\nhold = "interval"\noverall = 0.1', "share of fully protected documents"),
    ],
)
def test_an_interval_of_one_document_alone_never_holds(
    rules: dict[str, Any], tmp_path: Path, text: str, name: str
) -> None:
    said = copy.deepcopy(rules)
    said["documents"]["overall"] |= {"share_protected": 0.5, "share_protected_low": 0.4}
    [before] = judged(text, said, tmp_path)
    assert before.holds
    said["intervals"]["document"]["n_units_fewest"] = 1
    said["documents"]["by_corpus"]["demo-en"]["n_documents_with_gold"] = 1
    [clause] = judged(text, said, tmp_path)
    assert not clause.holds
    assert name in clause.line()
    assert "has no interval by document" in clause.line()


def test_mean_recall_has_an_interval_to_hold(rules: dict[str, Any], tmp_path: Path) -> None:
    low, high = rules["intervals"]["row"]["recall"]
    assert low < rules["scores"]["mean"]["recall"] < high
    for bound, holds in ((low - 1e-9, True), (low + 1e-9, False)):
        [clause] = judged(f'[recall]\nhold = "interval"\nmean = {bound}', rules, tmp_path)
        assert clause.holds == holds


def test_the_table_and_the_sign_off_tell_figure_and_bound_apart(
    rules: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = copy.deepcopy(rules)
    said["scores"]["mean"]["f1"] = 0.79996
    said["intervals"]["row"]["recall"][0] = 0.29999
    text = "f1.mean = 0.8\nrecall = {hold = 'interval', mean = 0.3}"
    found = gate.judge(gate.Found(tmp_path, said), read(text, tmp_path))
    terminal_gate.verdict(found)
    for page in (capsys.readouterr().out, sign_off.page(found)):
        assert "0.79996" in page
        assert "≥ 0.80000" in page
        assert "0.29999 to" in page
        assert "low ≥ 0.30000" in page


def test_a_bound_that_no_run_can_break_is_told_on_stderr(board: Path, call: Call, tmp_path: Path) -> None:
    for bound, is_idle in ((59, False), (60, True), (1000, True)):
        (tmp_path / "p.toml").write_text(f"leaks.overall = {bound}\n")
        ended = call("gate", "rules", "--policy", "p.toml", "--sign-off", "s.md")
        assert ended.code == 0
        assert ("can never be broken\n" in ended.err) is is_idle
        assert ("Can never be broken" in (tmp_path / "s.md").read_text("utf-8")) is is_idle
    ended = call("gate", "rules", "--baseline", "mask-nothing", "--max-drop", "1")
    assert (ended.code, len(ended.err.splitlines())) == (0, 1)


def test_a_policy_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    assert read(b"\xef\xbb\xbf[recall]\nmean = 0.5", tmp_path).clauses[0].bound == 0.5
