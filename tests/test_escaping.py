"""Scripts, tags, quotes and entities in what a model, a tool or a person wrote appear as text: in every view there is.

A view is a class with `svg`, `_repr_html_` or a live panel, or a function that returns SVG. They are found by looking
through the whole package, so that a new one without a case here fails the test.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

import planexec
from planexec import Journal, Limits, Result, react
from planexec.chat import ServiceError
from planexec.course.checks import STATUSES, Checked
from planexec.labs import (
    budget,
    budgets,
    counters,
    drift,
    failures,
    limits,
    loops,
    person,
    plan_reader,
    player,
    replan,
    retries,
    rounds,
    ways,
)
from planexec.models.scripted import ScriptedModel
from planexec.person import DECISIONS, Answer
from planexec.plans import Step
from planexec.result import CallDone, StepDone
from planexec.show import budget_curve, keys, lanes, paths, plan_diff, stages, strips, svg
from planexec.show import budgets as budget_panels
from planexec.tools import Observation, Tool
from planexec.trials.table import Table
from planexec.verdicts import Noted, Stop

PAYLOADS = {
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(2)>",
    "double quote": '" onload="alert(3)',
    "single quote": "' onclick='alert(4)",
    "closing tags": "</text></title></svg></td></p><u>out</u>",
    "entities": "&lt;u&gt; &amp; &#60;u&#62; &nbsp",
    "comment": "<!-- --><u>x",
}
SHAPES_OF = """svg g text tspan title rect circle path line polyline polygon
    div p b br table tr th td details summary ul li code pre"""
NAMES_OF = """xmlns viewbox role aria-label aria-live style font-family font-size font-weight fill fill-opacity
    stroke stroke-width stroke-dasharray x y x1 y1 x2 y2 cx cy r rx d points width height text-anchor transform"""
TAGS, ATTRIBUTES = frozenset(SHAPES_OF.split()), frozenset(NAMES_OF.split())
# words by which a view looks something up; everything else in it may come from elsewhere
CODES = {"found", "empty", "failed", "refused", "unknown", "model", "asked", "waiting", "stop", "wait", "en", "plan"}
CODES |= set(DECISIONS)
CODES |= {"complete", "stopped", "done", "no_data", "blocked", "open", "step", "chain", "json", "refuse", "nudge"}
NOT_HTML = {"View", "LaneView", "Picture"}  # a protocol, a base class whose children are here, a PNG


class Read(HTMLParser):
    """The tags, the names of attributes and all texts, those in attributes too, of a piece of HTML."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.texts += [value or "" for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.add("a comment")


def poisoned(thing: Any, bad: str) -> Any:
    """The same view with `bad` in front of every text in it, at any depth; codes stay."""
    if isinstance(thing, str):
        return thing if thing in CODES else f"{bad} {thing}"
    if isinstance(thing, dict):
        return {poisoned(name, bad): poisoned(value, bad) for name, value in thing.items()}
    if isinstance(thing, tuple) and not hasattr(thing, "_fields"):
        return tuple(poisoned(each, bad) for each in thing)
    if isinstance(thing, list):
        return [poisoned(each, bad) for each in thing]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type) and not isinstance(thing, Limits):
        fields = [each.name for each in dataclasses.fields(thing) if each.init]
        return dataclasses.replace(thing, **{name: poisoned(getattr(thing, name), bad) for name in fields})
    return thing


def bad_result(bad: str) -> Result:
    call = CallDone(bad, {bad: bad}, "found", bad)
    stop = Stop(bad, 1, 1, bad, bad, (bad,))
    return dataclasses.replace(
        react("q", ScriptedModel(["done"]), []),
        answer=bad,
        complete=False,
        stop=stop,
        plan=(bad,),
        steps=(StepDone(1, bad, "failed", bad, (call,)),),
        verdicts=(Noted("refuse", bad, bad),),
    )


def bad_journal(bad: str) -> Journal:
    """A run in which question, calls, results, errors and answer are bad, and a person is asked and says so too."""
    journal = Journal()

    def look(q: str = "") -> Observation:
        return Observation("found", bad)

    def fail(q: str = "") -> Observation:
        return Observation("failed", bad)

    tools = [Tool("look", bad, look), Tool("break", bad, fail), Tool("pay", bad, look, approve=True)]
    script: list[Any] = [("look", {bad: bad}), ("look", {"q": bad})]
    script += [("break", {"q": bad}), ("pay", {"q": bad}), ServiceError(bad, "permanent"), bad]
    react(bad, ScriptedModel(script), tools, journal=journal, person=lambda request: Answer("reject", bad))
    return journal


def lane(bad: str) -> lanes.Lane:
    kinds = ("found", "empty", "failed", "refused", "unknown", "model", "asked", "waiting", "stop", "wait")
    return lanes.Lane(bad, tuple(lanes.Mark(place, kind, bad) for place, kind in enumerate(kinds)))


def limits_with(bad: str) -> limits.LimitsView:
    view = limits.limits()
    return dataclasses.replace(view, ending=poisoned(view.ending, bad))


def widgets_of(panel: Any) -> str:
    """All HTML that a panel shows."""
    shown = [panel.widget]
    for each in shown:
        shown += getattr(each, "children", ())
    return "".join(each.value for each in shown if type(each).__name__ == "HTML")


def panel_with(bad: str) -> str:
    """The panel that labs share: a view, a table, a call and an error, all bad."""
    from planexec.labs.panel import Dial, Panel

    def view(word: str) -> Any:
        if word != bad:
            raise ValueError(f"not a word: {word}")
        return plan_reader.plan_reader(text=word)

    panel = Panel(view, [Dial("word", bad)])
    shown = widgets_of(panel)
    panel.set(word=f"{bad}!")
    return shown + widgets_of(panel)


def person_panel_with(bad: str) -> str:
    from planexec.labs.person_panel import PersonPanel

    panel = PersonPanel(question=f"ORDER-005 arrived broken. Refund it. {bad}")
    shown = widgets_of(panel)
    panel.words.value = panel.args.value = bad
    panel.press("edit")
    shown += widgets_of(panel)
    panel.press("reply")
    return shown + widgets_of(panel)


def player_panel_with(bad: str) -> str:
    from planexec.labs.player_panel import make

    shown = ""
    for panel in (make(bad_journal(bad)), make(bad_journal(bad), player.example())):
        for k in range(1, 6):
            panel.set(k=k)
            shown += widgets_of(panel)
    return shown


def frames_with(bad: str) -> str:
    journal = bad_journal(bad)
    last = len(player.player(journal).frames)
    return "".join(player.player(journal, k).svg for k in range(1, last + 1))


def pairs_with(bad: str) -> str:
    one, other = bad_journal(bad), bad_journal(f"{bad}.")
    last = len(player.player(one).frames)
    return "".join(player.side_by_side(one, other, k).svg for k in range(1, last + 1))


CLASSES: dict[str, Callable[[str], str]] = {
    "Result": lambda bad: bad_result(bad)._repr_html_(),
    "Checked": lambda bad: "".join(Checked(bad, status, bad, bad)._repr_html_() for status in STATUSES),
    "Table": lambda bad: Table([{bad: bad}])._repr_html_(),
    "BudgetView": lambda bad: dataclasses.replace(budget.budget(3), result=bad_result(bad)).svg,
    "BudgetsView": lambda bad: poisoned(budgets.budgets(), bad).svg,
    "CountersView": lambda bad: poisoned(counters.counters(), bad).svg,
    "DriftView": lambda bad: poisoned(drift.drift(), bad).svg,
    "FailuresView": lambda bad: poisoned(failures.failures(), bad).svg,
    "LimitsView": lambda bad: limits_with(bad).svg,
    "LoopsView": lambda bad: poisoned(loops.loops(), bad).svg,
    "DeskView": lambda bad: poisoned(person.person(Answer("reply", bad)), bad).svg,
    "PlanReading": lambda bad: plan_reader.plan_reader(text=bad).svg,
    "PlayerView": frames_with,
    "PairView": pairs_with,
    "ReplanView": lambda bad: poisoned(replan.replan(), bad).svg,
    "RetriesView": lambda bad: poisoned(retries.retries(), bad).svg,
    "RoundsView": lambda bad: poisoned(rounds.rounds(), bad).svg,
    "WaysView": lambda bad: poisoned(ways.ways(), bad).svg,
    "Panel": panel_with,
    "PersonPanel": person_panel_with,
    "PlayerPanel": player_panel_with,
}
POINTS = ((1, 0.0), (2, 50.0))
FUNCTIONS: dict[str, Callable[[str], str]] = {
    "svg": lambda bad: svg.svg(9, bad, svg.label(1, 1, bad), title=bad),
    "timeline": lambda bad: svg.timeline(bad_result(bad), bad),
    "chart": lambda bad: svg.chart({bad: [(1, 1)]}, bad, bad, bad, top=1),
    "label": lambda bad: svg.label(1, 1, bad) + svg.label(1, 1, f"● {bad}", colour=svg.SERIES[0]),
    "mark": lambda bad: "".join(svg.mark(1, 1, kind, bad) for kind in (*svg.COLOURS, bad)),
    "legend": lambda bad: svg.legend(1, [bad]),
    "curve_svg": lambda bad: budget_curve.curve_svg(budget_curve.Curve(bad, 1, POINTS, POINTS, POINTS)),
    "panels_svg": lambda bad: budget_panels.panels_svg(
        budget_panels.Panels(bad, 1, {bad: 1.0}, {bad: 1.0}, POINTS, POINTS, POINTS)
    ),
    "keys_svg": lambda bad: keys.keys_svg([keys.Square(0, 0, bad)], None, bad),
    "lanes_svg": lambda bad: lanes.lanes_svg([lane(bad)], bad, bad),
    "shape": lambda bad: "".join(lanes.shape(1, 1, each.kind, bad) for each in lane(bad).marks),
    "paths_svg": lambda bad: paths.paths_svg([paths.Path(bad, (bad, ""), bad)], [bad], bad, bad),
    "diff_svg": lambda bad: plan_diff.diff_svg([Step(1, bad)], [Step(2, f"{bad}.")], bad, [bad], (bad, bad)),
    "stages_svg": lambda bad: stages.stages_svg([bad], bad, [stages.Column(bad, bad)], bad),
    "strips_svg": lambda bad: strips.strips_svg([strips.Strip(bad, 1, bad)], bad, bad),
}
SHAPES = {"line"}  # draws numbers and colours only
OWN_WORDS = {"DriftView", "LimitsView", "RoundsView"}  # show numbers and words of their own, whatever the runs say


def modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(planexec.__path__, "planexec."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def test_every_view_of_the_package_has_a_case_here() -> None:
    views, drawn = set(), set()
    for module in modules():
        own = [each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__]
        showing = ("_repr_html_", "_repr_svg_", "_repr_mimebundle_", "svg", "html")
        views |= {each.__name__ for each in own if inspect.isclass(each) and any(hasattr(each, n) for n in showing)}
        if module.__name__.startswith("planexec.show."):
            functions = [each for each in own if inspect.isfunction(each) and not each.__name__.startswith("_")]
            drawn |= {each.__name__ for each in functions if "escape(" in inspect.getsource(each)}
            drawn |= {each.__name__ for each in functions if each.__name__.endswith("svg")}
    assert views - NOT_HTML == set(CLASSES)
    assert drawn - SHAPES <= set(FUNCTIONS)


@pytest.mark.parametrize("bad", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("view", [*CLASSES, *FUNCTIONS])
def test_what_others_wrote_is_read_and_never_run(view: str, bad: str) -> None:
    if view.endswith("Panel"):
        pytest.importorskip("ipywidgets")
    read = Read({**CLASSES, **FUNCTIONS}[view](bad))
    assert read.tags <= TAGS, read.tags - TAGS
    assert read.names <= ATTRIBUTES, read.names - ATTRIBUTES
    if view not in OWN_WORDS:
        assert any(bad in text for text in read.texts), "it can be read, as it was written"


@pytest.mark.parametrize("bad", PAYLOADS.values(), ids=PAYLOADS)
def test_the_reader_of_this_test_sees_what_is_not_escaped(bad: str) -> None:
    read = Read(f"<p title=\"{bad}\" id='{bad}'>{bad}</p>")
    assert read.tags - TAGS or read.names - ATTRIBUTES - {"title", "id"} or bad not in read.texts
