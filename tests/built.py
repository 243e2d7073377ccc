"""The demo board, built, predicted and scored once a process into a folder that goes with it."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

from piibench_duck import build, protocol, runs, score
from piibench_duck.places import Board

_WHOLE = protocol.load()
_DESIGNS = ("balanced", "paired", "documents")
_DEMO = _WHOLE.boards["demo"]._replace(designs=_DESIGNS, predict=_DESIGNS, pairs="paired")
PROTOCOL = _WHOLE._replace(boards={"demo": _DEMO})
"""The protocol with a demo board without the design of all carriers, which is quicker."""

RUNS = ("mask-everything", "rules")
OPTIONS = score.Options(seed=0, replicates=50, threads=1)
_TEMPORARY = tempfile.TemporaryDirectory(prefix="piibench-")


@cache
def demo_board() -> Board:
    """A board to read; whoever changes one takes a copy."""
    board = _at(Path(_TEMPORARY.name) / "demo")
    build.build(board, PROTOCOL)
    for run in RUNS:
        runs.run_on_board(board, PROTOCOL, PROTOCOL.runs[run])
    score.score_board(board, PROTOCOL, OPTIONS)
    return board


def copy_of_demo(folder: Path) -> Board:
    """A board of one's own, in `folder`."""
    built = demo_board()
    shutil.copytree(built.warehouse, folder / "warehouse")
    shutil.copytree(built.results, folder / "results")
    return _at(folder)


def _at(folder: Path) -> Board:
    return Board("demo", folder / "warehouse", folder / "results", None)
