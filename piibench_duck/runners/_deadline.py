"""An end to one attempt over HTTP, however slowly bytes come: timeouts of a socket begin anew with every byte."""

import contextlib
import socket
import threading
import time
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

_ATTEMPT: "ContextVar[Attempt | None]" = ContextVar("attempt", default=None)


class Attempt:
    """Within it, what goes over a pool of `pool_of` is broken off after `seconds`; `is_over` says whether it was."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._break_off)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends

    def __enter__(self) -> Self:
        self._outer = _ATTEMPT.set(self)
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _ATTEMPT.reset(self._outer)
        self._timer.cancel()
        with self._lock:
            self._sockets.clear()  # which another attempt may use from now on

    def holds(self, used: socket.socket) -> None:
        with self._lock:
            self._sockets.append(used)
        if self.is_over:
            self._break_off()

    def _break_off(self) -> None:
        with self._lock:
            for used in self._sockets:
                with contextlib.suppress(OSError):
                    # Not that of SSLSocket, which takes the encryption away under whoever is reading.
                    socket.socket.shutdown(used, socket.SHUT_RDWR)


def pool_of(scheme: str, host: str, port: int | None, connections: int, seconds: float) -> urllib3.HTTPConnectionPool:
    """At most so many connections to one host, which the `Attempt` around a request may break off."""
    kind = urllib3.HTTPSConnectionPool if scheme == "https" else urllib3.HTTPConnectionPool
    pool = kind(host, port, maxsize=connections, block=True, timeout=urllib3.Timeout(total=seconds))
    pool.ConnectionCls = _HttpsConnection if scheme == "https" else _HttpConnection
    return pool


def _hold(used: Any) -> None:
    attempt = _ATTEMPT.get()
    if attempt is not None and isinstance(used, socket.socket):
        attempt.holds(used)


class _HttpConnection(HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _hold(self.sock)

    def request(self, *arguments: Any, **options: Any) -> None:
        _hold(self.sock)  # of an earlier request, where there was one
        super().request(*arguments, **options)


class _HttpsConnection(HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _hold(self.sock)

    def request(self, *arguments: Any, **options: Any) -> None:
        _hold(self.sock)
        super().request(*arguments, **options)
