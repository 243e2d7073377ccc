"""A runner over a rows file, into a predictions file."""

import shutil
from collections.abc import Callable
from pathlib import Path

from piibench_duck import predict
from piibench_duck.errors import PiibenchError
from piibench_duck.interchange import tables, writing
from piibench_duck.run_plans import RunPlan
from piibench_duck.runners import Text
from piibench_duck.runs import Asked, Progress, load


def run_on_file(
    rows: tables.Rows,
    plan: RunPlan,
    out: Path,
    asked: Asked = Asked(),  # noqa: B008  # it is never changed
    start: Callable[[int], Progress] | None = None,
) -> dict[str, int]:
    """Answer a rows file into a predictions file; how often each kind of error was met."""
    detector = load(plan)
    folder = out.with_name(f"{out.name}.partial")
    texts = [Text(row_id, text) for row_id, text in rows.texts.items()]
    progress = start(len(texts)) if start else None
    if folder.exists() and not (folder / "run.json").is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise PiibenchError(f"{folder.name!r} is in the way, which predict did not begin; move it elsewhere")
    with predict.held(folder):
        predict.predict(
            texts,
            detector,
            folder,
            rows.sha256,
            batch_size=asked.batch_rows,
            restart=asked.restart,
            fail_fast=asked.fail_fast,
            progress=progress,
        )
        found = predict.answers(folder)
        if texts and sum(found.errors.values()) == len(texts):
            shutil.rmtree(folder)
            raise PiibenchError(f"no row was answered ({', '.join(found.errors)}), so nothing is written")
        writing.write_predictions(
            out,
            tables.Predictions(
                {name: found.run_rows[name].to_pylist() for name in tables.RUN_ROW_COLUMNS},
                {name: found.pred_spans[name].to_pylist() for name in tables.PRED_COLUMNS},
                (),
                "",
            ),
        )
        shutil.rmtree(folder)
        # Nobody waits for this lock, and a lock file has no business beside a person's finished predictions.
        folder.with_name(f"{folder.name}.lock").unlink(missing_ok=True)
    return found.errors
