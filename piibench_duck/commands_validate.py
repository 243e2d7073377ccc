"""The command that says what is wrong with a file, ours or another tool's, and writes nothing."""

from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, KeyMap, Offsets, OffsetUnit, key_map
from piibench_duck.commands_import import FORMATS, in_words, say_left_open
from piibench_duck.commands_wrap import count
from piibench_duck.errors import WrongUsageError


def validate(
    file: Annotated[Path, typer.Argument(help="A rows file or other gold; with --rows or --board predictions.")],
    rows: Annotated[Path | None, typer.Option(help="The rows file that FILE answers.")] = None,
    board: Annotated[str | None, typer.Option(help="The board that FILE answers.")] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--from",
            "--format",
            help=f"What FILE is: auto (jsonl, Parquet or tab), {FORMATS}; gold of some of them.",
        ),
    ] = "auto",
    offset_unit: Offsets = OffsetUnit.codepoint,
    mapped: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Say what the door, `import` (with --board) or `convert` would say of a file; nothing is written."""
    from piibench_duck import door, given

    if rows is not None and board is not None:
        raise WrongUsageError("--rows and --board are two things to answer; one was expected")
    place = None
    if board is not None:
        from piibench_duck import protocol as protocols

        protocol = protocols.load()
        place = (protocols.find_board(board, protocol), protocol)
    with console.status(f"validate {file.name}"):
        said = given.judge(file, kind, rows, place, offset_unit.value, key_map(mapped))
    if as_json:
        print(door.as_json(said.findings))
    elif said.findings:
        for finding in said.findings:
            print(console.one_line(str(finding)))
        print(count(len(said.findings), "fault"))
    else:
        what, how = in_words(said.answers) if said.answers else ("", "")
        print(f"{file.name}: nothing wrong" + (f": {what}{how}" if what else ""))
    for line in (said.warned and f"{file}: {said.warned}", said.hint):
        if line:
            console.warn(line)
    if said.on_board and board is not None:
        say_left_open(file.name, board, said.on_board.designs, said.on_board.unexplained)
    if said.findings:
        raise typer.Exit(1)
