"""`docs/carriers.md`: every carrier with an example, from its module and what it writes."""

import importlib
import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from piibench_duck import carriers
from piibench_duck.passages import values

_TEXT = 'Zoë O\'Hara rang twice.\nShe works for "Brandt & Söhne", third floor. Please answer by mail.'
_GOLD = {"PERSON": "Zoë O'Hara", "ORGANIZATION": '"Brandt & Söhne"'}
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}  # of control characters
_HEAD = """# Carriers

What a text travels in, a section for each file of `piibench_duck/carriers/` (`just format` writes this page; a test
compares it). Keys, ids and neighbours differ from row to row; [adding.md](adding.md#a-carrier) shows how to add a
carrier. Your own annotated texts go into one, and predictions made there come back to them:

```sh
piibench-duck wrap --carrier csv --in rows.jsonl --out wrapped.jsonl
piibench-duck predict --rows wrapped.jsonl --model rules --out preds.jsonl
piibench-duck unwrap --in wrapped.jsonl --preds preds.jsonl --out back.jsonl
```

Each example is this text with these spans; below a wire stands what became of them, in code points. Control
characters are drawn, a carriage return as ␍.
"""


def page() -> str:
    """The page as Markdown."""
    spans = [(_TEXT.index(said), _TEXT.index(said) + len(said)) for said in _GOLD.values()]
    example = (_fenced(_TEXT), _fenced(_listed(_TEXT, spans)))
    return "\n".join([_HEAD, *example, *(part for name in carriers.carrier_names() for part in _section(name, spans))])


def _section(name: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    module = importlib.import_module(f"{carriers.__name__}.{name}")
    wrapped = carriers.wrap(name, _TEXT, spans, values(_TEXT, spans), carriers.row_key("example", name))
    n_values = len({line.value_index for line in wrapped.alignments} - {None})
    yield f"## `{name}`\n"
    yield inspect.cleandoc(module.__doc__ or "") + "\n"
    yield f"- Sentences: {'each a value of its own' if n_values > 1 else 'together, as one value'}."
    yield f"- Writing: {_said(module.wrap)}"
    yield f"- Reading: {_said(module.unwrap)}"
    if not carriers.reads_back(name):
        yield "- What went in cannot be read back: the alignment alone says what the wire stands for."
    if not carriers.is_default(name):
        yield "- Off by default: in no design, and there for `piibench-duck wrap`."
    yield ""
    yield _fenced(wrapped.text.removesuffix("\n"))
    yield _fenced(_listed(wrapped.text, wrapped.spans))


def _listed(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Each span of the example on a line."""
    places = zip(_GOLD, spans, strict=True)
    return "\n".join(f"{label} [{start}, {end}): {_on_one_line(text[start:end])}" for label, (start, end) in places)


def _on_one_line(text: str) -> str:
    return text.replace("\n", "␊")


def _said(function: object) -> str:
    return " ".join((inspect.getdoc(function) or "").split())


def _fenced(text: str) -> str:
    """The text as a code block, with a fence longer than any that it holds."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text.translate(_PICTURES)}\n{fence}\n"


def main() -> None:
    """Write the page."""
    (Path(__file__).parent.parent / "docs" / "carriers.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
