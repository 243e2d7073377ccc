"""Two connections to one database at work at once: DuckDB shares out large relations, and most of ours are small."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from piibench_duck.warehouse import Connection

AT_ONCE = 2
T = TypeVar("T")


def threads_of_each() -> int:
    """How many threads each may take so that all cores are busy, and no more."""
    return max(1, (os.cpu_count() or 1) - AT_ONCE + 1)


def each(con: "Connection", tasks: "Iterable[Callable[[Connection], T]]") -> list[T]:
    """What each task gives of a connection of its own; raises what one of them raises."""
    with ThreadPoolExecutor(AT_ONCE) as executor:
        return [done.result() for done in [executor.submit(_on_own, con, task) for task in tasks]]


def in_order(
    con: "Connection", reads: Mapping[str, Sequence[str]], task: "Callable[[str], Callable[[Connection], object]]"
) -> None:
    """Do the task of each name once those of all that it `reads` are done, what has the longest way to go first."""
    way = _ways(reads)
    sorter = TopologicalSorter(reads)
    sorter.prepare()
    ready: list[str] = []
    running: dict[Future[object], str] = {}
    with ThreadPoolExecutor(AT_ONCE) as executor:
        while sorter.is_active():
            ready = sorted([*ready, *sorter.get_ready()], key=lambda name: (way[name], name))
            while ready and len(running) < AT_ONCE:
                name = ready.pop()
                running[executor.submit(_on_own, con, task(name))] = name
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                done.result()
                sorter.done(running.pop(done))


def _ways(reads: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many come one after the other behind each.

    >>> _ways({"a": [], "b": ["a"], "c": ["b"], "d": ["a"]})
    {'a': 2, 'b': 1, 'c': 0, 'd': 0}
    """
    way = dict.fromkeys(reads, 0)
    for name in reversed([*TopologicalSorter(reads).static_order()]):
        for read in reads[name]:
            way[read] = max(way[read], way[name] + 1)
    return way


def _on_own(con: "Connection", task: "Callable[[Connection], T]") -> T:
    with con.cursor() as own:
        return task(own)
