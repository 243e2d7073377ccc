"""`docs/data-model.md`: every relation, column, macro and check of sql/, from the comments in their files."""

from collections.abc import Iterable
from pathlib import Path

from piibench_duck import sqlfiles
from piibench_duck.places import sql_dir

_HEAD = """# Data model

Every table, view, macro and check, from the comments in `sql/` (`just format` writes this page; a test compares it).
In a DuckDB client the same words are the comments of relations and columns: `select * from duckdb_columns()`.
"""
_LAYERS = {
    "contracts": "What may be written to `<board>/<table>/<writer>.parquet`, and what one scoring is asked for.",
    "staging": "The contracts read, with labels mapped.",
    "intermediate": "Characters and counts.",
    "marts": "What people read.",
    "metrics": "Scores from counts.",
    "macros": "What the other files share.",
    "checks": "Selects that must return no rows.",
    "queries": "Questions people ask twice.",
}


def page(files: Iterable[sqlfiles.SqlFile]) -> str:
    """The page as Markdown."""
    parts = [_HEAD]
    by_schema: dict[str, list[sqlfiles.SqlFile]] = {}
    for file in sorted(files):
        by_schema.setdefault(file.schema, []).append(file)
    for schema, about in _LAYERS.items():
        if schema not in by_schema:
            continue
        parts.append(f"## {schema}\n\n{about}\n")
        for file in by_schema[schema]:
            parts.append(f"### {file.name.removeprefix('macros.')}\n\n" + "  \n".join(file.comment.splitlines()) + "\n")
            if file.columns and schema != "checks":
                lines = [f"| `{name}` | {said.replace('|', chr(92) + '|')} |" for name, said in file.columns]
                parts.append("| column | what |\n|---|---|\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    path = Path(__file__).parent.parent / "docs" / "data-model.md"
    path.write_text(page(sqlfiles.load(sql_dir())), encoding="utf-8")


if __name__ == "__main__":
    main()
