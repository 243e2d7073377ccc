"""Names in files (ids, labels, splits, slices), told from the texts that may stand in their place."""

import csv
import re
from collections.abc import Iterable
from functools import cache

from piibench_duck import places

AT_LEAST = 4
"""Code points of a text that is refused where a name should stand; shorter ones are everybody's."""

_NAME = re.compile(r"[\w.:/@#+=~-]{1,40}|[A-Za-z0-9_.:/@#+=~-]{1,120}")  # scripts without blanks say much in 40 letters
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


@cache
def _labels() -> frozenset[str]:
    """Every label that the seeds name, in small letters."""
    found = set()
    for file, column in _SEEDS:
        with (places.data_dir() / "seeds" / file).open(encoding="utf-8", newline="") as lines:
            found |= {line[column].casefold() for line in csv.DictReader(lines)}
    return frozenset(found)
