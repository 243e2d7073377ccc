"""A gate's verdict as one page of Markdown, for the person who answers for it: lays out, computes nothing."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from piibench_duck.beside import beside
from piibench_duck.board import terminal_gate
from piibench_duck.board.terminal import DASH, visible
from piibench_duck.gate import Verdict

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#+|~&@$]|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""What Markdown reads as more than a letter, or makes a link, a mention or a formula of."""


def write(found: Verdict, path: Path) -> None:
    """Write the page, beside and renamed."""
    text = page(found)
    with beside(path) as part:
        part.write_text(text, "utf-8")


def page(found: Verdict) -> str:
    """The page. Whatever results and policies say stands in it as text, never as Markdown."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # it escapes HTML; everything that is put in passes through `plain`
        finalize=plain,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    said = found.run.said
    return environment.get_template("sign_off.md.j2").render(
        run=said["model"],
        kind=said["kind"],
        n_rows=said["n_rows"],
        n_rows_missing=said["n_rows_missing"],
        of=defaultdict(lambda: None, said["_provenance"]),  # an older result says less
        holds=found.holds,
        policy_sha256=found.policy.sha256 if found.policy else "none",
        baseline=found.baseline.said["model"] if found.baseline else None,
        comparison=found.comparison,
        clauses=found.clauses,
        figure=terminal_gate.figure,
        interval=terminal_gate.interval,
        bound=terminal_gate.bound,
        not_measured=list(_not_measured(said)),
    )


def plain(value: object) -> str:
    r"""A value in one line in which nothing is Markdown.

    >>> plain("a|b\n# <b>*c*")
    'a\\|b \\# \\<b\\>\\*c\\*'
    """
    text = DASH if value is None else " ".join(visible(" ".join(str(value).splitlines())).split())
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def _not_measured(said: Mapping[str, Any]) -> Iterator[str]:
    """What the result has no figures of, and why."""
    if "reason" in said.get("speed", {}):
        yield f"speed: {said['speed']['reason']}"
    for name, called in (("documents", "fully protected documents"), ("tab", "text anonymization")):
        by_reason: dict[str, list[str]] = {}
        for corpus, why in said.get(name, {}).get("not_applicable", {}).items():
            by_reason.setdefault(why["reason"], []).append(corpus)
        for reason, corpora in by_reason.items():
            yield f"{called}, of {', '.join(corpora)}: {reason}"
    for scheme, why in said.get("entity", {}).get("schemes_not_applicable", {}).items():
        yield f"entities by the scheme {scheme}: {why['reason']}"
    for corpus, designs in said.get("typed", {}).get("by_corpus", {}).items():
        for design, of in designs.items():
            if "reason" in of:
                yield f"typed spans and leaks, of {corpus} ({design}): {of['reason']}"
