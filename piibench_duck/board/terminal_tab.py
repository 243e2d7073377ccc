"""TAB's metrics as tables for a terminal: lays out what `tab` says, computes nothing."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from piibench_duck.board import terminal
from piibench_duck.board.terminal import number, visible


def scores(name: str, found: Mapping[str, Any]) -> None:
    """Print what masks are worth to stdout."""
    documents = "1 document" if found["n_documents"] == 1 else f"{found['n_documents']} documents"
    notes = [f"{found['n_rows_missing']} of them not masked and counted as missed"] if found["n_rows_missing"] else []
    notes += [f"{found['n_rows_truncated']} with tokens that end early"] if found["n_rows_truncated"] else []
    print(f"{visible(name)}: " + ", ".join([documents, *notes]))
    if "reason" in found:
        print(_sentence(found["reason"]))
    terminal.figures(("figure", "value", "of which", "of tokens", "of which"), _figures(found))
    print()
    if found["by_type"]:
        terminal.figures(
            ("R_di+qi by type", "mentions", "covered", "tokens", "covered"),
            [
                (
                    kind,
                    number(of["mention_recall"]),
                    _share(of, "mentions"),
                    number(of["token_recall"]),
                    _share(of, "tokens"),
                )
                for kind, of in found["by_type"].items()
            ],
        )
        print()
    print("ER_di, the recall of direct identifiers as whole entities, is primary.")
    print("P and WP count a mask once for each annotator of its document.")
    print(f"WP weighs what is masked by its content, from: {found['weights']}.")
    tokens_by = ", ".join(visible(source) for source in found["forgiven"][1:]) or "nothing"
    print("Spaces, punctuation and tokens without content are forgiven, tokens by:")
    print(f"  {tokens_by}")
    print("tab_exact is another recipe under the same names, over pairs of start and end:")
    exact = found["tab_exact"]
    told = [f"{figure} {number(exact[figure])}" for figure in ("R_di+qi", "P_di+qi", "ER_di", "ER_qi", "WP_di+qi")]
    print("  " + ", ".join(told))


def compat(name: str, found: Mapping[str, Any], of_sources: Sequence[str]) -> None:
    """Print the figures by the rules of the published script to stdout, and what they rest on."""
    print(f"{visible(name)}, by the rules of the published script; what is undefined is 0")
    figures = {key: value for key, value in found.items() if key != "token_recall_by_type"}
    terminal.figures(("figure", "value"), [(key, number(value)) for key, value in figures.items()])
    print()
    terminal.figures(
        ("token recall by type", "value"), [(k, number(of)) for k, of in found["token_recall_by_type"].items()]
    )
    print()
    for told in of_sources:
        print(textwrap.fill(_sentence(told), 80))


def _sentence(told: str) -> str:
    return visible(told[:1].upper() + told[1:]) + "."


def _figures(found: Mapping[str, Any]) -> list[Sequence[str]]:
    """Each figure under its name, of mentions (or entities, or masks) and of tokens, with its counts."""
    tokens, counts = found["tokens"], found["counts"]
    lines: list[Sequence[str]] = []
    for name, part in (("ER_di", "direct_entities"), ("ER_qi", "quasi_entities"), ("ER", "entities")):
        lines.append((name, number(found[name]), f"{_share(counts, part)} entities", "", ""))
    for name, part in (("R_di+qi", ""), ("R_di", "direct_"), ("R_qi", "quasi_")):
        mentions, words = (_share(counts, f"{part}{what}") for what in ("mentions", "tokens"))
        lines.append((name, number(found[name]), f"{mentions} mentions", number(tokens[name]), f"{words} tokens"))
    masks, words = _of(counts, "masks_right", "masks"), _of(counts, "mask_tokens_right", "mask_tokens")
    precision, weighted = "P_di+qi", "WP_di+qi"
    lines.append((precision, number(found[precision]), f"{masks} masks", number(tokens[precision]), f"{words} tokens"))
    lines.append((weighted, number(found[weighted]), "by weight", number(tokens[weighted]), "by weight"))
    lines.append(("F1", "", "", number(tokens["F1"]), ""))
    return lines


def _share(counts: Mapping[str, int], name: str) -> str:
    return _of(counts, f"{name}_covered", name)


def _of(counts: Mapping[str, int], part: str, whole: str) -> str:
    return f"{counts[part]} of {counts[whole]}"
