"""What a redacted text lacks of its original."""

import random

import pytest

from piibench_duck.interchange.alignment import removed


@pytest.mark.parametrize(
    ("original", "redacted", "wanted"),
    [
        ("Call Anna Smith now", "Call [NAME] now", [("Anna Smith", "NAME")]),
        ("Call Anna Smith now", "Call [NAME_1] [NAME_2] now", [("Anna Smith", "MASK")]),
        ("Call Anna Smith now", "Call now", [("Anna Smith", "MASK")]),
        ("Call Anna Smith now", "Call Jane Roe now", [("Anna Smith", "MASK")]),
        ("Call Anna Smith now", "Call **** ***** now", [("Anna Smith", "MASK")]),
        ("Call Anna Smith now", "Call {{PERSON}} now", [("Anna Smith", "PERSON")]),
        ("Call Anna Smith now", "[REDACTED]", [("Call Anna Smith now", "REDACTED")]),
        ("Call Anna Smith now", "", [("Call Anna Smith now", "MASK")]),
        ("Call Anna  Smith\n now", "Call Anna Smith now", []),
        ("John went", "J*** went", [("ohn", "MASK")]),
        ("AnnaSmith42 went", "[NAME]42 went", [("AnnaSmith", "NAME")]),
        ("Mail anna@example.org.", "Mail <EMAIL_ADDRESS>.", [("anna@example.org", "EMAIL_ADDRESS")]),
        ("<b>Anna</b> [x] (see below)", "<b>[NAME]</b> [x] (see below)", [("Anna", "NAME")]),
        ("[09:02] Bo", "[[TIME]] [NAME]", [("09:02", "TIME"), ("Bo", "NAME")]),
        ("Anna met Bo and Anna", "[P] met Bo and Anna", [("Anna", "P")]),
        ("Anna Bo Anna Anna", "[P] Bo [P] Anna", [("Anna", "P"), ("Anna", "P")]),
        ("🙂 דנה was here", "🙂 [NAME] was here", [("דנה", "NAME")]),
        ("Smith and Bo", "[SMITH] and Bo", [("Smith", "MASK")]),
        ("Ask Smith, Bo Smith.", "Ask [SMITH], Bo Smith.", [("Smith", "MASK")]),
        ("", "", []),
        ("", "[NAME]", []),
    ],
)
def test_what_is_not_there_any_more_is_found(original: str, redacted: str, wanted: list[tuple[str, str]]) -> None:
    found = removed(original, redacted)
    assert [(original[start:end], label) for start, end, label in found] == wanted


def test_long_texts_are_aligned_word_by_word() -> None:
    """Thirty thousand words, every twentieth taken out: all are found, and nothing else is."""
    drawn = random.Random(7)
    words = [f"w{drawn.randrange(3000)}" for _ in range(30_000)]
    original = " ".join(words)
    redacted = " ".join("[NAME]" if place % 20 == 0 else word for place, word in enumerate(words))
    starts = {len(" ".join(words[:place])) + bool(place) for place in range(0, len(words), 2000)}
    found = removed(original, redacted)
    assert len(found) == 1500
    assert starts <= {start for start, _, _ in found}
    assert {original[start:end] for start, end, _ in found} == {words[place] for place in range(0, len(words), 20)}
