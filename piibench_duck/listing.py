"""What there is: corpora, carriers, runners, metrics, queries, and the runs of a board."""

from collections.abc import Sequence

Lines = list[Sequence[object]]


def of(what: str, board: str) -> tuple[Sequence[str], Lines]:
    """Column names and lines of one listing; `board` counts for runs alone."""
    if what == "runs":
        return _runs(board)
    return {"corpora": _corpora, "carriers": _carriers, "runners": _runners, "queries": _queries, "metrics": _metrics}[
        what
    ]()


def _corpora() -> tuple[Sequence[str], Lines]:
    from piibench_duck.sources import load_sources

    columns = ("corpus", "source", "language", "licence", "annotates", "title")
    return columns, [
        (source.corpus, source.name, source.language, source.licence, ", ".join(source.annotates), source.title)
        for source in load_sources().values()
    ]


def _carriers() -> tuple[Sequence[str], Lines]:
    from piibench_duck import carriers

    return ("carrier", "on boards", "looks like"), [
        (name, "by default" if carriers.is_default(name) else "off by default", carriers.describe(name))
        for name in carriers.carrier_names()
    ]


def _runners() -> tuple[Sequence[str], Lines]:
    from piibench_duck.runners import registry

    return ("runner", "options", "what it is"), [
        (name, " ".join(registry.options_of(name)), registry.describe(name)) for name in registry.runner_names()
    ]


def _metrics() -> tuple[Sequence[str], Lines]:
    """Macros of `sql/metrics` and marts, whose figures they are."""
    from piibench_duck import query, warehouse

    kinds = {"metrics": "metric", "marts": "mart"}
    return ("name", "kind", "what it says"), [
        (file.name, kinds[file.schema], query.subject(file))
        for file in sorted(warehouse.files(), key=lambda file: (file.schema != "metrics", file.name))
        if file.schema in kinds
    ]


def _queries() -> tuple[Sequence[str], Lines]:
    from piibench_duck import parameters, query

    return ("query", "parameters", "what it answers"), [
        (name, parameters.usage(file), query.subject(file)) for name, file in query.queries().items()
    ]


def _runs(board: str) -> tuple[Sequence[str], Lines]:
    from piibench_duck import boards, protocol, warehouse

    plan = protocol.load()
    place = protocol.find_board(board, plan)
    boards.require_built(place.warehouse, place.name)
    con = warehouse.connect()
    warehouse.attach(con, place.warehouse)
    columns = ("run_id", "status", "kind", "runner", "model", "revision", "is_pinned", "artefact", "licence", "why")
    return columns, list(con.sql(f"select {', '.join(columns)} from contracts.runs order by run_id").fetchall())
