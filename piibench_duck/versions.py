"""Whether a board's files are of this version: all tables are there, each file with the columns of its table."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from piibench_duck import warehouse
from piibench_duck.errors import PiibenchError

OF_BUILD = ("source_labels", "annotators", "forgiven", "designs")
"""Tables that a build writes as one file each, `build.parquet`, also where that has no rows."""


def require_tables(folder: Path, name: str, tables: Iterable[str]) -> None:
    """Raise where one of the tables is not there: read as if it were empty, it would make figures wrong."""
    for table in tables:
        files = (warehouse.EMPTY, "build.parquet") if table in OF_BUILD else (warehouse.EMPTY,)
        if not all((folder / table / file).is_file() for file in files):
            raise PiibenchError(f"board {name!r} is of an older version, without {table}; build and score it again")


def first_other(con: warehouse.Connection, folder: Path, names: Iterable[str]) -> str | None:
    """The first of the files `<table>/<writer>` whose columns are not those that the SQL gives its table."""
    columns = {
        file.name.split(".")[1]: {column for column, _ in file.columns}
        for file in warehouse.files()
        if file.schema == "contracts" or file.is_kept
    }
    known = [name for name in names if name.split("/")[0] in columns]
    found = _columns(con, [folder / f"{name}.parquet" for name in known])
    return next((name for name in known if found[name] != columns[name.split("/")[0]]), None)


def _columns(con: warehouse.Connection, paths: Iterable[Path]) -> dict[str, set[str]]:
    """The outermost columns of Parquet files, by `<table>/<writer>`."""
    told = ", ".join(warehouse.quoted(warehouse.globbed(path)) for path in paths)
    if not told:
        return {}
    lines = con.sql(
        f"select file_name, name, coalesce(num_children, 0) from parquet_schema([{told}]) order by file_name, column_id"
    ).fetchall()
    found: dict[str, set[str]] = {}
    for file, nodes in groupby(lines, lambda line: Path(line[0])):
        of_file = found.setdefault(f"{file.parent.name}/{file.stem}", set())
        n_inside = 0  # nodes that are still to come of a column that has parts
        for _, name, n_parts in list(nodes)[1:]:  # behind the one that holds them all
            if not n_inside:
                of_file.add(name)
            n_inside = n_inside + n_parts - 1 if n_inside else n_parts
    return found
