"""csv: each value as a quoted cell, beside a row that the system wrote."""

import csv
import io

from piibench_duck import carriers
from tests.carrier_checks import Given, check_all, scaffold_of

PASSAGE = 'Ann said "no".\nBo left, \r then.'
VALUES = [(0, 14), (15, 31)]


def row(key: int) -> carriers.Wrapped:
    return carriers.wrap("csv", PASSAGE, [(0, 3), (9, 13)], VALUES, key)


def test_each_value_is_a_row_and_the_systems_own_row_is_none() -> None:
    assert row(3).text == (
        "case_id,channel,comment,status\r\n"
        '10253860,api,"Ann said ""no"".",open\r\n'
        '10253875,api,"Bo left, \r then.",open\r\n'
        '10253876,system,"import finished, 0 errors",open\r\n'
    )
    assert carriers.unwrap("csv", row(3).text) == ['Ann said "no".', "Bo left, \r then."]


def test_a_span_with_a_quote_at_its_ends_has_both_characters_of_each() -> None:
    wrapped = row(3)
    assert [wrapped.text[start:end] for start, end in wrapped.spans] == ["Ann", '""no""']


def test_lines_end_in_either_way_and_quotes_stand_around_the_text_or_around_all() -> None:
    rows = [row(key) for key in range(40)]
    assert {wrapped.text.endswith("\r\n") for wrapped in rows} == {True, False}
    assert {wrapped.text.startswith('"') for wrapped in rows} == {True, False}
    for wrapped in rows:
        assert '"Ann said ""no""."' in wrapped.text
        lengths = {len(cells) for cells in csv.reader(io.StringIO(wrapped.text, newline=""), strict=True)}
        assert len(lengths) == 1


def test_the_neighbour_stands_before_or_behind_and_has_an_id_of_its_own() -> None:
    places = set()
    for key in range(40):
        cells = list(csv.DictReader(io.StringIO(row(key).text, newline="")))
        places.add([line["channel"] for line in cells].index("system"))
        ids = [next(line[name] for name in line if name.endswith("id")) for line in cells]
        assert len(set(ids)) == 3
        assert ids == sorted(ids)
    assert places == {0, 2}


def test_a_cell_longer_than_the_readers_usual_limit_is_read_and_the_limit_is_as_before() -> None:
    before = csv.field_size_limit()
    long = "a long way, " * 20_000
    assert carriers.unwrap("csv", carriers.wrap("csv", long, [], [], 0).text) == [long]
    assert csv.field_size_limit() == before


def test_nothing_is_refused() -> None:
    text = "\0\x01\r\n\n\r\x85\u2028\ufeff\"'\ufffe,"
    for key in range(8):
        check_all("csv", Given(text, [(at, at + 1) for at in range(len(text))], [(0, len(text))], key))


def test_scaffolds_differ() -> None:
    assert len({tuple(scaffold_of(row(key))) for key in range(500)}) > 300
