"""A rule of the rule detector, and how rules that want the same characters settle it.

Every repetition in a pattern is bounded and every pattern begins at a boundary or a literal, so that no text takes more
than a fixed number of steps a character.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from piibench_duck.runners import Span


class Rule(NamedTuple):
    """A pattern; its group `it`, else all of it, is what is found, of which the first `valid(...)` characters count."""

    label: str
    pattern: re.Pattern[str]
    valid: Callable[[str], int] = len


def apply(rules: Iterable[Rule], text: str) -> list[Span]:
    """What the rules find. No two spans overlap: what a rule has found is blotted out for those after it."""
    found: list[Span] = []
    for rule in rules:
        group = "it" if "it" in rule.pattern.groupindex else 0
        here = []
        for match in rule.pattern.finditer(text):
            start = match.start(group)
            length = rule.valid(match[group])
            if length > 0:
                here.append(Span(start, start + length, rule.label))
        text = _blotted(text, here)
        found += here
    return sorted(found)


def _blotted(text: str, spans: Sequence[Span]) -> str:
    parts = []
    done = 0
    for start, end, _, _ in spans:
        parts += [text[done:start], "\0" * (end - start)]
        done = end
    return "".join(parts) + text[done:] if parts else text


def digest(rules: Iterable[Rule]) -> str:
    """SHA-256 of the patterns, so that a run of other rules is another run."""
    lines = (f"{rule.label} {rule.pattern.flags} {rule.pattern.pattern}" for rule in rules)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
