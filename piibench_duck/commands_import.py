"""The commands for other tools' files: predictions into a board as a run, and one format made another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import (
    AsJson,
    Board,
    KeyMap,
    Labels,
    Offsets,
    OffsetUnit,
    key_map,
    label_types,
)
from piibench_duck.commands_wrap import check_out, count
from piibench_duck.errors import PiibenchError, WrongUsageError
from piibench_duck.names import may_be_told

if TYPE_CHECKING:
    from piibench_duck import offsets
    from piibench_duck.converting import Given
    from piibench_duck.interchange.tables import Predictions
    from piibench_duck.left_open import OpenRows

FORMATS = "jsonl, tab, nervaluate, presidio, conll, brat, label-studio, doccano, frame or redacted"


def import_(
    file: Annotated[Path, typer.Argument(help="Predictions, a file or a folder as the format has it.")],
    name: Annotated[str, typer.Option("--as", help="The name of the run.")],
    board: Board = "demo",
    kind: Annotated[
        str,
        typer.Option(
            "--from",
            "--format",
            help=f"What FILE is: auto (jsonl, Parquet or tab), {FORMATS}; ends in nervaluate's are inclusive.",
        ),
    ] = "auto",
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
        done = imports.import_run(place, protocol, file, name, kind, offset_unit.value, keys, note, allow_missing, told)
    if as_json:
        console.print_json({"run": name, **done._asdict(), "designs": [one._asdict() for one in done.designs]})
    else:
        print(f"{name}: {count(done.n_rows, 'row')} with {count(done.n_spans, 'span')}")
    if done.n_missing and not done.designs:
        console.warn(
            f"{name} leaves {done.n_missing} of {count(done.n_ranked, 'row')} that the board ranks on unanswered; "
            f"to score it, pass --allow-missing there too, and they count as missed"
        )
    say_left_open(name, board, done.designs, done.unexplained, "import again")
    for label in done.unused:
        console.warn(f"--label {label}: no span of {name} is called so")


def say_left_open(
    name: str, board: str, designs: "list[OpenRows]", unexplained: dict[str, int], mend: str = "import it"
) -> None:
    """Warn of rows and labels that a file leaves open on a board."""
    for one in designs:
        console.warn(
            f"{name} leaves {one.n_missing} of {count(one.n_rows, 'row')} of the design {one.design} open: {one.costs}"
        )
    if designs:
        console.warn(f"`piibench-duck export marts.bench_texts --board {board} --out FILE` gives all rows to answer")
    if unexplained:
        told_of = ", ".join(
            f"{label if may_be_told(label) else '(a label that may be text)'} ({n_spans})"
            for label, n_spans in unexplained.items()
        )
        console.warn(
            f"no map names these labels of {name}, so typed and entity scores take them for no type: {told_of}; "
            f"{mend} with --label SOURCE=TYPE for each, TYPE may be ignored"
        )


def convert(
    file: Annotated[
        Path | None, typer.Argument(help="Another tool's file or folder, or with --to a rows file.")
    ] = None,
    out_there: Annotated[Path | None, typer.Argument(metavar="[OUT]", help="The same as --out.")] = None,
    out: Annotated[Path | None, typer.Option(help="The file to write, or the new folder.")] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--from",
            "--format",
            help=f"What FILE is: auto (jsonl, Parquet or tab), {FORMATS}; gold of some of them.",
        ),
    ] = "auto",
    rows: Annotated[
        Path | None, typer.Option(help="The rows file that FILE answers: it holds predictions, not gold.")
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="What to write: jsonl, conll, brat or hub-folder, of a board or a rows file.")
    ] = None,
    preds: Annotated[
        list[Path] | None, typer.Option(help="With --to: a predictions file for the rows; its name is the run's.")
    ] = None,
    board: Annotated[
        str | None, typer.Option(help="With --to: the rows that a board ranks on, instead of a rows file.")
    ] = None,
    run: Annotated[list[str] | None, typer.Option(help="With --board: a run, whose spans are written.")] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Leave out rows that were not answered.")
    ] = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    as_json: AsJson = False,
) -> None:
    """Make another tool's gold a rows file, its predictions a predictions file, or either of these another tool's.

    A rows file as rows.jsonl in a folder of its own is a board.
    """
    if board is not None and to is None:
        raise WrongUsageError("--board needs --to, what to write")
    if board is None and file is None:
        raise WrongUsageError("a file to convert, or --board, was expected")
    if board is not None and out_there is not None:
        raise WrongUsageError("a board is converted without a file; name one place to write to")
    if board is not None:
        file, out_there = None, out_there or file
    target = out or out_there
    if target is None or (out and out_there):
        raise WrongUsageError("one place to write to was expected, as OUT or --out")
    if to is None and (preds or run):
        raise WrongUsageError("--preds and --run go with --to")
    if to is not None and (kind != "auto" or rows):
        raise WrongUsageError("--from and --rows say what is read, and with --to that is a rows file or a board")
    if run and board is None:
        raise WrongUsageError("--run goes with --board")
    if preds and board is not None:
        raise WrongUsageError("--preds goes with a rows file; a board has runs")
    with console.refusals_as_json(as_json):
        if to is not None:
            said, told = _write(
                target, to, _given(board, run or [], file, preds or [], offset_unit.value, allow_missing)
            )
        elif file is not None and rows is not None:
            said, told = _predictions(file, target, kind, rows, offset_unit, allow_missing)
        else:
            assert file is not None
            said, told = _gold(file, target, kind, offset_unit)
    if as_json:
        console.print_json({**said, "out": str(target)})
    else:
        print(told)


Said = tuple[dict[str, object], str]
"""What was written, in figures and in a sentence."""


def _gold(file: Path, out: Path, kind: str, unit: OffsetUnit) -> Said:
    from piibench_duck import converting
    from piibench_duck.interchange import writing

    check_out(out, file)
    with console.status(f"convert {file.name}"):
        taken, warned = converting.gold(file, kind, unit.value)
        writing.write_rows(out, taken)
    if warned:
        console.warn(f"{file}: {warned}")
    n_rows = len(taken.rows["row_id"])
    return {"n_rows": n_rows}, f"{count(n_rows, 'row')} in {out}"


def _predictions(file: Path, out: Path, kind: str, rows: Path, unit: OffsetUnit, allow_missing: bool) -> Said:
    from piibench_duck import converting
    from piibench_duck.interchange import writing

    check_out(out, file, rows)
    with console.status(f"convert {file.name}"):
        answered = converting.predictions(file, kind, rows, unit.value, allow_missing)
        writing.write_predictions(out, answered)
    if answered.missing_row_ids:
        console.warn(f"{count(len(answered.missing_row_ids), 'row')} not answered and left out")
    what, how = in_words(answered)
    n_rows, n_spans = len(answered.run_rows["row_id"]), len(answered.pred_spans["row_id"])
    read_by = dict(answered.settings)
    n_missing = len(answered.missing_row_ids)
    said = {"n_rows": n_rows, "n_spans": n_spans, "n_rows_missing": n_missing, "settings": read_by}
    return said, f"{what} in {out}{how}"


def in_words(answered: "Predictions") -> tuple[str, str]:
    """How much a file answers, and how it was read."""
    n_spans = len(answered.pred_spans["row_id"])
    how = "".join(f", {name.replace('_', ' ')}: {value}" for name, value in answered.settings)
    return f"{count(len(answered.run_rows['row_id']), 'row')} with {count(n_spans, 'span')}", how


def _given(
    board: str | None,
    runs: list[str],
    rows: Path | None,
    preds: list[Path],
    unit: "offsets.OffsetUnit",
    allow_missing: bool,
) -> "Given":
    """What is to be written, of a board or of files."""
    from piibench_duck import converting, given
    from piibench_duck import protocol as protocols

    if board is not None:
        protocol = protocols.load()
        return converting.of_board(protocols.find_board(board, protocol), protocol, runs)
    if rows is None:
        raise WrongUsageError("a rows file or --board was expected")
    names = [path.stem for path in preds]
    if len({*names}) < len(names):
        raise PiibenchError("two predictions files have one name; the names of runs differ")
    taken, answers = given.read(rows, preds, unit, None, allow_missing)
    return converting.Given(taken, dict(zip(names, answers, strict=True)))


def _write(out: Path, to: str, given: "Given") -> Said:
    from piibench_duck import converting

    with console.status(f"convert to {to}"):
        lost = converting.write(out, to, given)
    for reason, n_spans in lost.items():
        console.warn(f"{count(n_spans, 'span')} left out, {reason}: {to} cannot carry that")
    for line in converting.held_back(to, given):
        console.warn(line)
    n_rows = len(given.rows.rows["row_id"])
    of_runs = "".join(f" with {name}" for name in given.runs)
    said = {"n_rows": n_rows, "runs": list(given.runs), "n_spans_left_out": dict(lost)}
    return said, f"{count(n_rows, 'row')}{of_runs} in {out}"
