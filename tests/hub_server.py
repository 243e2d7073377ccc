"""A small hub of models and data sets on loopback: what the hub's own client asks for, and ways in which it fails."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

ALWAYS = 10**6


@dataclass
class Repository:
    """Files at commits. Those whose name ends as one of `large` are kept as large files, and sent from elsewhere."""

    kind: str  # models or datasets
    name: str
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    large: tuple[str, ...] = (".onnx", ".safetensors")

    def commit(self, files: Mapping[str, bytes], ref: str = "main") -> str:
        """Makes a commit of these files and points `ref` at it."""
        content = json.dumps({path: git_oid(data) for path, data in sorted(files.items())})
        commit = hashlib.sha1(content.encode()).hexdigest()
        self.commits[commit] = dict(files)
        self.refs[ref] = commit
        return commit

    def is_large(self, path: str) -> bool:
        return path.endswith(self.large)


def git_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob " + str(len(data)).encode() + b"\0" + data).hexdigest()


@dataclass
class Hub:
    """What a server has and how it is to fail; `asked` are the requests it got, as `METHOD path`."""

    address: str = ""
    repositories: dict[tuple[str, str], Repository] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    status: dict[str, int] = field(default_factory=dict)  # by a part of the path
    breaks: dict[str, int] = field(default_factory=dict)  # how often a file breaks off half-way, by its name
    resumes: bool = True  # whether anything comes behind the place where it broke off
    other_bytes: dict[str, bytes] = field(default_factory=dict)  # what is sent in place of a file, by its name

    def add(self, name: str, files: Mapping[str, bytes], kind: str = "models") -> str:
        """The commit of a new repository."""
        repository = Repository(kind, name)
        self.repositories[kind, name] = repository
        return repository.commit(files)

    def environment(self, cache: object) -> dict[str, str]:
        """What a process needs to take this for the hub, with a cache of its own."""
        return {"HF_ENDPOINT": self.address, "HF_HOME": str(cache), "HF_HUB_DISABLE_TELEMETRY": "1", "HF_TOKEN": ""}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(f"{self.command} {path}")
        for part, status in self.hub.status.items():
            if part in path:
                self._send(status, b"{}")
                return
        if found := re.fullmatch(r"/api/(models|datasets)/(.+?)(?:/(revision|tree)/([^/]+))?", path):
            self._about(*found.groups())
        elif found := re.fullmatch(r"/(datasets/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._file("datasets" if found[1] else "models", *found.groups()[1:])
        elif found := re.fullmatch(r"/cdn/(models|datasets)/([^/]+/[^/]+)/([0-9a-f]{40})/(.+)", path):
            self._bytes(self.hub.repositories[found[1], found[2]].commits[found[3]][found[4]], found[4], {})
        else:
            self._send(404, b"{}")

    def _at(self, kind: str, name: str, revision: str | None) -> tuple[Repository, str] | None:
        repository = self.hub.repositories.get((kind, name))
        if repository is None:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
            return None
        commit = repository.refs.get(revision or "main", revision or "")
        if commit not in repository.commits:
            self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            return None
        return repository, commit

    def _about(self, kind: str, name: str, what: str | None, revision: str | None) -> None:
        if (at := self._at(kind, name, revision)) is None:
            return
        repository, commit = at
        files = repository.commits[commit]
        large = {
            path: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
            for path, data in files.items()
            if repository.is_large(path)
        }
        if what == "tree":
            said: Any = [
                {"type": "file", "path": path, "size": len(data), "oid": git_oid(data)}
                | ({"lfs": {**large[path], "oid": large[path]["sha256"]}} if path in large else {})
                for path, data in files.items()
            ]
        else:
            siblings = [
                {"rfilename": path, "size": len(data), "blobId": git_oid(data)}
                | ({"lfs": large[path]} if path in large else {})
                for path, data in files.items()
            ]
            said = {"_id": "1", "id": name, "sha": commit, "private": False, "tags": [], "siblings": siblings}
        self._send(200, json.dumps(said).encode(), {"Content-Type": "application/json"})

    def _file(self, kind: str, name: str, revision: str, path: str) -> None:
        if (at := self._at(kind, name, revision)) is None:
            return
        repository, commit = at
        told = {"X-Repo-Commit": commit}
        if path not in repository.commits[commit]:
            self._send(404, b"{}", told | {"X-Error-Code": "EntryNotFound"})
            return
        data = repository.commits[commit][path]
        if repository.is_large(path):
            told["X-Linked-ETag"] = f'"{hashlib.sha256(data).hexdigest()}"'
            told["X-Linked-Size"] = str(len(data))
            elsewhere = self.hub.address.replace("127.0.0.1", "localhost")  # the client follows within one host alone
            self._send(302, b"", told | {"Location": f"{elsewhere}/cdn/{kind}/{name}/{commit}/{path}"})
        else:
            self._bytes(data, path, told | {"ETag": f'"{git_oid(data)}"'})

    def _bytes(self, data: bytes, path: str, told: Mapping[str, str]) -> None:
        data = self.hub.other_bytes.get(path, data)
        begin, status, headers = 0, 200, dict(told)
        if found := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")):
            begin, status = int(found[1]), 206
            headers["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
        left = self.hub.breaks.get(path, 0)
        if self.command == "GET" and left:
            self.hub.breaks[path] = left - 1
            sent = b"" if begin and not self.hub.resumes else data[begin : begin + (len(data) - begin) // 2]
            self._send(status, sent, headers | {"Content-Length": str(len(data) - begin)})
            self.close_connection = True
        else:
            self._send(status, data[begin:], headers)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | dict(headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextmanager
def serving() -> Iterator[Hub]:
    """A hub that answers until the end of the block."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
