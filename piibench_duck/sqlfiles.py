"""Names, order and comments of the files in sql/. Runs nothing."""

import contextlib
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.places import cache_dir

SCHEMAS = ("contracts", "macros", "metrics", "staging", "intermediate", "marts", "checks", "queries")
"""Layers in order; each reads only itself and those before it."""

KEPT = "Kept: one file a run."
"""The line of an opening comment that has `score` write the relation to the warehouse."""

_CACHE_FORMAT = 1


class SqlFile(NamedTuple):
    """One statement. Its name is its path: `sql/marts/scores.sql` is `marts.scores`."""

    name: str
    schema: str
    text: str
    comment: str
    columns: tuple[tuple[str, str], ...]
    """Name and comment of each output column, in order; none for macros."""
    reads: tuple[str, ...]
    """Names of the files that it reads or calls."""

    @property
    def is_kept(self) -> bool:
        return KEPT in self.comment

    @property
    def is_table_macro(self) -> bool:
        """Whether it is a macro that gives rows."""
        return self.is_macro and re.search(r"\) as table\s", self.text) is not None

    @property
    def is_macro(self) -> bool:
        return self.schema in ("macros", "metrics")


def load(folder: Path) -> list[SqlFile]:
    """All files of `folder` in the order in which they can be created.

    Reading SQL takes sqlglot a noticeable part of a second, so what it finds is kept in the cache folder under the
    digest of the files' contents.
    """
    texts = {}
    for schema in SCHEMAS:
        for path in sorted((folder / schema).glob("*.sql")):
            texts[f"{schema}.{path.stem}"] = path.read_text(encoding="utf-8")
    digest = hashlib.sha256(json.dumps([_CACHE_FORMAT, texts], sort_keys=True).encode()).hexdigest()
    cached = cache_dir() / "sql" / f"{digest}.json"
    try:
        entries = json.loads(cached.read_text(encoding="utf-8"))
        return [
            SqlFile(name, schema, text, said, tuple((column, words) for column, words in columns), tuple(reads))
            for name, schema, text, said, columns, reads in entries
        ]
    except (OSError, ValueError):
        files = _in_order(_read(name, text, texts.keys()) for name, text in texts.items())
    _keep(cached, json.dumps(files))
    return files


def needed(files: Iterable[SqlFile], wanted: Iterable[str]) -> set[str]:
    """Names of the wanted files and of all that they read; what is kept is read from its files and needs nothing."""
    by_name = {file.name: file for file in files}
    found: set[str] = set()
    waiting = [*wanted]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += by_name[name].reads if not by_name[name].is_kept else ()
    return found


def _keep(cached: Path, text: str) -> None:
    """Write the cache if the machine lets us; a read-only home only costs the time."""
    import os

    beside = cached.with_suffix(f".{os.getpid()}")
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(cached)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def opening_comment(text: str) -> str:
    """The comment block that a file opens with, without its dashes."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return "\n".join(lines)


def _read(name: str, text: str, names: Iterable[str]) -> SqlFile:
    import sqlglot
    from sqlglot import exp

    schema = name.split(".")[0]
    columns: list[tuple[str, str]] = []
    try:
        if schema in ("macros", "metrics"):
            body = re.split(r"\)\s+as\s+(?:table\s+)?", text, maxsplit=1)[-1]
            tree = sqlglot.parse_one(body.strip().rstrip(";"), dialect="duckdb")
        else:
            tree = sqlglot.parse_one(text, dialect="duckdb")
            columns = _columns(tree)
    except sqlglot.ParseError as error:
        raise PiibenchError(f"sql/{name.replace('.', '/')}.sql cannot be read: {str(error).splitlines()[0]}") from None
    known = set(names)
    reads = {f"{table.db}.{table.name}" for table in tree.find_all(exp.Table) if table.db}
    for call in tree.find_all(exp.Anonymous):
        owner = call.parent.this if isinstance(call.parent, exp.Dot) and call.parent.expression is call else None
        reads.add(f"{owner.name}.{call.name}" if owner is not None else f"macros.{call.name}")
    return SqlFile(name, schema, text, opening_comment(text), tuple(columns), tuple(sorted(reads & known - {name})))


def _columns(tree: object) -> list[tuple[str, str]]:
    """Output columns and the comments beside them, of a select or a create table."""
    from sqlglot import exp

    assert isinstance(tree, exp.Expression)
    if isinstance(tree, exp.Create):
        parts: list[exp.Expression] = [part for part in tree.this.expressions if isinstance(part, exp.ColumnDef)]
        return [(part.name, _beside(part)) for part in parts]
    select = tree.find(exp.Select) if not isinstance(tree, exp.Select) else tree
    if select is None:
        return []
    return [(part.alias_or_name, _beside(part)) for part in select.expressions]


def _beside(part: object) -> str:
    from sqlglot import exp

    assert isinstance(part, exp.Expression)
    said = list(part.comments or [])
    if not said:
        for inner in part.walk():
            said += inner.comments or []
    return " ".join(comment.strip() for comment in said)


def _in_order(files: Iterable[SqlFile]) -> list[SqlFile]:
    """Dependencies first; a file that reads a later layer, or itself in a circle, is refused."""
    from graphlib import CycleError, TopologicalSorter

    by_name = {file.name: file for file in files}
    for file in by_name.values():
        for read in file.reads:
            later = SCHEMAS.index(read.split(".")[0]) > SCHEMAS.index(file.schema)
            if later:
                raise PiibenchError(f"sql/{file.name.replace('.', '/')}.sql reads {read}, which is of a later layer")
    sorter = TopologicalSorter({name: file.reads for name, file in sorted(by_name.items())})
    try:
        return [by_name[name] for name in sorter.static_order()]
    except CycleError as error:
        raise PiibenchError(f"sql/: these read each other in a circle: {' '.join(error.args[1])}") from None
