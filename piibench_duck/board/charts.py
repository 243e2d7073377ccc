"""Charts of a board as SVG, by Altair through vl-convert; their colours are variables of the page's style."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from piibench_duck.board import sentences
from piibench_duck.board.page_data import Found, mapping
from piibench_duck.board.page_parts import Chart, between, bounds, find, is_number
from piibench_duck.board.terminal import DASH, number, visible

if TYPE_CHECKING:
    import altair as alt

N_STEPS = 10
STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
MOST_PAIRED = 5
_FLIPS = 0.6  # from where on a cell is so strong that its figure is written in the other colour
_FONT = "Liberation Sans"  # which vl-convert brings along, so that a label is as long everywhere
_SVG = "http://www.w3.org/2000/svg"
_NAMES = 170  # pixels for names of runs, whatever they are


def ranking(found: Found) -> Chart | None:
    """Mean F1 of each run as a dot with its interval by row."""
    import altair as alt

    lines = []
    for run, one in found.ran.items():
        f1 = find(one, "scores", "mean", "f1")[1]
        low, high = bounds(one, "intervals", "row", "f1")
        if is_number(f1):
            kind = "baseline" if sentences.is_baseline(one) else "detector"
            lines.append({"run": visible(run), "f1": f1, "low": low, "high": high, "kind": kind})
    if not lines:
        return None
    order = [line["run"] for line in lines]
    base = alt.Chart(alt.InlineData(values=lines)).encode(y=_names(order))
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=["detector", "baseline"], range=["var(--accent)", "var(--quiet)"]),
        legend=None,
    )
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", title=None, gridColor="var(--line)")
    scale = alt.Scale(domain=[0, 1])
    rule = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q", color=colour)
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(x=alt.X("f1:Q", scale=scale, axis=axis), color=colour)
    told = "; ".join(f"{line['run']} {number(line['f1'])}, {between(line['low'], line['high'])}" for line in lines)
    svg = _svg(alt.layer(rule, dot).properties(width=520, height=alt.Step(24)))
    caption = "Mean F1 with its 95 % interval by row; baselines in grey"
    return Chart("ranking-chart", caption, f"Mean F1 of each run with its interval: {told}.", svg)


def heat_map(found: Found, kind: str, name: str, caption: str, heads: Mapping[str, str]) -> Chart | None:
    """F1 of each run in each slice, darker (on a dark screen lighter) for more."""
    import altair as alt

    lines = []
    for run, one in found.ran.items():
        for key, head in heads.items():
            f1 = find(one, "scores", f"by_{kind}", key, "f1")[1]
            said = f"{f1:.2f}" if is_number(f1) else DASH
            lines.append(
                {"run": visible(run), "slice": visible(head), "f1": f1 if is_number(f1) else None, "said": said}
            )
    if not lines:
        return None
    order = list(map(visible, found.ran))
    axis = alt.Axis(orient="top", labelAngle=-30, domain=False, ticks=False, labelAlign="left", labelLimit=90)
    base = alt.Chart(alt.InlineData(values=lines)).encode(
        x=alt.X("slice:N", sort=None, title=None, axis=axis), y=_names(order)
    )
    steps = [f"var(--heat{step})" for step in range(N_STEPS)]
    scale = alt.Scale(type="threshold", domain=list(STEPS), range=steps)
    cells = base.mark_rect(stroke="var(--paper)", strokeWidth=1).encode(
        color=alt.Color("f1:Q", scale=scale, legend=None)
    )
    flips = alt.condition(f"datum.f1 >= {_FLIPS}", alt.value("var(--heat-high)"), alt.value("var(--heat-low)"))
    words = base.mark_text(fontSize=11).encode(text="said:N", color=flips)
    svg = _svg(alt.layer(cells, words).properties(width=alt.Step(48), height=alt.Step(24)))
    told = [f"{run} {', '.join(_figure(line) for line in lines if line['run'] == run)}" for run in order]
    return Chart(name, caption, f"F1 of each run: {'; '.join(told)}.", svg)


def effects(found: Found) -> Chart | None:
    """The paired effect of each carrier on the first detectors, as dots with their intervals."""
    import altair as alt

    chosen = [run for run, one in found.ran.items() if not sentences.is_baseline(one)][:MOST_PAIRED]
    lines = []
    for run in chosen:
        for carrier, of in mapping(found.ran[run], "carrier_effects", "by_carrier").items():
            values = [of.get(key) for key in ("difference", "difference_low", "difference_high")]
            if all(map(is_number, values)):
                lines.append(
                    {"run": visible(run), "carrier": visible(carrier), **dict(zip(_PLACES, values, strict=True))}
                )
    if not lines:
        return None
    axis = alt.Axis(format="+.2f", title=None, gridColor="var(--line)", tickCount=5)
    scale = alt.Scale(zero=True, nice=True)
    base = alt.Chart().encode(y=alt.Y("carrier:N", sort=None, title=None, axis=_axis(110)))
    zero = alt.Chart().mark_rule(color="var(--quiet)", strokeDash=[3, 3]).encode(x=alt.datum(0, type="quantitative"))
    rule = base.mark_rule(strokeWidth=2, color="var(--accent)").encode(
        x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q"
    )
    dot = base.mark_point(filled=True, size=50, opacity=1, color="var(--accent)").encode(
        x=alt.X("difference:Q", axis=axis, scale=scale)
    )
    runs = list(dict.fromkeys(line["run"] for line in lines))
    head = alt.Header(title=None, labelColor="var(--ink)", labelFontSize=12, labelFontWeight="bold", labelLimit=200)
    panel = alt.layer(zero, rule, dot, data=alt.InlineData(values=lines)).properties(width=210, height=alt.Step(18))
    svg = _svg(panel.facet(alt.Facet("run:N", sort=runs, header=head), columns=3, spacing=24))
    told = [f"{run} {', '.join(_told(line) for line in lines if line['run'] == run)}" for run in runs]
    which = "all detectors" if len(chosen) == len(runs) < MOST_PAIRED else f"the first {len(runs)} detectors"
    caption = (
        f"What each carrier does to mean F1 against the same passages in prose, 95 % interval by document, {which}"
    )
    return Chart("effects-chart", caption, f"Difference of mean F1 to prose: {'; '.join(told)}.", svg)


_PLACES = ("difference", "low", "high")


def _figure(line: Mapping[str, Any]) -> str:
    return f"{line['slice']} {line['said']}"


def _told(line: Mapping[str, Any]) -> str:
    return f"{line['carrier']} {line['difference']:+.2f}"


def _axis(pixels: int) -> "alt.Axis":
    """Of names, as wide whatever they are."""
    import altair as alt

    return alt.Axis(domain=False, ticks=False, minExtent=pixels, maxExtent=pixels, labelLimit=pixels, labelPadding=6)


def _names(order: Sequence[str]) -> "alt.Y":
    import altair as alt

    return alt.Y("run:N", sort=list(order), title=None, axis=_axis(_NAMES))


def _svg(chart: Any) -> str:
    import vl_convert

    styled = (
        chart.configure(background="transparent", font=_FONT)
        .configure_view(stroke=None)
        .configure_axis(labelColor="var(--ink)", labelFontSize=12, tickColor="var(--line)", domainColor="var(--line)")
    )
    drawn = ElementTree.fromstring(vl_convert.vegalite_to_svg(styled.to_dict(validate=False)))
    for part in drawn.iter():  # the picture is one thing, with words of its own: its marks are not read out
        for name in [name for name in part.attrib if name == "role" or name.startswith("aria-")]:
            del part.attrib[name]
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(drawn, encoding="unicode")
