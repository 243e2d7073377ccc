"""A folder that is a dataset of the Hugging Face hub: rows and predictions as Parquet, and a card that declares them.

The card names the licence of each corpus, and those that are not known to let their texts be shared. Nothing is sent
anywhere.

Cannot carry: how a run was made, rows that failed, times. Slices are a struct, since the hub's library has no maps.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.beside import beside
from piibench_duck.interchange.tables import Predictions, Rows
from piibench_duck.interchange.writing import write_predictions, write_rows

_OF_THE_HUB = (  # identifiers that the hub knows, among those that texts have
    *("apache-2.0", "mit", "cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-4.0"),
    *("cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-4.0", "odbl", "odc-by", "pddl", "bsd-3-clause", "gpl-3.0"),
)
_FREE = (
    *("cc0-", "cc-by-1", "cc-by-2", "cc-by-3", "cc-by-4", "cc-by-sa-"),
    *("mit", "apache-", "bsd-", "odbl", "odc-by", "pddl"),
)
_ABOUT = (
    "texts with the personal data in them marked, made by piibench-duck. "
    "Handle them as personal data, which they are or look like."
)
_OFFSETS = (
    "Offsets are code points, from 0, the end exclusive. `spans` of the rows are scored, and what lies in `excluded` "
    "is neither missed nor a false alarm. A line of predictions holds the spans of the row with its `id`."
)


class Terms(NamedTuple):
    """The licence of some rows of a corpus, and what it says of sharing them."""

    corpus: str
    licence: str
    n_rows: int
    sharing: str  # yes, not for money, not changed, or not known
    is_free: bool


def write(path: Path, rows: Rows, runs: Mapping[str, Predictions]) -> Mapping[str, int]:
    """A new folder with `README.md`, `data/rows.parquet` and `predictions/<run>.parquet` of each run."""
    with beside(path) as part:
        part.mkdir()
        (part / "data").mkdir()
        write_rows(part / "data" / "rows.parquet", rows)
        _slices_as_struct(part / "data" / "rows.parquet")
        if runs:
            (part / "predictions").mkdir()
        for name, predictions in runs.items():
            write_predictions(part / "predictions" / f"{name}.parquet", predictions)
        (part / "README.md").write_text(_card(path.resolve().name, rows, list(runs)), "utf-8", newline="\n")
    return {}


def terms(rows: Rows) -> list[Terms]:
    """The licences of each corpus, in order."""
    counts: dict[tuple[str, str], int] = {}
    for key in zip(rows.rows["corpus"], rows.rows["licence"], strict=True):
        counts[key] = counts.get(key, 0) + 1
    return [Terms(corpus, licence, n, *_sharing(licence)) for (corpus, licence), n in sorted(counts.items())]


def _sharing(licence: str) -> tuple[str, bool]:
    name = licence.lower()
    if "-nd" in name:  # texts here are cut into passages and wrapped
        return "no: not in changed form", False
    if "-nc" in name:
        return "not for money", False
    return ("yes", True) if name.startswith(_FREE) else ("not known", False)


def _slices_as_struct(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    place = table.column_names.index("slices")
    values = [dict(pairs or ()) for pairs in table.column(place).to_pylist()]
    names = sorted({name for value in values for name in value})
    if names:
        struct = pa.struct([pa.field(name, pa.string()) for name in names])
        table = table.set_column(place, "slices", pa.array(values, struct))
    else:
        table = table.remove_column(place)  # Parquet has no struct of nothing
    pq.write_table(table, path, compression="zstd")


def _card(name: str, rows: Rows, runs: Sequence[str]) -> str:
    """The front matter that the hub reads, and what people should."""
    import yaml

    of_corpora = terms(rows)
    licences = sorted({one.licence.lower() if one.licence.lower() in _OF_THE_HUB else "other" for one in of_corpora})
    files = [("rows", "data/rows.parquet"), *((f"predictions_{run}", f"predictions/{run}.parquet") for run in runs)]
    configs: list[dict[str, Any]] = [
        {"config_name": config, "data_files": [{"split": "test", "path": file}]} for config, file in files
    ]
    configs[0]["default"] = True
    matter = {
        "pretty_name": name,
        "license": licences if len(licences) > 1 else licences[0],
        "language": sorted({language for language in rows.rows["language"] if language != "und"}),
        "task_categories": ["token-classification"],
        "tags": ["pii"],
        "configs": configs,
    }
    held = [f"{one.corpus} ({one.licence}: {one.sharing})" for one in of_corpora if not one.is_free]
    lines = [
        f"# {_plain(name)}",
        "",
        f"{len(rows.rows['row_id'])} {_ABOUT}",
        "",
        "| corpus | texts | licence | may be shared |",
        "|---|---|---|---|",
        *(f"| {_plain(one.corpus)} | {one.n_rows} | {_plain(one.licence)} | {one.sharing} |" for one in of_corpora),
        "",
        *([f"Ask before you share this folder: {_plain('; '.join(held))}.", ""] if held else []),
        "## Files",
        "",
        *(f"- `{config}`: `{file}`" for config, file in files),
        "",
        _OFFSETS,
    ]
    return f"---\n{yaml.safe_dump(matter, sort_keys=False, allow_unicode=True)}---\n\n" + "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Text that does not end a cell of a table, its line or a word of code."""
    return " ".join(text.replace("|", "\\|").replace("`", "'").split())
