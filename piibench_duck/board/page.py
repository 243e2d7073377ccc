"""The page of a board, one file that opens from disk: from result files alone, computing nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from piibench_duck.beside import beside
from piibench_duck.board import (
    markdown,
    page_about,
    page_beside,
    page_carriers,
    page_data,
    page_measures,
    page_ranking,
    page_slices,
    sentences,
)
from piibench_duck.board.page_parts import Chart, Section, Table
from piibench_duck.board.terminal import DASH, visible
from piibench_duck.errors import PiibenchError
from piibench_duck.places import Board

if TYPE_CHECKING:
    import jinja2

FOLDER = "page"
FILES = ("board.md", "index.html")
_HERE = Path(__file__).parent


def write(board: Board) -> Path:
    """Write `page/` of a board's results and return its `index.html`, which is the last file to be replaced.

    The same bytes for the same result files. Raises `PiibenchError` where there is no `board.json`, or one that does
    not go with the results.
    """
    found = page_data.read(board)
    folder = board.results.joinpath(FOLDER)
    if folder.joinpath("result.json").is_file():
        raise PiibenchError(f"the page goes into the folder {FOLDER!r}, which holds a run of that name; rename the run")
    parts = sections(found)
    made = (markdown.of(found, parts), html(found, parts))
    folder.mkdir(parents=True, exist_ok=True)
    for name, said in zip(FILES, made, strict=True):
        with beside(folder.joinpath(name)) as part:
            part.write_text(said, "utf-8", newline="\n")
    return folder.joinpath(FILES[-1])


def sections(found: page_data.Found) -> list[Section]:
    """All parts of a page, in order, without tables that have nothing to say."""
    made = [
        page_ranking.ranking(found),
        page_about.interests(found),
        page_about.notes(found),
        page_carriers.carriers(found),
        page_slices.corpora(found),
        page_slices.languages(found),
        page_slices.types(found),
        page_measures.documents(found),
        page_measures.entities(found),
        page_measures.typed(found),
        page_measures.anonymization(found),
        page_beside.seeds(found),
        page_beside.speed(found),
        page_about.absent(found),
        page_about.machines(found),
        page_about.again(found),
        page_about.basis(found),
    ]
    return [one._replace(parts=[part for part in one.parts if _says_something(part)]) for one in made]


def _says_something(part: Table | Chart) -> bool:
    """Whether a table has rows, and columns behind the names of runs."""
    return isinstance(part, Chart) or (len(part.rows) > 0 and part.columns[-1].label != "Run")


def html(found: page_data.Found, parts: Sequence[Section]) -> str:
    """The page with its style, script and pictures in it."""
    from markupsafe import Markup

    inside = {
        "style": Markup(_HERE.joinpath("templates", "page.css").read_text("utf-8")),
        "sort": Markup(_HERE.joinpath("vendored", "sortable.min.js").read_text("utf-8")),
        "glue": Markup(_HERE.joinpath("templates", "page.js").read_text("utf-8")),
    }
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=str(found.standings.get("title") or found.board),
            headline=sentences.headline(found),
            sections=parts,
            is_table=lambda part: isinstance(part, Table),
            dash=DASH,
            svg=_accessible,
            **inside,
        )
    )


def _environment() -> "jinja2.Environment":
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE.joinpath("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: visible(value) if type(value) is str and not value.isprintable() else value,
    )


def _accessible(chart: Chart) -> object:
    """The picture as one image for a screen reader, named by its caption and described in words."""
    from markupsafe import Markup, escape

    opening, _, rest = chart.svg.partition(">")
    names = f'role="img" aria-labelledby="{chart.name}-title" aria-describedby="{chart.name}-desc"'
    title = f'<title id="{chart.name}-title">{escape(visible(chart.caption))}</title>'
    desc = f'<desc id="{chart.name}-desc">{escape(visible(chart.told))}</desc>'
    return Markup(f"{opening} {names}>{title}{desc}{rest}")
