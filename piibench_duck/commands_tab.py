"""The command for files of the Text Anonymization Benchmark."""

from pathlib import Path
from typing import Annotated

import typer

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Offsets, OffsetUnit
from piibench_duck.errors import WrongUsageError


def tab(
    gold: Annotated[Path, typer.Option(help="TAB's array of documents with annotations.")],
    masked: Annotated[Path, typer.Option(help="By document, the spans that are masked: {ID: [[start, end], …]}.")],
    tab_compat: Annotated[
        bool, typer.Option("--tab-compat", help="By the rules of the published script, under its names.")
    ] = False,
    forgiven: Annotated[
        Path | None, typer.Option(help="By document, tokens without content, instead of finding them.")
    ] = None,
    spacy: Annotated[
        str | None, typer.Option(help="The spaCy model that finds them, or words: a list of six words.")
    ] = None,
    weights: Annotated[
        str, typer.Option(help="unigram, uniform, mlm:FOLDER, or a file: {ID: [[start, end, bits], …]}.")
    ] = "unigram",
    only_docs: Annotated[list[str] | None, typer.Option(help="Documents to score, separated by commas.")] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Count documents that are not in MASKED as missed.")
    ] = False,
    offset_unit: Offsets = OffsetUnit.codepoint,
    as_json: AsJson = False,
) -> None:
    """Score masks by TAB's metrics: recall of mentions and of whole entities, precision by content."""
    if forgiven is not None and spacy is not None:
        raise WrongUsageError("--forgiven and --spacy both say which tokens carry no content; give one")
    if tab_compat and allow_missing:
        raise WrongUsageError("--tab-compat leaves out documents that are not masked, so --allow-missing says nothing")
    from piibench_duck import tab_files
    from piibench_duck.board import terminal_tab

    only = [name for names in only_docs or () for name in names.split(",") if name]
    if only_docs and not only:
        raise WrongUsageError("--only-docs names no document")
    options = tab_files.Options(tab_compat, forgiven, spacy, weights, only, allow_missing, offset_unit.value)
    with console.refusals_as_json(as_json), console.status(f"score {masked.name}"):
        found = tab_files.score(gold, masked, options)
    for note in found.notes:
        console.warn(note)
    if as_json:
        if tab_compat:  # its fields are the published script's alone, which say nothing of what they rest on
            for told in found.of_sources:
                console.warn(told)
        console.print_json(found.figures)
    elif tab_compat:
        terminal_tab.compat(masked.name, found.figures, found.of_sources)
    else:
        terminal_tab.scores(masked.name, found.figures)
