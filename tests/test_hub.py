"""Models and data sets of a hub on loopback, each command in a process of its own."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import hub_server, shell
from tests.hub_server import ALWAYS, Hub

onnx = pytest.importorskip("onnx", reason="onnx builds the test's graph; install the dev extra")

NAME = "someone/tiny"
OTHER = "0123456789abcdef" * 2 + "01234567"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "anna", "called"]


def tiny() -> dict[str, bytes]:
    """A model of two labels that knows the word Anna, with a file that nobody needs."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    logits = np.zeros((len(WORDS), 2), np.float32)
    logits[:, 0], logits[WORDS.index("anna")] = 1, [0, 1]
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["rows", "tokens"])
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)
    gather = helper.make_node("Gather", ["table", "input_ids"], ["logits"])
    graph = helper.make_graph([gather], "tagger", [ids], [out], [numpy_helper.from_array(logits, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    tokenizer = Tokenizer(models.WordPiece({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    config = {"id2label": {"0": "O", "1": "B-PER"}, "max_position_embeddings": 16}
    return {
        "README.md": b"Not needed.\n" * 100,
        "config.json": json.dumps(config).encode(),
        "onnx/model.onnx": model.SerializeToString(),
        "onnx/model_q4.onnx": model.SerializeToString(),
        "tokenizer.json": tokenizer.to_str().encode(),
    }


@pytest.fixture
def hub() -> Iterator[Hub]:
    with hub_server.serving() as hub:
        yield hub


@pytest.fixture
def commit(hub: Hub) -> str:
    return hub.add(NAME, tiny())


class Desk:
    """A folder with a rows file, and `predict` over it in a process of its own."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder, self.environment = folder, dict(environment)
        shell.write_lines(folder / "rows.jsonl", [{"id": "a", "text": "Yes, Anna called.", "spans": []}])

    def predict(self, revision: str | None, model: str = NAME, pipeline: str = "onnx", **more: str) -> shell.Ended:
        at = () if revision is None else ("--revision", revision)
        arguments = ("predict", "--rows", "rows.jsonl", "--model", model, *at, "--out", "preds.jsonl")
        return shell.run(*arguments, "--pipeline", pipeline, home=self.folder, **{**self.environment, **more})

    def spans(self) -> Any:
        return json.loads((self.folder / "preds.jsonl").read_text())["spans"]

    def cached(self) -> list[str]:
        """Names of the files that the cache holds of the model."""
        snapshots = (self.folder / "cache").glob("hub/models--*/snapshots/*/**/*")
        return sorted(path.name for path in snapshots if path.is_file())

    def half_written(self) -> list[str]:
        cache = [path.name for path in (self.folder / "cache").rglob("*.incomplete")]
        return cache + [path.name for path in self.folder.glob("preds.jsonl*")]


@pytest.fixture
def desk(tmp_path: Path, hub: Hub) -> Desk:
    return Desk(tmp_path, hub.environment(tmp_path / "cache"))


def said(ended: shell.Ended) -> str:
    """The one sentence of a refusal."""
    assert (ended.code, ended.out) == (1, ""), ended
    assert ended.err.count("\n") == 1, ended.err
    assert "Anna" not in ended.err
    return ended.err.removeprefix("piibench-duck: ").strip()


def test_a_model_of_the_hub_answers_at_its_commit_and_only_what_it_needs_is_fetched(
    hub: Hub, commit: str, desk: Desk
) -> None:
    ended = desk.predict(commit)
    assert ended.code == 0, ended.err
    assert ended.err == ""
    assert [(span["start"], span["end"], span["label"]) for span in desk.spans()] == [(5, 9, "PER")]
    assert desk.cached() == ["config.json", "model.onnx", "tokenizer.json"]
    asked = len(hub.asked)
    (desk.folder / "preds.jsonl").unlink()
    assert desk.predict(commit).code == 0
    assert len(hub.asked) == asked, "what is in the cache is not asked for again"


def test_without_the_network_the_cache_serves_and_what_it_has_not_is_named(hub: Hub, commit: str, desk: Desk) -> None:
    told = said(desk.predict(commit, HF_HUB_OFFLINE="1"))
    assert (
        told == f"model '{NAME}' at {commit} cannot be had from the hub: "
        "it is not in the hub's cache, and HF_HUB_OFFLINE is set"
    )
    assert hub.asked == []
    assert desk.predict(commit).code == 0
    asked = len(hub.asked)
    for pipeline in ("onnx", "auto"):
        ended = desk.predict(commit, pipeline=pipeline, HF_HUB_OFFLINE="1")
        assert ended.code == 0, ended.err
    assert len(hub.asked) == asked


@pytest.mark.parametrize("revision", [None, "main", "abc123"])
def test_a_hub_id_without_a_full_commit_is_refused_before_the_hub_is_asked(
    hub: Hub, commit: str, desk: Desk, revision: str | None
) -> None:
    told = said(desk.predict(revision))
    assert (
        told
        == f"model '{NAME}' on the hub needs its revision as a full commit of 40 hex digits, but got {revision!r}; "
        "--unpinned takes it as it is today"
    )
    assert hub.asked == []


def test_a_revision_or_model_that_is_not_there_is_named(hub: Hub, commit: str, desk: Desk) -> None:
    told = said(desk.predict(OTHER))
    assert told == f"model '{NAME}' at {OTHER} cannot be had from the hub: the hub has no such revision"
    told = said(desk.predict(OTHER, "nobody/nothing"))
    assert "model 'nobody/nothing'" in told
    assert told.endswith("the hub answered 404, so there is no such thing")
    assert desk.cached() == desk.half_written() == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_model_that_asks_for_a_token_says_so(hub: Hub, commit: str, desk: Desk, status: int) -> None:
    hub.status["/api/models"] = status
    told = said(desk.predict(commit))
    assert f"the hub answered {status}, so it is not there, or asks for a token (HF_TOKEN)" in told
    del hub.status["/api/models"]
    hub.status["/resolve/"] = status
    assert f"the hub answered {status}" in said(desk.predict(commit))
    assert desk.cached() == desk.half_written() == []


def test_a_hub_that_cannot_be_reached_is_one_sentence(commit: str, desk: Desk) -> None:
    told = said(desk.predict(commit, HF_ENDPOINT="http://127.0.0.1:9"))
    assert told == f"model '{NAME}' at {commit} cannot be had from the hub: the hub cannot be reached (ConnectError)"


def test_a_transfer_that_breaks_off_once_goes_on_where_it_was(hub: Hub, commit: str, desk: Desk) -> None:
    hub.breaks["onnx/model.onnx"] = 1
    ended = desk.predict(commit)
    assert (ended.code, ended.err) == (0, "")
    assert [span["label"] for span in desk.spans()] == ["PER"]


def test_a_transfer_that_never_comes_to_its_end_leaves_nothing_half_written(hub: Hub, commit: str, desk: Desk) -> None:
    hub.breaks["onnx/model.onnx"] = ALWAYS
    hub.resumes = False
    told = said(desk.predict(commit))
    assert told == f"model '{NAME}' at {commit} cannot be had from the hub: the transfer failed (RemoteProtocolError)"
    assert desk.half_written() == []
    hub.breaks.clear()
    assert desk.predict(commit).code == 0


@pytest.mark.parametrize("file", ["onnx/model.onnx", "config.json"])
def test_bytes_with_another_digest_than_the_hub_states_are_refused_and_not_kept(
    hub: Hub, commit: str, desk: Desk, file: str
) -> None:
    right = tiny()[file]
    hub.other_bytes[file] = right[:-1] + bytes([right[-1] ^ 1])  # as long as the right ones
    told = said(desk.predict(commit))
    assert f"'{file}' of model '{NAME}' at {commit} has other bytes than the hub states: " in told
    assert file.rpartition("/")[2] not in desk.cached()
    assert desk.half_written() == []
    hub.other_bytes.clear()
    assert desk.predict(commit).code == 0


def test_bytes_that_were_changed_in_the_cache_are_refused_without_the_hub(hub: Hub, commit: str, desk: Desk) -> None:
    assert desk.predict(commit).code == 0
    weights = next((desk.folder / "cache").rglob("model.onnx")).resolve()
    weights.chmod(0o644)
    weights.write_bytes(weights.read_bytes() + b"\0")
    (desk.folder / "preds.jsonl").unlink()
    told = said(desk.predict(commit, HF_HUB_OFFLINE="1"))
    assert "'onnx/model.onnx' of model 'someone/tiny'" in told
    assert desk.half_written() == []


def test_a_repository_without_a_graph_or_without_a_tokenizer_says_what_it_lacks(hub: Hub, desk: Desk) -> None:
    files = tiny()
    bare = hub.add("someone/bare", {"README.md": files["README.md"], "config.json": files["config.json"]})
    assert said(desk.predict(bare, "someone/bare")).startswith("model 'someone/bare' has no ONNX graph")
    del files["tokenizer.json"]
    mute = hub.add("someone/mute", files)
    assert said(desk.predict(mute, "someone/mute")) == f"model 'someone/mute' at {mute} has no tokenizer.json"


def test_unpinned_takes_the_newest_commit_and_without_the_network_that_of_the_cache(
    hub: Hub, commit: str, desk: Desk
) -> None:
    newest = "import sys; from piibench_duck import hub; print(hub.newest_commit(*sys.argv[1:]))"
    assert python(desk, newest, NAME).out.strip() == commit
    newer = hub.repositories["models", NAME].commit({**tiny(), "README.md": b"Anew.\n"})
    assert newer != commit
    assert python(desk, newest, NAME).out.strip() == newer
    assert "has no such revision" in python(desk, newest, NAME, "elsewhere").err
    assert "HF_HUB_OFFLINE is set" in python(desk, newest, NAME, HF_HUB_OFFLINE="1").err
    described = (
        "import sys; from piibench_duck.runners.registry import load_runner\n"
        "said = load_runner('onnx', sys.argv[1], None, {}, unpinned=True).description\n"
        "print(said.revision, said.is_pinned)"
    )
    assert python(desk, described, NAME).out.split() == [newer, "False"]


def python(desk: Desk, script: str, *arguments: str, **more: str) -> shell.Ended:
    import subprocess
    import sys

    root = str(Path(__file__).parent.parent)
    environment = shell.environment(desk.folder, PYTHONPATH=root, **{**desk.environment, **more})
    ended = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, env=environment, timeout=60, check=False
    )
    return shell.Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())
