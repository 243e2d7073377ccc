"""Reading the options of a runner, which come as text, and refusing those it does not have."""

from collections.abc import Collection, Mapping, Sequence

from piibench_duck.errors import WrongUsageError
from piibench_duck.names import mentioned


def only(runner: str, options: Mapping[str, str], known: Collection[str]) -> None:
    """Raises where `options` has a key that is not in `known`."""
    unknown = sorted(set(options) - set(known))
    if unknown:
        there_are = f"there are {', '.join(sorted(known))}" if known else "it has none"
        raise WrongUsageError(f"runner {runner!r} has no option {unknown[0]!r}; {there_are}")


def no_model(runner: str, model: str | None, revision: str | None) -> None:
    """Raises where a runner that is complete in itself is given a model."""
    if model is not None or revision is not None:
        got = repr(revision) if model is None else f"a model {mentioned(model)}"
        raise WrongUsageError(f"runner {runner!r} takes no model and no revision, but got {got}")


def integer(runner: str, options: Mapping[str, str], key: str, default: int, low: int, high: int) -> int:
    """The option as an integer in `[low, high]`."""
    raw = options.get(key, str(default))
    if not (raw.isascii() and raw.isdigit() and low <= int(raw) <= high):
        raise WrongUsageError(
            f"option {key!r} of runner {runner!r} is {raw!r}; expected an integer from {low} to {high}"
        )
    return int(raw)


def fraction(runner: str, options: Mapping[str, str], key: str, default: float) -> float:
    """The option as a number in `[0, 1]`."""
    raw = options.get(key, str(default))
    try:
        value = float(raw)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise WrongUsageError(f"option {key!r} of runner {runner!r} is {raw!r}; expected a number from 0 to 1")
    return value


def asked(runner: str, options: Mapping[str, str], known: Sequence[str] | None = None) -> list[str]:
    """The option `labels`, which commas separate, each label once; all `known` ones where it is not given.

    Raises for one that is not known, where it is said which are, and where none is left to ask for.
    """
    if "labels" not in options and known:
        return list(known)
    labels = list(dict.fromkeys(label.strip() for label in options.get("labels", "").split(",") if label.strip()))
    strange = [] if known is None else [label for label in labels if label not in known]
    if strange or not labels:
        there_are = f"; there are {', '.join(known)}" if known else ""
        what = f"asks for {strange[0]!r}" if strange else "names no label"
        raise WrongUsageError(
            f"option 'labels' of runner {runner!r} {what}; expected labels with commas between{there_are}"
        )
    return labels
