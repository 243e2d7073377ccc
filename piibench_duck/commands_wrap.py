"""The commands for a user's own texts in a carrier: wrap them, and bring back what was predicted there."""

from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, KeyMap, Offsets, OffsetUnit, key_map
from piibench_duck.errors import PiibenchError, WrongUsageError


def wrap(
    carrier: Annotated[str, typer.Option(help="What to wrap the texts in; `piibench-duck list carriers` has all.")],
    rows: Annotated[Path, typer.Option("--in", help="A rows file of your annotated texts.")],
    out: Annotated[Path, typer.Option(help="The rows file to write, .jsonl or .parquet.")],
    allow_refused: Annotated[
        bool, typer.Option("--allow-refused", help="Leave out the texts that the carrier's format cannot hold.")
    ] = False,
    mapped: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Wrap your own annotated texts in a carrier; each row becomes <id>@<carrier>."""
    from piibench_duck import door, wrapping
    from piibench_duck.interchange.writing import write_rows

    check_out(out, rows)
    with console.refusals_as_json(as_json), console.status(f"wrap {rows.name}"):
        taken = door.read_rows(rows, key_map(mapped))
        wrapped, refused = wrapping.wrap_rows(taken, carrier)
        n_rows, n_taken = len(wrapped.rows["row_id"]), len(taken.rows["row_id"])
        if refused and not (allow_refused and n_rows):
            row_id, reason = next(iter(refused.items()))
            mended = "no text is left to write" if allow_refused else "--allow-refused leaves such rows out"
            raise PiibenchError(
                f"{rows}: {len(refused)} of {n_taken} rows hold what {carrier} cannot, "
                f"the first {row_id!r}: {reason}; {mended}"
            )
        write_rows(out, wrapped)
    if refused:
        console.warn(f"{count(len(refused), 'row')} of {n_taken} left out, which {carrier} cannot hold")
    for row_id, reason in refused.items():
        console.warn(f"row {row_id!r} is left out: {reason}")
    if as_json:
        console.print_json({"carrier": carrier, "n_rows": n_rows, "refused": refused, "out": str(out)})
    else:
        print(f"{count(n_rows, 'row')} in {out}")


def unwrap(
    rows: Annotated[Path, typer.Option("--in", help="A rows file that `piibench-duck wrap` wrote.")],
    preds: Annotated[Path, typer.Option(help="A predictions file for it.")],
    out: Annotated[Path, typer.Option(help="The predictions file to write, .jsonl or .parquet.")],
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Leave out rows that were not answered.")
    ] = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    mapped: KeyMap = None,
    as_json: AsJson = False,
) -> None:
    """Bring predictions made on wrapped rows back to the texts inside."""
    from piibench_duck import given, wrapping
    from piibench_duck.interchange.writing import write_predictions

    check_out(out, rows, preds)
    with console.refusals_as_json(as_json), console.status(f"unwrap {preds.name}"):
        taken, (answered,) = given.read(rows, [preds], offset_unit.value, key_map(mapped), allow_missing)
        unwrapped, n_dropped = wrapping.unwrap_predictions(taken, answered)
        write_predictions(out, unwrapped)
    if n_missing := len(answered.missing_row_ids):
        console.warn(f"{count(n_missing, 'row')} not answered and left out")
    if n_dropped:
        console.warn(f"{count(n_dropped, 'span')} dropped, on nothing but the carrier's syntax and keys")
    n_rows = len(unwrapped.run_rows["row_id"])
    if as_json:
        said = {"n_rows": n_rows, "n_rows_missing": n_missing, "n_spans_dropped": n_dropped, "out": str(out)}
        console.print_json(said)
    else:
        print(f"{count(n_rows, 'row')} in {out}")


def check_out(out: Path, *read: Path) -> None:
    """Raise unless `out` can be written and is none of the files that are read, before anything is read."""
    if out.suffix not in (".jsonl", ".parquet"):
        raise WrongUsageError(f"--out {out.name!r} ends in neither .jsonl nor .parquet")
    if out.is_dir() or not out.parent.is_dir():
        raise PiibenchError(f"--out {str(out)!r}: a file in a folder that exists was expected")
    if any(path.exists() and out.exists() and out.samefile(path) for path in read):
        raise PiibenchError(f"--out {str(out)!r} is a file to be read; another name was expected")


def count(n: int, what: str) -> str:
    """How many there are, in words: `1 row`, `2 rows`."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
