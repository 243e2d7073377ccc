"""TAB's metrics as tables for a terminal: lays out what `tab` says, computes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from piibench_duck.board.terminal import number, show, visible


def scores(name: str, found: Mapping[str, Any]) -> None:
    """Print what masks are worth to stdout."""
    if "reason" in found:
        print(f"{visible(name)}: nothing to score, {found['reason']}")
        return
    counts, tokens, exact = found["counts"], found["tokens"], found["tab_exact"]
    documents = "1 document" if found["n_documents"] == 1 else f"{found['n_documents']} documents"
    missing = f", {found['n_rows_missing']} of them not masked and counted as missed" if found["n_rows_missing"] else ""
    print(f"{visible(name)}: {documents}{missing}")
    _print(
        ("recall", "all", "direct", "quasi", "covered"),
        [
            ("entities (ER)", *_numbers(found, "ER", "ER_di", "ER_qi"), _share(counts, "entities")),
            ("mentions (R)", *_numbers(found, "R_di+qi", "R_di", "R_qi"), _share(counts, "mentions")),
            ("tokens", *_numbers(tokens, "R_di+qi", "R_di", "R_qi"), _share(counts, "tokens")),
        ],
    )
    print()
    _print(
        ("precision", "P", "WP", "right"),
        [
            ("mentions", *_numbers(found, "P_di+qi", "WP_di+qi"), _of(counts, "masks_right", "masks")),
            ("tokens", *_numbers(tokens, "P_di+qi", "WP_di+qi"), _of(counts, "mask_tokens_right", "mask_tokens")),
        ],
    )
    print()
    _print(
        ("recall by type", "mentions", "covered", "tokens", "covered"),
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
    told = [f"{name} {number(exact[name])}" for name in ("R_di+qi", "P_di+qi", "ER_di", "ER_qi", "WP_di+qi")]
    print("  " + ", ".join(told))


def compat(name: str, found: Mapping[str, Any]) -> None:
    """Print the figures by the rules of the published script to stdout."""
    print(f"{visible(name)}, by the rules of the published script; what is undefined is 0")
    figures = {key: value for key, value in found.items() if key != "token_recall_by_type"}
    _print(("figure", "value"), [(key, number(value)) for key, value in figures.items()])
    print()
    _print(("token recall by type", "value"), [(k, number(of)) for k, of in found["token_recall_by_type"].items()])


def _numbers(found: Mapping[str, Any], *names: str) -> list[str]:
    return [number(found[name]) for name in names]


def _share(counts: Mapping[str, int], name: str) -> str:
    return _of(counts, f"{name}_covered", name)


def _of(counts: Mapping[str, int], part: str, whole: str) -> str:
    return f"{counts[part]} of {counts[whole]}"


def _print(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right")
    for line in lines:
        table.add_row(Text(visible(line[0])), *line[1:])
    show(table)
