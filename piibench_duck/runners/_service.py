"""Questions to one host over HTTP: bounded, tried again where that may help, and never sent anywhere else."""

import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn
from urllib.parse import urlsplit

from piibench_duck.errors import PiibenchError
from piibench_duck.runners._reply import MOST_BYTES, BadReplyError

if TYPE_CHECKING:
    import urllib3

    from piibench_duck.runners._deadline import Attempt

_CHUNK = 1 << 16
_BACKOFF = 0.5  # seconds, of which the pauses are multiples
_LONGEST_PAUSE = 60  # seconds, whatever the service asks for
_AGAIN = frozenset({429, 500, 502, 503, 504})
# What is wrong with the address or the credentials is wrong for every row.
_HOPELESS = {
    401: "asks for credentials (option auth_env)",
    403: "refuses these credentials",
    404: "has nothing at that path",
    405: "takes no POST at that path",
    410: "has nothing at that path any more",
}


class RefusedError(Exception):
    """An answer of a status that is none of success."""


class Address(NamedTuple):
    """Where a service is."""

    scheme: str
    host: str
    port: int | None
    path: str  # with the query, where there is one

    @property
    def told(self) -> str:
        """Host and path, as results name it; a query may be a secret."""
        return f"{self.host}{f':{self.port}' if self.port else ''}{self.path.partition('?')[0].rstrip('/')}"


def address_of(model: str | None) -> Address:
    """The parts of an address; raises `PiibenchError`, which does not repeat it, where nobody can be asked there."""
    expected = "http:// or https:// with a host and no user name was expected; credentials go by the option auth_env"
    if model is None:
        raise PiibenchError(f"runner 'http' needs the address of a service as its model; {expected}")
    try:
        parts = urlsplit(model)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = urlsplit(""), None, None
    is_plain = model.isascii() and model.isprintable() and not {" ", "\\"} & set(model)
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or parts.fragment or not is_plain:
        raise PiibenchError(f"the model of runner 'http' is no address that it asks; {expected}")
    host = f"[{host}]" if ":" in host else host
    return Address(parts.scheme, host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


@dataclass(frozen=True)
class Service:
    """One host. Proxies that the environment names are not used, cookies not kept, redirects not followed."""

    who: str
    path: str
    pool: "urllib3.HTTPConnectionPool"
    retry: "urllib3.Retry"
    seconds: float  # of one attempt
    headers: Mapping[str, str] = field(repr=False)  # may hold credentials

    def post(self, value: object) -> bytes:
        """The body of a successful answer.

        What may pass is tried again, after longer and longer pauses or when the service says. Then raises
        `PiibenchError` where it is the service that has to be mended, `RefusedError`, `TimeoutError` or
        `BadReplyError` where it may be the row.
        """
        from urllib3.exceptions import HTTPError, MaxRetryError

        from piibench_duck.runners._deadline import Attempt

        body = json.dumps(value, ensure_ascii=False).encode()
        retry = self.retry
        while True:
            response: urllib3.BaseHTTPResponse | None = None
            failed: Exception | None = None
            with Attempt(self.seconds) as attempt:
                try:
                    response = self.pool.urlopen(
                        "POST", self.path, body, self.headers, retries=False, redirect=False, preload_content=False
                    )
                    if response.status not in _AGAIN:
                        return self._read(response, attempt)
                except (HTTPError, TimeoutError) as error:
                    failed = TimeoutError() if attempt.is_over and not _is_hopeless(error) else error
                finally:
                    if response is not None:
                        if failed or response.status != 200 or not response.closed:
                            response.close()  # a body that was not read to its end stands in the way of the next
                        response.release_conn()
            try:
                retry = retry.increment("POST", self.path, response, failed)
            except MaxRetryError:
                self._give_up(failed, response)
            _pause(retry, response if failed is None else None)

    def _read(self, response: "urllib3.BaseHTTPResponse", attempt: "Attempt") -> bytes:
        status = response.status
        if status in _HOPELESS:
            raise PiibenchError(f"{self.who} {_HOPELESS[status]}: it answered {status}")
        if 300 <= status < 400:
            raise PiibenchError(
                f"{self.who} answered {status}, which leads elsewhere and is not followed; its own address was expected"
            )
        if status != 200:
            raise RefusedError(f"it answered {status}")
        parts: list[bytes] = []
        left = MOST_BYTES
        while part := response.read1(_CHUNK, decode_content=False):
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise BadReplyError(f"more than {MOST_BYTES} bytes")
            if attempt.is_over:
                raise TimeoutError
        if attempt.is_over:  # and what looks like the end of the body may be where it was broken off
            raise TimeoutError
        return b"".join(parts)

    def _give_up(self, error: Exception | None, response: "urllib3.BaseHTTPResponse | None") -> NoReturn:
        from urllib3 import exceptions

        if error is not None and _is_hopeless(error):
            why = "its certificate is not accepted" if isinstance(error, exceptions.SSLError) else "no connection"
            raise PiibenchError(f"{self.who} cannot be reached: {why}") from None
        if error is None and response is not None:
            raise RefusedError(f"it answered {response.status}")
        if isinstance(error, TimeoutError | exceptions.TimeoutError):
            raise TimeoutError(f"no whole answer in {self.seconds:g} s")
        raise BadReplyError("the answer broke off")


def _is_hopeless(error: Exception) -> bool:
    """Whether there was no connection, which no row is to blame for."""
    from urllib3 import exceptions

    return isinstance(error, exceptions.NewConnectionError | exceptions.ConnectTimeoutError | exceptions.SSLError)


def _pause(retry: "urllib3.Retry", response: "urllib3.BaseHTTPResponse | None") -> None:
    """As long as the service asks for, or of our own where it does not or says it in no form that there is."""
    asked = None
    if response is not None:
        with contextlib.suppress(Exception):  # of many kinds, by what is wrong with the date
            asked = retry.get_retry_after(response)
    if asked:
        time.sleep(asked)
    else:
        retry.sleep()


def open_service(
    who: str, address: Address, headers: Mapping[str, str], seconds: float, retries: int, connections: int
) -> Service:
    """A service behind an address, over at most so many connections."""
    import urllib3

    from piibench_duck.runners._deadline import pool_of

    pool = pool_of(address.scheme, address.host, address.port, connections, seconds)
    retry = urllib3.Retry(
        total=retries,
        allowed_methods=None,
        status_forcelist=_AGAIN,
        backoff_factor=_BACKOFF,
        backoff_max=_LONGEST_PAUSE,
        retry_after_max=_LONGEST_PAUSE,
    )
    sent = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
    return Service(who, address.path, pool, retry, seconds, {**sent, "User-Agent": "piibench-duck", **headers})
