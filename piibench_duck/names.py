"""Names in files (ids, labels, splits, slices), told from the texts that may stand in their place."""

import csv
import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from piibench_duck import places

MOST = 64
"""Code points of a predicted label."""

AT_LEAST = 4
"""Code points of a text that is refused where a name should stand; shorter ones are everybody's."""

_NAME = re.compile(r"[\w.:/@#+=~-]{1,40}|[A-Za-z0-9_.:/@#+=~-]{1,120}")  # scripts without blanks say much in 40 letters
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LETTER = re.compile(r"[^\W\d_]")
_JOINED = re.compile(r"[\s_-]+")
_LONG_SPAN = 8  # from which on a label that holds what is marked holds it by no accident
_LONG_LABEL = 24  # beyond which a label that is text is no phrase that a form has too
_SEEDS = (("taxonomy.csv", "type"), ("label_map.csv", "source_label"))


def may_be_told(name: object, text: str = "") -> bool:
    """Whether a message may repeat a name of a file: one short word, and no part of the text that it is a name of.

    >>> may_be_told("doc-7"), may_be_told("Anna Smith"), may_be_told("Anna", "Ask Anna.")
    (True, False, False)
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        return False
    if len(name) < AT_LEAST:  # of which every text has many
        return name.isdecimal() or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is None
    return name.casefold() not in text.casefold()


def told(name: str, text: str, otherwise: str) -> str:
    """The name where it may be told, what stands for it where not."""
    return name if may_be_told(name, text) else otherwise


def is_text(name: str, text: str, known: Iterable[str] = ()) -> bool:
    """Whether a name is, but for letter case, the text that it is a name of, and so would carry it into results.

    Labels of our own seeds and those that are `known` are names wherever they stand: a form may say *Person*.

    >>> is_text("smith", "Smith"), is_text("PERSON", "Person"), is_text("Bob", "Bob")
    (True, False, False)
    """
    if len(name) < AT_LEAST or len(name) != len(text) or name.casefold() != text.casefold():
        return False
    return name.casefold() not in _labels() and name not in known


def mentioned(model: str) -> str:
    """A model as a refusal may repeat it: an address or a command line may hold a secret.

    >>> mentioned("owner/name"), mentioned("https://host/?key=s"), mentioned("detect --key s")
    ("'owner/name'", 'of that name', 'of that name')
    """
    return repr(model) if may_be_told(model) and "://" not in model and "@" not in model else "of that name"


def label_fault(label: str) -> str | None:
    """What a predicted label is that no label is, whatever its row says."""
    if len(label) <= MOST and label.isprintable():
        return None  # nearly every label
    if _CONTROL.search(label):
        return "holds a line break or control character"
    return f"is longer than {MOST} characters" if len(label) > MOST else None


def labels_with_text(labels: Iterable[str], marked: Iterable[str], text: str) -> list[int]:
    """Places of the labels that would carry the text of their row into results; `marked` is what its spans mark.

    Those that hold all that a span marks, where that is long; that are text and without letters, as numbers are; or
    that are text and longer than labels are. Letter case counts as little as whether words are joined by `_`, `-` or
    blanks. A label of our own seeds is one wherever it stands.

    >>> labels_with_text(["PERSON", "Name: Anna-Smith"], ["Anna Smith"], "Anna Smith, a person")
    [1]
    """
    strange: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        if _is_strange(label):
            strange.setdefault(label, []).append(place)
    if not strange:
        return []  # nearly every row
    surfaces = {_folded(one) for one in marked if len(one) <= 4 * MOST}
    whole = _folded(text)
    return sorted(place for label in strange if _is_of(_folded(label), surfaces, whole) for place in strange[label])


@lru_cache(4096)
def _is_strange(label: str) -> bool:
    """Whether a label may be text: it is none that we know, and long or without letters."""
    is_long = len(label) >= _LONG_SPAN or (len(label) >= AT_LEAST and not _LETTER.search(label))
    return is_long and label.casefold() not in _labels()


def _is_of(label: str, surfaces: Collection[str], text: str) -> bool:
    if (len(label) > _LONG_LABEL or not _LETTER.search(label)) and label in text:
        return True
    # Of a label, which is short, every stretch: spans may be many.
    return any(
        label[start:end] in surfaces
        for start in range(len(label) - _LONG_SPAN + 1)
        for end in range(start + _LONG_SPAN, len(label) + 1)
    )


def _folded(text: str) -> str:
    return _JOINED.sub(" ", text.casefold()).strip()


@cache
def _labels() -> frozenset[str]:
    """Every label that the seeds name, in small letters."""
    found = set()
    for file, column in _SEEDS:
        with (places.data_dir() / "seeds" / file).open(encoding="utf-8", newline="") as lines:
            found |= {line[column].casefold() for line in csv.DictReader(lines)}
    return frozenset(found)
