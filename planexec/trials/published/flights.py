"""B10: fifteen flights, five groups; without guards as rates over all seeds, and with them."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

from planexec.trials.engine import trials
from planexec.trials.published.lines import PRESET, bare, line, lines
from planexec.trials.scenario import Scenario, Setting
from planexec.trials.table import Table
from planexec.worlds.common import read_data
from planexec.worlds.flights import scenarios

RECURSION = 6  # turns until a framework's recursion limit ended the published run of six identical calls
UNGUARDED, GUARDED = bare("unguarded", RECURSION), Setting("guarded", PRESET)
FITTED = ("on_time", "no_data", "service_down")  # whose dials were set by the published rates
GROUPS = {
    "weather": ("delayed by weather", "5 of 5"),
    "other": ("delayed in good weather", "-"),
    "on_time": ("not delayed", "1 of 3"),
    "no_data": ("data missing", "1 of 2, barely"),
    "service_down": ("interface failing", "0 of 2"),
}


def source(group: str) -> tuple[str, bool | None]:
    return "B10", None if group in FITTED else False


def questions(lang: str = "en", loop: str = "react") -> list[Scenario]:
    """The fifteen questions; the group is the right answer."""
    return [
        Scenario("flights", each["question"], lang, loop, case=each["id"], group=each["group"])
        for each in scenarios(lang)
    ]


def injected(fault: str, lang: str = "en") -> list[Scenario]:
    """The questions that can be answered, each with a flight status that fails: "timeout", "empty_body", "half_json".

    Now nobody can know, so to say so is the right answer.
    """
    data = read_data("flights", "flights.json")
    sound = [each for each in scenarios(lang) if each["group"] not in ("no_data", "service_down")]
    broken = []
    for each in sound:
        row = {"tool": "flight_status", "flight": each["flight"], "date": each["date"], "fault": fault}
        world = {"data": {**data, "faults": [*data["faults"], row]}}
        named = {"case": f"{each['id']}, {fault}", "group": fault}
        broken.append(Scenario("flights", each["question"], lang, "react", options=world, **named))
    return broken


def runs(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    """Every run behind the table."""
    return trials(questions(lang), [UNGUARDED, GUARDED], seeds, executor=executor)


def b10(seeds: Iterable[int], lang: str = "en", executor: Executor | None = None) -> Table:
    parts = runs(seeds, lang, executor).groups("setting", "group")
    unguarded = [
        line(
            f"{says}, unguarded", parts["unguarded", group].percent(success=True), "% right", published, *source(group)
        )
        for group, (says, published) in GROUPS.items()
    ]
    guarded = [
        line(f"{says}, guarded", parts["guarded", group].percent(success=True), "% right", "-", "B10", False)
        for group, (says, _) in GROUPS.items()
    ]
    six = parts["unguarded", "no_data"].share("most_identical_calls", RECURSION)
    return lines(
        *unguarded,
        line("data missing, unguarded: six identical calls", six, "% of runs", "one run", "B10"),
        *guarded,
    )
