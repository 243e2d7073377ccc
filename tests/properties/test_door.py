"""Whatever bytes come to the door, they are taken or refused, and nothing that is said of them quotes them."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from piibench_duck.door import Refused, read_predictions, read_rows, validate
from piibench_duck.errors import PiibenchError
from piibench_duck.offsets import OffsetUnit

SECRET = "Zz9sentinel"
TEXTS = {"r1": f"{SECRET} 🙂é", "r2": ""}
CODECS = {"codepoint": ("utf-32-le", 4), "utf16": ("utf-16-le", 2), "byte": ("utf-8", 1)}

# Strings that a file may hold, ids apart, all of them secret.
secrets = st.sampled_from([SECRET, f"{SECRET} 🙂é", f"\ud83d{SECRET}", f"{SECRET}\x00\u2028"])
offsets = st.integers(-2, 15) | st.sampled_from([10**30, True, 1.0, None, SECRET])
spans = st.fixed_dictionaries(
    {},
    optional={
        **{"start": offsets, "begin": offsets, "end": offsets, "label": secrets, "text": secrets},
        **{"score": st.floats() | secrets, SECRET: secrets},
    },
)
good_spans = st.fixed_dictionaries(
    {"start": st.integers(0, 7), "end": st.integers(6, 14), "label": secrets}, optional={"text": secrets}
)
lines = st.fixed_dictionaries(
    {"id": st.sampled_from(["r1", "r2", "r3"]), "spans": st.lists(spans | good_spans, max_size=3)},
    optional={
        **{"text": secrets, "excluded": st.lists(good_spans, max_size=2), "dataset": secrets, "entities": secrets},
        **{"slices": st.dictionaries(secrets, secrets), SECRET: secrets, "chars_seen": offsets},
        "alignments": st.lists(st.fixed_dictionaries({"wire_start": offsets, "wire_end": offsets, "kind": secrets})),
    },
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """JSON lines, some of them with a piece cut out or put in."""
    content = b"".join(
        json.dumps(line, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
        + draw(st.sampled_from([b"\n", b"\r\n", b"\n\n", b""]))
        for line in draw(st.lists(lines, max_size=4))
    )
    at, n_cut = draw(st.integers(0, len(content))), draw(st.sampled_from([0, 0, 0, 1, 5]))
    return content[:at] + draw(st.sampled_from([b"", b"", b"\xff", b"\n", b"[", b'"', b"NaN"])) + content[at + n_cut :]


def said_of(content: bytes, read: Callable[[Path], object]) -> str | None:
    """All that is said of a file that holds `content`, None where it is taken; what is taken can be encoded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        try:
            result = read(path)
        except Refused as error:
            return f"{error} {error.as_json()} {[str(finding) for finding in error.findings]}"
        except PiibenchError as error:
            return str(error)
    json.dumps(result, ensure_ascii=False).encode()
    return repr(result) if isinstance(result, list) else None


def everything_said(content: bytes) -> str:
    readers: list[Callable[[Path], object]] = [
        read_rows,
        lambda path: read_predictions(path, TEXTS),
        lambda path: read_predictions(path, TEXTS, "utf16", {"start": "begin"}, allow_missing=True),
        validate,
    ]
    return "\n".join(said_of(content, read) or "" for read in readers)


@settings(deadline=None)  # the first Parquet imports pyarrow
@given(st.binary())
@example(b"PAR1")
@example(b"PAR1\x00\x00\x00\x00PAR1")
@example(b"[" * 5000)
@example(b'{"id":' * 900)
def test_any_bytes_are_taken_or_refused(content: bytes) -> None:
    everything_said(content)


@settings(max_examples=60, deadline=None)
@given(files())
@example(b'{"id": "r1", "text": "", "spans": [], "dataset": "\\ud83d"}')
@example(b'{"id": "r1", "spans": [{"start": "Zz9sentinel", "end": 3, "label": "X"}]}')
def test_nothing_that_is_said_of_a_file_quotes_it(content: bytes) -> None:
    assert SECRET not in everything_said(content)


@st.composite
def texts_and_spans(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]]]:
    text = draw(st.text(alphabet="aé🙂\u0301\u2028", max_size=6))
    pairs = draw(st.lists(st.tuples(st.integers(-1, 26), st.integers(-1, 26)), max_size=4))
    return text, [{"start": start, "end": end, "label": "X"} for start, end in pairs]


@given(texts_and_spans(), st.sampled_from(["codepoint", "utf16", "byte"]))
def test_spans_are_judged_as_the_encoded_text_says(case: tuple[str, list[dict[str, Any]]], unit: OffsetUnit) -> None:
    text, spans = case
    codec, width = CODECS[unit]
    encoded = text.encode(codec)
    want: list[str | tuple[int, int]] = []
    for span in spans:
        start, end = span["start"] * width, span["end"] * width
        if not {start, end} <= set(range(len(encoded) + 1)):
            want.append("out_of_range")
        elif start >= end:
            want.append("inverted_span" if start > end else "empty_span")
        else:
            try:
                before, inside = encoded[:start].decode(codec), encoded[start:end].decode(codec)
                want.append((len(before), len(before) + len(inside)))
            except UnicodeDecodeError:
                want.append("splits_a_character")
    content = json.dumps({"id": "r1", "spans": spans}).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "preds"
        path.write_bytes(content)
        got: list[str | tuple[int, int]]
        try:
            taken = read_predictions(path, {"r1": text}, unit).pred_spans
            got = list(zip(taken["start_char"], taken["end_char"], strict=True))
        except Refused as error:
            got = [finding.reason for finding in error.findings]
    reasons = [one for one in want if isinstance(one, str)]
    assert got == (reasons or want)
