"""What is asked of a board: one SELECT, typed or in a file, or a query of `sql/queries` by name with its parameters."""

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from piibench_duck.errors import PiibenchError, WrongUsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from piibench_duck import warehouse
    from piibench_duck.places import Board
    from piibench_duck.protocol import Protocol

NONE: Mapping[str, str] = MappingProxyType({})


class Question(NamedTuple):
    """Either a SELECT or the name of a query."""

    select: str
    name: str = ""
    params: Mapping[str, str] = NONE


def of(query: str, arguments: Sequence[str] = ()) -> Question:
    """The question that a first argument and those behind it are; a name and its parameters may be one argument.

    >>> of("worst_rows", ["--run", "rules", "--n=20"])
    Question(select='', name='worst_rows', params={'run': 'rules', 'n': '20'})
    """
    name = query.removeprefix("queries.")
    if name.isidentifier():
        return Question("", name, _parameters(arguments))
    if re.fullmatch(r"--[\w-]+(=.*)?", query):
        raise WrongUsageError(f"no such option: {query}; the name of a query comes before its parameters")
    if arguments:
        what = "a file" if _is_file(query) else "a SELECT"
        raise WrongUsageError(f"no such option: {arguments[0]}; {what} takes no parameters")
    return Question(_read(query)) if _is_file(query) else of_line(query)


def of_line(line: str) -> Question:
    """The question that a line of the prompt is: words as in a shell where it begins with a name, else a SELECT.

    >>> of_line("worst_rows --run rules;")
    Question(select='', name='worst_rows', params={'run': 'rules'})
    >>> of_line("select 1;")
    Question(select='select 1;', name='', params=mappingproxy({}))
    """
    if name_in(line, _names()) is None:
        return Question(line)
    try:
        name, *arguments = shlex.split(line.strip().rstrip("; "))
    except ValueError as error:
        raise WrongUsageError(f"the parameters cannot be read: {str(error).lower()}") from None
    return of(name, arguments)


def name_in(line: str, names: Sequence[str]) -> str | None:
    """The one of these names of queries with which a line begins, if any."""
    found = re.fullmatch(r"\s*(?:queries\.)?(\w+)(?:\s+--.*|\s*;?\s*)", line, re.DOTALL)
    return found[1] if found is not None and found[1] in names else None


def rows(
    con: "warehouse.Connection | None", board: "Board", protocol: "Protocol", question: Question, at_most: int | None
) -> "tuple[warehouse.Connection, pa.Table]":
    """The rows of the answer, of a SELECT at most that many; and the connection, a given one for a SELECT."""
    from piibench_duck import query

    if question.name:
        con = query.open_for(board, protocol, question.name, question.params)
        return con, query.named(con, question.name, question.params)
    con = con or query.open_locked(board, protocol, wanted=())
    return con, query.select(con, question.select, at_most, board)


def plan(con: "warehouse.Connection | None", board: "Board", protocol: "Protocol", question: Question) -> str:
    """How DuckDB would answer, which is not done."""
    from piibench_duck import query

    if question.name:
        con = query.open_for(board, protocol, question.name, question.params)
        return query.plan_of_named(con, question.name, question.params)
    return query.plan(con or query.open_locked(board, protocol, wanted=()), question.select, board)


def _names() -> list[str]:
    from piibench_duck import query

    return list(query.queries())


def _is_file(query: str) -> bool:
    """Whether the argument is a file's name: it ends in .sql, and is one word or the file is there."""
    return query.endswith(".sql") and (len(query.split()) == 1 or Path(query).is_file())


def _read(file: str) -> str:
    path = Path(file)
    if not path.is_file():
        raise PiibenchError(f"no file {file!r}; a file with one SELECT was expected")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise PiibenchError(f"{file}: not UTF-8, which was expected") from None


def _parameters(arguments: Sequence[str]) -> dict[str, str]:
    """`--name value` and `--name=value`, which are no options of ours; a hyphen in a name stands for its underscore."""
    found: dict[str, str] = {}
    waiting = list(arguments)
    while waiting:
        name, equals, value = waiting.pop(0).partition("=")
        if not re.fullmatch(r"--\w[\w-]*", name) or not (equals or waiting):
            raise WrongUsageError("parameters of a query are given as --name value")
        name = name.removeprefix("--").replace("-", "_")
        if name in found:
            raise WrongUsageError(f"--{name} is given twice")
        found[name] = value if equals else waiting.pop(0)
    return found
