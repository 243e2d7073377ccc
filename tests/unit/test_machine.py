"""What is said of the machine."""

from pathlib import Path

import pytest

from piibench_duck.machine import accelerators, machine, together, unused
from piibench_duck.runners import Description


def described(**libraries: str) -> Description:
    return Description("model", "onnx", "m", None, None, "*", {}, libraries)


def test_every_run_says_the_same_things_of_its_machine() -> None:
    told = machine(described(onnxruntime="1.0"))
    names = ("host", "processor", "cores", "python", "platform", "device", "provider", "threads", "accelerators_unused")
    assert {*names, "onnxruntime"} == told.keys()
    assert all(told.values())
    assert machine(described(device="cuda:0"))["device"] == "cuda:0"


def test_accelerators_are_seen_by_their_device_files(tmp_path: Path) -> None:
    assert [one for one in accelerators(tmp_path) if one != "mps"] == []
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "nvidia0").touch()
    (tmp_path / "dev" / "kfd").touch()
    assert [one for one in accelerators(tmp_path) if one != "mps"] == ["cuda", "rocm"]


def test_what_is_used_does_not_lie_idle() -> None:
    assert unused(["cuda", "rocm"], "cpu CUDAExecutionProvider") == ["rocm"]
    assert unused(["cuda"], "cpu CPUExecutionProvider") == ["cuda"]
    assert unused(["mps"], "cpu CoreMLExecutionProvider") == []


def test_several_machines_are_named_together() -> None:
    assert together([{"host": "a", "cores": "2"}, {"host": "b", "cores": "2"}, {"host": "a"}]) == {
        "host": "a, b",
        "cores": "2",
    }


def test_an_accelerator_that_a_library_cannot_drive_lies_idle_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piibench_duck.machine.accelerators", lambda: ["cuda"])
    assert machine(described(accelerators_unused="none"))["accelerators_unused"] == "cuda"
    assert machine(described(accelerators_unused="openvino"))["accelerators_unused"] == "cuda, openvino"
    assert machine(described(device="cuda:0", accelerators_unused="none"))["accelerators_unused"] == "none"
