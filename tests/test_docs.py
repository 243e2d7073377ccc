"""Every example of the README and of docs/ runs, shows what it prints, and names nothing that is not there.

With PIIBENCH_WRITE_DOCS=1 in the environment, what commands print is written into the pages instead of compared.
"""

import ast
import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from piibench_duck import (
    around,
    carriers,
    cli,
    corpora,
    parameters,
    places,
    protocol,
    query,
    results,
    runners,
    sources,
    sqlfiles,
    warehouse,
)
from piibench_duck.board import terminal
from piibench_duck.interchange import keys
from piibench_duck.runners import registry
from tests import oracle

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
ADDING = ROOT / "docs" / "adding.md"
NOTEBOOK = ROOT / "docs" / "notebook.md"
PAGES = [README, *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name != "data-model.md")]
RUNS = ["mask-nothing", "mask-everything", "rules"]
TOOLS = ("mkdir", "cp", "cat", "python")
FILES = ("jsonl", "json", "csv", "conll", "ann", "toml", "python", "sql")
FENCE = re.compile(r"^```(\w+)?(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITES = "PIIBENCH_WRITE_DOCS"


class Block(NamedTuple):
    """A fenced block. One with a name, like `rows.jsonl`, is the content of that file."""

    where: str
    language: str
    name: str
    text: str


def blocks_of(page: Path, language: str | None = None) -> list[Block]:
    """The page's blocks in order."""
    text = page.read_text("utf-8")
    found = [
        Block(f"{page.name}:{text.count(chr(10), 0, match.start()) + 1}", match[1] or "", match[2] or "", match[3])
        for match in FENCE.finditer(text)
    ]
    return [block for block in found if language in (None, block.language)]


def shown_by(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it is said to print."""
    return [part.partition("\n")[::2] for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]


def unnamed(language: str) -> list[Block]:
    return [block for page in PAGES for block in blocks_of(page, language) if not block.name]


def where_of(block: object) -> str:
    return block.where if isinstance(block, Block) else str(block)


def printed(*arguments: str) -> str:
    """What a command prints; fails where it does not succeed."""
    bytes_out, errors = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(bytes_out, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    assert ended.value.code == 0, f"{shlex.join(arguments)}: {errors.getvalue()}"
    return bytes_out.getvalue().decode()


def demo_board() -> str:
    """The board that `just score` ends with, from the committed results."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        page = Path("results", "demo", "page", "index.html")
        found = results.read_board(ROOT / "results" / "demo")
        terminal.board(protocol.load().boards["demo"].title, found, page=page)
    return out.getvalue()


def as_it_happens(page: Path) -> str:
    """The page with what its console blocks print, run in the current folder; a line `...` stands for any lines."""

    def block(match: re.Match[str]) -> str:
        language, name, text = match.groups()
        if name and language in (("jsonl", "json") if page == ADDING else FILES):  # there `follow` makes the others
            Path(name).write_text(text, "utf-8")
        if language != "console":
            return match[0]
        shown = "".join(f"$ {command}\n{printed_as_said(command, said)}" for command, said in shown_by(text))
        return f"```console\n{shown}```"

    return FENCE.sub(block, page.read_text("utf-8"))


def printed_as_said(command: str, said: str) -> str:
    """What a command prints, or what is said of it where that fits."""
    program, *arguments = shlex.split(command)
    if program == "just":
        assert arguments == ["score"], f"{command}: only the output of `just score` is known"
        return "...\n" + demo_board()
    if program == "piibench-duck" and arguments[0] == "carriers":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PIIBENCH_HOME", str(ROOT))  # what was committed, with models that not everybody has
            output = printed(*arguments)
    elif program == "piibench-duck":
        output = printed(*arguments)
    else:
        assert program in TOOLS, command
        command = command.replace("python ", f"{shlex.quote(sys.executable)} ", 1) if program == "python" else command
        output = subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(f"{line}\n") for line in said.splitlines())
    return said if re.fullmatch(pattern, output) else output


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder, which holds the demo board with three runs that need no model."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIIBENCH_HOME", str(folder))
        patch.chdir(folder)
        printed("build", "--board", "demo")
        printed("predict", *RUNS, "--board", "demo")
        printed("score", "--board", "demo")
        yield folder


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, where docs/adding.md has been followed."""
    monkeypatch.setenv("PIIBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("PIIBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "sql", tmp_path / "sql")
    shutil.copytree(ROOT / "data", tmp_path / "data", ignore=shutil.ignore_patterns("downloads", "__pycache__"))
    for block in blocks_of(ADDING):
        follow(block, tmp_path)
    for module in (places, warehouse):
        monkeypatch.setattr(module, "data_dir", lambda: tmp_path / "data")
        monkeypatch.setattr(module, "sql_dir", lambda: tmp_path / "sql")
    modules = set(sys.modules)
    for package in (carriers, corpora, runners):
        added = tmp_path / package.__name__.replace(".", "/")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(added)])
    importlib.invalidate_caches()
    yield tmp_path
    for name in set(sys.modules) - modules:
        path = getattr(sys.modules[name], "__file__", None) or ""
        if path.startswith(str(tmp_path)):
            parent, _, child = name.rpartition(".")
            del sys.modules[name]
            delattr(sys.modules[parent], child)


def follow(block: Block, folder: Path) -> None:
    """Do what a named block says: make its file, or add its lines to one that is there."""
    if not block.name:
        return
    name, _, table = block.name.partition(" ")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text("utf-8") if path.exists() else ""
    if name == "sql/marts/scores.sql":
        place = before.index("    metrics.f1(")
        text = before[:place] + block.text + before[place:]
    elif table:
        text = before.replace(f"{table}\n", f"{table}\n{block.text}")
        assert text != before, f"{block.where}: {name} has no {table}"
    else:
        text = before + block.text
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if page != ADDING], ids=lambda page: page.name)
def test_what_a_page_shows_on_a_console_is_what_happens(page: Path, home: Path) -> None:
    compare_or_write(page)


def compare_or_write(page: Path) -> None:
    happened = as_it_happens(page)
    if os.environ.get(WRITES):
        page.write_text(happened, "utf-8")
    assert page.read_text("utf-8") == happened


def test_the_text_around_spans_is_shown_as_it_is_printed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = protocol.load()
    asked = {"run": "rules", "label": "DATE_TIME"}
    con = query.open_for(protocol.find_board("demo", plan), plan, "missed_spans", asked)
    found = query.named(con, "missed_spans", asked)
    lines = list(query.cells(found))
    windows = around.windows(con, found.column_names, lines, around.WIDTH)
    capsys.readouterr()
    terminal.lines_with_text(found.column_names, zip(lines, windows, strict=True))
    [block] = blocks_of(ROOT / "docs" / "errors.md", "text")
    shown = block.text.splitlines()
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()][: len(shown)] == shown


@pytest.mark.parametrize("block", unnamed("sql"), ids=where_of)
def test_a_query_of_the_docs_runs(block: Block, home: Path) -> None:
    plan = protocol.load()
    con = query.open_locked(protocol.find_board("demo", plan), plan)
    assert query.select(con, block.text).num_rows > 0, block.where


@pytest.mark.parametrize(
    "block", [b for b in unnamed("python") if not b.where.startswith((ADDING.name, NOTEBOOK.name))], ids=where_of
)
def test_python_of_the_docs_runs(block: Block, home: Path) -> None:
    if block.text.startswith(">>> "):  # with what it prints
        example = doctest.DocTestParser().get_doctest(block.text, {}, block.where, None, None)
        assert doctest.DocTestRunner().run(example).failed == 0
        return
    exec(compile(block.text, block.where, "exec"), {})


def test_the_cells_of_the_notebook_run_one_after_the_other_and_save_a_plot(home: Path) -> None:
    names: dict[str, object] = {}
    for block in blocks_of(NOTEBOOK, "python"):
        exec(compile(block.text, block.where, "exec"), names)
    plot = (home / "recall_by_carrier.svg").read_text("utf-8")
    assert plot.startswith("<svg")
    assert "markdown_table" in plot
    assert len(plot) < 100_000


def test_what_is_added_as_docs_adding_says_works_from_end_to_end(workshop: Path) -> None:
    compare_or_write(ADDING)
    source = sources.load_sources(workshop / "data" / "sources.toml")["ward_notes"]
    for block in blocks_of(ADDING, "python"):
        if not block.name:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.text, block.where, "exec"), {})
            assert ast.literal_eval(out.getvalue()) == (source.sha256, source.bytes), block.where
    assert "all-capitals" in registry.runner_names()
    assert "reply" in carriers.carrier_names()
    board = protocol.find_board("ward", protocol.load())
    found = query.select(
        query.open_locked(board, protocol.load()), (workshop / "sql/queries/most_missed.sql").read_text()
    )
    assert found.column("run_id").to_pylist() == ["all-capitals"] * 2
    described = {file.name: dict(file.columns) for file in sqlfiles.load(workshop / "sql")}
    assert described["marts.scores"]["miss_rate"] == "of the personal data, the share left readable"


@pytest.mark.parametrize("passage", ["Anna Smith", "To Anna Smith:\n> no\n\nBye, Anna.", "\n", "🙂 אנה\r\nÉ"])
def test_the_carrier_of_the_docs_gives_back_what_was_put_in(passage: str, workshop: Path) -> None:
    spans = [(0, len(passage)), (len(passage) - 1, len(passage))]
    wrapped = carriers.wrap("reply", passage, spans, [(0, len(passage))], 1)
    assert carriers.unwrap("reply", wrapped.text) == [passage]
    start, end = wrapped.spans[0]
    assert wrapped.text[start:end].replace("\n> ", "\n") == passage
    assert carriers.to_passage(wrapped.alignments, *wrapped.spans[1]) == spans[1]


def test_the_published_draws_are_those_of_the_oracle_and_of_the_sql() -> None:
    text = (ROOT / "docs" / "scoring.md").read_text("utf-8")
    lines = re.findall(
        r"^\| (\d+) \| (row|document) \| `([\w-]+)` \| (\d+) \| (\d+) \| ([\d, ]+) \|$", text, re.MULTILINE
    )
    assert len(lines) >= 3
    con = warehouse.connect()
    for seed, unit, corpus, replicate, n_units, said in lines:
        expected = [int(place) for place in said.split(",")]
        drawn = oracle.draws(int(seed), unit, corpus, int(replicate) + 1, int(n_units))[int(replicate)]
        assert drawn[: len(expected)].tolist() == expected
        assert drawn_in_sql(con, int(seed), unit, corpus, int(replicate), int(n_units))[: len(expected)] == expected
    [(x, mixed)] = re.findall(r"`mix32\((\d+)\) = (\d+)`", text)
    assert con.sql(f"select mix32({x}::bigint)").fetchall() == [(int(mixed),)]


def drawn_in_sql(
    con: warehouse.Connection, seed: int, unit: str, corpus: str, replicate: int, n_units: int
) -> list[int]:
    """What sql/intermediate/draws.sql draws of a corpus alone, in order of the slots."""
    text = next(file.text for file in warehouse.files() if file.name == "intermediate.draws")
    by_slot = text[: text.rindex("\nselect\n")] + "\nselect * from units_drawn"  # before units are counted
    con.execute(
        "create or replace table intermediate.units as select 0 as stratum_key, "
        f"'{unit}' as unit, '{corpus}' as corpus, unnest(range({n_units})) as unit_key"
    )
    con.execute(
        "create or replace table staging.settings as "
        f"select {seed}::bigint as seed, {replicate + 1}::bigint as replicates"
    )
    con.execute("set threads = 1")  # the slots come in their order
    found = con.sql(f"select unit_key from ({by_slot}) where replicate_key = {replicate}").fetchall()
    return [unit_key for (unit_key,) in found]


def test_every_command_option_and_recipe_of_the_docs_is_there() -> None:
    recipes = recipe_names()
    commands = dict(command_options())
    for file in query.queries().values():
        commands["sql"] |= {one.typed for one in parameters.of(file).values()}
    for block in [block for page in PAGES for kind in ("sh", "console") for block in blocks_of(page, kind)]:
        for recipe in re.findall(r"(?:^|[&|;$] )just ([\w-]+)", block.text, re.MULTILINE):
            assert recipe in recipes, f"{block.where}: {recipe}"
        prompt = r"^\$ " if block.language == "console" else "^"
        for command, rest in re.findall(prompt + r"piibench-duck ([\w-]+)(.*)", block.text, re.MULTILINE):
            assert command in commands, f"{block.where}: {command}"
            outside_quotes = re.sub(r"\"[^\"]*\"|'[^']*'", "", rest)
            unknown = set(re.findall(r"(?<!\S)--[\w-]+", outside_quotes)) - commands[command]
            assert not unknown, f"{block.where}: {command} {unknown}"


def test_everything_there_is_is_mentioned() -> None:
    said = "\n".join(page.read_text("utf-8") for page in PAGES)
    spellings = [
        name
        for table in (keys.ROW, keys.PREDICTION, keys.SPAN)
        for pair in table.items()
        for name in (pair[0], *pair[1])
    ]
    files = [file.name for file in warehouse.files() if file.schema in ("metrics", "marts")]
    names = [
        *carriers.carrier_names(),
        *registry.runner_names(),
        *files,
        *query.queries(),
        *dict(command_options()),
        *spellings,
    ]
    missing = [name for name in names if not re.search(rf"`(?:piibench-duck )?{re.escape(name)}\b", said)]
    missing += [name for name in recipe_names() if f"just {name}" not in said]
    code = "".join(path.read_text("utf-8") for path in (ROOT / "piibench_duck").rglob("*.py"))
    missing += [name for name in sorted(set(re.findall(r"PIIBENCH_[A-Z]+", code))) if f"`{name}" not in said]
    missing += [
        source.name
        for source in sources.load_sources().values()
        if source.upstream.kind != "package" and f"`{source.upstream.place}`" not in said
    ]
    assert not missing


def test_licences_of_the_corpora_are_those_of_their_sources() -> None:
    text = (ROOT / "docs" / "corpora.md").read_text("utf-8")
    for source in sources.load_sources().values():
        if source.upstream.kind != "package":
            lines = [line for line in text.splitlines() if line.startswith(f"| `{source.corpus}` | ")]
            assert any(source.title.split(",")[0] in line and line.endswith(f"| {source.licence} |") for line in lines)


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "docs" / "data-model.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.name
)
def test_links_lead_somewhere_and_no_machine_is_named(page: Path) -> None:
    text = page.read_text("utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        assert not target.startswith("/")
        if not re.match(r"\w+:", target):
            path, _, anchor = target.partition("#")
            linked = page.parent / path if path else page
            assert linked.exists(), target
            assert not anchor or anchor in anchors_of(linked), target
    assert not re.search(r"(?<![\w.<>])/(?:work|tmp|home|root|Users|mnt|opt|var)\b|\b[A-Z]:\\", text)


def anchors_of(page: Path) -> list[str]:
    """As GitHub names headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_the_citation_is_of_this_version() -> None:
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"\nversion: {project['version']}\n" in cited
    assert f"\nlicense: {project['license']}\n" in cited
    assert f"\n## {project['version']}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    required = {"cff-version", "message", "title", "authors"}
    assert required <= set(re.findall(r"^([\w-]+):", cited, re.MULTILINE))


def test_the_credit_of_the_model_is_given_as_its_licence_asks() -> None:
    credit = protocol.load().runs["rampart"].credit
    assert credit == "Rampart, © 2026 National Design Studio, CC BY 4.0"
    assert credit in " ".join(README.read_text("utf-8").split())
    assert credit in " ".join((ROOT / "NOTICE").read_text("utf-8").split())


def recipe_names() -> list[str]:
    text = (ROOT / "justfile").read_text("utf-8")
    return re.findall(r"^@?([a-z][\w-]*)(?: [^:=\n]*(?:=[^:\n]*)?)?:(?!=)", text, re.MULTILINE)


def command_options() -> Iterator[tuple[str, set[str]]]:
    from typer.main import get_command

    from piibench_duck.commands import app

    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]  # a group: there are several
        yield name, {"--help", *(option for parameter in command.params for option in parameter.opts)}
