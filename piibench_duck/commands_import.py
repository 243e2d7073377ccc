"""The commands for other tools' files: predictions into a board as a run, gold into a rows file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board, KeyMap, Labels, Offsets, OffsetUnit, key_map, label_types
from piibench_duck.commands_wrap import check_out, count
from piibench_duck.names import may_be_told


class Given(StrEnum):
    """What a file of predictions is."""

    auto = "auto"
    jsonl = "jsonl"
    tab = "tab"


class Gold(StrEnum):
    """What a file of gold is."""

    tab = "tab"


def import_(
    file: Annotated[Path, typer.Argument(help="Predictions, JSONL or Parquet, or masks by document in TAB's JSON.")],
    name: Annotated[str, typer.Option("--as", help="The name of the run.")],
    board: Board = "demo",
    kind: Annotated[Given, typer.Option("--from", help="What FILE is: auto looks into it.")] = Given.auto,
    note: Annotated[str | None, typer.Option(help="What a reader of results should know.")] = None,
    allow_missing: Annotated[bool, typer.Option("--allow-missing", help="Leave rows that count unanswered.")] = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    mapped: KeyMap = None,
    labels: Labels = None,
    as_json: AsJson = False,
) -> None:
    """Bring predictions made elsewhere into a board as a run, to be scored and compared like its own."""
    from piibench_duck import imports
    from piibench_duck import protocol as protocols

    protocol = protocols.load()
    place = protocols.find_board(board, protocol)
    with console.refusals_as_json(as_json), console.status(f"import {file.name}"):
        keys = key_map(mapped)
        told = label_types(labels)
        done = imports.import_run(
            place, protocol, file, name, kind.value, offset_unit.value, keys, note, allow_missing, told
        )
    if as_json:
        console.print_json({"run": name, **done._asdict(), "designs": [one._asdict() for one in done.designs]})
    else:
        print(f"{name}: {count(done.n_rows, 'row')} with {count(done.n_spans, 'span')}")
    if done.n_missing and not done.designs:
        console.warn(
            f"{name} leaves {done.n_missing} of {count(done.n_ranked, 'row')} that the board ranks on unanswered; "
            f"to score it, pass --allow-missing there too, and they count as missed"
        )
    for one in done.designs:
        console.warn(
            f"{name} leaves {one.n_missing} of {count(one.n_rows, 'row')} of the design {one.design} open: {one.costs}"
        )
    if done.designs:
        console.warn(f"`piibench-duck export marts.bench_texts --board {board} --out FILE` gives all rows to answer")
    if done.unexplained:
        told_of = ", ".join(
            f"{label if may_be_told(label) else '(a label that may be text)'} ({n_spans})"
            for label, n_spans in done.unexplained.items()
        )
        console.warn(
            f"no map names these labels of {name}, so typed and entity scores take them for no type: {told_of}; "
            "import again with --label SOURCE=TYPE for each, TYPE may be ignored"
        )
    for label in done.unused:
        console.warn(f"--label {label}: no span of {name} is called so")


def convert(
    file: Annotated[Path, typer.Argument(help="Gold of another tool.")],
    out: Annotated[Path, typer.Argument(help="The rows file to write, .jsonl or .parquet.")],
    kind: Annotated[Gold, typer.Option("--from", help="What FILE is.")] = Gold.tab,
) -> None:
    """Make another tool's gold a rows file; in a folder of its own, as rows.jsonl, that is a board."""
    from piibench_duck.interchange import tab, writing

    check_out(out, file)
    with console.status(f"convert {file.name}"):
        gold = tab.read_gold(file)
        writing.write_rows(out, tab.as_rows(gold))
    if warned := tab.surface_warning(gold):
        console.warn(f"{file}: {warned}")
    print(f"{count(len(gold.texts), 'row')} in {out}")
