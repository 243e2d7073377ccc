"""Parameters of the queries in `sql/queries/`: which one takes, how they are typed, and what values there are."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from piibench_duck import sqlfiles, warehouse
from piibench_duck.errors import PiibenchError, WrongUsageError

VALUES_SHOWN = 20

_RANKED_GOLD = "intermediate.typed_gold as gold inner join staging.rows as rows on gold.row_key = rows.row_key"
_RANKED_PRED = "staging.pred_spans as pred inner join staging.rows as rows on pred.row_key = rows.row_key"
_PAIRED = "intermediate.pairs as pairs inner join staging.all_rows as rows on pairs.row_key = rows.row_key"

KNOWN = {
    "run": "select run_id from staging.runs",
    "row": "select row_id from staging.rows",
    "corpus": "select corpus from staging.rows",
    "carrier": "select carrier from staging.rows",
    "label": f"select gold.label from {_RANKED_GOLD}",
    "scored label": f"select gold.label from {_RANKED_GOLD} where gold.is_scored",
    "pred label": f"select pred.label from {_RANKED_PRED}",
    "source label": f"select pred.source_label from {_RANKED_PRED}",
    "carrier of a pair": f"select rows.carrier from {_PAIRED}",
    "run that answered whole documents": "select run_id from intermediate.document_counts",
    "corpus of whole documents": (
        "select corpus from intermediate.document_counts where run_id in (select run_id from staging.runs)"
    ),
}
"""Where the values of each kind stand on a board, which a query sees with the runs alone that it names."""


class Parameter(NamedTuple):
    """What the text of a query and its opening comment say of one `$name`."""

    name: str
    is_needed: bool  # may not be left out
    is_number: bool  # a whole one
    words: tuple[str, ...]  # the only values, where they are fixed
    kind: str  # what its values are, of `KNOWN` where they stand on the board

    @property
    def typed(self) -> str:
        return typed(self.name)


def typed(name: str) -> str:
    """A parameter as it is written on the command line.

    >>> typed("gold_label")
    '--gold-label'
    """
    return "--" + name.replace("_", "-")


def of(file: sqlfiles.SqlFile) -> dict[str, Parameter]:
    """The parameters of a query, by name.

    One whose description says `or null` may be left out. Behind a colon it has its words, `: too_long or shifted`, or
    says of what kind of `KNOWN` its value is, `: any scored label`, where that is not its name.
    """
    code = re.sub(r"--[^\n]*", "", file.text)
    comment = " ".join(file.comment.split())
    numbers = set(re.findall(r"\$(\w+)::bigint", code))
    found = {}
    for name in sorted(set(re.findall(r"\$(\w+)", code))):
        said = _said(file, name)
        _, _, values = said.partition(": ")
        is_kind = values.startswith("any ")
        own = "run" if is_run(name) else name.replace("_", " ")
        words = () if is_kind else tuple(word for word in re.findall(r"\w+", values) if word != "or")
        kind = values.removeprefix("any ") if is_kind else own
        found[name] = Parameter(name, f"{name}, or null" not in comment, name in numbers, words, kind)
    return found


def usage(file: sqlfiles.SqlFile) -> str:
    """The parameters as they are typed, in brackets those that may be left out."""
    taken = sorted(of(file).values(), key=lambda one: (not one.is_needed, one.name))
    return " ".join(one.typed if one.is_needed else f"[{one.typed}]" for one in taken)


def looked_up(file: sqlfiles.SqlFile, params: Mapping[str, object]) -> list[str]:
    """Relations of a board in which `check` looks for the values of these parameters."""
    selects = [KNOWN.get(one.kind, "") for name, one in of(file).items() if params.get(name) is not None]
    return sorted({name for select in selects for name in re.findall(r"\b(?:staging|intermediate)\.\w+", select)})


def is_run(name: str) -> bool:
    """Whether a parameter of that name names a run."""
    return name.partition("_")[0] == "run"


def check(con: warehouse.Connection, file: sqlfiles.SqlFile, params: Mapping[str, object]) -> None:
    """Raise `PiibenchError` unless these are parameters of the query, all that it needs, with values that there are."""
    taken = of(file)
    needed = {one.name for one in taken.values() if one.is_needed}
    if not needed <= params.keys() <= taken.keys():
        given = " ".join(map(typed, sorted(params))) or "none"
        name = file.name.partition(".")[2]
        raise PiibenchError(f"query {name!r} takes {usage(file) or 'no parameters'}, found {given}")
    for name, value in params.items():
        if value is not None:
            _check_value(con, taken[name], str(value))


def _check_value(con: warehouse.Connection, parameter: Parameter, value: str) -> None:
    if parameter.is_number:
        if not re.fullmatch(r"[0-9]{1,18}", value):
            raise WrongUsageError(f"{parameter.typed} {value!r} is no whole number")
        return
    there = list(parameter.words)
    if not there:
        if parameter.kind not in KNOWN:
            return
        select = f"select distinct * from ({KNOWN[parameter.kind]}) order by all"
        there = [str(known) for (known,) in con.sql(select).fetchall()]
    if value not in there:
        raise PiibenchError(f"no {parameter.kind} {value!r}; {_listed(there)}")


def _listed(there: list[str]) -> str:
    if not there:
        return "none is there in what was asked for"
    shown = [one if one.isprintable() and one else repr(one) for one in there[:VALUES_SHOWN]]
    more = f", and {len(there) - VALUES_SHOWN} more" if len(there) > VALUES_SHOWN else ""
    return f"there are {', '.join(shown)}{more}"


def _said(file: sqlfiles.SqlFile, name: str) -> str:
    """What the opening comment says of a parameter, from its name on; nothing where it is silent."""
    whole = re.search(r"^Parameters: (.*?)\.?$(?=\n\w+: |\Z)", file.comment, flags=re.MULTILINE | re.DOTALL)
    parts = " ".join(whole[1].split()).split("; ") if whole else []
    return next((part for part in parts if re.match(rf"{name}\b", part)), "")
