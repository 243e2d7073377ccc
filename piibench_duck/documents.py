"""Whole-document protection, as `result.json` says it: shares with their intervals, and why a corpus has none."""

from typing import Any

from piibench_duck import warehouse

MARTS = ("marts.document_scores", "marts.document_intervals")
"""What has to be derived before `sections` is asked for."""


def sections(con: warehouse.Connection) -> dict[str, dict[str, Any]]:
    """What results say of each run that ran: a corpus under `by_corpus`, or `not_applicable` with the reason.

    `overall` has sums of the counts and the plain mean of the shares; it is not there where no corpus was measured.
    """
    lines = warehouse.rows_of(
        con,
        "select scores.*, intervals.* exclude (run_id, corpus) from marts.document_scores as scores "
        "inner join marts.document_intervals as intervals "
        "on scores.run_id = intervals.run_id and scores.corpus is not distinct from intervals.corpus "
        "order by scores.corpus",
    )
    corpora = con.sql(
        "select corpus, bool_or(is_of_document) from staging.all_rows group by corpus order by corpus"
    ).fetchall()
    [(design,)] = con.sql("select documents_design from staging.settings").fetchall()
    found: dict[str, dict[str | None, dict[str, Any]]] = {
        run: {} for (run,) in con.sql("select run_id from staging.runs where status = 'ran' order by run_id").fetchall()
    }
    for line in lines:
        found[line.pop("run_id")][line.pop("corpus")] = line
    return {
        run: {
            "design": design,
            **({"overall": of_run[None]} if None in of_run else {}),
            "by_corpus": {corpus: line for corpus, line in of_run.items() if corpus is not None},
            "not_applicable": {
                corpus: {"reason": _reason(is_there)} for corpus, is_there in corpora if corpus not in of_run
            },
        }
        for run, of_run in found.items()
    }


def _reason(is_there: bool) -> str:
    if is_there:
        return "the run left texts of the design that holds documents whole open"
    return "none of its texts is in the design that holds documents whole"
