"""Pins, and bytes from a mirror, the cache or upstream (a server on the loopback)."""

import hashlib
import io
import os
import tarfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from piibench_duck import download
from piibench_duck.errors import PiibenchError
from piibench_duck.sources import Source, digest_of, fetch, load_sources, pin, read
from piibench_duck.sources import Upstream as Origin

COMMIT = "c0ffee" * 6 + "c0ff"
TABLE = f"""
[notes]
title = "Notes"
role = "Invented notes."
corpus = "notes"
upstream = {{ github = "someone/notes", commit = "{COMMIT}" }}
paths = ["texts", "more.txt"]
sha256 = "{"0" * 64}"
bytes = 0
licence = "CC0-1.0"
language = "en"
reader = "jsonl"
splits = ["all"]
slices = []
annotates = ["PERSON"]
"""
HUB = Origin("hub", "someone/notes", "v1")
FILES = {"texts/a.txt": b"one\n", "texts/deep/b.txt": b"two\n", "more.txt": b"three\n"}


def lay(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@pytest.fixture
def source(tmp_path: Path) -> Source:
    toml = tmp_path / "sources.toml"
    toml.write_text(TABLE)
    sha256, size = digest_of(lay(tmp_path / "original", FILES), ["texts", "more.txt"])
    return replace(load_sources(toml)["notes"], sha256=sha256, bytes=size)


def archive(files: dict[str, bytes], top: str = f"notes-{COMMIT}/", links: dict[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(top + name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            tar.addfile(member)
    return buffer.getvalue()


class Upstream:
    """What the loopback server answers, and what it was asked."""

    body = b""
    announced: int | None = None
    delay = 0.0
    asked: list[str]


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> Iterator[Upstream]:
    state = Upstream()
    state.asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            time.sleep(state.delay)
            if self.path != f"/someone/notes/archive/{COMMIT}.tar.gz" or not state.body:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(state.announced or len(state.body)))
            self.end_headers()
            self.wfile.write(state.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    monkeypatch.setenv("PIIBENCH_GITHUB", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield state
    server.shutdown()
    server.server_close()


def refusal(source: Source, mirror: Path | None, downloads: Path) -> str:
    with pytest.raises(PiibenchError) as caught:
        fetch(source, mirror, downloads)
    return str(caught.value)


def nothing_left(downloads: Path) -> bool:
    return not downloads.exists() or not list(downloads.iterdir())


def test_the_shipped_pins_name_every_source_in_order() -> None:
    sources = load_sources()
    assert list(sources)[:8] == [
        *("tab", "germeval2014", "factrueval", "meddocan", "iahlt_knesset", "iahlt_wiki", "gretel", "nemotron"),
    ]
    assert list(sources)[8:] == [
        *("nemotron_pii", "gretel_finance", "piibench", "demo-en", "demo-de", "demo-es", "demo-ru", "demo-he"),
    ]
    pinned = [source for source in sources.values() if not source.is_recorded]
    corpora = {source.corpus for source in pinned if source.upstream.kind != "package"}
    assert corpora == {"tab", "germeval", "factrueval", "meddocan", "iahlt", "gretel", "nemotron"}
    assert {source.corpus for source in sources.values() if source.is_recorded} == {
        *("nemotron-pii", "gretel-finance", "piibench"),
    }


def test_the_digest_of_one_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    lay(tmp_path, FILES)
    assert digest_of(tmp_path, ["more.txt"]) == (hashlib.sha256(b"three\n").hexdigest(), 6)


def test_the_digest_of_a_tree_is_that_of_its_sorted_lines(tmp_path: Path) -> None:
    lay(tmp_path, FILES)
    lines = [f"{hashlib.sha256(FILES[name]).hexdigest()}  {name}\n" for name in sorted(FILES)]
    expected = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert digest_of(tmp_path, ["texts", "more.txt"]) == digest_of(tmp_path, ["more.txt", "texts"]) == (expected, 14)


def test_a_folder_with_one_file_is_still_a_tree(tmp_path: Path) -> None:
    lay(tmp_path, {"texts/a.txt": b"one\n"})
    assert digest_of(tmp_path, ["texts"])[0] != digest_of(tmp_path, ["texts/a.txt"])[0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('licence = "CC0-1.0"\n', "", "[notes]: lacks 'licence'"),
        ('licence = "CC0-1.0"', 'licence = "CC0-1.0"\nlicense = "MIT"', "[notes]: has the unknown 'license'"),
        ('licence = "CC0-1.0"', "licence = 3", "[notes]: 'licence' is not a text"),
        ("bytes = 0", "bytes = true", "[notes]: 'bytes' is not a count"),
        ("0" * 64, "0" * 63, "[notes]: 'sha256' is not 64"),
        ('["PERSON"]', '["NAME"]', "'annotates' names 'NAME'; there are PERSON"),
        ('["all"]', "[]", "'splits' is empty"),
        ('"more.txt"]', '"../more.txt"]', "the path '../more.txt' does not lie below"),
        ('reader = "jsonl"', 'reader = "a.b"', "'reader' 'a.b' is not the name of a module"),
        (COMMIT, "main", "'commit' is not 40"),
        ("github", "gitlab", "'upstream': needs exactly one of github, hub, package"),
        (', commit = "' + COMMIT + '"', "", "'upstream': lacks 'commit'"),
        ("[notes]", "[notes", "is not TOML"),
    ],
)
def test_a_wrong_table_is_refused_with_its_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    toml = tmp_path / "sources.toml"
    assert old in TABLE
    toml.write_text(TABLE.replace(old, new))
    with pytest.raises(PiibenchError) as caught:
        load_sources(toml)
    assert said in str(caught.value)
    assert str(caught.value).startswith("sources.toml")


def test_a_mirror_is_read_where_it_lies(tmp_path: Path, source: Source) -> None:
    lay(tmp_path / "mirror" / "notes", FILES)
    assert fetch(source, tmp_path / "mirror", tmp_path / "downloads") == tmp_path / "mirror" / "notes"
    assert nothing_left(tmp_path / "downloads")


def test_wrong_bytes_in_the_mirror_are_refused_with_both_digests(
    tmp_path: Path, source: Source, upstream: Upstream
) -> None:
    upstream.body = archive(FILES)
    mirror = tmp_path / "mirror"
    lay(mirror / "notes", FILES | {"more.txt": b"thr33\n"})
    said = refusal(source, mirror, tmp_path / "downloads")
    assert "source 'notes': the mirror holds" in said
    assert source.sha256 in said
    assert digest_of(mirror / "notes", source.paths)[0] in said
    assert upstream.asked == []


def test_a_mirror_that_lacks_one_file_is_refused_with_its_path(tmp_path: Path, source: Source) -> None:
    lay(tmp_path / "mirror" / "notes", {"texts/a.txt": b"one\n"})
    assert "there is no 'more.txt'" in refusal(source, tmp_path / "mirror", tmp_path / "downloads")


def test_a_mirror_that_is_no_folder_is_refused(tmp_path: Path, source: Source) -> None:
    assert "is not a folder" in refusal(source, tmp_path / "nowhere", tmp_path / "downloads")


def test_a_mirror_without_the_source_leaves_it_to_upstream(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    (tmp_path / "mirror").mkdir()
    upstream.body = archive(FILES | {"README": b"not asked for"})
    root = fetch(source, tmp_path / "mirror", tmp_path / "downloads")
    assert root == tmp_path / "downloads" / "notes"
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert found == FILES
    assert [path.name for path in (tmp_path / "downloads").iterdir()] == ["notes"]


def test_what_was_fetched_is_not_fetched_again(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = archive(FILES)
    fetch(source, None, tmp_path)
    fetch(source, None, tmp_path)
    assert len(upstream.asked) == 1


def test_a_download_tells_how_many_bytes_come_and_have_come(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = archive(FILES)
    totals: list[int | None] = []
    parts: list[int] = []

    def start(total: int | None) -> Callable[[int], None]:
        totals.append(total)
        return parts.append

    fetch(source, None, tmp_path, start)
    assert totals == [len(upstream.body)] == [sum(parts)]


def test_a_stale_download_is_replaced(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    lay(tmp_path / "downloads" / "notes", {"more.txt": b"of an older pin", "gone.txt": b""})
    upstream.body = archive(FILES)
    root = fetch(source, None, tmp_path / "downloads")
    assert digest_of(root, source.paths) == (source.sha256, source.bytes)
    assert not (root / "gone.txt").exists()


def test_a_failed_fetch_leaves_the_old_download(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    old = lay(tmp_path / "downloads" / "notes", {"more.txt": b"of an older pin"})
    upstream.body = archive(FILES | {"more.txt": b"other!"})
    assert "what github sent of someone/notes holds" in refusal(source, None, tmp_path / "downloads")
    assert [path.name for path in old.parent.iterdir()] == ["notes"]
    assert (old / "more.txt").read_bytes() == b"of an older pin"


def test_an_unknown_commit_is_named(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    assert "source 'notes': http://127.0.0.1" in (said := refusal(source, None, tmp_path / "downloads"))
    assert said.endswith(".tar.gz answered 404")
    assert nothing_left(tmp_path / "downloads")


def test_an_archive_that_lacks_a_path_is_refused(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = archive({"texts/a.txt": b"one\n"})
    assert "is not whole, there is no 'more.txt'" in refusal(source, None, tmp_path / "downloads")
    assert nothing_left(tmp_path / "downloads")


def test_a_transfer_that_breaks_off_is_refused(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = archive(FILES)
    upstream.announced = len(upstream.body) + 100
    assert "source 'notes'" in refusal(source, None, tmp_path / "downloads")
    assert nothing_left(tmp_path / "downloads")


@pytest.mark.parametrize("keep", [10, 0.5, 0.9])
def test_a_truncated_archive_is_refused(tmp_path: Path, source: Source, upstream: Upstream, keep: float) -> None:
    noise = {f"texts/{index}": os.urandom(5000) for index in range(4)}
    whole = archive(noise)
    upstream.body = whole[: int(keep) if keep > 1 else int(len(whole) * keep)]
    said = refusal(replace(source, bytes=10**6), None, tmp_path / "downloads")
    assert "source 'notes'" in said
    assert "sent no whole archive" in said
    assert nothing_left(tmp_path / "downloads")


def test_a_body_that_is_no_archive_is_refused(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = b"<html>sign in first</html>"
    assert "sent no whole archive" in refusal(source, None, tmp_path / "downloads")


def test_a_member_that_leads_out_is_never_written(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = archive({**FILES, "texts/../../../../loot.txt": b"loot"})
    downloads = tmp_path / "a" / "b" / "downloads"
    assert "leads out of the archive" in refusal(source, None, downloads)
    assert not list(tmp_path.rglob("loot.txt"))


def test_members_elsewhere_are_passed_over(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = archive({**FILES, "../texts/loot.txt": b"loot", "textsloot.txt": b"loot"})
    fetch(source, None, tmp_path / "downloads")
    assert not list(tmp_path.rglob("*loot.txt"))


def test_links_in_an_archive_are_not_followed(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    files = {name: content for name, content in FILES.items() if name != "more.txt"}
    upstream.body = archive(files, links={"more.txt": "/etc/hostname"})
    assert "there is no 'more.txt'" in refusal(source, None, tmp_path / "downloads")


def test_more_bytes_than_pinned_are_not_unpacked(tmp_path: Path, source: Source, upstream: Upstream) -> None:
    upstream.body = archive(FILES | {"texts/bomb": bytes(10**6)})
    assert "more than the 14 bytes that are pinned" in refusal(source, None, tmp_path / "downloads")


def test_an_unreachable_upstream_is_named(tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIIBENCH_GITHUB", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    said = refusal(source, None, tmp_path / "downloads")
    assert "source 'notes'" in said
    assert "cannot be reached" in said


def test_a_silent_upstream_is_given_up(
    tmp_path: Path, source: Source, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_SILENCE_SECONDS", 0.1)
    upstream.body, upstream.delay = archive(FILES), 0.4
    assert "silent or slow for too long" in refusal(source, None, tmp_path / "downloads")
    assert nothing_left(tmp_path / "downloads")


def test_a_slow_upstream_is_given_up_at_the_deadline(
    tmp_path: Path, source: Source, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "_DEADLINE_SECONDS", -1)
    upstream.body = archive(FILES)
    assert "silent or slow for too long" in refusal(source, None, tmp_path / "downloads")


def test_files_of_the_hub_are_asked_for_at_the_commit_of_the_revision(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def bring(place: str, commit: str, paths: Sequence[str], folder: Path) -> list[str]:
        asked.append((place, commit, paths))
        lay(folder, {path: FILES[path] for path in paths})
        return list(paths)

    monkeypatch.setattr("piibench_duck.hub.newest_commit", lambda place, revision, kind: f"{kind} {place} {revision}")
    monkeypatch.setattr("piibench_duck.hub.bring", bring)
    paths = ("texts/a.txt", "more.txt")
    sha256, size = digest_of(tmp_path / "original", paths)
    hub = replace(source, upstream=HUB, paths=paths, sha256=sha256, bytes=size)
    root = fetch(hub, None, tmp_path / "downloads")
    assert digest_of(root, paths) == (sha256, size)
    assert asked == [("someone/notes", "dataset someone/notes v1", paths)]


def test_a_hub_that_gives_nothing_is_named(tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PiibenchError("data set 'someone/notes' cannot be had from the hub: why")

    monkeypatch.setattr("piibench_duck.hub.newest_commit", refuse)
    said = refusal(replace(source, upstream=HUB), None, tmp_path / "downloads")
    assert said == "source 'notes': data set 'someone/notes' cannot be had from the hub: why"
    assert nothing_left(tmp_path / "downloads")


def test_an_upstream_that_is_no_web_address_is_refused(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIIBENCH_GITHUB", f"file://{tmp_path}")
    assert "not an http address" in refusal(source, None, tmp_path / "downloads")


def test_pinning_writes_digest_and_size_of_that_table_alone(tmp_path: Path) -> None:
    toml = tmp_path / "sources.toml"
    toml.write_text(TABLE + TABLE.replace("[notes]", "[other]"))
    lay(tmp_path / "root", FILES)
    pinned = pin("notes", tmp_path / "root", toml)
    assert (pinned.sha256, pinned.bytes) == digest_of(tmp_path / "root", ["texts", "more.txt"])
    sources = load_sources(toml)
    assert sources["notes"] == pinned
    assert (sources["other"].sha256, sources["other"].bytes) == ("0" * 64, 0)


def test_a_source_without_a_reader_is_named(tmp_path: Path, source: Source) -> None:
    for reader in ("nobody", "_files"):
        with pytest.raises(PiibenchError, match=f"source 'notes': there is no reader '{reader}'"):
            read(replace(source, reader=reader), tmp_path)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"doc_id":7,"text":"x","spans":[]}'], "document number 1: its id, text, split or a slice is not a text"),
        (['{"doc_id":"a","text":null,"spans":[]}'], "document number 1: its id, text, split or a slice is"),
        (['{"doc_id":"a","text":"x","spans":[]}'] * 2, "has two documents a"),
        (['{"doc_id":"a","text":"x","spans":[],"split":"odd"}'], "is of the split 'odd', expected one of all"),
        (['{"doc_id":"a","text":"x","spans":[],"slices":{"k":"v"}}'], "has the unlisted slice 'k'"),
    ],
)
def test_documents_that_the_pins_do_not_describe_are_refused(
    tmp_path: Path, source: Source, lines: list[str], said: str
) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    with pytest.raises(PiibenchError) as caught:
        read(replace(source, paths=("a.jsonl",)), tmp_path)
    assert said in str(caught.value)


@pytest.mark.corpora
def test_the_pins_are_the_bytes_of_the_real_corpora(mirror: Path, tmp_path: Path) -> None:
    for name, source in load_sources().items():
        if source.upstream.kind != "package" and not source.is_recorded:
            assert fetch(source, mirror, tmp_path) == mirror / name
