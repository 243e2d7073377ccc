"""Values to slice by stand in reports, so none may be a text that the gold marks."""

from collections import Counter

from piibench_duck import warehouse
from piibench_duck.errors import PiibenchError

_CHECK = "checks.slices_are_not_gold"


def refuse_gold(con: warehouse.Connection, where: str) -> None:
    """Raise where a column to slice by holds what a gold span of the same document holds; `where` says who names it.

    The column is told and how many of its values, never one of them.
    """
    text = next(file.text for file in warehouse.files() if file.name == _CHECK)
    found = Counter(line["name"] for line in warehouse.rows_of(con, text))
    if not found:
        return
    told = ", ".join(f"{name!r} ({n_values})" for name, n_values in sorted(found.items()))
    raise PiibenchError(
        f"{where}: 'slices' have values that are the text of a gold span of the same document: {told}; "
        "they would stand in reports, so take these columns out"
    )
