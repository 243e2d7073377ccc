"""sql: INSERT and UPDATE, in the string escapes of two dialects."""

import pytest
from sqlglot import exp, parse

from piibench_duck import carriers
from tests.carrier_checks import Given, check_all, scaffold_of

PASSAGE = 'Ann said "no".\nIt\'s c:\\d. Bo left.'
VALUES = [(0, 25), (26, 34)]


def row(key: int) -> carriers.Wrapped:
    return carriers.wrap("sql", PASSAGE, [(0, 3)], VALUES, key)


def test_postgres_doubles_a_quote_and_leaves_all_else() -> None:
    assert row(2).text == (
        'UPDATE "ticket_comments" SET "created_at" = \'2024-04-10 00:02:54\', "comment" = \'Ann said "no".\n'
        "It''s c:\\d.' WHERE \"id\" = 12502299;\n"
        'INSERT INTO "ticket_comments" ("id", "created_at", "comment") VALUES\n'
        "  (12502325, '2024-04-10 00:02:54', 'Bo left.');\n"
    )


def test_mysql_has_a_backslash_before_quotes_and_backslashes_and_names_line_ends() -> None:
    assert row(3).text == (
        "insert into `ticket_comments` (`id`, `summary`, `created_at`) values "
        "(10253860, 'Ann said \\\"no\\\".\\nIt\\'s c:\\\\d.', '2021-06-11 06:44:02');\n"
        "update `ticket_comments` set `summary` = 'Bo left.', `created_at` = '2021-06-11 06:44:02' "
        "where `id` = 10253886;\n"
    )


def test_one_value_is_in_an_update_and_the_others_are_rows_of_an_insert() -> None:
    passage = "One. Two. Three. Four."
    values = [(0, 4), (5, 9), (10, 16), (17, 22)]
    orders = set()
    for key in range(40):
        wire = carriers.wrap("sql", passage, [], values, key).text
        statements = parse(wire, dialect="mysql" if "`" in wire else "postgres")
        orders.add(tuple(type(statement) for statement in statements))
        (insert,) = (statement for statement in statements if isinstance(statement, exp.Insert))
        assert len(insert.expression.expressions) == 3
        assert carriers.unwrap("sql", wire) == ["One.", "Two.", "Three.", "Four."]
    assert orders == {(exp.Insert, exp.Update), (exp.Update, exp.Insert)}


def test_a_value_alone_is_in_either_statement() -> None:
    wires = [carriers.wrap("sql", "Bo left.", [], [], key).text.upper() for key in range(40)]
    assert {wire.split()[0] for wire in wires} == {"INSERT", "UPDATE"}
    assert all(wire.count(";") == 1 for wire in wires)


@pytest.mark.parametrize("text", ["`", '"`', "'`'", "`a` \"b\" 'c'"])
def test_quotes_of_a_value_do_not_hide_the_dialect(text: str) -> None:
    for key in range(20):
        assert carriers.unwrap("sql", carriers.wrap("sql", text, [], [], key).text) == [text]


def test_a_nul_which_postgres_has_no_way_to_hold_is_for_mysql_in_every_row() -> None:
    for key in range(20):
        wrapped = carriers.wrap("sql", "a\0b", [(1, 2)], [], key)
        assert "`" in wrapped.text
        assert wrapped.text[slice(*wrapped.spans[0])] == "\\0"


def test_nothing_is_refused() -> None:
    text = "\0\x01\x1a\b\t\r\n\v\x85\u2028\ufeff\"'\\%_\ufffe;--/*$$"
    for key in (0, 3):
        for passage in (text, text.replace("\0", "")):
            check_all("sql", Given(passage, [(at, at + 1) for at in range(len(passage))], [(0, len(passage))], key))


def test_scaffolds_differ() -> None:
    assert len({tuple(scaffold_of(row(key))) for key in range(500)}) > 300
