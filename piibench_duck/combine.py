"""Two runs of a board as one, as people deploy rules and a model together: in SQL, without running anything."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from piibench_duck import boards, label_maps, predict, query, run_plans, warehouse
from piibench_duck.errors import PiibenchError
from piibench_duck.machine import together
from piibench_duck.places import Board
from piibench_duck.protocol import Protocol
from piibench_duck.run_plans import RunPlan

if TYPE_CHECKING:
    import pyarrow as pa

RUNNER = "combine"
RULES = ("union", "intersection", "a-then-b")
_OF_PARTS = ("pred_spans", "run_rows")
_NAMESPACE = "combined"
"""A namespace that no map has: labels are our types already, and others stay what they are."""


def plan_of(name: str, a: str, b: str, rule: str) -> RunPlan:
    """The plan of a combination, under a name that files may have."""
    run_plans.check_name(name)
    return RunPlan(name, RUNNER, options={"a": a, "b": b, "rule": rule})


def run(board: Board, protocol: Protocol, plan: RunPlan) -> int:
    """Write the combination as a run, in place of an earlier one of that name; how many rows both answered."""
    boards.require_built(board.warehouse, board.name)
    a, b, rule = _options(plan)
    boards.asked_runs(board.warehouse, [a, b])
    if a == b:
        raise PiibenchError(f"run {a!r} cannot be combined with itself")
    with predict.held(board.warehouse / "chunks" / plan.name):
        kinds = ("model", "pipeline", "rules", "baseline", "file")
        boards.refuse_kinds(board, plan.name, kinds, "is no combination")
        con = warehouse.connect()
        label_maps.fill(con, board, protocol)
        digests = boards.verify(con, board.warehouse, boards.kept_tables(), [a, b])
        if plan.name in boards.parts_of(warehouse.about(con, board.warehouse), [a, b]):
            raise PiibenchError(f"run {plan.name!r} is a part of {a} or {b}, so it cannot be made of them")
        warehouse.attach(con, board.warehouse, [a, b], keep=("taxonomy", "label_map"))
        # Of no design: every text that both answered.
        warehouse.fill(con, "settings", {"seed": [protocol.seed], "replicates": [protocol.replicates]})
        warehouse.derive(con, ["staging.all_rows", "staging.pred_spans"])
        lines = {line["run_id"]: line for line in warehouse.rows_of(con, "select * from staging.runs")}
        for name in (a, b):
            if lines[name]["status"] != "ran":
                raise PiibenchError(f"run {name!r} was not run: {lines[name]['why']}")
        params = {"run_a": a, "run_b": b}
        rows = query.named(con, "combined_rows", params)
        spans = query.named(con, "combined_spans", {**params, "rule": rule.replace("-", "_")})
        inputs = boards.row_inputs(con, board.warehouse, [str(row_id) for row_id in rows["row_id"].to_pylist()])
        parts = {f"{table}/{name}": digests[f"{table}/{name}"] for table in _OF_PARTS for name in (a, b)}
        line = _line(plan, lines[a], lines[b], _ignored(spans))
        boards.write_run(board.warehouse, line, _tables(plan.name, rows, spans), {**inputs, **parts})
    return rows["status"].to_pylist().count("ok") + rows["status"].to_pylist().count("truncated")


def _options(plan: RunPlan) -> tuple[str, str, str]:
    there = {"rule": RULES[0], **plan.options}
    if there.keys() != {"a", "b", "rule"}:
        raise PiibenchError(f"run {plan.name!r}: options a and b, two runs, and rule were expected")
    if there["rule"] not in RULES:
        raise PiibenchError(f"run {plan.name!r}: no rule {there['rule']!r}; there are {', '.join(RULES)}")
    return there["a"], there["b"], there["rule"]


def _ignored(spans: "pa.Table") -> list[str]:
    """Labels that a map of the parts says not to score by type, which the combination has to remember."""
    import pyarrow.compute as pc

    return sorted(map(str, pc.unique(spans.filter(spans["is_ignored"])["label"]).to_pylist()))


def _tables(run: str, rows: "pa.Table", spans: "pa.Table") -> "dict[str, list[pa.Table]]":
    import pyarrow as pa

    def named(table: pa.Table) -> pa.Table:
        return table.add_column(0, "run_id", pa.array([run] * table.num_rows, pa.string()))

    labelled = spans.drop_columns(["is_ignored"]).rename_columns({"label": "source_label"})
    return {"run_rows": [named(rows)], "pred_spans": [named(labelled)]}


def _line(plan: RunPlan, a: Mapping[str, Any], b: Mapping[str, Any], ignored: Sequence[str]) -> dict[str, Any]:
    """The line of the run: it inherits of its parts whatever steered them, and is pinned where both are."""
    name_a, name_b, rule = _options(plan)
    parts = {f"settings_digest {one['run_id']}": one["settings_digest"] for one in (a, b)}
    settings = {"rule": rule, "run_a": name_a, "run_b": name_b, **parts}
    settings |= {f"label {label}": "ignored" for label in ignored}
    said = [one["steered"] for one in (a, b) if one["steered"] is not None]
    reasons = {corpus: dict.fromkeys(of[corpus] for of in said if corpus in of) for corpus in sorted({*chain(*said)})}
    conflicts = dict.fromkeys(one["conflict_of_interest"] for one in (a, b) if one["conflict_of_interest"])
    pinned = [one["is_pinned"] for one in (a, b)]
    machine = together([a["machine"], b["machine"]])
    machine.pop("rows_changed_by_batching", None)  # which is of one of them
    return {
        **{"run_id": plan.name, "status": "ran", "kind": "combined", "runner": RUNNER},
        **{"label_namespace": _NAMESPACE, "settings": sorted(settings.items())},
        "settings_digest": hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest(),
        "machine": sorted(machine.items()),
        "is_pinned": None if None in pinned else all(pinned),
        "artefact": plan.artefact,
        "licence": plan.licence,
        "credit": plan.credit or "; ".join(dict.fromkeys(one["credit"] for one in (a, b) if one["credit"])) or None,
        "publisher": plan.publisher,
        "steered": {corpus: "; ".join(whys) for corpus, whys in reasons.items()} if said else None,
        "conflict_of_interest": plan.conflict_of_interest or "; ".join(conflicts).replace(".; ", "; ") or None,
        "note": plan.note,
    }
