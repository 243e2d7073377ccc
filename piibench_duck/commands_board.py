"""The command that makes a board's page from its result files."""

from piibench_duck import console
from piibench_duck.cli_options import AsJson, Board


def board(name: Board = "demo", as_json: AsJson = False) -> None:
    """Write the page of a board, and the board as Markdown, from its result files alone."""
    from piibench_duck import places
    from piibench_duck import protocol as protocols
    from piibench_duck.board import page

    place = protocols.find_board(name, protocols.load())
    written = places.seen(page.write(place))
    console.print_json({"board": place.name, "page": str(written)}) if as_json else print(written)
