"""Whether weights of tokens can be summed: what is summed are integers, in billionths of a bit."""

from collections import Counter

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.tables import Columns

MOST_BITS = 1_000_000
"""Of a token. The least likely that a model can tell has about a thousand."""

_LARGEST_SUM = (2**63 - 1) // 10**9
_EXPECTED = "bits were expected, and a token rarely has more than thirty"


def check_sums(named: str, weights: Columns, masks: Columns, annotators: Columns) -> None:
    """Raise where the weights of all that is masked, once for each annotator of its document, could not be summed.

    A mask has no more tokens than characters, and none of them more bits than the heaviest weight.
    """
    of_document = Counter(annotators["row_id"])
    n_items = sum(
        (end - start + 1) * max(of_document[row_id], 1)
        for row_id, start, end in zip(masks["row_id"], masks["start_char"], masks["end_char"], strict=True)
    )
    heaviest = max(weights["bits"], default=0.0)
    if n_items * (heaviest + 1) > _LARGEST_SUM:
        raise PiibenchError(f"{named}: weights of up to {heaviest:g} are too large to be summed here; {_EXPECTED}")
