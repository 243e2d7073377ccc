"""Comments of sql/ put on the relations, columns and macros of a database, so that any client shows them."""

from piibench_duck import sqlfiles, warehouse


def comment(con: warehouse.Connection) -> None:
    """Give every relation, column and macro the comment that stands in its file."""
    kinds = dict(
        con.sql("select schema_name || '.' || view_name, 'view' from duckdb_views() where not internal").fetchall()
    )
    statements = []
    for file in warehouse.files():
        if file.schema in ("checks", "queries"):
            continue
        if file.is_macro:
            thing = f"macro {'table ' if file.is_table_macro else ''}{macro_name(file)}"
        else:
            thing = f"{kinds.get(file.name, 'table')} {file.name}"
        statements.append(f"comment on {thing} is {warehouse.quoted(file.comment)}")
        statements += [
            f"comment on column {file.name}.{column} is {warehouse.quoted(text)}" for column, text in file.columns
        ]
    con.execute("begin;\n" + ";\n".join(statements) + ";\ncommit")


def macro_name(file: sqlfiles.SqlFile) -> str:
    """Macros of sql/macros live in the default schema, so that they need no prefix."""
    return file.name.removeprefix("macros.")
