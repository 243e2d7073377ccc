"""A file that is one JSON value, read as strictly as the lines of a JSONL file."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.records import Fault, holds_surrogate, int_or_too_large, refuse_constant

_BOM = b"\xef\xbb\xbf"
_SECOND_VALUE = "Extra data"  # what Python's parser says behind the end of a value


class JsonFile(NamedTuple):
    """What a file holds, the keys that stand twice in its outermost object, and what is wrong with the whole."""

    value: Any
    repeated: tuple[str, ...]
    fault: Fault | None
    sha256: str  # of the bytes of the file


def read_json(path: Path, expected: str) -> JsonFile:
    """The value of a JSON file in UTF-8, with or without a BOM. Raises `PiibenchError` where it cannot be read.

    `expected` says what file it should have been.
    """
    try:
        found = path.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise PiibenchError(f"{path}: cannot be read ({why}); {expected} was expected") from error
    sha256 = hashlib.sha256(found).hexdigest()
    repeats: list[tuple[str, ...]] = []  # of each object, inner ones first

    def unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        often = Counter(name for name, _ in pairs) if len(value) != len(pairs) else Counter[str]()
        repeats.append(tuple(name for name, times in often.items() if times > 1))
        return value

    options: dict[str, Any] = {"object_pairs_hook": unrepeated, "parse_constant": refuse_constant}
    try:
        text = found.removeprefix(_BOM).decode()
        try:
            value = json.loads(text, **options)
        except json.JSONDecodeError:
            raise
        except ValueError:  # an integer of thousands of digits
            repeats.clear()
            value = json.loads(text, parse_int=int_or_too_large, **options)
        is_half = holds_surrogate(value)
    except UnicodeDecodeError as error:
        return JsonFile(
            None, (), Fault("bad_json", f"not UTF-8 at byte {error.start}; {expected} was expected"), sha256
        )
    except json.JSONDecodeError as error:
        found_there = f"not JSON at character {error.pos}"
        if error.msg == _SECOND_VALUE:
            found_there = f"one JSON value and more from character {error.pos}, as in JSON lines"
        return JsonFile(None, (), Fault("bad_json", f"{found_there}; {expected} was expected"), sha256)
    except RecursionError:
        return JsonFile(None, (), Fault("bad_json", "nested too deeply"), sha256)
    except ValueError:
        return JsonFile(None, (), Fault("bad_json", "NaN and Infinity are not JSON"), sha256)
    fault = None
    inner = repeats[:-1] if isinstance(value, dict) else repeats
    if any(inner):
        fault = Fault("bad_schema", "a key stands twice in one object")
    elif is_half:
        fault = Fault("lone_surrogate", "half of a surrogate pair, which no text can hold")
    return JsonFile(value, repeats[-1] if isinstance(value, dict) else (), fault, sha256)
