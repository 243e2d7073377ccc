"""What messages call a JSON value: its type, never what it holds."""

_NULL = type(None)
WORDS = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "an array",
    dict: "an object",
    _NULL: "null",
}


def word(value: object) -> str:
    """What kind of value this is.

    >>> word([3])
    'an array'
    """
    return WORDS.get(type(value), f"a {type(value).__name__}")
