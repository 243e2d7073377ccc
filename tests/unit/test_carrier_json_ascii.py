"""json_ascii: json's requests, in ASCII."""

import json

import pytest

from piibench_duck import carriers

AWKWARD = '\u202eRené said:\r\n"\\no"\t👩‍👧 e\u0301 \u2028\ufeff\0\x7f\x9f שלום 𐀀\U0010ffff'


def test_a_passage_is_spelled_exactly_as_the_json_module_does_by_default() -> None:
    for key in range(20):
        row = carriers.wrap("json_ascii", AWKWARD, [(0, len(AWKWARD))], [], key)
        ((start, end),) = row.spans
        assert row.text[start - 1 : end + 1] == json.dumps(AWKWARD)
        assert row.text.isascii()
        assert carriers.unwrap("json_ascii", row.text) == [AWKWARD]


@pytest.mark.parametrize(("char", "wire"), [("é", r"\u00e9"), ("😀", r"\ud83d\ude00"), ("\n", r"\n"), ("~", "~")])
def test_a_span_is_the_whole_escape_and_a_character_beyond_the_first_plane_is_a_pair(char: str, wire: str) -> None:
    row = carriers.wrap("json_ascii", f"a{char}b", [(1, 2)], [], 0)
    assert [row.text[start:end] for start, end in row.spans] == [wire]


def test_a_small_passage_is_the_message_of_a_request() -> None:
    row = carriers.wrap("json_ascii", 'René\n"left".', [(0, 4)], [], 4)
    assert row.text == (
        '{"model":"phi-4-mini-instruct","user":"u-536e76b6","metadata":{"request_id":"req_3e06c5c0cd01eea9",'
        '"sent_at":"2021-05-03T00:13:04Z"},"messages":[{"role":"system","content":"You are a careful assistant. '
        r'Answer in the language of the question."},{"role":"user","content":"Ren\u00e9\n\"left\"."}],"temperature":0}'
    )


def test_a_request_has_the_scaffold_that_json_gives_it() -> None:
    for key in range(100):
        assert carriers.wrap("json_ascii", "Ann, 40", [(0, 3)], [], key) == carriers.wrap(
            "json", "Ann, 40", [(0, 3)], [], key
        )


def test_it_is_off_by_default() -> None:
    assert not carriers.is_default("json_ascii")
