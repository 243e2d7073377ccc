"""docs/carriers.md: fresh, the same every time, and whole for any carrier that is there."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from piibench_duck import carriers, carriers_page, listing

ROOT = Path(__file__).parent.parent.parent
FENCED = '''"""The passage between fences.

A second paragraph.
"""

OFF_BY_DEFAULT = True
READS_BACK = False


def wrap(writer, values, key):
    """One fence a row,
    and none of the key."""
    writer.scaffold("````\\r\\n")
    for value in values:
        writer.value(value, {"&": "+\\n+"})
    writer.scaffold("\\n````\\n")


def unwrap(wire):
    """Nobody does."""
    return [wire]
'''


@pytest.fixture
def fenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A carrier in a folder of its own."""
    (tmp_path / "fenced.py").write_text(FENCED, "utf-8")
    monkeypatch.setattr(carriers, "__path__", [*carriers.__path__, str(tmp_path)])
    yield "fenced"
    sys.modules.pop(f"{carriers.__name__}.fenced", None)


def test_the_page_is_what_the_carriers_make_of_it_today() -> None:
    assert (ROOT / "docs" / "carriers.md").read_bytes().decode() == carriers_page.page(), "run `just format`"


def test_every_carrier_has_a_section_with_its_sentence() -> None:
    page = carriers_page.page()
    for name in carriers.carrier_names():
        assert f"\n## `{name}`\n\n{carriers.describe(name)}\n" in page


def test_a_carrier_that_is_dropped_into_a_folder_is_on_the_page_and_in_the_listing(fenced: str) -> None:
    section = carriers_page.page().split(f"## `{fenced}`\n")[1].split("\n## ")[0]
    assert section == (
        "\nThe passage between fences.\n\nA second paragraph.\n\n"
        "- Sentences: each a value of its own.\n"
        "- Writing: One fence a row, and none of the key.\n"
        "- Reading: Nobody does.\n"
        "- What went in cannot be read back: the alignment alone says what the wire stands for.\n"
        "- Off by default: in no design, and there for `piibench-duck wrap`.\n\n"
        "`````text\n````␍\n"
        'Zoë O\'Hara rang twice.She works for "Brandt +\n+ Söhne", third floor.Please answer by mail.\n````\n`````\n\n'
        '```text\nPERSON [6, 16): Zoë O\'Hara\nORGANIZATION [42, 60): "Brandt +␊+ Söhne"\n```\n'
    )
    columns, lines = listing.of("carriers", "demo")
    assert columns == ("carrier", "on boards", "looks like")
    assert (fenced, "off by default", "The passage between fences.") in lines
    assert ("prose", "by default", carriers.describe("prose")) in lines


def test_the_carriers_that_are_no_wire_of_their_own_are_off_by_default() -> None:
    off = [line[0] for line in listing.of("carriers", "demo")[1] if line[1] == "off by default"]
    assert off == ["form", "json_ascii"]
