"""Services behind HTTP on loopback: what they are sent, what of their answers is taken, and when a run stops."""

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from piibench_duck import predict
from piibench_duck.errors import PiibenchError
from piibench_duck.runners import Answer, Span, Text, _reply, _service
from piibench_duck.runners.http import shown
from piibench_duck.runners.registry import load_runner

TEXTS = [Text("r1", "Anna 😀 Smith left."), Text("r2", "Nobody here"), Text("r3", "Call Bob")]


class Asked(NamedTuple):
    """A request as the service saw it."""

    path: str
    headers: Mapping[str, str]
    value: Any


class Reply(NamedTuple):
    """What the service sends; a body of None breaks the connection off."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = {}


class Running:
    """A service whose every answer is `answer(request)`; keeps the requests."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Reply] = lambda asked: Reply([])
        running = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                asked = Asked(self.path, dict(self.headers), json.loads(body))
                running.asked.append(asked)
                reply = running.answer(asked)
                if reply.body is None:
                    self.close_connection = True
                    return
                sent = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in {"Content-Length": str(len(sent)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda request, address: None  # type: ignore[method-assign]  # clients hang up here
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/analyze"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def texts(self) -> list[str]:
        return [asked.value["text"] for asked in self.asked]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr(_service, "_BACKOFF", 0.001)
    running = Running()
    yield running
    running.server.shutdown()
    running.server.server_close()


def load(service: Running, model: str | None = None, **options: str) -> Any:
    return load_runner("http", model or service.address, options=options)


def refusal(service: Running, model: str | None = None, **options: str) -> str:
    with pytest.raises(PiibenchError) as caught:
        load(service, model, **options)
    return str(caught.value)


def presidio(asked: Asked) -> Reply:
    """The first word of a text, as Presidio's analyzer says it."""
    end = asked.value["text"].index(" ")
    found = {"start": 0, "end": end, "entity_type": "PERSON", "score": 0.85}
    return Reply([{**found, "analysis_explanation": None, "recognition_metadata": {"recognizer_name": "x"}}])


def rows(asked: Asked) -> Reply:
    """The first word of each row, rows in another order than asked."""
    found = [{"id": row["id"], "spans": [{"start": 0, "end": 4, "label": "X"}]} for row in asked.value["rows"]]
    return Reply({"rows": found[::-1]})


def test_presidios_analyzer_is_asked_for_one_text_at_a_time(service: Running) -> None:
    service.answer = presidio
    answers = load(service, language="de", labels="PERSON, DATE_TIME", threshold="0.4")(TEXTS)
    ends = (4, 6, 4)
    assert answers == [
        Answer((Span(0, end, "PERSON", 0.85),), len(text.text)) for text, end in zip(TEXTS, ends, strict=True)
    ]
    assert {json.dumps({**asked.value, "text": ""}) for asked in service.asked} == {
        json.dumps({"text": "", "language": "de", "entities": ["PERSON", "DATE_TIME"], "score_threshold": 0.4})
    }
    assert sorted(service.texts) == sorted([_reply.PROBE.text, *(text.text for text in TEXTS)])
    assert {asked.path for asked in service.asked} == {"/analyze"}


def test_rows_are_asked_for_in_batches_and_may_come_back_in_any_order(service: Running) -> None:
    service.answer = rows
    answers = load(service, shape="rows", batch="2", concurrency="1")(TEXTS)
    assert answers == [Answer((Span(0, 4, "X"),), len(text.text)) for text in TEXTS]
    assert [asked.value for asked in service.asked] == [
        {"rows": [{"id": text.row_id, "text": text.text} for text in part]}
        for part in ([_reply.PROBE], TEXTS[:2], TEXTS[2:])
    ]


def test_no_more_questions_are_open_than_are_allowed_and_answers_keep_their_order(service: Running) -> None:
    lock, met = threading.Lock(), {"now": 0, "most": 0}
    together = threading.Barrier(3, timeout=20)

    def count(asked: Asked) -> Reply:
        if asked.value["text"] == _reply.PROBE.text:
            return Reply([])
        with lock:
            met["now"] += 1
            met["most"] = max(met["most"], met["now"])
        together.wait()
        with lock:
            met["now"] -= 1
        return Reply([{"start": 0, "end": len(asked.value["text"]), "entity_type": "X"}])

    service.answer = count
    texts = [Text(f"r{place}", "x" * (place + 1)) for place in range(12)]
    answers = load(service, concurrency="3")(texts)
    assert [answer.spans[0].end for answer in answers] == list(range(1, 13))
    assert met["most"] == 3


def test_what_the_run_records_has_host_and_path_and_no_secret(
    service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "Bearer geheim")
    detector = load(service, f"{service.address}?key=verborgen", auth_env="MY_TOKEN")
    assert service.asked[-1].headers["Authorization"] == "Bearer geheim"
    assert service.asked[-1].path == "/analyze?key=verborgen"
    said = detector.description
    assert said.model == shown(f"{service.address}?key=verborgen") == service.address.removeprefix("http://")
    assert "geheim" not in repr(detector)
    assert "verborgen" not in repr(said)
    assert (said.kind, said.is_pinned, said.revision) == ("pipeline", False, None)
    assert {"shape": "presidio", "language": "en", "labels_asked": "all", "batch": "1"}.items() <= said.settings.items()
    load(service, auth_env="MY_TOKEN", auth_header="X-API-Key")
    assert service.asked[-1].headers["X-API-Key"] == "Bearer geheim"
    assert "Authorization" not in service.asked[-1].headers


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        (None, {}, "needs the address of a service as its model"),
        ("ftp://host/analyze", {}, "is no address that it asks"),
        ("file:///etc/passwd", {}, "is no address that it asks"),
        ("host/analyze", {}, "is no address that it asks"),
        ("http:///analyze", {}, "is no address that it asks"),
        ("http://anna:geheim@host/analyze", {}, "is no address that it asks"),
        ("http://host:99999/analyze", {}, "is no address that it asks"),
        ("http://host/ana lyze", {}, "is no address that it asks"),
        ("http://host\r\nX: y/", {}, "is no address that it asks"),
        ("http://host/#part", {}, "is no address that it asks"),
        ("http://host/", {"shape": "xml"}, "option 'shape' of runner 'http' is 'xml'; there are presidio, rows"),
        ("http://host/", {"shape": "rows", "language": "en"}, "option 'language' of runner 'http' goes with the shape"),
        ("http://host/", {"batch": "x"}, "option 'batch' of runner 'http' is 'x'; expected an integer from 1 to 4096"),
        ("http://host/", {"timeout": "x"}, "option 'timeout' of runner 'http' is 'x'; expected an integer"),
        ("http://host/", {"auth_env": "NOT_SET_ANYWHERE"}, "names no environment variable that holds the value"),
        ("http://host/", {"auth_header": "X-Key"}, "goes with 'auth_env'"),
        ("http://host/", {"auth_env": "PATH", "auth_header": "X: y"}, "is not the name of a header"),
        ("http://host/", {"proxy": "x"}, "runner 'http' has no option 'proxy'"),
    ],
)
def test_what_cannot_be_asked_is_refused_without_repeating_it(
    model: str | None, options: dict[str, str], said: str
) -> None:
    with pytest.raises(PiibenchError) as caught:
        load_runner("http", model, options=options)
    assert said in str(caught.value)
    assert "geheim" not in str(caught.value) + shown(model or "")


def test_a_revision_is_refused(service: Running) -> None:
    with pytest.raises(PiibenchError, match="takes no revision"):
        load_runner("http", service.address, "v1")


def test_a_service_that_is_not_there_stops_at_once(service: Running) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        assert (
            refusal(service, f"http://{host}/x", retries="1")
            == f"the service {host}/x cannot be reached: no connection"
        )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply({}, 401), "asks for credentials (option auth_env): it answered 401"),
        (Reply({}, 404), "has nothing at that path: it answered 404"),
        (Reply({}, 400), "does not answer as it should: it answered 400"),
        (Reply({}, 503), "does not answer as it should: it answered 503"),
        (Reply({}, 204), "does not answer as it should: it answered 204"),
        (Reply(None), "does not answer as it should: the answer broke off"),
        (Reply([], headers={"Content-Length": "99"}), "does not answer as it should: "),
        (Reply(b"<html>"), "does not answer as it should: not JSON at character 0"),
        (Reply(gzip.compress(b"[]"), headers={"Content-Encoding": "gzip"}), "not UTF-8"),
        (Reply({"entities": []}), "no array of spans"),
        (Reply([{"start": 0, "end": 4, "score": 1}]), "bad_schema, spans[0]: no 'label'"),
        (Reply([{"start": 0, "end": 400, "entity_type": "X"}]), "out_of_range, spans[0] is [0, 400) of a text of 30"),
        (Reply([{"start": True, "end": 4, "entity_type": "X"}]), "bad_schema, spans[0]: 'start' is true or false"),
        (Reply(b'[{"start": 0, "end": 4, "entity_type": "X", "score": NaN}]'), "NaN or Infinity"),
        (Reply(b'[{"start": 0, "end": 4, "entity_type": "X", "score": 1e999}]'), "'score' is not finite"),
        (Reply([{"start": 0, "end": 4, "entity_type": "anna"}]), "bad_label"),
        (Reply([{"entity_group": "PER", "word": "Anna", "score": 0.9}]), "gives no offsets with what it finds"),
        (Reply(["Anna"]), "gives no offsets with what it finds"),
    ],
)
def test_a_service_that_cannot_answer_the_probe_stops_before_any_row(service: Running, reply: Reply, said: str) -> None:
    service.answer = lambda asked: reply
    told = refusal(service, retries="1", timeout="1")
    assert said in told
    assert told.startswith(f"the service {service.address.removeprefix('http://')} ")
    assert "Anna" not in told
    assert set(service.texts) == {_reply.PROBE.text}


def test_redirects_are_refused_and_the_other_host_is_never_asked(service: Running) -> None:
    other = Running()
    for status in (301, 302, 303, 307, 308):
        service.answer = lambda asked, status=status: Reply({}, status, {"Location": other.address})
        assert f"answered {status}, which leads elsewhere and is not followed" in refusal(service)
    assert other.asked == []
    other.server.shutdown()
    other.server.server_close()


def test_proxies_of_the_environment_are_not_used(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Running()
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.address)
    monkeypatch.setenv("no_proxy", "")
    load(service)(TEXTS)
    assert (len(service.asked), proxy.asked) == (4, [])
    proxy.server.shutdown()
    proxy.server.server_close()


def failing(service: Running, status: int, times: int, word: str = "Bob") -> list[float]:
    """Has the service fail so often for texts with a word; the moments at which it did."""
    failed: list[float] = []

    def answer(asked: Asked) -> Reply:
        if word in asked.value["text"] and len(failed) < times:
            failed.append(0.0)
            return Reply({}, status, {"Retry-After": "0"})
        return presidio(asked)

    service.answer = answer
    return failed


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(service: Running, status: int) -> None:
    failed = failing(service, status, 2)
    answers = load(service, retries="2")(TEXTS)
    assert (len(failed), [answer.status for answer in answers]) == (2, ["ok"] * 3)


def test_a_row_that_the_service_cannot_take_fails_alone(service: Running) -> None:
    failing(service, 500, 99)
    assert [answer.status for answer in load(service, retries="1")(TEXTS)] == ["ok", "ok", "error"]
    assert service.texts.count("Call Bob") == 2
    failing(service, 422, 99)
    assert [answer.status for answer in load(service, retries="5")(TEXTS)] == ["ok", "ok", "error"]
    assert service.texts.count("Call Bob") == 3, "what will not pass is not tried again"


def test_a_broken_connection_and_silence_are_tried_again(service: Running) -> None:
    event, met = threading.Event(), []

    def answer(asked: Asked) -> Reply:
        if "Bob" in asked.value["text"]:
            met.append(1)
            if len(met) == 1:
                return Reply(None)
            if len(met) == 2:
                event.wait(3)
        return presidio(asked)

    service.answer = answer
    assert [found.status for found in load(service, retries="2", timeout="1")(TEXTS)] == ["ok"] * 3
    event.set()
    assert len(met) == 3


def test_the_pause_that_a_service_asks_for_is_kept_but_not_for_ever(
    service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("urllib3.util.retry.time.sleep", pauses.append)
    waits = iter(["7", "999999999"])

    def answer(asked: Asked) -> Reply:
        wait = next(waits, None) if "Bob" in asked.value["text"] else None
        return Reply({}, 503, {"Retry-After": wait}) if wait else presidio(asked)

    service.answer = answer
    assert load(service, retries="3")(TEXTS[2:])[0].status == "ok"
    assert pauses == [7, 60]


@pytest.mark.parametrize(
    "said",
    ["soon", "-1", "", "9" * 5000, "Mon, 99 Zzz 2026 99:99:99 GMT", "Fri, 31 Dec 99999999999 23:59:59 GMT", "1.5"],
)
def test_a_pause_that_is_none_is_one_of_our_own(service: Running, said: str) -> None:
    failed: list[str] = []

    def answer(asked: Asked) -> Reply:
        if "Bob" in asked.value["text"] and len(failed) < 2:
            failed.append(said)
            return Reply({}, 503, {"Retry-After": said})
        return presidio(asked)

    service.answer = answer
    assert load(service, retries="2")(TEXTS[2:])[0].status == "ok"
    assert len(failed) == 2


def test_failures_of_every_kind_count_and_only_ours_are_told(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    service.answer = presidio
    detector = load(service)

    def fail(*_: object) -> None:
        raise KeyError("Anna")

    monkeypatch.setattr("piibench_duck.runners.http.answers", fail)
    with pytest.raises(PiibenchError, match=r"failed 20 times in a row, at last so: KeyError$"):
        detector([Text(f"r{place}", "x x") for place in range(40)])


HEAD = b"HTTP/1.1 200 OK\r\n"
NOTHING = b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"
DRIPS = {
    "header": (HEAD, b"X: y\r\n"),
    "letters of a header": (HEAD + b"X: ", b"y"),
    "status": (b"", b"H"),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body of a length": (HEAD + b"Content-Length: 9999\r\n\r\n", b" "),
    "body without a length": (HEAD + b"\r\n[]", b" "),
    "length of a chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "extension of a chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x"),
    "trailer": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n", b"X: y\r\n"),
}


class Dripping:
    """A service that sends the head of an answer and then bytes without end, slowly, to all but the probe if it may."""

    def __init__(self, head: bytes, drop: bytes, answers_probe: bool) -> None:
        self.head, self.drop, self.answers_probe = head, drop, answers_probe
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/x"
        self.closed = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(client,), daemon=True).start()

    def answer(self, client: socket.socket) -> None:
        try:
            while asked := client.recv(1 << 16):
                while not asked.endswith(b"}"):
                    asked += client.recv(1 << 16)
                if self.answers_probe and _reply.PROBE.text.encode() in asked:
                    client.sendall(HEAD + NOTHING)
                    continue
                client.sendall(self.head)
                while not self.closed.wait(0.05):
                    client.sendall(self.drop)
        except OSError:
            return


@pytest.fixture
def dripping() -> Iterator[Callable[..., Dripping]]:
    begun: list[Dripping] = []

    def begin(*arguments: Any) -> Dripping:
        begun.append(Dripping(*arguments))
        return begun[-1]

    yield begin
    for one in begun:
        one.closed.set()
        one.listener.close()


@pytest.mark.parametrize("kind", DRIPS)
def test_an_attempt_ends_in_time_however_slowly_bytes_come(dripping: Callable[..., Dripping], kind: str) -> None:
    began = time.monotonic()
    with pytest.raises(PiibenchError, match="does not answer as it should: no whole answer in 1 s"):
        load_runner("http", dripping(*DRIPS[kind], False).address, options={"timeout": "1", "retries": "0"})
    assert time.monotonic() - began < 4
    detector = load_runner("http", dripping(*DRIPS[kind], True).address, options={"timeout": "1", "retries": "0"})
    began = time.monotonic()
    with pytest.raises(TimeoutError):  # over the connection that the probe went over, too
        detector(TEXTS[:1])
    assert time.monotonic() - began < 4


def test_an_answer_that_is_too_large_is_not_read_to_its_end(service: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_service, "MOST_BYTES", 1000)
    service.answer = lambda asked: Reply(b"[" + b" " * 10**6 + b"]")
    assert "more than 1000 bytes" in refusal(service)


def test_a_batch_with_a_row_that_fails_is_asked_for_row_by_row(service: Running, tmp_path: Any) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply({}, 500) if any("Bob" in row["text"] for row in asked.value["rows"]) else rows(asked)

    service.answer = answer
    detector = load(service, shape="rows", retries="0")
    predict.predict(TEXTS, detector, tmp_path / "run", "digest")
    found = predict.answers(tmp_path / "run")
    assert found.run_rows["status"].to_pylist() == ["ok", "ok", "error"]
    assert dict(found.errors) == {"RefusedError": 1}


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"rows": [{"id": "r1", "spans": []}, {"id": "r3", "spans": []}]}, ["ok", "error", "ok"]),
        ({"rows": [{"id": name, "spans": []} for name in ("r1", "r2", "r3", "r3")]}, ["ok", "ok", "error"]),
        ({"rows": [{"id": f"r{n}", "spans": [{"start": n, "end": 2, "label": "X"}]} for n in (1, 2, 3)]}, None),
    ],
)
def test_rows_that_are_missing_doubled_or_misplaced_fail_alone(
    service: Running, said: Any, status: list[str] | None
) -> None:
    service.answer = lambda asked: rows(asked) if asked.value["rows"][0]["id"] == "probe" else Reply(said)
    answers = load(service, shape="rows")(TEXTS)
    assert [answer.status for answer in answers] == (status or ["ok", "error", "error"])


@pytest.mark.parametrize(
    "said", [{"rows": [{"id": "r9", "spans": []}]}, {"rows": [{"spans": []}]}, {"rows": ["r1"]}, {"rows": {}}, [], "r1"]
)
def test_a_reply_that_does_not_say_what_it_answers_is_no_answer(service: Running, said: Any) -> None:
    service.answer = lambda asked: rows(asked) if asked.value["rows"][0]["id"] == "probe" else Reply(said)
    with pytest.raises(_reply.BadReplyError):
        load(service, shape="rows")(TEXTS)


def test_a_word_without_offsets_ends_the_run_wherever_it_comes(service: Running) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply([{"word": "Bob", "entity": "PER"}]) if "Bob" in asked.value["text"] else presidio(asked)

    service.answer = answer
    detector = load(service)
    with pytest.raises(PiibenchError, match="gives no offsets") as caught:
        detector(TEXTS)
    assert "Bob" not in str(caught.value)


def test_a_service_that_fails_at_every_row_ends_the_run_instead_of_failing_for_hours(service: Running) -> None:
    failing(service, 500, 10**6, word="x")
    detector = load(service, retries="0")
    with pytest.raises(PiibenchError, match="failed 20 times in a row, at last so: it answered 500"):
        detector([Text(f"r{place}", "x") for place in range(40)])


def test_a_service_that_goes_away_ends_the_run_which_can_go_on(service: Running, tmp_path: Any) -> None:
    service.answer = lambda asked: presidio(asked)._replace(headers={"Connection": "close"})
    detector = load(service, retries="1")
    service.server.shutdown()
    service.server.server_close()
    with pytest.raises(PiibenchError, match="cannot be reached: no connection"):
        predict.predict(TEXTS, detector, tmp_path / "run", "digest")


def test_offsets_in_other_units_are_code_points_afterwards(service: Running) -> None:
    text = Text("r", "😀 Anna")
    for unit, start, end in (("codepoint", 2, 6), ("utf16", 3, 7), ("byte", 5, 9)):
        service.answer = lambda asked, start=start, end=end: Reply(
            [{"start": start, "end": end, "entity_type": "X"}] if "😀" in asked.value["text"] else []
        )
        assert load(service, offset_unit=unit)([text]) == [Answer((Span(2, 6, "X"),), 6)], unit
