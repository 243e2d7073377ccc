"""The machine that a run ran on: host, processor, libraries, and accelerators that lay idle."""

import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

from piibench_duck.runners import Description


def machine(description: Description) -> dict[str, str]:
    """Where a run ran, by name, with what its runner says of its libraries, provider, device and threads."""
    used = " ".join(description.libraries.get(name, "") for name in ("device", "provider"))
    # The system may have what a library's build cannot drive, and a library may know what has no device file.
    told = [one for one in description.libraries.get("accelerators_unused", "none").split(", ") if one != "none"]
    idle = dict.fromkeys([*unused(accelerators(), used), *told])
    return {
        "host": platform.node(),
        "processor": _processor(),
        "cores": str(cores()),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": "cpu",
        "provider": "none",
        "threads": "1",
        **description.libraries,
        "accelerators_unused": ", ".join(idle) or "none",
    }


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def together(machines: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What several machines of one run say, each value once.

    >>> together([{"host": "a", "cores": "2"}, {"host": "b", "cores": "2"}])
    {'host': 'a, b', 'cores': '2'}
    """
    found: dict[str, dict[str, None]] = {}
    for one in machines:
        for name, value in one.items():
            found.setdefault(name, {})[value] = None
    return {name: ", ".join(values) for name, values in found.items()}


def accelerators(root: Path = Path("/")) -> list[str]:
    """Accelerators that the system has a device for, as far as its device files say."""
    names = {
        "nvidia": ("dev/nvidia[0-9]*", "cuda"),
        "amd": ("dev/kfd", "rocm"),
        "tpu": ("dev/accel*", "accel"),
        "npu": ("dev/apex_*", "apex"),
    }
    found = [kind for pattern, kind in names.values() if any(root.glob(pattern))]
    is_apple = platform.system() == "Darwin" and platform.machine() == "arm64"
    return [*found, *(["mps"] if is_apple else [])]


def unused(there: Sequence[str], used: str) -> list[str]:
    """Those that what was used does not name.

    >>> unused(["cuda", "mps"], "cuda:0 CUDAExecutionProvider")
    ['mps']
    """
    also = {"mps": "coreml"}
    return [one for one in there if one not in used.lower() and also.get(one, one) not in used.lower()]


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
