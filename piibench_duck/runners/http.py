"""A service of one's own behind HTTP, asked at the given address and nowhere else."""

import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from piibench_duck.errors import PiibenchError
from piibench_duck.interchange.records import Fault
from piibench_duck.offsets import OffsetUnit
from piibench_duck.runners import Answer, Description, Detector, Text
from piibench_duck.runners._options import fraction, integer, only
from piibench_duck.runners._reply import (
    PROBE,
    BadReplyError,
    Failures,
    accepted,
    answers,
    check_probe,
    decoded,
    unit_of,
)
from piibench_duck.runners._service import RefusedError, Service, address_of, open_service

OPTIONS = (
    *("auth_env", "auth_header", "batch", "concurrency", "labels", "language", "namespace", "offset_unit", "retries"),
    *("shape", "threshold", "timeout"),
)
SHAPES = ("presidio", "rows")
_OF_PRESIDIO = ("labels", "language", "threshold")


@dataclass(frozen=True)
class HttpDetector:
    """Asks for each text in Presidio's shape, or for `batch` rows at once, several questions at a time."""

    description: Description
    service: Service
    batch: int | None  # None in Presidio's shape, which takes one text
    beside: Mapping[str, Any]  # what is sent with every text in Presidio's shape
    unit: OffsetUnit
    workers: ThreadPoolExecutor
    failures: Failures

    def __call__(self, texts: Sequence[Text]) -> list[Answer]:
        size = self.batch or 1
        parts = [texts[start : start + size] for start in range(0, len(texts), size)]
        found = list(self.workers.map(self._attempt, parts))
        given: list[Answer] = []
        for part, one in zip(parts, found, strict=True):
            if isinstance(one, Exception):
                self.failures.failed(_told(one))
                if len(part) > 1 or len(texts) == 1:
                    raise one  # whoever asks goes on row by row, so that the one that cannot be taken fails alone
                given.append(Answer((), 0, "error"))
            else:
                self.failures.answered()
                given += accepted(one)
        return given

    def probe(self) -> None:
        """Raises `PiibenchError` unless an invented text is answered as it should be."""
        found = self._attempt([PROBE])
        if isinstance(found, Exception):
            raise PiibenchError(f"{self.service.who} does not answer as it should: {_told(found)}") from found
        check_probe(found, self.service.who)

    def _attempt(self, texts: Sequence[Text]) -> "list[Answer | Fault] | Exception":
        try:
            return self._ask(texts)
        except PiibenchError:
            raise  # it is the service that has to be mended
        except Exception as error:  # of whatever kind, it counts
            return error

    def _ask(self, texts: Sequence[Text]) -> list[Answer | Fault]:
        if self.batch is None:
            said = decoded(self.service.post({"text": texts[0].text, **self.beside}))
            if not isinstance(said, list):
                raise BadReplyError("no array of spans")
            return answers([{"id": texts[0].row_id, "spans": said}], texts, self.unit, self.service.who)
        said = decoded(self.service.post({"rows": [{"id": text.row_id, "text": text.text} for text in texts]}))
        if not isinstance(said, dict) or not isinstance(said.get("rows"), list):
            raise BadReplyError("no object with an array of rows")
        return answers(said["rows"], texts, self.unit, self.service.who)


def _told(error: Exception) -> str:
    """What may be said of a failure: of one that is none of ours, its kind alone."""
    return (str(error) if isinstance(error, BadReplyError | RefusedError | TimeoutError) else "") or type(
        error
    ).__name__


def shown(model: str) -> str:
    """The service as results name it: host and path, nothing that may be a secret."""
    try:
        return address_of(model).told
    except PiibenchError:
        return "no address"


def load(model: str | None, revision: str | None, options: Mapping[str, str]) -> Detector:
    """`model` is the address of a service, which is asked about an invented text first.

    `shape` is `presidio` (its analyzer's: a text, `language`, `labels`, `threshold`, against an array of spans)
    or `rows` (`{"rows": [{"id", "text"}]}`, `batch` of them, against `{"rows": [{"id", "spans"}]}`).
    `auth_env` names the environment variable that holds the value of the header `auth_header` (Authorization);
    `timeout` in seconds of one attempt, of which there are one and `retries`; `concurrency` questions at a time.
    """
    only("http", options, (*OPTIONS, "unpinned"))
    address = address_of(model)
    if revision is not None:
        raise PiibenchError(f"runner 'http' takes no revision, which it could not hold a service to; got {revision!r}")
    shape = options.get("shape", "presidio")
    if shape not in SHAPES:
        raise PiibenchError(f"option 'shape' of runner 'http' is {shape!r}; there are {', '.join(SHAPES)}")
    if shape == "rows" and (given := sorted(set(_OF_PRESIDIO) & set(options))):
        raise PiibenchError(f"option {given[0]!r} of runner 'http' goes with the shape 'presidio', not 'rows'")
    labels = [label.strip() for label in options.get("labels", "").split(",") if label.strip()]
    beside: dict[str, Any] = {"language": options.get("language", "en")}
    if labels:
        beside["entities"] = labels
    if "threshold" in options:
        beside["score_threshold"] = fraction("http", options, "threshold", 0.0)
    batch = integer("http", options, "batch", 32, 1, 4096)
    concurrency = integer("http", options, "concurrency", 4, 1, 256)
    retries = integer("http", options, "retries", 3, 0, 100)
    seconds = integer("http", options, "timeout", 30, 1, 86_400)
    unit = unit_of("http", options)
    who = f"the service {address.told}"
    service = open_service(who, address, _credentials(options), seconds, retries, concurrency)
    settings = {"batch": str(batch) if shape == "rows" else "1", "offset_unit": unit, "shape": shape}
    if shape == "presidio":
        settings |= {"labels_asked": ",".join(labels) or "all", "language": beside["language"]}
        settings["threshold"] = str(beside.get("score_threshold", "of the service"))
    described = Description(
        kind="pipeline",
        runner="http",
        model=address.told,
        revision=None,
        weights_sha256=None,
        label_namespace=options.get("namespace") or "*",
        settings=settings,
        libraries=_libraries(concurrency, retries, seconds),
        is_pinned=False,
    )
    workers = ThreadPoolExecutor(concurrency, thread_name_prefix="http")
    together = batch if shape == "rows" else None
    detector = HttpDetector(described, service, together, beside, unit, workers, Failures(who))
    detector.probe()
    return detector


def _credentials(options: Mapping[str, str]) -> dict[str, str]:
    header = options.get("auth_header", "Authorization")
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", header):
        raise PiibenchError("option 'auth_header' of runner 'http' is not the name of a header")
    if "auth_env" not in options:
        if "auth_header" in options:
            raise PiibenchError(
                "option 'auth_header' of runner 'http' goes with 'auth_env', which says where its value is"
            )
        return {}
    value = os.environ.get(options["auth_env"], "").strip()
    if not value or not value.isascii() or not value.isprintable():
        raise PiibenchError(
            "option 'auth_env' of runner 'http' names no environment variable that holds the value of a header"
        )
    return {header: value}


def _libraries(concurrency: int, retries: int, seconds: int) -> dict[str, str]:
    import importlib.metadata

    return {
        "concurrency": str(concurrency),
        "device": "of the service",
        "retries": str(retries),
        "timeout": str(seconds),
        "urllib3": importlib.metadata.version("urllib3"),
    }
