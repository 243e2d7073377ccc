"""Presidio's results as JSON: lists of `{"entity_type", "start", "end", "score"}` by row id or in the order of rows.

That is what `RecognizerResult.to_dict()` gives; explanations and metadata beside these four are not looked at. Results
that overlap are kept as they come.

Cannot carry: which texts were seen in part.
"""

from collections.abc import Mapping
from pathlib import Path

from piibench_duck.door import take_predictions
from piibench_duck.interchange.tables import Predictions
from piibench_duck.interchange.taking import BY_POSITION, by_position, json_value, numbered, refused
from piibench_duck.json_types import word
from piibench_duck.offsets import OffsetUnit

_EXPECTED = "a JSON object with an array of results for each row id, or an array of such arrays,"


def read(path: Path, texts: Mapping[str, str], unit: OffsetUnit = "codepoint") -> Predictions:
    """Results of the analyzer, also of a batch of texts without ids."""
    results, sha256 = json_value(path, _EXPECTED)
    if isinstance(results, dict):
        return take_predictions(path, numbered(list(results.values()), list(results)), texts, sha256, unit)
    if not isinstance(results, list):
        raise refused(path, "bad_schema", f"{word(results)}, {_EXPECTED} was expected")
    records = numbered(results, by_position(path, len(results), texts, "lists of results"))
    return take_predictions(path, records, texts, sha256, unit)._replace(settings=BY_POSITION)
