"""What a run that was imported leaves open: rows of the board's designs, and labels that nobody explains."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from piibench_duck import warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.protocol import BoardPlan

IGNORED = "ignored"
LABEL = "label "
"""What opens the name of a setting of a run that says what one of its labels means."""


class OpenRows(NamedTuple):
    """A design of the board with what a run answered of it; `costs` says what it does not get for the rest."""

    design: str
    n_rows: int
    n_missing: int
    costs: str


_COSTS = {
    "ranked": "to score it, pass --allow-missing there too, and they count as missed",
    "pairs": "carriers are compared with prose only over the passages that it answered in both",
    "documents": "without all of a corpus, typed scores there are of the rows that rank, and there are no figures of "
    "whole documents and none of TAB",
}


def rows(con: warehouse.Connection, plan: BoardPlan | None, answered: Collection[str]) -> list[OpenRows]:
    """Each design that scores of a board rest on and that a run leaves open in part, in the order of their weight."""
    found = []
    designs = {} if plan is None else {"ranked": plan.ranked, "pairs": plan.pairs, "documents": plan.documents}
    for use, design in designs.items():
        select = "select row_id from contracts.designs where design = $design"
        wanted = {row_id for (row_id,) in con.sql(select, params={"design": design}).fetchall()}
        if n_missing := len(wanted.difference(answered)):
            found.append(OpenRows(design, len(wanted), n_missing, _COSTS[use]))
    return found


def check_types(con: warehouse.Connection, labels: Mapping[str, str]) -> None:
    """Raise where a label is said to mean what the taxonomy does not have."""
    known = [name for (name,) in con.sql("select type from contracts.taxonomy order by bit").fetchall()] + [IGNORED]
    for label, type_ in labels.items():
        if type_ not in known:
            raise PiibenchError(f"--label {label}={type_}: there is no type {type_!r}; there are {', '.join(known)}")


def settings(labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the line of a run keeps of them."""
    return [(f"{LABEL}{label}", type_) for label, type_ in sorted(labels.items())]


def unexplained(con: warehouse.Connection) -> dict[str, int]:
    """How many spans the one run of `con` gives each label that no map names."""
    warehouse.derive(con, ["staging.run_labels"])
    select = "select source_label, n_spans from staging.run_labels where type is null order by all"
    return dict(con.sql(select).fetchall())
