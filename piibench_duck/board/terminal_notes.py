"""What a reader of a ranking has to know of its runs: one artefact in several rows, steering, pins, interests."""

from collections.abc import Mapping, Sequence
from typing import Any


def notes(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each thing to know, by what their results say; none where there is nothing."""
    return [*_artefacts(ran), *_steered(ran), *_unpinned(ran), *_interests(ran), *_combined(ran), *_aligned(ran)]


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


def _steered(ran: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{one['model']} was steered by {corpus}: {why}"
        for one in ran
        for corpus, why in (one["_provenance"].get("steered") or {}).items()
    ]


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
