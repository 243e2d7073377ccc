"""An interactive prompt over a board: SELECTs up to their semicolon, named queries, and commands that begin with a dot.

What is typed is remembered in memory alone: a SELECT may quote personal data.
"""

import contextlib
import gc
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import Output
from prompt_toolkit.output.defaults import create_output
from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]  # it ships no types

from piibench_duck import console, listing, parameters, query, questions, sandbox, selects, sqlfiles, warehouse
from piibench_duck.board import terminal
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol

Answer = Callable[[warehouse.Connection | None, questions.Question], None]

COMMANDS = {
    ".tables": "what can be read, and what a row of it is",
    ".schema": ".schema NAME: the columns of a table, or the parameters and columns of a query",
    ".queries": "the queries of sql/queries; ask one as `worst_rows --run rules --n 20`",
    ".help": "this",
    ".quit": "leave; so does Ctrl-D",
}


def start(
    board: Board, protocol: Protocol, answer: Answer, typed: Input | None = None, screen: Output | None = None
) -> None:
    """Ask and answer until the end of what is typed. The prompt is drawn on stderr, answers go to stdout."""
    con = query.open_locked(board, protocol, wanted=())
    names = Names()
    session: PromptSession[str] = PromptSession(
        f"{board.name}> ",
        lexer=PygmentsLexer(SqlLexer),
        completer=names,
        multiline=Condition(lambda: not is_whole(session.default_buffer.text, names)),
        prompt_continuation=lambda width, line, wrapped: "... ".rjust(width),
        input=typed,
        output=screen or create_output(stdout=sys.stderr),
    )
    console.warn(f"board {board.name}; a SELECT ends in a semicolon, .help tells more, Ctrl-D ends")
    with _interruptible():
        while True:
            try:
                text = session.prompt(handle_sigint=False).strip()
                if text.rstrip("; ").lower() == ".quit":
                    return
                _reply(con, board, names, answer, text)
            except KeyboardInterrupt:  # clears the line
                continue
            except EOFError:
                return


class Names(Completer):
    """Names that may be typed: relations and their columns, queries and their parameters, commands."""

    def __init__(self) -> None:
        self.queries = query.queries()
        self.relations: Mapping[str, sqlfiles.SqlFile] = {
            file.name: file for file in warehouse.files() if file.schema in warehouse.READABLE
        }
        self.functions = [file.name.removeprefix("macros.") + "(" for file in warehouse.files() if file.is_macro]

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Those that go on as the word before the cursor begins."""
        before = document.text_before_cursor
        word = re.search(r"[\w.-]*$", before)[0]  # type: ignore[index]  # what may be empty is always found
        for name, said in self._fitting(before.removesuffix(word), document.text).items():
            if word and name.lower().startswith(word.lower()) and name != word:
                yield Completion(name, -len(word), display_meta=said)

    def _fitting(self, before: str, whole: str) -> dict[str, str]:
        if (named := questions.name_in(before, list(self.queries))) is not None:
            there = parameters.of(self.queries[named]).values()
            return {one.typed: "" if one.is_needed else "may be left out" for one in there}
        if before.strip().lower() == ".schema":
            return {name: query.subject(file) for name, file in {**self.relations, **self.queries}.items()}
        if not before.strip():
            told = {name: query.subject(file) for name, file in self.queries.items()}
            return {**COMMANDS, **told, "select": "", "from": "", "with": ""}
        read = [file for name, file in self.relations.items() if re.search(rf"\b{name}\b", whole, re.IGNORECASE)]
        columns = {column: said for file in read for column, said in file.columns}
        return {
            **columns,
            **{name: query.subject(file) for name, file in self.relations.items()},
            **dict.fromkeys(self.functions, ""),
        }


def is_whole(text: str, names: Names) -> bool:
    """Whether Enter asks: a command, a query by name, or all up to a semicolon."""
    first = text.strip()
    is_line = not first or first.startswith(".") or questions.name_in(first, list(names.queries)) is not None
    return is_line or sandbox.end_of_first(text) is not None


def _reply(con: warehouse.Connection, board: Board, names: Names, answer: Answer, text: str) -> None:
    try:
        if text.startswith("."):
            _obey(con, board, names, text)
        elif text.strip("; "):
            answer(con, questions.of_line(text))
    except PiibenchError as error:
        console.warn(str(error))
    sys.stdout.flush()


def _obey(con: warehouse.Connection, board: Board, names: Names, text: str) -> None:
    command, *words = text.rstrip("; ").split() or [""]
    command = command.lower()
    if command == ".help":
        terminal.lines(("command", "what"), list(COMMANDS.items()), of_words=True)
    elif command == ".tables":
        lines = [(name, query.subject(file)) for name, file in sorted(names.relations.items())]
        terminal.lines(("table", "what"), lines, of_words=True)
    elif command == ".queries":
        terminal.lines(*listing.of("queries", board.name), of_words=True)
    elif command == ".schema" and len(words) == 1:
        _schema(con, board, names, words[0])
    else:
        raise PiibenchError(f"no command {text!r}; there are {', '.join(COMMANDS)}, and .schema takes one name")


def _schema(con: warehouse.Connection, board: Board, names: Names, name: str) -> None:
    asked, name = name, name.lower().removeprefix("queries.")  # ours are all written in lower case
    file = {**names.queries, **names.relations}.get(name)
    if file is None:
        raise PiibenchError(f"no table and no query {asked!r}; .tables and .queries list them")
    print(terminal.visible(query.subject(file)))
    if name in names.queries:
        print(f"{name} {parameters.usage(file)}".strip())
        terminal.lines(("column", "what"), file.columns, of_words=True)
        return
    types: dict[Any, Any] = {
        line[0]: line[1] for line in query.cells(query.select(con, f"describe {name}", None, board))
    }
    lines = [(column, types[column], said) for column, said in file.columns]
    terminal.lines(("column", "type", "what"), lines, of_words=True)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends an answer that takes long and not the prompt, which may live long enough to need the collector."""
    before = signal.signal(signal.SIGINT, lambda number, frame: selects.interrupt())
    gc.enable()
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
