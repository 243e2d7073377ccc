"""The parts of a page about runs: notes, interests, what was not run, machines, and how to do it again."""

import json
from collections.abc import Mapping
from typing import Any

from piibench_duck import protocol, reproduce
from piibench_duck.board import sentences, terminal_notes
from piibench_duck.board.page_data import Found, mapping
from piibench_duck.board.page_parts import Cell, Column, Command, Row, Section, Table, dash, listed, text

_BASIS = {
    "protocol": "Protocol",
    "design": "Design that is ranked",
    "rows_digest": "Digest of the rows",
    "label_map_digest": "Digest of the label map",
    "taxonomy_digest": "Digest of the taxonomy",
    "replicates": "Bootstrap replicates",
    "seed": "Seed of the draws",
}


def interests(found: Found) -> Section:
    """Who publishes a run and has a stake in it, and how it stands against the others."""
    of = {**found.ran, **found.seeds}
    said = {run: mapping(one, "_provenance").get("conflict_of_interest") for run, one in of.items()}
    told = [sentences.interest(one) for one in found.standings.get("interests") or ()]
    items = [f"{run}: {what}" for run, what in said.items() if what]
    if not items and not told:
        return Section("interests", "Conflicts of interest", ["No run of this board declares a conflict of interest."])
    return Section("interests", "Conflicts of interest", told, (), items)


def notes(found: Found) -> Section:
    """What changes how a row is to be read."""
    ran = [*found.ran.values(), *found.seeds.values()]
    alone = {f"Conflict of interest, {one['model']}: " for one in ran}
    items = [note for note in terminal_notes.notes(ran) if not any(note.startswith(opening) for opening in alone)]
    said = "" if items else "Nothing but its figures has to be known of any run."
    return Section(
        "notes", "Notes on runs: one artefact, steering, pins, combinations", [said] if said else [], (), items
    )


def absent(found: Found) -> Section:
    """What is not ranked, and why."""
    if not found.not_run and not found.apart:
        return Section("absent", "Not run, and why", ["Everything that the board names was run and is ranked."])
    columns = [Column("Run", False), Column("What", False), Column("Why", False)]
    lines = [("not run", found.not_run), ("not ranked with these", found.apart)]
    rows = [
        Row([Cell(run, run), Cell(what, what), text(why, "not said")]) for what, of in lines for run, why in of.items()
    ]
    said = "A detector that is missing without a word looks like one that was left out for its score."
    return Section(
        "absent", "Not run, and why", [said], [Table("absent-table", "Runs that are not ranked", columns, rows)]
    )


def machines(found: Found) -> Section:
    """Where runs were made, those of one machine together."""
    by_machine: dict[str, list[str]] = {}
    for run in [*found.ran, *found.seeds]:
        by_machine.setdefault(json.dumps(mapping(found.standings, "machines", run), sort_keys=True), []).append(run)
    of = {said: json.loads(said) for said in by_machine}
    keys = sorted({key for one in of.values() for key in one if key != "host"})
    columns = [Column("Runs", False), *(Column(key.replace("_", " ").capitalize(), False) for key in keys)]
    rows = [
        Row([Cell(listed(runs), runs[0]), *(text(of[said].get(key), "not recorded") for key in keys)])
        for said, runs in by_machine.items()
    ]
    if not keys:
        return Section("machines", "Hardware and software", ["Nothing was recorded of where these runs were made."])
    return Section(
        "machines", "Hardware and software", (), [Table("machines-table", "Where runs were made", columns, rows)]
    )


def again(found: Found) -> Section:
    """A command for each run, and a line to cite it by."""
    whole = protocol.load()
    commands = []
    for run, one in {**found.ran, **found.seeds}.items():
        steps = reproduce.of_run(run, one, found.board, whole)
        commands.append(Command(run, steps.command, (*steps.notes, f"Cite: {sentences.citation(found, run, one)}")))
    said = [
        "Build the board, make the run, score it. The digest of the rows tells whether they are these, and a run of "
        "your own stands beside them.",
        f"piibench-duck build --board {found.board}",
        f"piibench-duck score --board {found.board}",
    ]
    return Section(
        "again",
        "Do it again, and cite it",
        [said[0]],
        (),
        (),
        [Command("The rows", said[1], ()), *commands, Command("The scores", said[2], ())],
    )


def basis(found: Found) -> Section:
    """What all figures of the page rest on."""
    of = mapping(found.standings, "basis")
    statistics = mapping(found.standings, "statistics")
    lines: list[tuple[str, Any]] = [(head, of.get(key)) for key, head in _BASIS.items()]
    lines += [
        ("Replicates of comparisons", statistics.get("replicates")),
        ("Seed of comparisons", statistics.get("seed")),
    ]
    lines += [
        ("piibench-duck of this ranking", found.standings.get("piibench_duck")),
        ("of each run", _versions(found)),
    ]
    rows = [
        Row([Cell(head, head), dash("not said") if value is None else Cell(str(value), str(value))])
        for head, value in lines
    ]
    said = (
        "This page is made from result.json of each run and board.json alone, and computes no figure of its own. "
        "Results with another digest or protocol are not ranked with these."
    )
    columns = [Column("What", False), Column("Value", False)]
    return Section("basis", "What this rests on", [said], [Table("basis-table", "Digests and versions", columns, rows)])


def _versions(found: Found) -> str:
    """Versions that scored the runs; usually one."""
    runs: Mapping[str, Any] = {**found.ran, **found.seeds}
    versions = {str(mapping(one, "_provenance").get("piibench_duck")) for one in runs.values()}
    return listed(sorted(versions)) if versions else ""
