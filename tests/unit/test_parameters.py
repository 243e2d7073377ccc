"""Parameters of queries: what their comments say of them, and which values are refused."""

import re
from collections.abc import Mapping
from functools import cache

import pytest

from piibench_duck import boards, parameters, query, sqlfiles, warehouse
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.parameters import KNOWN, VALUES_SHOWN, Parameter
from tests import tables
from tests.built import PROTOCOL, demo_board
from tests.tables import Answer, Gold, Pred, Row, Run

QUERIES = query.queries()
TAKEN = [(name, one) for name, file in QUERIES.items() for one in parameters.of(file).values()]
COMMENT = """What is asked.
Parameters: run; a_b, or null for all: red, deep_blue or green; c_d, or null for all that
are scored; e: any scored label; corpus, or
null for all; n, or null for all.
Grain: (run_id)."""


def file(text: str, comment: str = COMMENT) -> sqlfiles.SqlFile:
    return sqlfiles.SqlFile("queries.asked", "queries", text, comment, (), ())


ASKED = file("select $run, $a_b, $c_d, $e, $corpus, $n::bigint -- and $nothing\n")


@cache
def opened() -> warehouse.Connection:
    return boards.open_to_read(demo_board().warehouse, "demo", PROTOCOL)


def test_the_opening_comment_says_what_a_parameter_may_be() -> None:
    assert list(parameters.of(ASKED).values()) == [
        Parameter("a_b", False, False, ("red", "deep_blue", "green"), "a b"),
        Parameter("c_d", False, False, (), "c d"),
        Parameter("corpus", False, False, (), "corpus"),
        Parameter("e", True, False, (), "scored label"),
        Parameter("n", False, True, (), "n"),
        Parameter("run", True, False, (), "run"),
    ]
    assert parameters.usage(ASKED) == "--e --run [--a-b] [--c-d] [--corpus] [--n]"


def test_a_comment_without_a_list_says_what_may_be_left_out() -> None:
    found = parameters.of(file("select $a, $b", "What is asked of a, and of b,\nor null for all."))
    assert [(one.name, one.is_needed, one.kind) for one in found.values()] == [("a", True, "a"), ("b", False, "b")]


@pytest.mark.parametrize(("name", "parameter"), TAKEN, ids=lambda value: getattr(value, "name", value))
def test_every_parameter_is_a_number_or_has_values_to_be_looked_up_in(name: str, parameter: Parameter) -> None:
    assert parameter.is_number or len(parameter.words) > 1 or parameter.kind in KNOWN
    words = parameter.words or ("",)
    assert all(f"'{word}'" in QUERIES[name].text for word in words if word)


@pytest.mark.parametrize("kind", KNOWN)
def test_values_of_every_kind_stand_on_the_demo_board(kind: str) -> None:
    found = opened().sql(KNOWN[kind])
    assert len(found.columns) == 1
    assert found.fetchall()


@pytest.mark.parametrize(("name", "parameter"), TAKEN, ids=lambda value: getattr(value, "name", value))
def test_a_value_that_is_not_there_is_named_with_those_that_are(name: str, parameter: Parameter) -> None:
    needed = {
        "run": "rules",
        "run_a": "rules",
        "run_b": "mask-everything",
        "rule": "union",
        "row": "demo-es/es-010#0@csv",
    }
    params = {one: needed[one] for one in parameters.of(QUERIES[name]) if one in needed}
    with pytest.raises(PiibenchError) as refused:
        parameters.check(opened(), QUERIES[name], {**params, parameter.name: "no such"})
    assert "'no such'" in str(refused.value)
    assert isinstance(refused.value, WrongUsageError) == parameter.is_number
    assert parameter.is_number or "; there are " in str(refused.value)


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("missed_spans", {"label": "DATETIME"}, "no label 'DATETIME'; there are ADDRESS, DATE_TIME, EMAIL, "),
        ("missed_spans", {"label": ""}, "no label ''; there are ADDRESS, "),
        ("boundary_errors", {"kind": "long"}, "no kind 'long'; there are too_long, too_short, shifted, split"),
        (
            "boundary_errors",
            {"label": "PAYMENT_CARD"},
            "no scored label 'PAYMENT_CARD'; there are ADDRESS, DATE_TIME, LOCATION, ORGANIZATION, PERSON",
        ),
        (
            "lost_in_carrier",
            {"carrier": "prose"},
            "no carrier of a pair 'prose'; there are csv, html, json, json_nested, key_value, log, markdown_table, "
            "ocr, sql, xml, yaml",
        ),
        (
            "unprotected_documents",
            {"corpus": "tab"},
            "no corpus of whole documents 'tab'; there are demo-de, demo-en, demo-es, demo-he, demo-ru",
        ),
        ("worst_rows", {"corpus": "x\x1b[31m"}, r"no corpus 'x\x1b[31m'; there are demo-de, "),
    ],
)
def test_a_value_is_refused_in_one_sentence(name: str, params: Mapping[str, str], said: str) -> None:
    with pytest.raises(PiibenchError, match=f"^{re.escape(said)}"):
        parameters.check(opened(), QUERIES[name], {"run": "rules", **params})


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("missed_spans", {"label": "PAYMENT_CARD"}),
        ("missed_spans", {"label": None, "min_chars": "3"}),
        ("boundary_errors", {"label": "PERSON", "kind": "split"}),
        ("spurious_spans", {"source_label": "ORGANIZATION", "corpus": "demo-he", "carrier": "json"}),
        ("confused_spans", {"gold_label": "PERSON", "pred_label": "PHONE"}),
    ],
)
def test_a_value_that_is_there_is_taken_though_nothing_may_be_found(name: str, params: Mapping[str, object]) -> None:
    parameters.check(opened(), QUERIES[name], {"run": "rules", **params})


def many_labels() -> warehouse.Connection:
    """A board whose one text has a gold span for each of 23 labels, one of which a terminal would obey."""
    gold = [Gold(place, place + 1, f"L{place:02d}", role="scored") for place in range(22)]
    row = Row("r", "x" * 30, [*gold, Gold(22, 23, "L\x1b[31m", role="scored")])
    return derived([row], [Run("none", {"r": Answer([])}), Run("one", {"r": Answer([Pred(0, 1, "NAME")])})])


def derived(rows: list[Row], runs: list[Run]) -> warehouse.Connection:
    con = tables.connect(rows, runs)
    warehouse.derive(con, ["intermediate.typed_gold", "staging.pred_spans", "staging.rows", "staging.runs"])
    return con


def test_of_many_values_some_are_named() -> None:
    with pytest.raises(PiibenchError) as refused:
        parameters.check(many_labels(), QUERIES["missed_spans"], {"run": "one", "label": "M"})
    _, _, listed = str(refused.value).partition("; there are ")
    assert listed.count("L") == VALUES_SHOWN
    assert listed.endswith(", and 3 more")
    assert listed.startswith(r"'L\x1b[31m', L00, L01, ")


def test_where_there_are_no_values_none_are_listed() -> None:
    con = derived([Row("r", "x" * 30, [])], [Run("none", {"r": Answer([])})])
    for name, params in (("missed_spans", {"label": "M"}), ("spurious_spans", {"source_label": "M"})):
        with pytest.raises(PiibenchError, match=r"label 'M'; none is there in what was asked for$"):
            parameters.check(con, QUERIES[name], {"run": "none", **params})


def test_a_value_of_an_unknown_kind_is_taken_as_it_is() -> None:
    asked = file("select $colour", "What is asked.\nParameters: colour.")
    parameters.check(warehouse.connect(), asked, {"colour": "red"})
