"""What every file of sql/ keeps to, and what every check finds."""

import re
from functools import cache
from pathlib import Path

import pytest

from piibench_duck import boards, catalog, dictionary, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import sql_dir
from piibench_duck.sqlfiles import SCHEMAS, SqlFile
from tests import tables
from tests.built import PROTOCOL, demo_board
from tests.tables import Answer, Gold, Pred, Row, Run, Stretch

FILES = {file.name: file for file in warehouse.files()}
RELATIONS = [name for name, file in FILES.items() if file.schema in ("contracts", "staging", "intermediate", "marts")]
LAYERS = [name for name in RELATIONS if FILES[name].schema != "contracts"]
CHECKS = [name for name, file in FILES.items() if file.schema == "checks"]
DIVIDERS = ("macros.safe_ratio", "macros.quotient")

every_file = pytest.mark.parametrize("name", FILES)
every_relation = pytest.mark.parametrize("name", RELATIONS)


def code(file: SqlFile) -> str:
    """The file without comments and strings."""
    return re.sub(r"--[^\n]*|'[^']*'", "", file.text)


@cache
def demo() -> warehouse.Connection:
    """The demo board with everything derived."""
    con = boards.open_to_read(demo_board().warehouse, "demo", PROTOCOL)
    con.execute("set threads = 1")
    con.execute("drop view contracts.settings")
    con.execute(
        "create view contracts.settings as select 'balanced' as design, 'full' as pairs_design, "
        "'documents' as documents_design, null::bigint as document_limit, 'corrected' as tab_rules, "
        "'unigram' as weights, false as allow_missing, 0::bigint as seed, 5::bigint as replicates"
    )
    return con


@cache
def empty() -> warehouse.Connection:
    """Nothing in it, everything derived: types as the SQL gives them, not as Parquet keeps them."""
    con = tables.connect([], [])
    warehouse.derive(con, LAYERS)
    return con


def test_every_folder_of_sql_is_a_layer_and_every_file_is_loaded() -> None:
    found = {f"{path.parent.name}.{path.stem}" for path in sql_dir().rglob("*.sql")}
    assert found == set(FILES)
    assert {name.split(".")[0] for name in found} <= set(SCHEMAS)


@every_file
def test_a_file_holds_one_statement(name: str) -> None:
    assert len(empty().extract_statements(FILES[name].text)) == 1


@every_file
def test_a_file_begins_as_its_layer_does(name: str) -> None:
    text = "\n".join(line for line in FILES[name].text.splitlines() if not line.startswith("--"))
    if FILES[name].is_macro:
        own = name.removeprefix("macros.")
        assert text.startswith(f"create or replace macro {own}(")
    elif FILES[name].schema == "contracts":
        assert text.startswith(f"create table {name} (")
    else:
        assert re.match(r"(select|with)\s", text)
        assert ";" not in code(FILES[name])


@every_file
def test_a_file_opens_with_a_comment(name: str) -> None:
    assert len(FILES[name].comment.split()) >= 4
    if name in RELATIONS:
        assert re.search(r"^Grain: ", FILES[name].comment, re.MULTILINE)


@every_file
def test_a_file_is_lower_case_and_without_templates(name: str) -> None:
    assert code(FILES[name]) == code(FILES[name]).lower()
    assert not re.search(r"[{}]{2}|[{]%", FILES[name].text)
    if FILES[name].schema != "queries":
        assert "$" not in code(FILES[name])


@every_file
def test_a_file_draws_nothing_at_random_and_divides_in_one_place(name: str) -> None:
    text = code(FILES[name])
    assert not re.search(r"\b(random|hash|setseed|uuid|gen_random_uuid|now|today|current_\w+)\b", text)
    assert not re.search(r"\busing\s+sample\b|\btablesample\b", text)
    if name not in DIVIDERS:
        assert "/" not in text
    assert "//" not in FILES[name].text
    assert not re.search(r"\bavg\(|\bsum\([^)]*(f1|precision|recall)", text)


@every_file
def test_a_file_reads_its_own_layer_and_earlier_ones(name: str) -> None:
    place = SCHEMAS.index(FILES[name].schema)
    named = set(re.findall(rf"\b(?:{'|'.join(SCHEMAS)})\.\w+", code(FILES[name])))
    for read in (set(FILES[name].reads) | named) - {name}:
        assert read in FILES
        assert SCHEMAS.index(read.split(".")[0]) <= place, read


@every_relation
def test_every_column_has_a_comment_and_no_comment_lacks_its_column(name: str) -> None:
    con = demo()
    assert [column for column, _ in FILES[name].columns] == con.sql(f"select * from {name} limit 0").columns
    assert [column for column, said in FILES[name].columns if not said.strip()] == []


@pytest.mark.parametrize("name", LAYERS)
def test_integers_are_no_wider_than_64_bits(name: str) -> None:
    wide = [line for line in empty().sql(f"describe {name}").fetchall() if re.search("HUGEINT|DECIMAL", line[1])]
    assert wide == []


@every_relation
def test_the_grain_names_columns_that_are_unique(name: str) -> None:
    said = re.search(r"^Grain: (.*)", FILES[name].comment, re.MULTILINE)
    assert said
    if said[1] == "one row.":
        assert demo().sql(f"select count(*) from {name}").fetchall() == [(1,)]
        return
    listed = re.match(r"\(([\w, ]+)\)", said[1])
    if "left out" in said[1] or said[1].startswith("none"):
        return
    assert listed, said[1]
    columns = listed[1].split(", ")
    assert set(columns) <= {column for column, _ in FILES[name].columns}
    twice = demo().sql(f"select 1 from {name} group by {listed[1]} having count(*) > 1 limit 1").fetchall()
    assert twice == []


def test_the_diagram_shows_the_tables_as_duckdb_has_them() -> None:
    contracts = [file for file in FILES.values() if file.schema == "contracts"]
    listed = {file.name: [tuple(column) for column in dictionary.columns_of(file)] for file in contracts}
    select = (
        "select 'contracts.' || table_name, list((column_name, data_type, not is_nullable) order by column_index) "
        "from duckdb_columns() where schema_name = 'contracts' group by 1"
    )
    assert listed == dict(warehouse.connect().sql(select).fetchall())
    shown = dictionary.diagram(list(FILES.values()))
    for name, columns in listed.items():
        entity = re.search(rf"^    {name.partition('.')[2]} \{{\n((?:        .*\n)+)    \}}$", shown, re.MULTILINE)
        assert entity, name
        assert [line.split()[1] for line in entity[1].splitlines()] == [column[0] for column in columns]


RELATIONS_OF_CONTRACTS = dictionary.relations(FILES.values())


def test_the_diagram_relates_what_is_related() -> None:
    shown = dictionary.diagram(list(FILES.values()))
    assert len(re.findall(r"^    \w+ \|[|o]--o\{ ", shown, re.MULTILINE)) == len(RELATIONS_OF_CONTRACTS)
    assert '    rows ||--o{ gold_spans : "row_id"\n' in shown
    assert '    runs ||--o{ pred_spans : "run_id"\n' in shown
    assert '    annotators |o--o{ gold_spans : "row_id, annotator"\n' in shown
    assert '    taxonomy |o--o{ label_map : "type"\n' in shown
    assert "        varchar row_id PK, FK\n" in shown


@pytest.mark.parametrize("relation", RELATIONS_OF_CONTRACTS, ids=lambda one: f"{one.many}-{one.one}")
def test_a_relation_of_the_diagram_holds_on_the_demo_board(relation: dictionary.Relation) -> None:
    said = dict(FILES[relation.many].columns)
    elsewhere = [re.findall(r", or `(\w+)`", said[column]) for column in relation.columns]
    known = [
        f"{column} is not null and {column} not in ('', {', '.join(map(repr, words)) or repr('')})"
        for column, words in zip(relation.columns, elsewhere, strict=True)
    ]
    columns = ", ".join(relation.columns)
    lost = f"select 1 from {relation.many} anti join {relation.one} using ({columns}) where {' and '.join(known)}"
    assert demo().sql(f"select count(*) from ({lost})").fetchall() == [(0,)]
    if relation.is_needed:
        empty_ones = " or ".join(f"{column} is null" for column in relation.columns)
        assert demo().sql(f"select count(*) from {relation.many} where {empty_ones}").fetchall() == [(0,)]


def test_every_comment_reaches_duckdb() -> None:
    con = demo()
    catalog.comment(con)
    silent = con.sql(
        "select schema_name || '.' || table_name || '.' || column_name from duckdb_columns() "
        "where not internal and comment is null"
    ).fetchall()
    assert silent == []
    [(said,)] = con.sql("select comment from duckdb_views() where view_name = 'mean_scores'").fetchall()
    assert said == FILES["marts.mean_scores"].comment


def test_the_page_of_the_data_model_is_fresh() -> None:
    page = (Path(__file__).parent.parent / "docs" / "data-model.md").read_text("utf-8")
    assert page == dictionary.page(FILES.values()), "run `just format`"


GOOD = Row("p@json", '{"m":"Anna"}', [Gold(6, 10)], alignments=[Stretch(6, 10, "copied", 0, 4)])
RUN = Run("run", {"p@json": Answer([Pred(6, 10)])})
UNKNOWN = "'no-such-row'"
FAULTS: dict[str, list[str]] = {  # by check: what to do to a board that is right
    "alignments_cover_their_passage": [
        "update contracts.alignments set passage_start = 1",
        "update contracts.alignments set passage_end = -1, passage_start = 0",
        "insert into contracts.alignments values ('p@json', 1, 0, 11, 12, 5, 6, 'copied')",
    ],
    "alignments_do_not_overlap": [
        "insert into contracts.alignments values ('p@json', 1, 0, 9, 12, 4, 6, 'copied')",
        "update contracts.alignments set wire_end = 13",
        f"update contracts.alignments set row_id = {UNKNOWN}",
    ],
    "copied_text_is_that_of_the_passage": [
        "update contracts.rows set carrier = 'json'; insert into contracts.rows by name "
        f"select * replace ('p@prose' as row_id, 'prose' as carrier, {text} as text, length({text}) as n_chars) "
        "from contracts.rows"
        for text in ("'?Ana'", "'Anna is longer'")
    ],
    "designs_select_known_rows": [
        f"insert into contracts.designs values ('balanced', {UNKNOWN})",
        "insert into contracts.designs values ('balanced', 'p@json')",
    ],
    "gold_spans_lie_inside_their_row": [
        "update contracts.gold_spans set end_char = 13",
        f"update contracts.gold_spans set row_id = {UNKNOWN}",
    ],
    "gold_surfaces_are_what_substring_gives": [
        "update contracts.gold_spans set start_char = start_char + 1",
        "update contracts.gold_spans set surface = surface || '.'",
        "update contracts.rows set text = 'é' || text",
    ],
    "label_map_names_known_types": [
        "insert into contracts.label_map values ('x', 'y', 'PERSONN', null)",
        "insert into contracts.label_map values ('x', 'y', 'ignored', null)",
        "insert into contracts.label_map values ('x', 'y', 'ignored', '')",
    ],
    "pred_spans_lie_inside_their_row": [
        "update contracts.pred_spans set end_char = 13",
        f"update contracts.pred_spans set row_id = {UNKNOWN}",
        "delete from contracts.run_rows",
        "update contracts.run_rows set status = 'error'",
    ],
    "row_ids_are_unique": ["insert into contracts.rows from contracts.rows"],
    "slices_are_not_gold": [
        "update contracts.rows set slices = map {'who': 'Anna'}",
        "update contracts.rows set slices = map {'domain': 'hr', 'who': 'ANNA'}",
    ],
    "row_lengths_are_right": ["update contracts.rows set n_chars = 11"],
}


@cache
def good_board() -> warehouse.Connection:
    """A board in which there is nothing to find."""
    con = tables.connect([GOOD], [RUN], design="balanced")
    warehouse.check(con)
    return con


def test_every_check_has_a_fault_to_find() -> None:
    assert {f"checks.{name}" for name in FAULTS} == set(CHECKS)


@pytest.mark.parametrize(("check", "fault"), [(check, fault) for check in FAULTS for fault in FAULTS[check]])
def test_a_check_finds_its_fault_and_names_its_rule(check: str, fault: str) -> None:
    con = good_board()
    con.execute("begin")
    try:
        con.execute(fault)
        with pytest.raises(PiibenchError, match=f"^check failed: {check.replace('_', ' ')}, but "):
            warehouse.check(con, [check])
    finally:
        con.execute("rollback")


def test_every_check_passes_on_the_demo_board() -> None:
    warehouse.check(demo())


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_shows_no_text(name: str) -> None:
    assert not {"text", "surface"} & set(demo().sql(FILES[name].text).columns)
