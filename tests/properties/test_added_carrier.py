"""A carrier is one file: the one of docs/adding.md, dropped into a folder, is held to what all others are."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from piibench_duck import carriers, carriers_page, designs, listing
from tests.carrier_checks import Given, check_all, held, inputs, scaffold_of, wrapped

ROOT = Path(__file__).parents[2]
REPLY = re.compile(r"^```python piibench_duck/carriers/reply\.py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def reply(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The carrier, in a folder of its own."""
    folder = tmp_path_factory.mktemp("carriers")
    (folder / "reply.py").write_text(REPLY.findall((ROOT / "docs" / "adding.md").read_text("utf-8"))[0], "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(carriers, "__path__", [*carriers.__path__, str(folder)])
        yield "reply"
    sys.modules.pop(f"{carriers.__name__}.reply", None)


@settings(deadline=None)
@given(given_=inputs())
def test_what_must_hold_of_a_row_holds_for_an_added_carrier(reply: str, given_: Given) -> None:
    check_all(reply, held(reply, given_))


def test_an_added_carrier_has_many_scaffolds(reply: str) -> None:
    rows = [wrapped(reply, Given("it was. it is.", [], [(0, 8), (8, 14)], index)) for index in range(500)]
    assert len({tuple(scaffold_of(row)) for row in rows}) >= 50


def test_an_added_carrier_is_on_the_boards_in_the_listing_and_on_the_page(reply: str) -> None:
    said = "A reply to an e-mail that quotes each sentence as a paragraph of its own."
    assert reply in designs.default_carriers()
    assert (reply, "by default", said) in listing.of("carriers", "demo")[1]
    assert f"\n## `{reply}`\n\n{said}\n" in carriers_page.page()
