"""An honest weak baseline: regular expressions for English, German, Spanish, Russian and Hebrew, no list of names."""

from collections.abc import Mapping

from piibench_duck.runners import Detector
from piibench_duck.runners._options import no_model, only


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """Takes no options. Formats come before phrases: a date inside a URL is a URL."""
    import importlib.metadata

    from piibench_duck.runners._formats import FORMATS
    from piibench_duck.runners._phrases import ADDRESSES, DATES, NAMES, ORGANIZATIONS
    from piibench_duck.runners._rule import apply, digest
    from piibench_duck.runners._simple import own

    no_model("rules", model, revision)
    only("rules", options, ())
    rules = (*FORMATS, *DATES, *ADDRESSES, *ORGANIZATIONS, *NAMES)
    libraries = {"python-stdnum": importlib.metadata.version("python-stdnum")}
    return own("rules", "rules", lambda text: apply(rules, text), {"rules_sha256": digest(rules)}, libraries)
