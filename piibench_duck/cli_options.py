"""Options that several commands have, and what may be chosen in them."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from piibench_duck.errors import WrongUsageError


class Unit(StrEnum):
    """What the bootstrap draws."""

    row = "row"
    document = "document"


class OffsetUnit(StrEnum):
    """What offsets of a predictions file count."""

    codepoint = "codepoint"
    utf16 = "utf16"
    byte = "byte"


class SqlFormat(StrEnum):
    """How a query's rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


class Rule(StrEnum):
    """What a combination of two runs marks."""

    union = "union"
    intersection = "intersection"
    a_then_b = "a-then-b"


class Listed(StrEnum):
    """What can be listed."""

    corpora = "corpora"
    carriers = "carriers"
    metrics = "metrics"
    runners = "runners"
    queries = "queries"
    runs = "runs"


Board = Annotated[str, typer.Option("--board", help="demo, seven, hub, or a folder with rows.jsonl or sources.toml.")]
Mirror = Annotated[
    Path | None, typer.Option("--mirror", envvar="PIIBENCH_MIRROR", help="Folder of source folders, looked in first.")
]
Rows = Annotated[Path | None, typer.Option("--rows", help="A rows file, instead of a board.")]
Runs = Annotated[list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs of the board; all if none.")]
KeyMap = Annotated[
    list[str] | None, typer.Option("--map", help="KEY=NAME: read KEY under NAME alone, e.g. --map start=from.")
]
Labels = Annotated[
    list[str] | None, typer.Option("--label", help="SOURCE=TYPE: what a label of the file means; TYPE may be ignored.")
]
AllowMissing = Annotated[bool, typer.Option("--allow-missing", help="Score rows that were not answered as all missed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, also of what is wrong with a file.")]
Offsets = Annotated[OffsetUnit, typer.Option("--offset-unit", help="What offsets in the predictions count.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Of the bootstrap's draws.")]


def key_map(pairs: Sequence[str] | None) -> dict[str, str]:
    """What `--map` says, by our name of the key.

    >>> key_map(["start=from", "label=what"])
    {'start': 'from', 'label': 'what'}
    """
    found: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, name = pair.partition("=")
        if not (key and equals and name):
            raise WrongUsageError(f"--map {pair!r} is not of the form KEY=NAME")
        if key in found:
            raise WrongUsageError(f"--map names {key!r} twice")
        found[key] = name
    return found


def options(pairs: Sequence[str] | None) -> dict[str, str]:
    """What `--option` says, by the runner's name of the option.

    >>> options(["language=de", "url=http://localhost:1/?a=b"])
    {'language': 'de', 'url': 'http://localhost:1/?a=b'}
    """
    found: dict[str, str] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise WrongUsageError(f"--option {pair!r} is not of the form NAME=VALUE")
        if name in found:
            raise WrongUsageError(f"--option names {name!r} twice")
        found[name] = value
    return found


def label_types(pairs: Sequence[str] | None) -> dict[str, str]:
    """What `--label` says, by the label of the file.

    >>> label_types(["Vorname=PERSON", "a=b=ignored"])
    {'Vorname': 'PERSON', 'a=b': 'ignored'}
    """
    found: dict[str, str] = {}
    for pair in pairs or ():
        label, equals, type_ = pair.rpartition("=")
        if not (label and equals and type_):
            raise WrongUsageError(f"--label {pair!r} is not of the form SOURCE=TYPE")
        if label in found:
            raise WrongUsageError(f"--label names {label!r} twice")
        found[label] = type_
    return found
