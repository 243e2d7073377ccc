"""The yardsticks beside the character score: entities, typed spans, text anonymization, whole documents."""

from typing import Any

from piibench_duck import documents, entities, report, side_by_side, tab, warehouse

_ALWAYS = (*entities.MARTS, *report.MARTS, *documents.MARTS)

COUNTS = ("entity_counts", "typed_counts", "tab_counts", "document_counts")
"""What their figures rest on: relations of `intermediate`, of ids and integers, written beside a result."""


def marts(con: warehouse.Connection) -> tuple[str, ...]:
    """What has to be derived before `sections` is asked for: TAB's only where some gold is of that kind."""
    return (*_ALWAYS, *tab.MARTS) if tab.applies(con) else _ALWAYS


def counts(con: warehouse.Connection) -> tuple[str, ...]:
    """Those of `COUNTS` that this scoring has."""
    return tuple(name for name in COUNTS if warehouse.is_there(con, f"intermediate.{name}"))


def sections(con: warehouse.Connection) -> dict[str, dict[str, Any]]:
    """What a result says of each run that ran, by its keys `entity`, `typed`, `tab` and `documents`."""
    parts = {
        "entity": entities.sections,
        "typed": report.sections,
        "tab": tab.sections,
        "documents": documents.sections,
    }
    of_parts = dict(zip(parts, side_by_side.each(con, parts.values()), strict=True))
    return {run: {name: of_runs[run] for name, of_runs in of_parts.items()} for run in of_parts["entity"]}
