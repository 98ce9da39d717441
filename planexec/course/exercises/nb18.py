"""Exercises and quiz of 18_capstone_duty_officer: tools written by the learner, tried alone and then in a whole run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planexec.course.checks import Tried, exercise, expect, shown
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
    """What an answer must name: post, flights of the shift, procedures in force, texts of risks; [] without a duty."""
    for shift in (row for row in tables["roster"] if row["date"] == date):
        passing = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
        passing = [row for row in passing if shift["from"] <= row["departs"] <= shift["to"]]
        about = {row["category"] for row in passing}
        rules = [row["id"] for row in tables["procedures"] if row["about"] in about and "superseded_by" not in row]
        risks = [row["text"] for row in tables["risks"] if row["procedure"] in rules]
        return [shift["post"], *(row["flight"] for row in passing), *rules, *risks]
    return []


def _book(seed: int) -> Any:
    """The world's data under the names of this seed."""
    from planexec.worlds.common import read_data, renamed

    return renamed(read_data("duty", "duty.json"), NAMES[seed % len(NAMES)])


def _tables(seed: int) -> dict[str, list[dict[str, Any]]]:
    from planexec.worlds import duty

    return duty.tables("en", _book(seed))


def _crowded(seed: int) -> dict[str, list[dict[str, Any]]]:
    """The same with two flights more, on the first and on the last minute of the shift, of a category that is there."""
    tables = _tables(seed)
    shift = next(row for row in tables["roster"] if row["date"] == DAY)
    one = next(row for row in tables["flights"] if (row["date"], row["post"]) == (DAY, shift["post"]))
    ends = (("A", shift["from"]), ("B", shift["to"]))
    tables["flights"] += [{**one, "flight": one["flight"] + letter, "departs": time} for letter, time in ends]
    return tables


def _is_tool(made: Any, name: str) -> Tried:
    """Whether what the learner's function gives back is a tool of that name."""
    from planexec.tools import Tool

    if made is None or not isinstance(made, Tool):
        got = None if made is None else shown(made)
        return expect("what your function returns", got, f"the tool {name}", "Write @tool above the inner function.")
    return expect("the name of the tool", made.name, name, f"The model calls it {name}: def {name}(...).")


def _brings(tool: Any, args: Mapping[str, str], **wanted: Sequence[str]) -> Tried:
    """One call of a learner's tool: what each field of its data must list, in any order; nothing: kind "empty"."""
    seen, due_kind = tool.carry_out(dict(args)), "found" if any(wanted.values()) else "empty"
    call = f"{tool.name}({', '.join(f'{name}={value!r}' for name, value in args.items())})"
    if seen.kind != due_kind or due_kind == "empty":
        told = {"empty": "No row is left here: return empty().", "found": "Rows are left: return found(text, data)."}
        return expect(f"{call}: the kind", seen.kind, due_kind, seen.text if seen.kind == "failed" else told[due_kind])
    data = seen.data if isinstance(seen.data, dict) else {}
    for name, values in wanted.items():
        if not isinstance(data.get(name), (list, tuple)):
            hint = f"found(text, data): data is a dict, and data[{name!r}] a list of texts."
            return Tried(f"{call}: data[{name!r}]", data.get(name, "nothing"), sorted(values), False, hint)
        got = sorted(map(str, data[name]))
        if got != sorted(values):
            return expect(f"{call}: data[{name!r}]", got, sorted(values), _list_slip(got, values))
    return expect(f"{call}: the data", "as it should be", "as it should be")


def _list_slip(got: Sequence[str], wanted: Sequence[str]) -> str:
    extra, lacks = [each for each in got if each not in wanted], [each for each in wanted if each not in got]
    if extra:
        return f"{extra[0]!r} does not belong there. Which condition on its row is missing?"
    if lacks:
        return f"{lacks[0]!r} is missing. Look at its row: which of your conditions leaves it out, and should it?"
    return "Each once: list(dict.fromkeys(...)) keeps the first of each, in order."


def _says(tool: Any, args: Mapping[str, str], lines: Sequence[str]) -> Tried:
    """One call of a learner's tool: the lines that its text must have; other lines may stand there, too."""
    said = [line.strip() for line in tool.carry_out(dict(args)).text.splitlines()]
    lacks = next((line for line in lines if line not in said), None)
    call = f"{tool.name}({', '.join(f'{name}={value!r}' for name, value in args.items())})"
    if lacks is None:
        return expect(f"{call}: the text", "as it should be", "as it should be")
    return Tried(f"{call}: the lines of the text", said, list(lines), False, f"This line is missing: {lacks!r}.")


def _asked(tool: Any, name: str, seed: int, *fields: str) -> Tried:
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
    unnamed = any(field not in tool.description for field in fields)
    words = (
        f"Does your docstring say what data holds? 'Data: {', '.join(fields)}.' The plan refers only to what it names."
    )
    seen = "The data is right, but the model reads `text`: does it hold all that the task asks for?"
    return expect(f"a whole run with your {name}", got, "an answer that is right", words if unnamed else seen)


@exercise(
    "18.1",
    "flights_tool",
    lambda seed: (
        "flights_tool(tables) -> a tool `list_flights(date, post, from_time, to_time)` over tables['flights'].\n"
        "Flights of that day and post that depart in these hours, both ends included: found(text, data). text has a\n"
        "line '- FLIGHT HH:MM to PLACE: category' for each, data two lists, 'numbers' and 'categories' (each once).\n"
        "No flight: empty(). Its docstring says 'Data: ...' with these two names, so that a plan can refer to them."
    ),
    (
        "Like risks_tool above: an inner function under @tool, and the last line returns it.",
        "Each row has date, post, departs, flight, to, category. Times written HH:MM compare as texts.",
        "Keep a row when date and post are equal and from_time <= row['departs'] <= to_time.",
    ),
)
def _flights_tool(answer: Made, seed: int) -> list[Tried]:
    return _under_two_names(answer, "list_flights", seed, _crowded, _flights_tried, "numbers", "categories")


def _under_two_names(
    answer: Made,
    name: str,
    seed: int,
    made_up: Callable[[int], Tables],
    alone: Callable[[Any, Tables], list[Tried]],
    *fields: str,
) -> list[Tried]:
    """The tool in the world of this seed, then in the same under other names: alone, and asked by an agent."""
    tried = []
    for names in (seed, seed + 1):
        tables = made_up(names)
        made = answer(tables)
        if not (is_one := _is_tool(made, name)).good:
            return [is_one]
        tried += [is_one, *alone(made, tables), _asked(answer(_tables(names)), name, names, *fields)]
    return tried


def _flights_tried(made: Any, tables: Tables) -> list[Tried]:
    """The tool alone: several hours at the post of the day, another post, and one that no row names."""
    post, tried = due(tables, DAY)[0], []
    hours = (("06:00", "14:00"), ("09:15", "12:30"), ("00:00", "23:59"), ("17:00", "18:00"))
    elsewhere = (("Checkpoint A", *hours[0]), ("Checkpoint Z", *hours[0]))
    for at, begin, end in (*((post, *each) for each in hours), *elsewhere):
        listed = [row for row in tables["flights"] if (row["date"], row["post"]) == (DAY, at)]
        rows = [row for row in listed if begin <= row["departs"] <= end]
        args = {"date": DAY, "post": at, "from_time": begin, "to_time": end}
        kinds = list(dict.fromkeys(row["category"] for row in rows))
        lines = [f"- {row['flight']} {row['departs']} to {row['to']}: {row['category']}" for row in rows]
        tried.append(_brings(made, args, numbers=[row["flight"] for row in rows], categories=kinds))
        tried += [_says(made, args, lines)] if lines else []
    return tried


@exercise(
    "18.2",
    "procedures_tool",
    lambda seed: (
        "procedures_tool(tables) -> a tool `find_procedure(topics)` over tables['procedures'].\n"
        "`topics` are categories, separated by commas, as a plan writes them: 'dangerous goods, delegation;'.\n"
        "Procedures about them, not superseded: found(text, data). text has a line '- ID title: text' for each\n"
        "and a line '(no procedure about TOPIC)' for a topic without one; data has the list 'ids'.\n"
        "None at all: empty(). Its docstring says 'Data: ...' with this name."
    ),
    (
        "Each row has id, about, title, text; one that was replaced also has superseded_by.",
        "Cut `topics` at commas and at semicolons, and strip each part; an empty part is no topic.",
        "rows = [row for row in tables['procedures'] if row['about'] in wanted and 'superseded_by' not in row]",
    ),
)
def _procedures_tool(answer: Made, seed: int) -> list[Tried]:
    return _under_two_names(answer, "find_procedure", seed, _tables, _procedures_tried, "ids")


def _procedures_tried(made: Any, tables: Tables) -> list[Tried]:
    """The tool alone: topics as plans write them, known and unknown ones."""
    rules = [row for row in tables["procedures"] if "superseded_by" not in row]
    first, second, third, unknown = ("unescorted minors", "live animals", "armed escort", "a birthday")

    def tried(topics: str, *wanted: str) -> Tried:
        return _brings(made, {"topics": topics}, ids=[row["id"] for row in rules if row["about"] in wanted])

    cases = [tried(first, first), tried(f"{second}, {first};", first, second), tried(f"{third};", third)]
    cases += [tried(unknown), tried(f"{third},{second}", second, third), tried(f"{second}, {unknown};", second)]
    mixed = {"topics": f"{second}, {unknown};"}
    named = "(no procedure about {})".format
    hint = "A topic that no row is about must be named in the text, or nobody learns that it was asked for."
    said = [line.strip() for line in made.carry_out(mixed).text.splitlines()]
    what = f"whether the text for {mixed['topics']!r} has the line {{!r}}".format
    cases.append(expect(what(named(unknown)), named(unknown) in said, True, hint))
    cases.append(expect(what(named(second)), named(second) in said, False, f"There is a procedure about {second!r}."))
    lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rules if row["about"] == second]
    return [*cases, _says(made, mixed, lines)]


@exercise(
    "18.3",
    "due",
    lambda seed: (
        f"due(tables, {DAY!r}) -> the list of what an answer about that day must hold, in any order: the post, the\n"
        "numbers of the flights of the shift (both ends included), the ids of the procedures for their categories\n"
        "that are not superseded, the texts of the risks reported under these. No duty: []."
    ),
    (
        "Follow the chain: the row of the roster, the flights of that post, their procedures, the risks of these.",
        "Only flights of that date and post with shift['from'] <= row['departs'] <= shift['to'].",
        "A procedure belongs when row['about'] is a category of these flights and it has no 'superseded_by'; a risk, "
        "when row['procedure'] is one of these procedures.",
    ),
)
def _due(answer: Callable[[Any, str], Any], seed: int) -> list[Tried]:
    days = ("2026-11-06", DAY, "2026-11-12", FREE_DAY, "2026-11-15")
    turn = seed % len(days)
    tried = []
    for names, about in ((seed, ""), (seed + 1, ", the tables under other names")):
        for day in days[turn:] + days[:turn]:
            tables = _crowded(names)
            given, wanted = answer(tables, day), sorted(due(tables, day))
            got = sorted(map(str, given)) if isinstance(given, (list, tuple, set)) else given
            tried.append(expect(f"due(tables, {day!r}){about}", got, wanted, _due_slip(got, wanted, tables)))
    return tried


def _due_slip(got: Any, wanted: Sequence[str], tables: Tables) -> str:
    """The hint for the first link of the chain that differs."""
    if not isinstance(got, list):
        return "" if got is None else "The answer is a list of texts."
    if not wanted:
        return "Nobody is on duty on that day: []."
    differ = set(got) ^ set(wanted)
    if not differ:
        return "Something stands in it twice; each once is enough."
    posts = {row[name] for row in tables["roster"] for name in ("post", "instead_of") if name in row}
    if differ & posts:
        return "The post is row['post'] of the day; 'instead_of' is where the duty was before."
    if differ & {row["flight"] for row in tables["flights"]}:
        return "The flights differ: date and post as in the roster, shift['from'] <= row['departs'] <= shift['to']."
    if differ & {row["id"] for row in tables["procedures"]}:
        return "The procedures differ: row['about'] is a category of these flights, and no 'superseded_by' in the row."
    return "The risks differ: row['text'] of each risk whose row['procedure'] is one of these procedures."


quiz(
    "18.q1",
    "The agent moved from accounts to checkpoints. What had to change?",
    "The tools and the data behind them.",
    (
        (
            "The planner's prompt, which says in which order a field works.",
            "it names no field: a model orders the work by the question and by what the tools say of themselves",
        ),
        ("The guards: duty is safer than money.", "the counters watch calls and results, not what they are about"),
    ),
    why="the shape is alike, a line waits for the result that it needs; what a tool takes and brings stands in its "
    "docstring",
)
quiz(
    "18.q2",
    "A run says complete, and one risk is missing from its answer. Who can notice?",
    "A check in code that reads the same data as the tools.",
    (
        ("The gate, through which each call and each result went.", "it saw four calls that all found something"),
        ("The model, if the prompt asks it to be careful.", "the missing line never reached the model"),
    ),
    why="it works out from the data all that is due; `complete` only says that the plan was carried out to its end",
)
quiz(
    "18.q3",
    "What should a tool do with a number that it does not know?",
    "Say so, so that it is seen in the result.",
    (
        ("Leave it out; the others are found all the same.", "then nobody learns that something was left out"),
        ("Raise an error and bring nothing.", "the known numbers were asked for too, and their risks are needed"),
    ),
    why="no such procedure is not the same as no risk there, and a slip in the argument such as `PR-08;` would have "
    "shown",
)
