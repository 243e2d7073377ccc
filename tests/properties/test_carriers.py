"""Every carrier gives back what was put in, and every span stays on its own characters."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from piibench_duck import carriers, sources
from piibench_duck.carriers import Writer
from piibench_duck.passages import cut
from piibench_duck.runners import Text, registry
from tests.carrier_checks import (
    CONTROLS,
    NEWLINES,
    ODD,
    Given,
    check_account,
    check_all,
    check_decodes_alone,
    check_reads_back,
    check_refusal,
    check_spans,
    held,
    inputs,
    lookalikes_of,
    refusal,
    scaffold_of,
    spread,
    wrapped,
)

ROOT = Path(__file__).parents[2]
BARE = {"prose", "ocr"}  # no scaffold
# Passages of a corpus that are tried in every carrier; the others in one each.
EVERYWHERE = 10**9 if os.environ.get("PIIBENCH_EVERYWHERE") else 40
# What looks like an id, a moment or a host: long numbers, hexadecimal digits, dates, times, names of machines.
IDS = re.compile(
    r"\d{5,}|\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}\b|\d{4}-\d\d|\d\d:\d\d|[a-z]-?\d+\.[a-z]|\.(?:internal|local|lan)\b"
)

every_carrier = pytest.mark.parametrize("carrier", carriers.carrier_names())
clothed = pytest.mark.parametrize("carrier", [name for name in carriers.carrier_names() if name not in BARE])


def quiet(index: int, carrier: str) -> Given:
    """Three values without anything personal, under the key of an invented passage."""
    passage = "nothing came of it. all was quiet there. the end."
    return Given(passage, [], [(0, 20), (20, 41), (41, 49)], carriers.row_key(f"quiet-{index}", carrier))


@every_carrier
@settings(deadline=None)
@given(given_=inputs())
def test_what_must_hold_of_a_row_holds_for_texts_of_any_characters(carrier: str, given_: Given) -> None:
    check_all(carrier, held(carrier, given_))


@every_carrier
def test_what_must_hold_of_a_row_holds_for_each_odd_piece_alone_between_and_at_the_edges(carrier: str) -> None:
    key = 0
    for piece in ODD:
        for passage in (piece, f"Ann{piece}Lee", f"{piece}Ann {piece} Lee{piece}", f"Ann. {piece} Lee"):
            ends = [(at, at + len(piece)) for at in range(len(passage)) if passage.startswith(piece, at)]
            spans = ([], ends, [(0, len(passage))])[key % 3]
            values = [(0, 5), (5, len(passage))] if passage[5:] else []
            check_all(carrier, held(carrier, Given(passage, spans, values, key)))
            key += 1


@settings(deadline=None)
@given(given_=inputs(), words=st.text("aemw .", min_size=30, max_size=60))
def test_what_must_hold_of_a_row_holds_where_a_scanner_changes_many_characters(given_: Given, words: str) -> None:
    once = f"a {given_.passage}{words}"
    starts = [n * len(once) for n in range(1500 // len(once))]
    spans = [(at + start + 2, at + end + 2) for at in starts[::5] for start, end in given_.spans]
    spaces = [(at + 1, at + 2) for at in starts]
    row = check_all("ocr", Given(once * len(starts), [*spans, *spaces], [], given_.key))
    assert {"changed", "copied"} == {line.kind for line in row.alignments} - {"lost"}


@every_carrier
@pytest.mark.parametrize(
    "char", [*CONTROLS, *NEWLINES, "\ud800"], ids=lambda char: "-".join(f"{ord(c):04x}" for c in char)
)
def test_a_text_is_held_whole_or_refused_with_a_reason_that_does_not_hold_it(carrier: str, char: str) -> None:
    given_ = Given(f"Quentin{char}Wexworth", [(0, 16)], [(0, 16)], 5)
    message = refusal(carrier, given_)
    if message is None:
        check_all(carrier, given_)
    else:
        assert check_refusal(carrier, given_, message) in char
        assert not [word for word in ("Quentin", "Wexworth", char) if word in message]


@every_carrier
def test_every_character_is_held_but_for_controls_and_what_is_no_character(carrier: str) -> None:
    # All of the first 12,288 and of those above the surrogates; of Chinese and Korean every seventh.
    codes = [*range(0x20, 0x7F), *range(0xA0, 0x3000), *range(0x3000, 0xD800, 7), *range(0xE000, 0xFDD0, 7)]
    codes += [*range(0xFDF0, 0xFFFE), *range(0x1F300, 0x1F700), 0x20000, 0xE0041, 0xE0101, 0xF0000, 0x10FFFD]
    text = "".join(map(chr, codes))
    row = wrapped(carrier, Given(text, [(0, len(text))], [], 1))
    if carriers.reads_back(carrier):
        assert carriers.unwrap(carrier, row.text) == [text]


@clothed
def test_scaffolds_are_many(carrier: str) -> None:
    assert len({tuple(scaffold_of(wrapped(carrier, quiet(index, carrier)))) for index in range(500)}) >= 50


@clothed
def test_a_scaffold_holds_nothing_personal_outside_its_lookalikes(carrier: str) -> None:
    rows = [wrapped(carrier, quiet(index, carrier)) for index in range(200)]
    answers = registry.load_runner("rules")([Text(str(index), row.text) for index, row in enumerate(rows)])
    for row, answer in zip(rows, answers, strict=True):
        allowed = {at for interval in lookalikes_of(row) for at in range(*interval)}
        marked = [span for span in answer.spans if not set(range(span.start, span.end)) <= allowed]
        assert not [(span.label, row.text[span.start : span.end]) for span in marked]


@clothed
def test_ids_moments_and_hosts_of_a_scaffold_are_lookalikes(carrier: str) -> None:
    parts = [part for index in range(300) for part in scaffold_of(wrapped(carrier, quiet(index, carrier)))]
    assert not [found[0] for part in parts for found in IDS.finditer(part)]


@clothed
def test_a_scaffold_has_none_of_the_names_of_the_demo_corpus(carrier: str) -> None:
    names = {word for surface in demo_names() for word in words(surface) if word.istitle() and len(word) > 2}
    used = {
        word
        for index in range(500)
        for part in scaffold_of(wrapped(carrier, quiet(index, carrier)))
        for word in words(part)
    }
    assert not names & used


def words(text: str) -> list[str]:
    return "".join(char if char.isalpha() else " " for char in text).split()


def demo_names() -> list[str]:
    return [
        document["text"][span["start"] : span["end"]]
        for path in sorted((ROOT / "data" / "demo").glob("*.jsonl"))
        for document in map(json.loads, path.read_bytes().decode().splitlines())
        for span in document["spans"]
        if span["label"] in ("PERSON", "ORGANIZATION", "LOCATION", "ADDRESS")
    ]


def digest_of_rows(names: Sequence[str]) -> str:
    """Of a few rows of each carrier."""
    passage = "Zoë Ünal & Co.\n“Quiet,” she said; מרים כהן, Иван – 50% <of it>. That was all.  Then: nothing."
    rows = [
        wrapped(carrier, Given(passage, [(0, 8), (32, 41)], [(0, 15), (15, 68), (70, 84)], key))
        for carrier in names
        for key in range(40)
    ]
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def test_rows_depend_on_no_hash_seed_time_zone_or_locale() -> None:
    names = carriers.carrier_names()
    code = "import sys; from tests.properties.test_carriers import digest_of_rows as of; print(of(sys.argv[1:]))"
    environment = {**os.environ, "PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest_of_rows(names)


class Real(NamedTuple):
    """A passage of a corpus with what a carrier is given of it."""

    corpus: str
    passage_id: str
    given_: Given

    def under(self, carrier: str) -> Given:
        return self.given_._replace(key=carriers.row_key(self.passage_id, carrier))


@pytest.fixture(scope="module")
def reals(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Real]:
    found = []
    for source in sources.load_sources().values():
        if source.upstream.kind == "package" or source.is_recorded:
            continue
        root = sources.fetch(source, mirror, tmp_path_factory.mktemp("downloads"))
        for document in sources.read(source, root).documents:
            for passage in cut(document):
                spans = [
                    (span.start - passage.start, span.end - passage.start)
                    for span in document.spans
                    if passage.start <= span.start and span.end <= passage.end
                ]
                text = document.text[passage.start : passage.end]
                given_ = Given(text, spans, list(passage.value_bounds), 0)
                found.append(Real(source.corpus, f"{source.name}/{document.doc_id}/{passage.index}", given_))
    return sorted(found, key=lambda real: hashlib.sha256(real.passage_id.encode()).digest())


@pytest.mark.corpora
def test_what_must_hold_of_a_row_holds_for_every_passage_of_the_real_corpora(reals: list[Real]) -> None:
    names = carriers.carrier_names()
    n_seen: Counter[str] = Counter()
    n_rows: Counter[str] = Counter()
    n_refused: Counter[str] = Counter()
    for place, real in enumerate(reals):
        n_seen[real.corpus] += 1
        for carrier in names if n_seen[real.corpus] <= EVERYWHERE else [names[place % len(names)]]:
            n_rows[carrier] += 1
            given_ = real.under(carrier)
            try:
                row = wrapped(carrier, given_)
                for check in (check_account, check_spans, check_reads_back, check_decodes_alone):
                    check(carrier, given_, row)
            except carriers.CannotHoldError as error:
                check_refusal(carrier, given_, str(error))
                n_refused[carrier] += 1
            except Exception as error:
                # No `from`: what was compared is text of the corpus, which belongs in no log.
                raise AssertionError(f"{real.passage_id}@{carrier}: {type(error).__name__}") from None
    assert sum(n_seen.values()) == 18_054
    assert {carrier: n for carrier, n in n_refused.items() if n > 0.01 * n_rows[carrier]} == {}


@pytest.mark.corpora
def test_a_scanner_misreads_one_to_three_characters_in_a_hundred_of_each_corpus(reals: list[Real]) -> None:
    n_chars: Counter[str] = Counter()
    n_misread: Counter[str] = Counter()
    for real in reals:
        n_chars[real.corpus] += len(real.given_.passage)
        for line in wrapped("ocr", real.under("ocr")).alignments:
            if line.kind != "copied":
                n_misread[real.corpus] += (line.passage_end or 0) - (line.passage_start or 0)
    shares = {corpus: n_misread[corpus] / n for corpus, n in n_chars.items()}
    assert len(shares) == 7
    assert {corpus: share for corpus, share in shares.items() if not 0.01 <= share <= 0.03} == {}


@settings(deadline=None)
@given(given_=inputs(), data=st.data())
def test_a_carrier_that_spreads_changes_and_loses_characters_keeps_the_account(
    given_: Given, data: st.DataObject
) -> None:
    passage, spans = given_.passage, given_.spans
    values: list[carriers.Value] = []

    def spied(writer: Writer, found: Sequence[carriers.Value], key: int) -> None:
        values.extend(found)
        writer.value(writer.passage)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("piibench_duck.carriers.prose.wrap", spied)
        wrapped("prose", given_)
    assert [value.text for value in values] == spread(given_)
    assume(passage)
    writer = Writer(passage, spans)
    wire = ""
    stands: dict[int, tuple[int, int]] = {}  # wire interval of each passage character that is left
    for value in values:
        writer.lookalike("12:00 ")
        writer.scaffold("- ")
        wire += "12:00 - "
        writer.open(value)
        for offset, char in enumerate(value.text, value.start):
            deed = data.draw(st.sampled_from(["copy", "copy", "escape", "change", "lose"]))
            if deed == "lose" and not writer.is_edge(offset):
                writer.lose()
                continue
            text = char
            if deed == "escape":
                text = f"\\{ord(char):x};"
                writer.escape(text)
            elif deed == "change":
                text = "rn"
                writer.change(text)
            else:
                writer.copy()
            stands[offset] = (len(wire), len(wire) + len(text))
            wire += text
        writer.close()
        writer.scaffold("\n")
        wire += "\n"
    row = writer.finish()
    assert row.text == wire
    assert row.spans == [(stands[start][0], stands[end - 1][1]) for start, end in spans]
    check_account("ocr", given_, row)
    check_spans("ocr", given_, row)
