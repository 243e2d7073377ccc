"""Passages of documents whose sentences are known, because the test wrote them one by one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from piibench_duck.corpora import Document, Gold
from piibench_duck.passages import LONGEST, cut

STARTS = ("Anna", "Größe", "Ünal", "Анна", "דנה", "Ωmega", "𝒜lice")
WORDS = ("saw", "it", "é", "дом", "בית", "x" * 70, "1.5", "😀", "a,b", "שָׁלוֹם")
ENDS = (". ", "! ", "?\n", ".\n\n", "\n", ". -- \n* * *\n", "\r\n", "\u2029")

sentences = st.builds(
    lambda start, words, end: " ".join([start, *words, "ended"]) + end,
    st.sampled_from(STARTS),
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.sampled_from(ENDS),
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[Document, set[int]]:
    """A document and the ends of its sentences."""
    parts = draw(st.lists(sentences, min_size=1, max_size=12))
    text = "".join(parts)
    ends = {sum(map(len, parts[: index + 1])) for index in range(len(parts))}
    place = st.one_of(st.integers(0, len(text) - 1), st.sampled_from(sorted({0} | ends - {len(text)})))
    short = st.tuples(place, st.integers(1, 40))
    long = st.tuples(place, st.integers(1, 300))
    spans = tuple(
        Gold(start, min(start + length, len(text)), "PERSON")
        for start, length in draw(st.lists(st.one_of(short, short, long), max_size=6))
    )
    return Document("d", "all", text, spans, None, {}), ends


def allowed_ends(document: Document, ends: set[int]) -> set[int]:
    """Sentence ends with no span on both sides, looked at one character pair at a time."""
    joined = {at for span in document.spans for at in range(span.start + 1, span.end)}
    return ends - joined


@settings(max_examples=60)
@given(documents())
def test_passages_and_their_values_partition_the_document(case: tuple[Document, set[int]]) -> None:
    document, _ = case
    pieces = [(p.start + a, p.start + b) for p in cut(document) for a, b in p.value_bounds]
    assert "".join(document.text[a:b] for a, b in pieces) == document.text
    assert all(a < b for a, b in pieces)
    assert [p.index for p in cut(document)] == list(range(len(cut(document))))
    assert all((p.value_bounds[0][0], p.value_bounds[-1][1]) == (0, p.end - p.start) for p in cut(document))


@settings(max_examples=60)
@given(documents())
def test_values_end_at_every_sentence_end_that_no_span_bridges(case: tuple[Document, set[int]]) -> None:
    document, ends = case
    found = {p.start + end for p in cut(document) for _, end in p.value_bounds}
    assert found == allowed_ends(document, ends)


@settings(max_examples=60)
@given(documents())
def test_passages_are_the_greedy_ones(case: tuple[Document, set[int]]) -> None:
    document, ends = case
    expected = []
    start = 0
    while start < len(document.text):
        later = [end for end in sorted(allowed_ends(document, ends)) if end > start]
        end = max([end for end in later if end - start <= LONGEST], default=later[0])
        expected.append((start, end, end - start > LONGEST))
        start = end
    assert [(p.start, p.end, p.is_long) for p in cut(document)] == expected
