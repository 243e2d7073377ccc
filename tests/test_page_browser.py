"""The page in a real browser without a window: opened from disk, sorted, looked at by axe-core, on a narrow screen."""

import os
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from tests.paged import copied, of_many, written

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
TABLE = "#ranking-table"
PICTURE = Path(__file__).parent.parent / "docs" / "board.png"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(of_many(tmp_path_factory.mktemp("twenty") / "invented"))


@pytest.fixture(scope="module")
def short_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With all that can be on a page, and of each a few: axe-core looks at the colours of every cell."""
    return written(of_many(tmp_path_factory.mktemp("five") / "invented", 5, 2))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 900})
    yield made
    made.close()


@pytest.fixture
def opened(context: BrowserContext, file: Path) -> Page:
    page = context.new_page()
    page.goto(file.as_uri())
    return page


def column(page: Page, place: int) -> list[str]:
    """What a column of the ranking is sorted by, from top to bottom."""
    cells = page.locator(f"{TABLE} tbody tr > *:nth-child({place})")
    found: list[str] = cells.evaluate_all("cells => cells.map(cell => cell.dataset.sort)")
    return found


def place_of(page: Page, head: str) -> int:
    heads = page.locator(f"{TABLE} thead th").all_inner_texts()
    return heads.index(head) + 1


def by_run(page: Page) -> dict[str, str]:
    return dict(zip(column(page, place_of(page, "Run")), column(page, place_of(page, "Rank")), strict=True))


def button(page: Page, head: str) -> str:
    return f"{TABLE} thead th:nth-child({place_of(page, head)}) button"


def test_a_page_opens_from_disk_and_asks_nobody_for_anything(context: BrowserContext, file: Path) -> None:
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(_address(request)))
    page.on("console", lambda message: said.append(_message(message)))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    page.click(button(page, "Mean F1"))
    page.wait_for_selector(f"{TABLE} th[aria-sort]")
    assert page.title() == "An invented board"
    assert set(asked) == {file.as_uri()}
    assert said == []


def _address(request: Request) -> str:
    return request.url


def _message(message: ConsoleMessage) -> str:
    return message.text


def test_sorting_by_click_orders_the_column_and_moves_no_rank(opened: Page) -> None:
    before = by_run(opened)
    assert list(before.values()) == [str(rank) for rank in range(1, 21)]
    median = place_of(opened, "ms, median")
    opened.click(button(opened, "ms, median"))
    opened.wait_for_selector(f"{TABLE} th[aria-sort=descending]")
    opened.wait_for_function("() => document.getElementById('sorted').textContent.includes('descending')")
    down = column(opened, median)
    assert down == [*sorted(down[:-1], key=float, reverse=True), ""], "what is undefined comes last"
    opened.click(button(opened, "ms, median"))
    opened.wait_for_function("() => document.getElementById('sorted').textContent.includes('ascending')")
    up = column(opened, median)
    assert up == [*sorted(up[:-1], key=float), ""]
    assert up != down
    assert by_run(opened) == before
    assert list(by_run(opened)) != list(before)


def test_every_column_sorts_by_the_keyboard(opened: Page) -> None:
    before = by_run(opened)
    heads = opened.locator(f"{TABLE} thead th").all_inner_texts()
    for head in heads:
        opened.focus(button(opened, head))
        opened.keyboard.press("Enter")
        opened.wait_for_function(
            "head => document.getElementById('sorted').textContent.includes(`sorted by ${head},`)", arg=head
        )
        sorted_by = opened.locator(f"{TABLE} thead th[aria-sort]")
        assert sorted_by.all_inner_texts() == [head]
        assert opened.evaluate("document.activeElement.tagName") == "BUTTON"
        assert by_run(opened) == before
    opened.focus(button(opened, "Run"))
    opened.keyboard.press("Space")
    opened.wait_for_function("() => document.getElementById('sorted').textContent.includes('sorted by Run, ascending')")
    runs = column(opened, place_of(opened, "Run"))
    assert runs == sorted(runs)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_axe_finds_nothing_serious(browser: Browser, short_file: Path, scheme: str, width: int) -> None:
    chosen = "dark" if scheme == "dark" else "light"
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=chosen)
    page.goto(short_file.as_uri())
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response
    assert len(found["passes"]) > 20
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"] if one["impact"] != "minor"] == []
    page.close()


def test_light_and_dark_differ_and_print_is_on_paper(browser: Browser, file: Path) -> None:
    def background(scheme: str, media: str) -> str:
        page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
        page.emulate_media(media="print" if media == "print" else "screen")
        page.goto(file.as_uri())
        found = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert page.locator("nav").is_visible() is (media == "screen")
        page.close()
        return str(found)

    assert background("light", "screen") == "rgb(255, 255, 255)"
    assert background("dark", "screen") == "rgb(16, 22, 29)"
    assert background("dark", "print") == "rgb(255, 255, 255)"


def test_on_a_narrow_phone_only_tables_scroll_sideways(browser: Browser, file: Path) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    page.goto(file.as_uri())
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    region = page.locator(f".scroll:has({TABLE})")
    assert region.evaluate("one => one.scrollWidth > one.clientWidth")
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => document.querySelector('.scroll:has({TABLE})').scrollLeft > 0")
    page.close()


def test_the_first_tab_leads_past_the_links(opened: Page) -> None:
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.textContent") == "Skip to the ranking"
    opened.keyboard.press("Enter")
    assert opened.evaluate("document.activeElement.id") == "main"


def test_without_a_script_the_page_shows_all_of_its_tables(browser: Browser, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator(f"{TABLE} tbody tr").count() == 20
    assert page.locator("thead button").count() == 0
    context.close()


def test_the_picture_of_the_readme_is_small(browser: Browser, tmp_path: Path) -> None:
    """`PIIBENCH_WRITE_DOCS=1` takes it anew, of the committed demo board."""
    if os.environ.get("PIIBENCH_WRITE_DOCS"):
        page = browser.new_page(viewport={"width": 1040, "height": 900}, color_scheme="light")
        page.goto(written(copied("demo", tmp_path)).as_uri())
        bottom = page.locator(TABLE).evaluate("one => one.getBoundingClientRect().bottom")
        page.set_viewport_size({"width": 1040, "height": int(bottom) + 8})
        page.screenshot(path=PICTURE)
        page.close()
    head = PICTURE.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">I", head[16:20]) == (1040,)
    assert PICTURE.stat().st_size <= 150_000
