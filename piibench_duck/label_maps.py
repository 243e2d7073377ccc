"""The label map of a board: the seeds, and what the sources that the board is built of say of their own labels."""

from collections.abc import Iterable, Mapping

from piibench_duck import sources, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_plan
from piibench_duck.source_tables import FILE, Source

Meaning = tuple[str, str | None]
"""A type of the taxonomy, or `ignored`, and why."""

_Namespace = Mapping[str, Meaning]


def fill(con: warehouse.Connection, board: Board, protocol: Protocol) -> None:
    """Fill in the taxonomy and the board's label map: everything that builds, scores or compares comes through here.

    A corpus whose sources say what its labels mean is a namespace of the map. Raises where they contradict each other
    or the taxonomy.
    """
    warehouse.fill_seeds(con)
    plan = board_plan(board, protocol)
    if plan is None:
        return
    told = [source for source in sources.of_board(board).values() if source.corpus in plan.corpora]
    found = meanings(con, [source for source in told if source.has_labels])
    lines = [(corpus, label, *meaning) for (corpus, label), meaning in found.items()]
    columns = ("namespace", "source_label", "type", "reason")
    warehouse.fill(con, "label_map", {name: [line[at] for line in lines] for at, name in enumerate(columns)})


def meanings(con: warehouse.Connection, told: Iterable[Source]) -> dict[tuple[str, str], Meaning]:
    """What each label of a corpus means, by corpus and label, over seeds that are filled in."""
    roles = dict(con.sql("select type, role from contracts.taxonomy").fetchall())
    found: dict[tuple[str, str], Meaning] = {}
    for source in told:
        where = f"{FILE}, [{source.name}]"
        if _namespace(con, source.corpus):
            raise PiibenchError(
                f"{where}: the labels of the corpus {source.corpus!r} stand in label_map.csv; "
                "another name for the corpus was expected, or no labels here"
            )
        for label, meaning in _of_source(con, where, source, roles).items():
            before = found.setdefault((source.corpus, label), meaning)
            if before[0] != meaning[0]:
                raise PiibenchError(
                    f"{where}: the label {label!r} of the corpus {source.corpus!r} is {meaning[0]}, "
                    f"and {before[0]} in another source of it"
                )
    return found


def _of_source(con: warehouse.Connection, where: str, source: Source, roles: Mapping[str, str]) -> dict[str, Meaning]:
    found: dict[str, Meaning] = {}
    if source.labels_of is not None:
        found |= _namespace(con, source.labels_of)
        if not found:
            named = con.sql("select distinct namespace from contracts.label_map order by all").fetchall()
            there = ", ".join(name for (name,) in named)
            raise PiibenchError(f"{where}: 'labels_of' names {source.labels_of!r}; there are {there}")
    for label, type_ in source.labels.items():
        if roles.get(type_, "ignored") == "ignored":
            there = ", ".join(name for name, role in roles.items() if role != "ignored")
            raise PiibenchError(
                f"{where}: 'labels' maps {label!r} to {type_!r}; there are {there}, or a 'drop' with its reason"
            )
        found[label] = (type_, None)
    for drop in source.drop:
        found |= dict.fromkeys(drop.labels, ("ignored", drop.reason))
    return found


def _namespace(con: warehouse.Connection, namespace: str) -> _Namespace:
    select = "select source_label, type, reason from contracts.label_map where namespace = $namespace order by all"
    lines = con.sql(select, params={"namespace": namespace}).fetchall()
    return {label: (type_, reason) for label, type_, reason in lines}
