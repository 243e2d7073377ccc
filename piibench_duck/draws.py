"""The bootstrap's draws kept between processes: they depend on seed, replicates and the sizes of the corpora alone."""

import hashlib
import json
from pathlib import Path

from piibench_duck import warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import cache_dir

KEPT_FILES = 8
TABLE = "intermediate.draws"


def derive(con: warehouse.Connection) -> None:
    """Create the table of draws: from the cache folder where they lie, else computed and kept there if it can be."""
    path = _path(con)
    if path.is_file():
        try:
            warehouse.create_from_parquet(con, TABLE, path)
            if _checksum(con) == _said(con, path):
                return
            con.execute(f"drop table {TABLE}")
        except PiibenchError:
            pass
        path.unlink(missing_ok=True)
    warehouse.derive(con, [TABLE])
    _keep(con, path)


def _checksum(con: warehouse.Connection) -> str:
    """Of all three columns, whatever the order of the rows; raises where they are others."""
    return warehouse.one_value(
        con,
        "select concat_ws(' ', count(*), sum(n_drawn), "
        f"bit_xor(xor(replicate_key::bigint * 4096 + n_drawn, unit_key::bigint << 40))) from {TABLE}",
    )


def _said(con: warehouse.Connection, path: Path) -> str | None:
    said = warehouse.about(con, path.parent.parent).get(f"{path.parent.name}/{path.stem}", {})
    checksum = said.get("checksum")
    return None if checksum is None else str(checksum)


def _path(con: warehouse.Connection) -> Path:
    """A file named after all that the draws depend on, the SQL that makes them included."""
    warehouse.derive(con, ["intermediate.units", "staging.settings"])
    strata = con.sql(
        "select unit, corpus, count(*) from intermediate.units group by unit, corpus order by unit, corpus"
    ).fetchall()
    settings = con.sql("select seed, replicates from staging.settings").fetchall()
    made_by = [file.text for file in warehouse.files() if file.name == TABLE or file.schema == "macros"]
    digest = hashlib.sha256(json.dumps([strata, settings, made_by]).encode()).hexdigest()
    return cache_dir() / "draws" / f"{digest}.parquet"


def _keep(con: warehouse.Connection, path: Path) -> None:
    """Write the draws if the machine lets us, and forget the oldest of those kept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        warehouse.copy_to(con, f"select * from {TABLE}", path, warehouse.told({"checksum": _checksum(con)}))
        old = sorted(path.parent.glob("*.parquet"), key=lambda kept: kept.stat().st_mtime)[:-KEPT_FILES]
        for kept in old:
            kept.unlink(missing_ok=True)
    except (OSError, PiibenchError):
        return
