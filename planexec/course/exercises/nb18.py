"""Exercises and quiz of 18_capstone_duty_officer: tools written by the learner, tried alone and then in a whole run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect
from planexec.course.quiz import quiz

DAY, FREE_DAY = "2026-11-11", "2026-11-13"
Tables = Mapping[str, Sequence[Mapping[str, Any]]]
Made = Callable[[Any], Any]

# the world under other names, by seed: a tool that holds a name instead of looking it up brings nothing there
NAMES: tuple[Mapping[str, str], ...] = (
    {},
    {"PR-": "SOP-", "Checkpoint C": "North Gate", "KITE6": "HERON6", "delegation": "state visit"},
    {"PR-": "R", "Checkpoint C": "Pier 4", "KITE6": "TERN8", "dangerous goods": "batteries"},
)


def due(tables: Tables, date: str) -> list[str]:
    """What an answer must name: the post, the flights of the shift, the procedures in force; [] when there is none."""
    for shift in (row for row in tables["roster"] if row["date"] == date):
        passing = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
        passing = [row for row in passing if shift["from"] <= row["departs"] <= shift["to"]]
        about = {row["category"] for row in passing}
        rules = [row["id"] for row in tables["procedures"] if row["about"] in about and "superseded_by" not in row]
        return [shift["post"], *(row["flight"] for row in passing), *rules]
    return []


def _book(seed: int) -> Any:
    """The world's data under the names of this seed."""
    from planexec.worlds.common import read_data, renamed

    return renamed(read_data("duty", "duty.json"), NAMES[seed % len(NAMES)])


def _tables(seed: int) -> dict[str, list[dict[str, Any]]]:
    from planexec.worlds import duty

    return duty.tables("en", _book(seed))


def _tool(answer: Made, seed: int) -> Any:
    """What the learner's function makes over the tables of this seed, as a tool."""
    from planexec.tools import Tool, tool

    given = answer(_tables(seed))
    return given if isinstance(given, Tool) else tool(given)


def _brings(tool: Any, args: Mapping[str, str], **wanted: Sequence[str]) -> Tried:
    """One call of a learner's tool: what each field of its data must list, in any order; nothing: kind "empty"."""
    seen, due_kind = tool.carry_out(dict(args)), "found" if any(wanted.values()) else "empty"
    call = f"{tool.name}({', '.join(f'{name}={value!r}' for name, value in args.items())})"
    if seen.kind != due_kind or due_kind == "empty":
        return expect(f"{call}: the kind", seen.kind, due_kind)
    data = seen.data if isinstance(seen.data, dict) else {}
    got = {name: sorted(map(str, data.get(name, ()))) for name in wanted}
    return expect(f"{call}: the data", got, {name: sorted(values) for name, values in wanted.items()})


def _asked(tool: Any, name: str, seed: int) -> Tried:
    """A whole run with the learner's tool in place of the world's own: does the answer hold everything that is due?"""
    from planexec import worlds
    from planexec.agent import PlanExecuteAgent
    from planexec.models.simulated import SimulatedModel
    from planexec.trials.answers import rule_for
    from planexec.trials.judge import judge
    from planexec.trials.scenario import Scenario

    book = _book(seed)
    world = worlds.load("duty", "en", book)
    tools = [tool if each.name == name else each for each in world.tools]
    result = PlanExecuteAgent(SimulatedModel("articles"), tools, date=world.date).run(world.question)
    rule = rule_for(Scenario("duty", "prepare", options={"data": book}))
    lacks = [each for each in due(_tables(seed), DAY) if each not in result.answer]
    got = f"an answer without {', '.join(lacks)}" if lacks else f"an answer that is {judge(result, rule)}"
    return expect(f"a whole run with your {name}", got, "an answer that is right")


@exercise(
    "18.1",
    "flights_tool",
    lambda seed: (
        "flights_tool(tables) -> a tool `list_flights(date, post, from_time, to_time)` over tables['flights'].\n"
        "Flights of that post that depart in these hours, both ends included: found(text, data), where text has\n"
        "a line '- FLIGHT HH:MM to PLACE: category' for each, and data has 'numbers' and 'categories' (each once).\n"
        "No flight: empty(). Its docstring says what data holds, so that a plan can refer to it."
    ),
    (
        "Each row has date, post, departs, flight, to, category. Times written HH:MM compare as texts.",
        "Keep a row when date and post are equal and from_time <= row['departs'] <= to_time.",
        "list(dict.fromkeys(...)) keeps each category once, in order. Return empty() when no row is left.",
    ),
)
def _flights_tool(answer: Made, seed: int) -> list[Tried]:
    made, tables = _tool(answer, seed), _tables(seed)
    post = due(tables, DAY)[0]
    hours = [("06:00", "14:00"), ("09:15", "12:30"), ("00:00", "23:59"), ("17:00", "18:00")]

    def tried(post: str, begin: str, end: str) -> Tried:
        listed = [row for row in tables["flights"] if (row["date"], row["post"]) == (DAY, post)]
        rows = [row for row in listed if begin <= row["departs"] <= end]
        args = {"date": DAY, "post": post, "from_time": begin, "to_time": end}
        kinds = list(dict.fromkeys(row["category"] for row in rows))
        return _brings(made, args, numbers=[row["flight"] for row in rows], categories=kinds)

    cases = [(post, *each) for each in hours] + [("Checkpoint A", "06:00", "14:00"), ("Checkpoint Z", *hours[0])]
    return [*(tried(*case) for case in cases), _asked(made, "list_flights", seed)]


@exercise(
    "18.2",
    "procedures_tool",
    lambda seed: (
        "procedures_tool(tables) -> a tool `find_procedure(topics)` over tables['procedures'].\n"
        "`topics` are categories, separated by commas, as a plan writes them: 'dangerous goods, delegation;'.\n"
        "Procedures about them that are in force: found(text, data), text with a line '- ID title: text' for each,\n"
        "and data with 'ids'. None: empty(). Its docstring says what data holds."
    ),
    (
        "Each row has id, about, title, text; one that was replaced also has superseded_by.",
        "Cut `topics` at commas and at semicolons, and strip each part; an empty part is no topic.",
        "rows = [row for row in tables['procedures'] if row['about'] in wanted and 'superseded_by' not in row]",
    ),
)
def _procedures_tool(answer: Made, seed: int) -> list[Tried]:
    made, tables = _tool(answer, seed), _tables(seed)
    rules = [row for row in tables["procedures"] if "superseded_by" not in row]

    def tried(topics: str, *wanted: str) -> Tried:
        return _brings(made, {"topics": topics}, ids=[row["id"] for row in rules if row["about"] in wanted])

    first, second, third = ("unescorted minors", "live animals", "armed escort")
    cases = [tried(first, first), tried(f"{second}, {first};", first, second), tried(f"{third};", third)]
    cases += [tried("a birthday"), tried(f"{third},{second}", second, third)]
    return [*cases, _asked(made, "find_procedure", seed)]


@exercise(
    "18.3",
    "due",
    lambda seed: (
        f"due(tables, {DAY!r}) -> the list of what an answer about that day must name, in any order: the post, the\n"
        "flights of the shift (both ends included), the procedures in force for their categories. No duty: []."
    ),
    (
        "Follow the chain: the row of the roster, then the flights of that post, then the procedures.",
        "Only flights with shift['from'] <= row['departs'] <= shift['to'].",
        "A procedure belongs when row['about'] is a category of these flights and it has no 'superseded_by'.",
    ),
)
def _due(answer: Callable[[Any, str], Any], seed: int) -> list[Tried]:
    days = ("2026-11-06", DAY, "2026-11-12", FREE_DAY, "2026-11-15")
    turn = seed % len(days)
    tried = []
    for day in days[turn:] + days[:turn]:
        tables = _tables(seed)
        given = answer(tables, day)
        tried.append(expect(f"due(tables, {day!r})", sorted(map(str, given)), sorted(due(tables, day))))
    return tried


quiz(
    "18.q1",
    "The agent moved from accounts to checkpoints. What had to change?",
    "The tools and the data behind them.",
    (
        ("The loop: another field needs another order of work.", "the order comes from the plan; the loop is the same"),
        ("The guards: duty is safer than money.", "the counters watch calls and results, not what they are about"),
    ),
)
quiz(
    "18.q2",
    "A run says complete, and one risk is missing from its answer. Who can notice?",
    "A check in code that reads the same data as the tools.",
    (
        ("The loop: complete means that the answer is right.", "complete means that every step brought something"),
        ("The model, if the prompt asks it to be careful.", "the missing line never reached the model"),
    ),
)
quiz(
    "18.q3",
    "What should a tool do with a number that it does not know?",
    "Say so, so that it is seen in the result.",
    (
        ("Leave it out; the others are found all the same.", "then nobody learns that something was left out"),
        ("Raise an error and bring nothing.", "the known numbers were asked for too, and their risks are needed"),
    ),
)
