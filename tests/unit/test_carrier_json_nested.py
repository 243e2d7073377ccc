"""json_nested: the arguments of a tool call, JSON in JSON."""

import json
import re
from typing import Any

import pytest

from piibench_duck import carriers

AWKWARD = 'René said:\r\n"\\no"\t👩‍👧 e\u0301 \u2028\ufeff\0\x7f שלום </x>'
PASSAGE = 'Ann said "no". Bo\nleft. René stayed. Cy too.'
VALUES = [(0, 15), (15, 24), (24, 37), (37, 44)]
TEXTS = ['Ann said "no".', "Bo\nleft.", "René stayed.", "Cy too."]


SMALL = ('Ann & "Bo" left.\nRené stayed. Cy?', [(0, 3), (6, 10), (17, 21)], [(0, 17), (17, 30), (30, 33)])


def rows(n: int = 500) -> list[carriers.Wrapped]:
    return [carriers.wrap("json_nested", PASSAGE, [(0, 3)], VALUES, key) for key in range(n)]


def arguments(node: Any) -> list[str]:
    """What stands under that name anywhere."""
    if isinstance(node, list):
        return [found for item in node for found in arguments(item)]
    if isinstance(node, dict):
        return [found for name, item in node.items() for found in ([item] if name == "arguments" else arguments(item))]
    return []


def test_a_small_passage_is_the_arguments_of_a_call() -> None:
    row = carriers.wrap("json_nested", *SMALL, 3)
    assert row.text == (
        '{"type":"function_call","call_id":"call_c89a749cbc0adbfa7a52fa28","name":"summarize_text","arguments":'
        r'"{\"ticket_id\":\"6db428f2\",\"lines\":[{\"text\":\"Ann & \\\"Bo\\\" left.\"},{\"text\":\"René stayed.\"},'
        r'{\"text\":\"Cy?\"}],\"format\":\"plain\"}","status":"completed"}'
    )
    assert [row.text[start:end] for start, end in row.spans] == ["Ann", r"\\\"Bo\\\"", "René"]


def test_a_passage_is_spelled_exactly_as_the_json_module_does_twice() -> None:
    for key in range(20):
        row = carriers.wrap("json_nested", AWKWARD, [(0, len(AWKWARD))], [], key)
        ((start, end),) = row.spans
        once = json.dumps(AWKWARD, ensure_ascii=False)
        assert row.text[start - 2 : end + 2] == json.dumps(once, ensure_ascii=False)[1:-1]
        assert carriers.unwrap("json_nested", row.text) == [AWKWARD]


@pytest.mark.parametrize(
    ("char", "wire"), [('"', r"\\\""), ("\\", r"\\\\"), ("\n", r"\\n"), ("\0", r"\\u0000"), ("é", "é")]
)
def test_a_span_is_the_whole_escape(char: str, wire: str) -> None:
    row = carriers.wrap("json_nested", f"a{char}b", [(1, 2)], [], 0)
    assert [row.text[start:end] for start, end in row.spans] == [wire]


def test_the_arguments_are_one_json_text_with_the_values_in_order() -> None:
    for row in rows(100):
        (inner,) = arguments(json.loads(row.text))
        assert isinstance(inner, str)
        assert isinstance(json.loads(inner), dict)
        positions = [inner.index(json.dumps(text, ensure_ascii=False)) for text in TEXTS]
        assert positions == sorted(positions)
        assert carriers.unwrap("json_nested", row.text) == TEXTS


def test_values_come_as_an_array_as_objects_and_as_fields() -> None:
    shapes = set()
    for row in rows():
        inner = json.loads(arguments(json.loads(row.text))[0])
        (content,) = [item for item in inner.values() if "Cy too." in json.dumps(item)]
        shapes.add((type(content), type(content[0]) if isinstance(content, list) else None))
    assert shapes == {(list, str), (list, dict), (dict, None)}


def test_scaffolds_differ_and_are_small_and_their_ids_are_lookalikes() -> None:
    scaffolds = set()
    for row in rows():
        covered = [(line.wire_start, line.wire_end) for line in row.alignments]
        bounds = [0, *(bound for ends in covered for bound in ends), len(row.text)]
        scaffold = "|".join(row.text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
        scaffolds.add(scaffold)
        assert len(scaffold) < 400
        assert any(line.kind == "lookalike" for line in row.alignments)
        assert not re.search(r"\d{5}", scaffold)
    assert len(scaffolds) > 400
