"""The flow from texts to spans on disk: what it writes, refuses, survives, and never tells."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from piibench_duck.errors import PiibenchError
from piibench_duck.machine import machine
from piibench_duck.predict import Texts, answers, held, predict, settings_digest
from piibench_duck.runners import Answer, Description, Span, Text

TEXTS = [Text(f"row-{n:03d}", "x" * (n * 7 % 23)) for n in range(50)]


class Fake:
    """Marks the whole of each text, and does what it is told besides."""

    def __init__(self, act: Callable[[Sequence[Text]], None] = lambda texts: None, **settings: str) -> None:
        self.act = act
        self.description = Description("model", "fake", "tiny", None, "ab", "*", settings, {"engine": "1"})
        self.batches: list[list[str]] = []

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        self.batches.append([text.row_id for text in texts])
        self.act(texts)
        return [Answer((Span(0, len(t.text), "X", 0.5),) if t.text else (), len(t.text)) for t in texts]


def test_every_row_is_answered_in_order_with_the_columns_of_the_contracts(tmp_path: Path):
    predict(TEXTS[::-1], Fake(), tmp_path / "run", "inputs", batch_size=4, chunk_rows=16)
    found = answers(tmp_path / "run")
    assert found.run_rows.column_names == ["run_id", "row_id", "status", "chars_seen"]
    assert found.run_rows.to_pylist() == [
        {"run_id": "run", "row_id": row_id, "status": "ok", "chars_seen": len(text)} for row_id, text in TEXTS
    ]
    assert found.pred_spans.to_pylist() == [
        {"run_id": "run", "row_id": i, "start_char": 0, "end_char": len(t), "source_label": "X", "score": 0.5}
        for i, t in TEXTS
        if t
    ]
    assert found.errors == {}
    assert answers(tmp_path / "run", "named").run_rows["run_id"][0].as_py() == "named"


def test_batches_are_by_length_within_a_chunk(tmp_path: Path):
    detector = Fake()
    predict(TEXTS, detector, tmp_path / "run", "inputs", batch_size=4, chunk_rows=10)
    lengths = {text.row_id: len(text.text) for text in TEXTS}
    for chunk in range(5):
        batches = detector.batches[chunk * 3 : chunk * 3 + 3]
        assert [len(batch) for batch in batches] == [4, 4, 2]
        rows = [row_id for batch in batches for row_id in batch]
        assert rows == sorted(
            (text.row_id for text in TEXTS[chunk * 10 : chunk * 10 + 10]), key=lambda i: (lengths[i], i)
        )


def test_no_rows_are_a_run_too(tmp_path: Path):
    predict([], Fake(), tmp_path / "run", "inputs")
    assert answers(tmp_path / "run").run_rows.num_rows == 0


def test_progress_counts_every_row_also_those_done_before(tmp_path: Path):
    for _ in range(2):
        told: list[int] = []
        predict(TEXTS, Fake(), tmp_path / "run", "inputs", chunk_rows=20, progress=told.append)
        assert told == [20, 20, 10]


def test_a_row_that_fails_is_an_error_and_its_batch_is_tried_row_by_row(tmp_path: Path):
    def fail(texts: Sequence[Text]) -> None:
        if any(text.row_id == "row-007" for text in texts):
            raise RuntimeError("the text was: secret")

    predict(TEXTS, Fake(fail), tmp_path / "run", "inputs")
    found = answers(tmp_path / "run")
    assert [line["row_id"] for line in found.run_rows.to_pylist() if line["status"] != "ok"] == ["row-007"]
    assert found.errors == {"RuntimeError": 1}
    assert b"secret" not in b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir())


def test_the_first_row_that_fails_ends_the_run_where_that_is_asked_for(tmp_path: Path):
    def fail(texts: Sequence[Text]) -> None:
        if any(text.row_id == "row-017" for text in texts):
            raise RuntimeError("the text was: secret")

    with pytest.raises(PiibenchError, match=r"row 'row-017' was not answered \(RuntimeError\)") as told:
        predict(TEXTS, Fake(fail), tmp_path / "run", "inputs", chunk_rows=10, fail_fast=True)
    assert "secret" not in str(told.value)
    assert [path.name for path in sorted((tmp_path / "run").glob("*.parquet"))] == ["000000.parquet"]
    predict(TEXTS, Fake(), tmp_path / "run", "inputs", chunk_rows=10, fail_fast=True)
    assert answers(tmp_path / "run").errors == {}


def test_texts_are_asked_for_a_chunk_at_a_time(tmp_path: Path):
    asked: list[int] = []

    def of(row_ids: Sequence[str]) -> list[Text]:
        asked.append(len(row_ids))
        by_id = {text.row_id: text for text in TEXTS}
        return [by_id[row_id] for row_id in row_ids]

    predict(Texts([text.row_id for text in TEXTS], of), Fake(), tmp_path / "run", "inputs", chunk_rows=20)
    assert asked == [20, 20, 10]
    assert answers(tmp_path / "run").run_rows.num_rows == 50


@pytest.mark.parametrize(
    "answer",
    [
        Answer((Span(-1, 2, "X"),), 3),
        Answer((Span(0, 4, "X"),), 3),
        Answer((Span(2, 2, "X"),), 3),
        Answer((Span(0.0, 2, "X"),), 3),  # type: ignore[arg-type]  # what a careless runner gives
        Answer((Span(False, 2, "X"),), 3),
        Answer((Span(0, 2, ""),), 3),
        Answer((Span(0, 2, "X", float("nan")),), 3),
        Answer((), 4),
        Answer((), 3, "fine"),
    ],
)
def test_an_answer_that_breaks_the_contract_is_an_error_of_its_row(tmp_path: Path, answer: Answer):
    class Careless(Fake):
        def __call__(self, texts: Sequence[Text]) -> list[Answer]:
            return [answer if text.row_id == "b" else Answer((Span(0, 1, "X"),), 3) for text in texts]

    predict([Text(i, "abc") for i in "abc"], Careless(), tmp_path / "run", "inputs")
    found = answers(tmp_path / "run")
    assert found.run_rows["status"].to_pylist() == ["ok", "error", "ok"]
    assert found.pred_spans["row_id"].to_pylist() == ["a", "c"]
    assert found.errors == {"BadAnswerError": 1}


def test_too_few_answers_are_asked_for_again_one_by_one(tmp_path: Path):
    class Short(Fake):
        def __call__(self, texts: Sequence[Text]) -> list[Answer]:
            return super().__call__(texts)[:1]

    predict(TEXTS, Short(), tmp_path / "run", "inputs")
    assert answers(tmp_path / "run").errors == {}


def test_what_a_user_can_mend_is_not_an_error_of_a_row(tmp_path: Path):
    def refuse(texts: Sequence[Text]) -> None:
        raise PiibenchError("no room")

    with pytest.raises(PiibenchError, match="no room"):
        predict(TEXTS, Fake(refuse), tmp_path / "run", "inputs")


def test_a_row_twice_is_refused(tmp_path: Path):
    with pytest.raises(PiibenchError, match=r"^row 'a' occurs twice"):
        predict([Text("a", ""), Text("b", ""), Text("a", "x")], Fake(), tmp_path / "run", "inputs")


def test_a_run_of_other_settings_or_texts_is_refused_with_what_differs_and_restarted_when_told(tmp_path: Path):
    folder = tmp_path / "run"
    predict(TEXTS, Fake(threshold="0.0"), folder, "inputs")
    with pytest.raises(PiibenchError, match=r"begun with other settings \(threshold was 0.0 and is 0.5\)"):
        predict(TEXTS, Fake(threshold="0.5"), folder, "inputs")
    with pytest.raises(PiibenchError, match=r"other settings \(batch_size was 64 and is 8\)"):
        predict(TEXTS, Fake(threshold="0.0"), folder, "inputs", batch_size=8)
    with pytest.raises(PiibenchError, match=r"other texts \(inputs_digest was inputs and is others\)"):
        predict(TEXTS, Fake(threshold="0.0"), folder, "others")
    detector = Fake(threshold="0.5")
    predict(TEXTS, detector, folder, "inputs", restart=True)
    assert sum(map(len, detector.batches)) == len(TEXTS)


def test_libraries_and_machine_do_not_make_another_run(tmp_path: Path):
    detector = Fake()
    digest = settings_digest(detector.description)
    assert digest == settings_digest(detector.description._replace(libraries={"engine": "2"}))
    assert digest != settings_digest(detector.description._replace(weights_sha256="cd"))
    told = machine(detector.description)
    assert told["engine"] == "1"
    assert {"host", "processor", "cores", "python", "platform"} <= told.keys()
    assert all(isinstance(value, str) for value in told.values())


@pytest.mark.parametrize("damage", ["gone", "cut", "empty", "other rows"])
def test_a_chunk_that_is_not_whole_is_done_again_and_only_that(tmp_path: Path, damage: str):
    folder = tmp_path / "run"
    predict(TEXTS, Fake(), folder, "inputs", chunk_rows=10)
    before = answers(folder)
    chunk = folder / "000002.parquet"
    if damage == "gone":
        chunk.unlink()
        with pytest.raises(PiibenchError, match=r"run 'run' is not finished: 000002\.parquet is missing"):
            answers(folder)
    elif damage == "cut":
        chunk.write_bytes(chunk.read_bytes()[:-20])
    elif damage == "empty":
        chunk.write_bytes(b"")
    else:
        chunk.write_bytes((folder / "000001.parquet").read_bytes())
    (folder / "000002.parquet.part").write_bytes(b"left by a kill")
    detector = Fake()
    predict(TEXTS, detector, folder, "inputs", chunk_rows=10)
    assert sorted(row_id for batch in detector.batches for row_id in batch) == [text.row_id for text in TEXTS[20:30]]
    after = answers(folder)
    assert (after.run_rows, after.pred_spans) == (before.run_rows, before.pred_spans)
    assert sorted(path.name for path in folder.iterdir()) == [*(f"00000{n}.parquet" for n in range(5)), "run.json"]


def test_a_run_that_was_not_begun_has_no_answers(tmp_path: Path):
    with pytest.raises(PiibenchError, match="run 'run' was not begun"):
        answers(tmp_path / "run")


SLOW = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from piibench_duck.predict import predict
    from piibench_duck.runners import Answer, Description, Span, Text

    class Slow:
        description = Description("model", "slow", None, None, None, "*", {}, {})

        def __call__(self, texts):
            time.sleep(0.01)
            return [Answer((Span(0, len(text.text), "X", 0.5),), len(text.text)) for text in texts]

    texts = [Text(f"{n:03d}", "x" * (1 + n * 7 % 23)) for n in range(40)]
    predict(texts, Slow(), Path(sys.argv[1]), "inputs", batch_size=2, chunk_rows=4,
            progress=lambda n: print(n, flush=True))
    """
)


def start(folder: Path) -> "subprocess.Popen[str]":
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def test_a_killed_run_goes_on_and_ends_with_the_same_answers(tmp_path: Path):
    whole = start(tmp_path / "whole")
    whole.communicate()
    assert whole.returncode == 0
    for n_chunks in (1, 5):
        process = start(tmp_path / "run")
        assert process.stdout is not None
        for _ in range(n_chunks):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    resumed = start(tmp_path / "run")
    told, _ = resumed.communicate()
    assert resumed.returncode == 0
    assert sum(map(int, told.split())) == 40
    ours, theirs = answers(tmp_path / "run", "r"), answers(tmp_path / "whole", "r")
    assert ours.run_rows.equals(theirs.run_rows)
    assert ours.pred_spans.equals(theirs.pred_spans)
    manifests = [json.loads((tmp_path / name / "run.json").read_bytes()) for name in ("run", "whole")]
    assert manifests[0] == manifests[1]


def test_a_second_process_on_a_run_is_told_so_and_changes_nothing(tmp_path: Path):
    first = start(tmp_path / "run")
    assert first.stdout is not None
    first.stdout.readline()
    with pytest.raises(PiibenchError, match=r"^run 'run' is being worked on by another process"):
        predict([], Fake(), tmp_path / "run", "inputs", restart=True)
    first.communicate()
    assert first.returncode == 0
    assert answers(tmp_path / "run").run_rows.num_rows == 40


def test_who_holds_a_run_may_predict_into_it(tmp_path: Path):
    with held(tmp_path / "run"):
        predict(TEXTS, Fake(), tmp_path / "run", "inputs")
        assert answers(tmp_path / "run").run_rows.num_rows == len(TEXTS)
