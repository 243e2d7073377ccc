"""What a reader of a ranking has to know of its runs: one artefact in several rows, steering, pins, interests."""

from collections.abc import Mapping, Sequence
from typing import Any


def notes(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each thing to know, by what their results say; none where there is nothing."""
    about = (*_artefacts(ran), *_steered(ran), *_unpinned(ran), *_interests(ran), *_combined(ran), *_aligned(ran))
    return [*about, *_alone(ran)]


def _artefacts(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    by_artefact: dict[str, list[str]] = {}
    for one in ran:
        if artefact := one["_provenance"].get("artefact"):
            by_artefact.setdefault(artefact, []).append(one["model"])
    return [
        f"{', '.join(runs)} are one artefact, {artefact}, scored in {len(runs)} ways."
        for artefact, runs in by_artefact.items()
        if len(runs) > 1
    ]


def _alone(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    units = ran[0]["intervals"] if ran else {}
    return [alone(unit) for unit in ("row", "document") if units.get(unit, {}).get("n_units_fewest") == 1]


def alone(unit: str) -> str:
    """What it means that a corpus has one unit: every replicate draws it again."""
    return f"A corpus has one {unit} alone: intervals, ranks and p by {unit} say nothing of other {unit}s."


def _steered(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    for one in ran:
        by_reason: dict[str, list[str]] = {}
        for corpus, why in steered(one).items():
            by_reason.setdefault(why, []).append(corpus)
        found += [f"{one['model']} was steered by {', '.join(of)}: {why}" for why, of in by_reason.items()]
    return found


def steered(one: Mapping[str, Any]) -> dict[str, str]:
    """The corpora of a result that steered its run, and why; a run may have been steered by others too."""
    said = one["_provenance"].get("steered") or {}
    return {corpus: why for corpus, why in said.items() if corpus in one["scores"]["by_corpus"]}


def _unpinned(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{one['model']} is not pinned: what ran cannot be had again exactly."
        for one in ran
        if one["_provenance"].get("is_pinned") is False
    ]


def _interests(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    said = ((one["model"], one["_provenance"].get("conflict_of_interest")) for one in ran)
    return [f"Conflict of interest, {run}: {what}" for run, what in said if what]


def _combined(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{one['model']} is {said['run_a']} and {said['run_b']} together, by the rule {said['rule']}."
        for one in ran
        if one["kind"] == "combined" and (said := one["_provenance"]["settings"])
    ]


def _aligned(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{one['model']} was read from redacted text: where its spans lie was found by alignment."
        for one in ran
        if one["_provenance"].get("settings", {}).get("aligned") == "true"
    ]
