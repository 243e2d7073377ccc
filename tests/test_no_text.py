"""No result, report or page holds a name or a number of the texts that it is about.

A string is *ours* where it stands, whole, as a string of our own code, SQL, seeds or TOML: labels, reasons, licences.
In any other, a surface that has a letter must not stand as whole words, and a long one not even inside a word. One
without a letter (a year, a telephone number) must not be all of it: inside of ids and versions such digits are
nobody's, and ids of rows and documents may be nothing but digits. What a machine says of itself is no text, nor is the
name of a slice that several documents share.
"""

import ast
import csv
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from piibench_duck import places, sources
from piibench_duck.board import page
from tests.built import demo_board

ROOT = Path(__file__).parent.parent
AT_LEAST = 4
LONG = 8
LONGEST = 80  # nobody looks for whole sentences
IDS = ("row_id", "doc_id", "passage_id")
MACHINES = ("scored_on", "predicted_on", "machines")


class Held(NamedTuple):
    """A string in a file, and the key or column that it stands under."""

    key: str
    string: str


class Surfaces(NamedTuple):
    """What must not be found."""

    with_letter: frozenset[str]
    without: frozenset[str]
    beginnings: frozenset[str]  # the first characters of the long ones among those with a letter


A_PHRASE = 20
"""Code points from which a surface of several words is no chance match."""


def surfaces(texts: Iterable[str]) -> Surfaces:
    chosen = {text for text in texts if AT_LEAST <= len(text) <= LONGEST}
    with_letter = {text for text in chosen if re.search(r"[^\W\d_]", text)}
    beginnings = {text[:LONG] for text in with_letter if len(text) >= LONG and not re.fullmatch("[0-9a-f]+", text)}
    return Surfaces(frozenset(with_letter), frozenset(chosen - with_letter), frozenset(beginnings))


@cache
def ours() -> frozenset[str]:
    """Strings of our own files, without docstrings and without the corpora that come with them."""
    found: set[str] = set()
    for path in (ROOT / "piibench_duck").rglob("*.py"):
        found |= set(_constants(path.read_text("utf-8")))
    for path in (ROOT / "sql").rglob("*.sql"):
        found |= set(re.findall(r"'([^'\n]*)'", path.read_text("utf-8")))
    for path in (ROOT / "data").glob("*.toml"):
        found |= {one.string for one in _in_json("", tomllib.loads(path.read_text("utf-8")))}
    for path in (ROOT / "data" / "seeds").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            found |= {cell for line in csv.reader(file) for cell in line}
    return frozenset(found)


def _constants(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and not isinstance(node, ast.Expr):
                yield inner.value


def leaks(held: Iterable[Held], wanted: Surfaces) -> set[Held]:
    """The strings that hold a surface."""
    return {one for one in set(held) if one.string not in ours() and _leaks(one, wanted)}


def _leaks(held: Held, wanted: Surfaces) -> bool:
    string = held.string
    if string in wanted.without:
        return held.key not in IDS
    cuts = [
        at
        for at in range(len(string) + 1)
        if not (0 < at < len(string) and _is_word(string[at - 1]) and _is_word(string[at]))
    ]
    words = (string[a:b] for a in cuts for b in cuts if AT_LEAST <= b - a <= LONGEST)
    if not wanted.with_letter.isdisjoint(words):
        return True
    if all(string[at : at + LONG] not in wanted.beginnings for at in range(len(string) - LONG + 1)):
        return False
    return any(text in string for text in wanted.with_letter if len(text) >= LONG)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def held_in(folder: Path, pages: bool = True) -> Iterator[Held]:
    """Every string and key in every file below a folder, those of its pages unless told otherwise."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.parent.name == page.FOLDER and not pages:
            continue
        if path.suffix == ".json":
            yield from _in_json(path.name, json.loads(path.read_text("utf-8")))
        elif path.suffix == ".parquet":
            table = pq.read_table(path)
            metadata = {
                key: value for key, value in (table.schema.metadata or {}).items() if not key.startswith(b"ARROW")
            }
            yield from (Held(path.name, f"{value!r}") for pair in metadata.items() for value in pair)
            for name in table.column_names:
                yield Held(path.name, name)
                yield from (Held(name, string) for string in _in_column(table[name].combine_chunks()))
        else:
            yield from (Held(path.name, line) for line in path.read_text("utf-8").splitlines())


def _in_json(key: str, value: Any) -> Iterator[Held]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield Held(key, name)
            if name not in MACHINES:
                yield from _in_json(name, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _in_json(key, inner)
    elif isinstance(value, str):
        yield Held(key, value)


def _in_column(column: Any) -> Iterator[str]:
    """The different strings of a column, also within lists, structs and maps."""
    if pa.types.is_map(column.type):
        yield from _in_column(column.keys)
        yield from _in_column(column.items)
    elif pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        yield from _in_column(column.flatten())
    elif pa.types.is_struct(column.type):
        for inner in column.flatten():
            yield from _in_column(inner)
    elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        yield from (string for string in pc.unique(column).to_pylist() if string is not None)


@cache
def of_demo() -> Surfaces:
    lines = [
        json.loads(line)
        for path in sorted((places.data_dir() / "demo").glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return surfaces(line["text"][span["start"] : span["end"]] for line in lines for span in line["spans"])


def test_nothing_that_scoring_the_demo_board_writes_holds_a_surface() -> None:
    assert len(of_demo().with_letter) > 300
    held = set(held_in(demo_board().results))
    assert len(held) > 500
    assert leaks(held, of_demo()) == set()


def test_nothing_that_is_committed_holds_a_surface_of_the_demo_corpus() -> None:
    assert leaks(held_in(ROOT / "results"), of_demo()) == set()


@pytest.mark.corpora
def test_nothing_that_is_committed_holds_a_surface_of_a_real_corpus(mirror: Path) -> None:
    texts: set[str] = set()
    columns: Counter[str] = Counter()
    for source in sources.load_sources().values():
        if (mirror / source.name).is_dir():
            for document in sources.read(source, sources.fetch(source, mirror, places.downloads_dir())).documents:
                texts |= {document.text[span.start : span.end] for span in document.spans}
                columns.update(f"{name}={value}" for name, value in document.slices.items())
    assert len(texts) > 10_000
    shared = {Held("slices", value) for value, n_documents in columns.items() if n_documents > 1}
    found = leaks(held_in(ROOT / "results", pages=False), surfaces(texts)) - shared
    assert {one.key for one in found} == set()  # the keys alone, since what is found may be personal data
    # A page is prose, many a word of which is a name somewhere; tests/test_page.py makes it of these files alone.
    phrases = {text for text in texts if len(text) >= A_PHRASE and " " in text}
    assert len(phrases) > 1000
    for path in (ROOT / "results").glob(f"*/{page.FOLDER}/*"):
        said = " ".join(path.read_text("utf-8").split())
        assert sum(text in said for text in phrases) == 0, path.name


@pytest.mark.parametrize(
    ("key", "string"),
    [
        ("why", "Anna"),
        ("why", "no answer for Anna Smith."),
        ("Anna", "Anna"),
        ("doc_id", "en/Anna-1"),
        ("why", "xConstantinopley"),
        ("n", "1998"),
        ("why", "2 (Ann-M.) x"),
    ],
)
def test_a_surface_is_found_where_it_is(key: str, string: str) -> None:
    assert leaks([Held(key, string)], surfaces(["Anna", "Constantinople", "1998", "(Ann-M.)"]))


@pytest.mark.parametrize(
    ("key", "string"), [("why", "Annapurna"), ("doc_id", "1998"), ("row_id", "a/1998#2"), ("scored_at", "1998-01-01")]
)
def test_what_is_no_surface_is_not_found(key: str, string: str) -> None:
    assert not leaks([Held(key, string)], surfaces(["Anna", "Constantinople", "1998"]))
