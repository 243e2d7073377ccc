"""The label map of a board: the seeds, and what the sources that the board is built of say of their own labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from piibench_duck import sources, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.names import may_be_told
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol, board_plan
from piibench_duck.source_tables import FILE, Source

Meaning = tuple[str, str | None]
"""A type of the taxonomy, or `ignored`, and why."""

_Namespace = Mapping[str, Meaning]

_UNKNOWN = "select corpus, source_label, source, n_spans from staging.source_labels where role = 'unknown'"


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


def refuse_unknown(con: warehouse.Connection, board: Board) -> None:
    """Raise where a source has labels that no map names, unless the build was allowed to ignore them."""
    warehouse.derive(con, ["staging.source_labels"])
    if unknown := warehouse.rows_of(con, f"{_UNKNOWN} and not is_allowed order by all"):
        raise PiibenchError(_unnamed(con, board, unknown))


def allow_unknown(con: warehouse.Connection) -> list[str]:
    """Let the labels that no map names be ignored from here on, by whoever scores the board; each with its spans."""
    warehouse.derive(con, ["staging.source_labels"])
    con.execute(
        "update contracts.source_labels set is_allowed = true "
        f"where (source, source_label) in (select (source, source_label) from ({_UNKNOWN}))"
    )
    return _told(con, warehouse.rows_of(con, f"{_UNKNOWN} order by all"))


def _unnamed(con: warehouse.Connection, board: Board, unknown: Sequence[Mapping[str, Any]]) -> str:
    """Which gold labels nobody explains, and the file in which to do so."""
    known = sources.of_board(board)
    of_tables = {name for name, source in known.items() if source.has_labels}
    in_table = [board.own is not None or label["source"] in of_tables for label in unknown]
    file = FILE if all(in_table) else "label_map.csv" if not any(in_table) else "the label map"
    how = "give each a line of 'labels', or a 'drop' with its reason," if all(in_table) else "map them,"
    told = ", ".join(_told(con, unknown))
    return f"{file} does not name these gold labels: {told}; {how} or build with --allow-unknown-labels"


def _told(con: warehouse.Connection, labels: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each label with its spans; those together that may be text, since another key of a span was taken for it."""
    found = con.sql("select distinct source_label from contracts.gold_spans where lower(surface) = lower(source_label)")
    texts = {label for (label,) in found.fetchall()}
    shown = [label for label in labels if may_be_told(label["source_label"]) and label["source_label"] not in texts]
    told = [f"{label['corpus']}:{label['source_label']} ({label['n_spans']} spans)" for label in shown]
    if hidden := [label for label in labels if label not in shown]:
        n_spans = sum(label["n_spans"] for label in hidden)
        what = "1 label that is" if len(hidden) == 1 else f"{len(hidden)} labels that are"
        told.append(f"{what} no single word and may be text ({n_spans} spans; marts.label_diagnostics shows it)")
    return told


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
