"""Hostile pairs of files and what must happen to each, from `tests/fixtures/intake/cases.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from piibench_duck.door import Refused, read_predictions, read_rows, validate

CASES = json.loads((Path(__file__).parent.parent / "fixtures" / "intake" / "cases.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_hostile_file_is_taken_or_refused_as_the_case_says(case: dict[str, Any], tmp_path: Path) -> None:
    rows_path, preds_path = tmp_path / "rows.jsonl", tmp_path / "preds.jsonl"
    rows_path.write_bytes(case["rows_file"].encode())
    preds_path.write_bytes(case["preds_file"].encode())
    rows = read_rows(rows_path)
    want, options = case["want"], case["options"]
    if "reject" in want or "error" in want:
        with pytest.raises(Refused) as refused:
            read_predictions(preds_path, rows, **options)
        findings = refused.value.findings
        assert validate(preds_path, rows_path, options.get("offset_unit", "codepoint")) == findings
        if "reject" in want:
            assert [{"line": finding.line, "reason": finding.reason} for finding in findings] == want["reject"]
        else:
            assert [finding.reason for finding in findings] == [want["error"]] * want["n_rows_missing"]
        return
    taken = read_predictions(preds_path, rows, **options)
    assert len(taken.missing_row_ids) == want.get("n_rows_missing", 0)
    spans = taken.pred_spans
    found = set(zip(spans["row_id"], spans["start_char"], spans["end_char"], strict=True))
    if "spans" in want:
        assert found == {(row_id, start, end) for row_id, pairs in want["spans"].items() for start, end in pairs}
    assert len(spans["row_id"]) - len(found) == want.get("n_duplicate_spans", 0)
    covered = {(row_id, at) for row_id, start, end in found for at in range(start, end)}
    gold = rows.gold_spans
    truth = {
        (row_id, at)
        for row_id, start, end in zip(gold["row_id"], gold["start_char"], gold["end_char"], strict=True)
        for at in range(start, end)
    }
    counts = {"tp": len(covered & truth), "fp": len(covered - truth), "fn": len(truth - covered)}
    assert counts == {name: want[name] for name in counts}
