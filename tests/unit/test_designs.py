"""Designs: which passages serve, in which carriers, and what is left where a carrier refuses one."""

from collections import Counter
from pathlib import Path

import pytest

from piibench_duck import carriers, designs, places, protocol
from piibench_duck.designs import Candidate
from piibench_duck.errors import PiibenchError
from piibench_duck.protocol import CarrierRule, Design

NAMES = ["csv", "json", "prose", "xml"]
TEST = [Candidate(f"t{index}", "test") for index in range(30)]
TRAIN = [Candidate(f"n{index}", "train") for index in range(30)]


def select(rule: CarrierRule, passages: int | None = 41) -> list[list[designs.Row]]:
    return designs.select([*TRAIN, *TEST], Design("d", passages, rule), ["test", "train"], NAMES)


def test_splits_serve_in_order_and_only_as_many_passages_as_are_asked_for() -> None:
    chosen = Counter(passage_id[0] for together in select("one") for passage_id, _ in together)
    assert chosen == {"t": 30, "n": 11}
    assert len(select("one", 7)) == 7
    few, many = ({passage_id for together in select("one", n) for passage_id, _ in together} for n in (7, 41))
    assert few < many


def test_carriers_are_dealt_out_evenly() -> None:
    dealt = Counter(carrier for together in select("one") for _, carrier in together)
    assert sorted(dealt) == NAMES
    assert max(dealt.values()) - min(dealt.values()) <= 1


def test_a_pair_is_prose_and_the_carrier_that_the_ranked_design_deals_out() -> None:
    for one, two in zip(select("one"), select("one_and_prose"), strict=True):
        assert two in ([(one[0][0], "prose"), one[0]], [one[0]])
        assert len(two) == 1 or one[0][1] != "prose"


def test_all_is_each_passage_in_each_carrier_and_prose_each_in_none() -> None:
    assert select("all") == [[(one[0][0], name) for name in NAMES] for one in select("prose")]
    assert {carrier for together in select("prose") for _, carrier in together} == {"prose"}


def test_without_a_number_every_passage_of_the_splits_serves() -> None:
    assert len(select("prose", None)) == 60


def test_the_choice_does_not_depend_on_the_order_of_passages_or_on_other_corpora() -> None:
    design = Design("d", 41, "one")
    assert designs.select([*TEST[::-1], *TRAIN], design, ["test", "train"], NAMES) == select("one")


def test_a_refused_row_is_left_out_and_takes_a_pair_with_it_but_no_other_carrier() -> None:
    refused = {("a", "xml"): "why", ("c", "csv"): "why"}
    pairs = [[("a", "prose"), ("a", "xml")], [("b", "prose"), ("b", "xml")], [("c", "prose")]]
    assert designs.kept(pairs, refused) == [("b", "prose"), ("b", "xml"), ("c", "prose")]
    whole = [[("a", "csv"), ("a", "prose"), ("a", "xml")]]
    assert designs.kept(whole, refused) == [("a", "csv"), ("a", "prose")]
    assert designs.kept([[("a", "xml")]], refused) == []


def test_the_board_deals_out_twelve_carriers_and_two_more_are_off() -> None:
    twelve = "csv html json json_nested key_value log markdown_table ocr prose sql xml yaml"
    assert designs.default_carriers() == twelve.split()
    assert set(carriers.carrier_names()) - set(twelve.split()) == {"form", "json_ascii"}


WHOLE = protocol.load()


@pytest.mark.parametrize(
    ("line", "mended", "said"),
    [
        (
            'carriers = "one"',
            'carriers = "two"',
            r"designs\.balanced\.carriers is none of prose, one, one_and_prose, all",
        ),
        ("passages = 500", "passages = 0", r"designs\.balanced\.passages is no number of passages"),
        ("passages = 500", 'passages = "all"', r"designs\.balanced\.passages is no number of passages"),
        (
            'ranked = "balanced"',
            'ranked = "nosuch"',
            r"boards\.demo\.ranked names 'nosuch'; there are balanced, paired",
        ),
        ('pairs = "paired"', 'pairs = "nosuch"', r"boards\.demo\.pairs names 'nosuch'"),
        ('pairs = "paired"', 'pairs = "documents"', r"'documents' takes other passages than 'balanced'"),
        ("{ full = 2 }", "{ full = 0 }", r"boards\.demo\.passages\.full is no number of passages"),
        ("{ full = 2 }", "{ ful = 2 }", r"boards\.demo\.passages names 'ful'; there are balanced, paired"),
        ("{ full = 2 }", "{ paired = 2 }", r"'paired' takes other passages than 'balanced'"),
        ('predict = ["balanced"', 'predict = ["nosuch"', r"boards\.demo\.predict names 'nosuch'"),
        ('corpora = ["demo-de"', 'corpora = ["nosuch"', r"boards\.demo\.corpora names 'nosuch'"),
        ('runs = ["mask-nothing"', 'runs = ["nosuch"', r"boards\.demo\.runs names 'nosuch'"),
        ('ranked = "balanced"', "", r"a key is missing or of the wrong kind"),
        ('ranked = "balanced"', 'ranked = "balanced"\nranks = 1', r"a key is missing or of the wrong kind"),
    ],
)
def test_a_protocol_that_cannot_be_is_refused_by_key(line: str, mended: str, said: str, tmp_path: Path) -> None:
    text = (places.data_dir() / "protocol.toml").read_text("utf-8")
    assert line in text
    path = tmp_path / "protocol.toml"
    path.write_text(text.replace(line, mended, 1), "utf-8")
    with pytest.raises(PiibenchError, match=rf"^protocol\.toml: .*{said}"):
        protocol.load(path)


def test_a_design_that_a_board_has_not_is_named_beside_those_it_has() -> None:
    assert protocol.check_designs(None, "demo", WHOLE) is None
    assert protocol.check_designs(["full"], "demo", WHOLE) == ["full"]
    with pytest.raises(PiibenchError, match="no design 'ful' on board 'demo'; there are balanced, paired, full, doc"):
        protocol.check_designs(["ful"], "demo", WHOLE)
