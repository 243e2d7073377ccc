"""What a scanner returns: lines of a page, words hyphenated at their ends, look-alike characters, odd spaces."""

import random
import re
from collections.abc import Callable, Iterator, Sequence

from piibench_duck.carriers.writer import Value, Writer

READS_BACK = False

_WIDTHS = range(76, 112)  # characters in a line of the page
_GAP = 128  # from one misread character to the next, at most; half of it on average
_HYPHENATED = 0.4  # of the lines that end inside a word
_LOST = 0.5  # of the spaces that are misread; the others are doubled

# What a letter, a digit or a full stop is read as. A character that is not here is never misread, only broken after.
_LOOKS_LIKE = {
    # Latin
    **{"a": "o", "b": "h", "c": "e", "d": "cl", "e": "c", "f": "t", "g": "q", "h": "b", "i": "l", "j": "i", "k": "lc"},
    **{"l": "1", "m": "rn", "n": "ri", "o": "0", "q": "g", "r": "i", "s": "5", "t": "f", "u": "ii", "v": "y"},
    **{"w": "vv", "y": "v", "z": "2", "á": "a", "ä": "a", "é": "e", "í": "i", "ñ": "n", "ó": "6", "ö": "o"},
    **{"ú": "u", "ü": "ii", "ß": "B"},
    **{"B": "8", "C": "G", "D": "O", "E": "F", "F": "P", "G": "6", "H": "N", "I": "l", "J": "I", "M": "IVI", "N": "H"},
    **{"O": "0", "P": "F", "R": "K", "S": "5", "T": "I", "U": "IJ", "V": "Y", "W": "VV", "Z": "2"},
    # Cyrillic
    **{"а": "о", "б": "6", "в": "з", "г": "т", "е": "с", "ё": "е", "ж": "яс", "з": "3", "и": "н", "й": "и", "к": "н"},
    **{"л": "п", "м": "н", "н": "и", "о": "0", "п": "н", "р": "о", "с": "е", "т": "г", "у": "ч", "ф": "о", "ц": "п"},
    **{"ч": "у", "ш": "ни", "щ": "ш", "ъ": "ь", "ы": "ьі", "ь": "ъ", "э": "з", "ю": "іо", "я": "л"},
    **{"Б": "6", "В": "8", "Ж": "Х", "З": "3", "И": "Н", "К": "Н", "Л": "П", "М": "Н", "Н": "И", "О": "0", "П": "Н"},
    **{"Р": "Г", "С": "О", "Т": "Г", "Ш": "НІ", "Щ": "Ш", "Ы": "ЬІ", "Э": "З", "Ю": "ІО", "Я": "Л"},
    # Hebrew
    **{"ב": "כ", "ג": "נ", "ד": "ר", "ה": "ח", "ו": "ן", "ז": "ו", "ח": "ת", "ט": "מ", "י": "'", "כ": "ב", "ם": "ס"},
    **{"מ": "ט", "ן": "ו", "נ": "ג", "ס": "ם", "ע": "צ", "צ": "ע", "ר": "ד", "ת": "ח"},
    # Arabic
    **{"ب": "ت", "ت": "ث", "ج": "ح", "ح": "خ", "خ": "ح", "د": "ذ", "ذ": "د", "ر": "ز", "ز": "ر", "س": "ش", "ش": "س"},
    **{"ص": "ض", "ض": "ص", "ع": "غ", "غ": "ع", "ف": "ق", "ق": "ف", "ه": "ة"},
    # digits and points
    **{"0": "O", "1": "l", "2": "Z", "3": "8", "5": "S", "6": "b", "7": "1", "8": "B", "9": "g", ".": ",", ",": "."},
}
_MISREAD = re.compile(f"[ {re.escape(''.join(_LOOKS_LIKE))}]")
_BREAK = re.compile("[ \n]")


def wrap(writer: Writer, values: Sequence[Value], key: int) -> None:
    """Takes the passage whole. About one character in fifty is changed or lost, by the key."""
    # Of `random`, only `random()` is promised to give the same numbers for a seed in every version of Python.
    draw = random.Random(key).random
    text = writer.passage.text
    changes = dict(_line_ends(text, _WIDTHS[int(draw() * len(_WIDTHS))], draw, writer.is_edge))
    changes = {**dict(_misread(text, draw, writer.is_edge)), **changes}
    done = 0
    writer.open(writer.passage)
    for offset, read_as in sorted(changes.items()):
        writer.copy(offset - done)
        if read_as:
            writer.change(read_as)
        else:
            writer.lose()
        done = offset + 1
    writer.copy(len(text) - done)
    writer.close()


def unwrap(wire: str) -> list[str]:
    """All that is left; only the alignment leads back to the passage."""
    return [wire]


def _line_ends(
    text: str, width: int, draw: Callable[[], float], is_edge: Callable[[int], bool]
) -> Iterator[tuple[int, str]]:
    """Where the page ends its lines: a space that becomes a newline, or a letter that takes a hyphen and a newline."""
    start = 0
    while start + width < len(text):
        end = start + width
        newline = text.rfind("\n", start, end + 1)
        if newline >= 0:
            start = newline + 1
            continue
        letter = end - 2  # the hyphen comes next
        around = text[letter - 1 : letter + 3]
        hyphenates = draw() < _HYPHENATED and around.isalpha() and around.islower() and not is_edge(letter)
        space = text.rfind(" ", start + 1, end + 1)
        if hyphenates:
            yield letter, f"{text[letter]}-\n"
            start = letter + 1
        elif space >= 0:
            yield space, "\n"
            start = space + 1
        elif found := _BREAK.search(text, end):
            if found.group() == " ":
                yield found.start(), "\n"
            start = found.end()
        else:
            return


def _misread(text: str, draw: Callable[[], float], is_edge: Callable[[int], bool]) -> Iterator[tuple[int, str]]:
    """Characters read as others, and spaces read as two or, unless a span needs them, as none."""
    at = int(draw() * _GAP)
    while found := _MISREAD.search(text, at):
        at = found.start()
        is_lost = draw() < _LOST
        if found.group() != " ":
            yield at, _LOOKS_LIKE[found.group()]
        elif is_lost and not is_edge(at):
            yield at, ""
        else:
            yield at, "  "
        at += 1 + int(draw() * _GAP)
