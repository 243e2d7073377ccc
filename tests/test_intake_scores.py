"""Hostile pairs of files through the command: a refused one leaves nothing behind, a taken one is scored right."""

import json
from pathlib import Path
from typing import Any

import pytest

from piibench_duck import cli

CASES = json.loads((Path(__file__).parent / "fixtures" / "intake" / "cases.json").read_text("utf-8"))


def flags(offset_unit: str = "codepoint", allow_missing: bool = False) -> list[str]:
    """A case's options as the command takes them."""
    return ["--offset-unit", offset_unit, *(["--allow-missing"] if allow_missing else [])]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_command_scores_or_refuses_as_the_case_says(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, preds, out = tmp_path / "rows.jsonl", tmp_path / "preds.jsonl", tmp_path / "out" / "run"
    rows.write_bytes(case["rows_file"].encode())
    preds.write_bytes(case["preds_file"].encode())
    options = flags(**case["options"])
    files = ["--rows", str(rows), "--preds", str(preds), "--model", "m", "--out-dir", str(out)]
    with pytest.raises(SystemExit) as ended:
        cli.main(["score", *files, "--replicates", "10", "--threads", "1", *options])
    said, want = capsys.readouterr(), case["want"]
    if "reject" in want or "error" in want:
        assert ended.value.code == 1
        assert not out.exists()
        assert not out.parent.exists()
        assert said.out == ""
        assert "Traceback" not in said.err
        for reason in [fault["reason"] for fault in want.get("reject", [])] or [want["error"]]:
            assert reason in said.err
        return
    assert ended.value.code == 0
    result = json.loads((out / "result.json").read_text("utf-8"))
    [(_, scores)] = result["scores"]["by_corpus"].items()
    assert {name: scores[name] for name in ("tp", "fp", "fn")} == {name: want[name] for name in ("tp", "fp", "fn")}
    assert result["n_rows_missing"] == want.get("n_rows_missing", 0)
    assert result["n_duplicate_spans"] == want.get("n_duplicate_spans", 0)
