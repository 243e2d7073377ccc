"""What the Parquet files of a result must be: columns of integers and ids, one set of rows in all, and no text."""

import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from piibench_duck import warehouse, yardsticks

_FILES = {
    "row_counts": "intermediate.row_counts",
    "pair_counts": "intermediate.pair_counts",
    **{name: f"intermediate.{name}" for name in yardsticks.COUNTS},
    "predictions": "marts.bench_predictions",
}
_ID = re.compile(r"[\w./@#:+-]{1,200}")
_LABEL = re.compile(r"[\w.:/()+&'@-]{1,64}")
"""A label that the label map need not know: without white space, which sentences cannot do without."""

_MOST_LABELS = 200
_KNOWN_LABELS = "select source_label from contracts.label_map union select type from contracts.taxonomy"
_OF_SCAFFOLD = ("lookalike", "lookalike_touched", "scaffold_fp", "value_fp")

_STRINGS = (  # file, column, and what it names
    *(("row_counts", name, "id") for name in ("row_id", "passage_id", "doc_id")),
    *(("pair_counts", name, "id") for name in ("row_id", "prose_row_id", "passage_id", "doc_id")),
    *(("entity_counts", name, "id") for name in ("row_id", "doc_id")),
    *((name, "doc_id", "id") for name in ("document_counts", "tab_counts")),
    *(("typed_counts", "row_id", "id"), ("predictions", "id", "id")),
    *((f"{name}_counts", "corpus", "corpus") for name in ("row", "pair", "entity", "document", "tab")),
    *((f"{name}_counts", "carrier", "carrier") for name in ("row", "pair", "entity")),
    *((f"{name}_counts", "language", "language") for name in ("row", "pair", "entity")),
    *(("typed_counts", "label", "label"), ("entity_counts", "unnest(by_label).label", "label")),
    *((f"{name}_counts", "unnest(by_type).type", "label") for name in ("row", "pair", "tab")),
    ("predictions", "unnest(spans).label", "label"),
)

_RULES = {  # what holds of every result, and the rows that break it
    "row_counts.parquet has each row once": "select row_id from row_counts group by row_id having count(*) > 1",
    "pair_counts.parquet has each row once": "select row_id from pair_counts group by row_id having count(*) > 1",
    "entity_counts.parquet has the rows of row_counts.parquet": """
        (from row_counts select row_id, doc_id, corpus, carrier, language
        except all from entity_counts select row_id, doc_id, corpus, carrier, language)
        union all
        (from entity_counts select row_id, doc_id, corpus, carrier, language
        except all from row_counts select row_id, doc_id, corpus, carrier, language)""",
    "predictions.parquet has the rows of row_counts.parquet that were answered": """
        (from row_counts select row_id where n_rows_missing = 0 except all from predictions select id)
        union all
        (from predictions select id except all from row_counts select row_id where n_rows_missing = 0)""",
    "typed_counts.parquet has each label of a row once": """
        select row_id, label from typed_counts group by row_id, label having count(*) > 1""",
    "pairs are of documents of row_counts.parquet": """
        select doc_id from pair_counts where (corpus, doc_id) not in (select (corpus, doc_id) from row_counts)""",
    "documents of document_counts.parquet stand there once": """
        select doc_id from document_counts group by corpus, doc_id having count(*) > 1""",
    "documents of tab_counts.parquet are those of document_counts.parquet": """
        select doc_id from tab_counts where (corpus, doc_id) not in (select (corpus, doc_id) from document_counts)
        union all
        select doc_id from tab_counts group by corpus, doc_id having count(*) > 1""",
    "counts of types add up to no less than those of their row": """
        select row_id from row_counts
        where list_sum([x.tp for x in by_type]) < tp or list_sum([x.fn for x in by_type]) < fn
        or (len(by_type) = 0 and tp + fn > 0)""",
    "a row that was not answered has nothing marked": """
        select row_id from row_counts
        where n_rows_missing not in (0, 1) or (n_rows_missing = 1 and tp + fp + touched > 0)""",
    "what is a part is no more than its whole": """
        select row_id from row_counts
        where touched > excluded or lookalike_touched > lookalike or scaffold_fp > fp
        union all
        select row_id from typed_counts where tp > pred or tp > gold or leaked > exposed or exposed > gold
        or touched + missed != gold or contained > covered or covered > touched
        union all
        select doc_id from document_counts
        where exposed_chars > gold_chars or exposed_identifier_chars > identifier_chars
        or n_exposed_entities > n_entities or n_exposed_identifiers > n_identifiers or n_rows_missing > n_rows""",
}

_SAME_GOLD = {  # columns of a file that no run changes
    "row_counts": "row_id, passage_id, doc_id, corpus, carrier, language, tp + fn as gold, excluded, lookalike",
    "entity_counts": "row_id, n_gold",
    "pair_counts": "row_id, prose_row_id, gold_chars, n_fields",
    "document_counts": "corpus, doc_id, n_rows, gold_chars, identifier_chars, n_entities, n_identifiers",
    "tab_counts": "corpus, doc_id, n_annotators, direct_mentions, quasi_mentions, exact_gold",
}

_OF_ALL_RUNS = ("row_counts", "entity_counts")


def findings(folder: Path, said: Mapping[str, Any], reference: Path | None) -> list[str]:
    """What is wrong with the files, a line each; `reference` holds a result of the same rows.

    Raises `PiibenchError` where a file is no Parquet file.
    """
    con = warehouse.connect()
    warehouse.fill_seeds(con)
    warehouse.derive(con, _FILES.values())
    columns = {name: _columns(con, relation) for name, relation in _FILES.items()}
    found = []
    for name in _FILES:
        path = folder / f"{name}.parquet"
        if path.is_file():
            warehouse.create_from_parquet(con, f"main.{name}", path)
            if _columns(con, f"main.{name}") != columns[name]:
                found.append(f"{path.name} has other columns than `score` writes")
            if con.sql(f"select 1 from parquet_kv_metadata({warehouse.quoted(warehouse.globbed(path))})").fetchall():
                found.append(f"{path.name} says something of itself, where `score` writes nothing")
            if not _is_explained(con, name, path):
                found.append(f"{path.name} holds bytes that its rows do not explain; score the run again")
        else:
            con.execute(f"create table main.{name} as select * exclude (run_id) from {_FILES[name]}")
    if found:
        return found
    found += _strings(con, said)
    found += _numbers(con, columns)
    for rule, broken in _RULES.items():
        if n_broken := len(con.sql(broken).fetchall()):
            found.append(f"{rule}; {n_broken} do not")
    return found if reference is None else [*found, *_others(con, reference)]


def _is_explained(con: warehouse.Connection, name: str, path: Path) -> bool:
    """Whether the file is what `score` writes of its rows, byte for byte: nothing lies between its pages."""
    warehouse.create_parquet_view(con, "main.as_written", path.parent, [path.name])
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / path.name
        for relation in (f"main.{name}", "main.as_written"):  # DuckDB writes what cannot be missing in another way
            warehouse.copy_to(con, f"from {relation}", again)
            if again.read_bytes() == path.read_bytes():
                return True
    return False


def _columns(con: warehouse.Connection, relation: str) -> list[tuple[str, str]]:
    described = con.sql(f"select column_name, column_type from (describe {relation})").fetchall()
    return [(name, kind) for name, kind in described if name != "run_id"]


def _strings(con: warehouse.Connection, said: Mapping[str, Any]) -> Iterator[str]:
    """Every string is an id, a label, or the name of a corpus, carrier or language that the result has."""
    labels: set[str] = set()
    known_labels = {text for (text,) in con.sql(_KNOWN_LABELS).fetchall()}
    for file, column, kind in _STRINGS:
        strings = {text for (text,) in con.sql(f"select distinct {column} from main.{file}").fetchall()}
        if kind == "label":
            labels |= strings
            wrong = [text for text in strings if text is None or not (text in known_labels or _LABEL.fullmatch(text))]
        elif kind == "id":
            wrong = [text for text in strings if text is None or not _ID.fullmatch(text)]
        else:
            known = {*said["scores"][f"by_{kind}"], *(said["documents"]["by_corpus"] if kind == "corpus" else ())}
            wrong = [text for text in strings if text not in known]
        if wrong:
            yield f"{file}.parquet: {len(wrong)} strings in {column} are no {kind} of this result"
    if (n_unknown := len(labels - known_labels)) > _MOST_LABELS:
        yield f"the files have {n_unknown} labels that no label map knows; {_MOST_LABELS} at most were expected"


def _numbers(con: warehouse.Connection, columns: Mapping[str, list[tuple[str, str]]]) -> Iterator[str]:
    """No count is negative, and none is missing but those of scaffold in rows without alignments."""
    for name, of_file in columns.items():
        counts = [f'"{column}"' for column, kind in of_file if kind == "BIGINT" and column != "chars_seen"]
        if counts:
            where = " or ".join(f"{column} < 0" for column in counts)
            where += "".join(f" or {column} is null" for column in counts if column.strip('"') not in _OF_SCAFFOLD)
            if n_broken := con.sql(f"select count(*) from main.{name} where {where}").fetchall()[0][0]:
                yield f"{name}.parquet: {n_broken} rows have a count that is negative or not there"


def _others(con: warehouse.Connection, reference: Path) -> Iterator[str]:
    """Rows and gold are those of another result of the same board."""
    for name, columns in _SAME_GOLD.items():
        path = reference / f"{name}.parquet"
        if not path.is_file():
            continue
        warehouse.create_from_parquet(con, f"main.other_{name}", path)
        here, there = (f"(select {columns} from main.{table})" for table in (name, f"other_{name}"))
        n_broken = len(con.sql(f"{here} except all {there}").fetchall())
        if name in _OF_ALL_RUNS:  # of the others, a run may have answered other documents
            n_broken += len(con.sql(f"{there} except all {here}").fetchall())
        if n_broken:
            yield f"{name}.parquet: {n_broken} lines are of other rows or gold than {reference.name}/{name}.parquet"
