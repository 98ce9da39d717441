"""The answers to the course's exercises: one that is right, and those that learners typically give instead.

One entry an exercise, sorted by id: its solution and two or more wrong answers as source texts, each what would stand
in the learner's cell - the function, or the expression that is handed to `check`. `test_exercises.py` tries them all.
"""

from __future__ import annotations

from typing import NamedTuple


class Answers(NamedTuple):
    """`right` solves the exercise for every seed; none of `wrong` does for any seed, and none of them raises."""

    right: str
    wrong: tuple[str, ...]


ANSWERS: dict[str, Answers] = {
    "00.1": Answers(
        right="""
def tool_calls(result):
    return len(result.calls)
""",
        wrong=(
            """
def tool_calls(result):
    return len(result.steps)
""",
            """
def tool_calls(result):
    return result.usage.model_calls
""",
            """
def tool_calls(result):
    return result.usage.steps + 1
""",
            """
def tool_calls(result):
    print(len(result.calls))
""",
        ),
    ),
    "00.2": Answers(right='"empty"', wrong=('"failed"', '"found"', '"no_data"', '"nothing"')),
    "01.1": Answers(
        right="""
def first_reply(needs):
    return [step for step, waits in needs.items() if not waits]
""",
        wrong=(
            """
def first_reply(needs):
    return list(needs)
""",
            """
def first_reply(needs):
    return [step for step, waits in needs.items() if waits]
""",
            """
def first_reply(needs):
    return [min(needs)] if needs else []
""",
            """
def first_reply(needs):
    return {step for step, waits in needs.items() if not waits}
""",
            """
def first_reply(needs):
    return sum(not waits for waits in needs.values())
""",
        ),
    ),
    "01.2": Answers(
        right="""
def turns_needed(needs):
    done, turns = set(), 0
    while len(done) < len(needs):
        done |= {step for step, waits in needs.items() if set(waits) <= done}
        turns += 1
    return turns
""",
        wrong=(
            """
def turns_needed(needs):
    return len(needs)
""",
            """
def turns_needed(needs):
    return 2 if any(needs.values()) else 1
""",
            """
def turns_needed(needs):
    return 1 + sum(bool(waits) for waits in needs.values())
""",
            """
def turns_needed(needs):
    turn = {}
    for step, waits in needs.items():
        turn[step] = 1 + max([turn.get(each, 0) for each in waits], default=0)
    return max(turn.values(), default=0)
""",
            """
def turns_needed(needs):
    done, turns = set(), 0
    while len(done) < len(needs):
        done |= {step for step, waits in needs.items() if set(waits) <= done}
        turns += 1
    return turns + 1
""",
            """
def turns_needed(needs):
    return 1 + max((len(waits) for waits in needs.values()), default=-1)
""",
        ),
    ),
    "02.1": Answers(
        right="""
def coverage(sides):
    return len(set(sides) - {""})
""",
        wrong=(
            """
def coverage(sides):
    return len(sides)
""",
            """
def coverage(sides):
    return len(set(sides))
""",
            """
def coverage(sides):
    return set(sides) - {""}
""",
        ),
    ),
    "02.2": Answers(
        right="""
def streak(sides):
    best = now = 0
    before = ""
    for side in sides:
        now = 0 if side == "" else now + 1 if side == before else 1
        best, before = max(best, now), side
    return best
""",
        wrong=(
            """
def streak(sides):
    return max((sides.count(side) for side in sides if side), default=0)
""",
            """
def streak(sides):
    now = 0
    before = ""
    for side in sides:
        now = 0 if side == "" else now + 1 if side == before else 1
        before = side
    return now
""",
            """
def streak(sides):
    best = now = 0
    before = None
    for side in sides:
        now = now + 1 if side == before else 1
        best, before = max(best, now), side
    return best
""",
            """
def streak(sides):
    best = now = 0
    before = ""
    for side in [side for side in sides if side]:
        now = now + 1 if side == before else 1
        best, before = max(best, now), side
    return best
""",
            """
def streak(sides):
    best = now = 0
    before = ""
    for side in sides:
        if side:
            now = now + 1 if side == before else 1
            best, before = max(best, now), side
    return best
""",
            """
def streak(sides):
    from itertools import groupby

    return max(len(list(stay)) for side, stay in groupby(sides) if side)
""",
            """
def streak(sides):
    best = now = 1
    for before, side in zip(sides, sides[1:]):
        now = now + 1 if side == before else 1
        best = max(best, now)
    return best
""",
        ),
    ),
    "03.1": Answers(
        right="""
def goals(items):
    found = []
    for item in items:
        if isinstance(item, dict):
            names = ("goal", "subtask", "task", "description")
            texts = [item[name] for name in names if isinstance(item.get(name), str)]
            item = next((text for text in texts if text.strip()), texts[0] if texts else None)
        if not isinstance(item, str):
            return None
        found.append(item)
    kept = [goal for goal in found if goal.strip()]
    return None if found and not kept else kept
""",
        wrong=(
            """
def goals(items):
    found = []
    for item in items:
        if isinstance(item, dict):
            names = ("goal", "subtask", "task", "description")
            item = next((item[name] for name in names if isinstance(item.get(name), str)), None)
        if not isinstance(item, str):
            return None
        found.append(item)
    kept = [goal for goal in found if goal.strip()]
    return None if found and not kept else kept
""",
            """
def goals(items):
    found = []
    for item in items:
        if isinstance(item, dict):
            texts = [item.get(name) for name in ("goal", "subtask", "task", "description")]
            item = next((text for text in texts if isinstance(text, str) and text.strip()), None)
        if not isinstance(item, str):
            return None
        found.append(item)
    kept = [goal for goal in found if goal.strip()]
    return None if found and not kept else kept
""",
            """
def goals(items):
    found = []
    for item in items:
        if isinstance(item, dict):
            item = next((item[n] for n in ("goal", "subtask", "task", "description") if n in item), None)
        if not isinstance(item, str):
            return None
        found.append(item)
    return [goal for goal in found if goal.strip()]
""",
            """
def goals(items):
    found = []
    for item in items:
        if isinstance(item, dict):
            names = ("goal", "subtask", "task", "description")
            item = next((item[name] for name in names if isinstance(item.get(name), str)), None)
        if not isinstance(item, str):
            return None
        found.append(item)
    return [goal for goal in found if goal.strip()] or None
""",
            """
def goals(items):
    return [item for item in items if isinstance(item, str) and item.strip()]
""",
            """
def goals(items):
    found = []
    for item in items:
        if isinstance(item, dict):
            item = next((item[n] for n in ("goal", "subtask", "task", "description") if n in item), "")
        if isinstance(item, str) and item.strip():
            found.append(item)
    return found
""",
            """
def goals(items):
    return [str(item) for item in items]
""",
        ),
    ),
    "03.2": Answers(
        right="""
def next_move(status, asked):
    if status == "parsed":
        return "go on"
    return "ask again" if asked == 1 else "one step"
""",
        wrong=(
            """
def next_move(status, asked):
    if status in ("parsed", "empty"):
        return "go on"
    return "ask again" if asked == 1 else "one step"
""",
            """
def next_move(status, asked):
    return "go on" if status == "parsed" else "ask again"
""",
            """
def next_move(status, asked):
    if status == "parsed":
        return "go on"
    return "one step" if asked == 1 else "ask again"
""",
        ),
    ),
    "03.3": Answers(
        right="""
def unfenced(text):
    lines = text.split("\\n")
    marks = [n for n, line in enumerate(lines) if line.startswith("```")]
    return "\\n".join(lines[marks[0] + 1 : marks[1]]) if len(marks) == 2 else text
""",
        wrong=(
            """
def unfenced(text):
    return text.strip("`")
""",
            """
def unfenced(text):
    return text.replace("```json", "").replace("```", "").strip()
""",
            """
def unfenced(text):
    return text.split("```")[1] if "```" in text else text
""",
            """
def unfenced(text):
    return text[text.find("[") : text.rfind("]") + 1]
""",
            """
def unfenced(text):
    if "[" not in text:
        return text
    return text[text.find("[") : text.rfind("]") + 1]
""",
            """
def unfenced(text):
    lines = text.split("\\n")
    return "\\n".join(lines[1:-1]) if lines[0].startswith("```") else text
""",
            """
import re

def unfenced(text):
    fence = re.search(r"```\\w*\\n(.*?)\\n```", text, re.DOTALL)
    return fence[1] if fence else text
""",
        ),
    ),
    "04.1": Answers(
        right="""
def missing_references(args, found):
    lacking = []
    for value in args.values():
        if isinstance(value, str) and value.startswith("$"):
            number, _, field = value[1:].partition(".")
            if not number.isdigit():
                continue
            fields = found.get(int(number))
            if fields is None or (field and field not in fields):
                lacking.append(value)
    return lacking
""",
        wrong=(
            """
def missing_references(args, found):
    lacking = []
    for value in args.values():
        if isinstance(value, str) and value.startswith("$"):
            number, _, field = value[1:].partition(".")
            fields = {str(step): fields for step, fields in found.items()}.get(number)
            if fields is None or (field and field not in fields):
                lacking.append(value)
    return lacking
""",
            """
def missing_references(args, found):
    lacking = []
    for value in args.values():
        if isinstance(value, str) and value[:1] == "$" and value[1:].partition(".")[0].isdigit():
            number, _, field = value[1:].partition(".")
            if int(number) not in found or field and field not in (found[int(number)] or []):
                lacking.append(value)
    return lacking
""",
            """
def missing_references(args, found):
    return [v for v in args.values() if isinstance(v, str) and v.startswith("$")]
""",
            """
def missing_references(args, found):
    values = [v for v in args.values() if isinstance(v, str) and v.startswith("$")]
    return [v for v in values if int(v[1]) not in found]
""",
            """
def missing_references(args, found):
    values = [v for v in args.values() if isinstance(v, str) and v.startswith("$") and " " not in v]
    return [v for v in values if v.partition(".")[2] not in (found.get(int(v[1:].partition(".")[0])) or [])]
""",
            """
def missing_references(args, found):
    lacking = []
    for value in args.values():
        if isinstance(value, str) and value[:1] == "$" and value[1:].partition(".")[0].isdigit():
            number, _, field = value[1:].partition(".")
            fields = found.get(int(number), None if field else ())
            if fields is None or (field and field not in fields):
                lacking.append(value)
    return lacking
""",
        ),
    ),
    "04.2": Answers(
        right="""
def blocked_by(uses, failed):
    lost = set(failed)
    while more := {step for step, steps in uses.items() if lost & set(steps)} - lost:
        lost |= more
    return sorted(lost - set(failed))
""",
        wrong=(
            """
def blocked_by(uses, failed):
    return sorted(step for step, steps in uses.items() if set(steps) & set(failed))
""",
            """
def blocked_by(uses, failed):
    lost = set(failed)
    while more := {step for step, steps in uses.items() if lost & set(steps)} - lost:
        lost |= more
    return sorted(lost)
""",
            """
def blocked_by(uses, failed):
    return [step for step in sorted(uses) if failed and step > min(failed)]
""",
        ),
    ),
    "04.3": Answers(
        right="""
def status(kinds, answer):
    if "found" in kinds:
        return "done" if answer else "failed"
    return "no_data" if "empty" in kinds else "failed"
""",
        wrong=(
            """
def status(kinds, answer):
    return "done" if answer else "failed"
""",
            """
def status(kinds, answer):
    if "found" in kinds:
        return "done"
    return "no_data" if "empty" in kinds else "failed"
""",
            """
def status(kinds, answer):
    return {"found": "done", "empty": "no_data", "failed": "failed"}[kinds[-1]]
""",
            """
def status(kinds, answer):
    if "found" in kinds and answer:
        return "done"
    return "no_data" if "empty" in kinds else "failed"
""",
        ),
    ),
    "05.1": Answers(
        right="""
from planexec.plans import same_goal

def difference(old, new):
    both = [step for step in new if step in old]
    return {
        "kept": [step for step in both if same_goal(old[step], new[step])],
        "reworded": [step for step in both if not same_goal(old[step], new[step])],
        "removed": [step for step in old if step not in new],
        "added": [step for step in new if step not in old],
    }
""",
        wrong=(
            """
def difference(old, new):
    both = [step for step in new if step in old]
    return {
        "kept": [step for step in both if old[step] == new[step]],
        "reworded": [step for step in both if old[step] != new[step]],
        "removed": [step for step in old if step not in new],
        "added": [step for step in new if step not in old],
    }
""",
            """
def difference(old, new):
    return {
        "kept": [step for step in new if step in old],
        "reworded": [],
        "removed": [step for step in old if step not in new],
        "added": [step for step in new if step not in old],
    }
""",
            """
def difference(old, new):
    pairs = list(zip(old, new))
    return {
        "kept": [b for a, b in pairs if a == b and old[a] == new[b]],
        "reworded": [b for a, b in pairs if old[a] != new[b]],
        "removed": list(old)[len(new):],
        "added": list(new)[len(old):],
    }
""",
            """
def difference(old, new):
    gone, come = set(old) - set(new), set(new) - set(old)
    return {"kept": set(old) & set(new), "reworded": set(), "removed": gone, "added": come}
""",
        ),
    ),
    "05.2": Answers(
        right="""
def new_rest(said, rest, finished, room):
    left = [goal for goal in said or [] if goal not in finished]
    if said is None or (said and not left) or len(left) > room:
        return rest
    return left
""",
        wrong=(
            """
def new_rest(said, rest, finished, room):
    return said or rest
""",
            """
def new_rest(said, rest, finished, room):
    return rest if said is None else [goal for goal in said if goal not in finished]
""",
            """
def new_rest(said, rest, finished, room):
    left = [goal for goal in said or [] if goal not in finished]
    return left[:room] or rest
""",
            """
def new_rest(said, rest, finished, room):
    if said is None or len(said) > room:
        return rest
    left = [goal for goal in said if goal not in finished]
    return left if left or not said else rest
""",
        ),
    ),
    "05.3": Answers(
        right="""
import re

def figures(goal):
    return re.findall(r"-?\\d+(?:[.,]\\d+)*", goal)
""",
        wrong=(
            """
import re

def figures(goal):
    return re.findall(r"\\d+", goal)
""",
            """
import re

def figures(goal):
    return re.findall(r"[-\\d.,]+", goal)
""",
            """
import re

def figures(goal):
    return re.findall(r"-?\\d+(?:[.,]\\d+)*(?: %)?", goal)
""",
            """
import re

def figures(goal):
    return re.findall(r"\\d+(?:[.,]\\d+)*", goal)
""",
            """
def figures(goal):
    return [word for word in goal.split() if word[-1].isdigit()]
""",
        ),
    ),
    "06.1": Answers(
        right="""
def price_of_a_side(one, other):
    more = other[0] - one[0]
    return (other[1] - one[1]) / more if more > 0 else None
""",
        wrong=(
            """
def price_of_a_side(one, other):
    return other[1] / other[0]
""",
            """
def price_of_a_side(one, other):
    more = other[0] - one[0]
    return other[1] / more if more > 0 else None
""",
            """
def price_of_a_side(one, other):
    more = other[0] - one[0]
    return (other[1] - one[1]) / more if more else 0
""",
            """
def price_of_a_side(one, other):
    more = other[0] - one[0]
    return (other[1] - one[1]) / more if more else None
""",
            """
def price_of_a_side(one, other):
    return other[1] / other[0] - one[1] / one[0]
""",
            """
def price_of_a_side(one, other):
    more, dearer = other[0] - one[0], other[1] - one[1]
    return dearer / more if more > 0 and dearer > 0 else None
""",
        ),
    ),
    "06.2": Answers(
        right="""
def sources_of(report, observations):
    from planexec.trials.figures import figures

    known = [[figure.value for figure in figures(seen)] for seen in observations]
    return {
        figure.text: [place for place, values in enumerate(known) if figure.value in values]
        for figure in figures(report)
    }
""",
        wrong=(
            """
def sources_of(report, observations):
    from planexec.trials.figures import figures

    return {
        figure.text: [place for place, seen in enumerate(observations) if figure.text in seen]
        for figure in figures(report)
    }
""",
            """
def sources_of(report, observations):
    from planexec.trials.figures import untraced

    return {figure.text: [] for figure in untraced(report, observations)}
""",
            """
def sources_of(report, observations):
    from planexec.trials.figures import figures

    return {
        figure.text: [n for n, seen in enumerate(observations) for each in figures(seen) if each.value == figure.value]
        for figure in figures(report)
    }
""",
            """
def sources_of(report, observations):
    from planexec.trials.figures import figures

    known = [[figure.value for figure in figures(seen)] for seen in observations]
    return {
        figure.value: [place for place, values in enumerate(known) if figure.value in values]
        for figure in figures(report)
    }
""",
            """
def sources_of(report, observations):
    from planexec.trials.figures import figures

    found = {}
    for figure in figures(report):
        for place, seen in enumerate(observations):
            if figure.value in [each.value for each in figures(seen)]:
                found.setdefault(figure.text, []).append(place)
    return found
""",
        ),
    ),
    "07.1": Answers(
        right="""
def longest_chain(needs):
    def to(step):
        return 1 + max((to(each) for each in needs[step]), default=0)

    return max((to(step) for step in needs), default=0)
""",
        wrong=(
            """
def longest_chain(needs):
    return len(needs)
""",
            """
def longest_chain(needs):
    return max((len(each) for each in needs.values()), default=0) + 1
""",
            """
def longest_chain(needs):
    return sum(1 for each in needs.values() if each)
""",
            """
def longest_chain(needs):
    def to(step):
        return 1 + (to(needs[step][0]) if needs[step] else 0)

    return max((to(step) for step in needs), default=0)
""",
            """
def longest_chain(needs):
    def to(step):
        return 1 + (to(needs[step][-1]) if needs[step] else 0)

    return max((to(step) for step in needs), default=0)
""",
            """
def longest_chain(needs):
    def to(step):
        return 1 + max([0, *(to(each) for each in needs[step])])

    return max(to(step) for step in needs)
""",
            """
def longest_chain(needs):
    chains = {}
    for step, waits in needs.items():
        chains[step] = 1 + max((chains.get(each, 0) for each in waits), default=0)
    return max(chains.values(), default=0)
""",
        ),
    ),
    "07.2": Answers(
        right="""
def admit(used, limit):
    return limit is None or used < limit
""",
        wrong=(
            """
def admit(used, limit):
    return limit is None or used <= limit
""",
            """
def admit(used, limit):
    return not limit or used < limit
""",
        ),
    ),
    "08.1": Answers(
        right="""
def no_result(kinds, limit):
    row = 0
    for number, kind in enumerate(kinds, 1):
        row = row + 1 if kind == "empty" else 0
        if row == limit:
            return number
    return None
""",
        wrong=(
            """
def no_result(kinds, limit):
    for start in range(len(kinds)):
        if kinds[start : start + limit] == ["empty"] * limit:
            return start
    return None
""",
            """
def no_result(kinds, limit):
    count = 0
    for number, kind in enumerate(kinds, 1):
        count += kind == "empty"
        if count == limit:
            return number
    return None
""",
            """
def no_result(kinds, limit):
    row = 0
    for number, kind in enumerate(kinds):
        row = row + 1 if kind == "empty" else 0
        if row == limit:
            return number
    return None
""",
            """
def no_result(kinds, limit):
    return len(kinds) if kinds[-limit:] == ["empty"] * limit else None
""",
            """
def no_result(kinds, limit):
    row = 0
    for number, kind in enumerate(kinds, 1):
        row = row + 1 if kind == "empty" else 0
        if row == 2:
            return number
    return None
""",
            """
def no_result(kinds, limit):
    row = 0
    for kind in kinds:
        row = row + 1 if kind == "empty" else 0
        if row == limit:
            return True
    return False
""",
        ),
    ),
    "08.2": Answers(
        right="""
def enough(kinds, calls):
    for number in range(calls, len(kinds) + 1):
        if "found" in kinds[:number]:
            return number
    return None
""",
        wrong=(
            """
def enough(kinds, calls):
    return calls if len(kinds) >= calls else None
""",
            """
def enough(kinds, calls):
    found = 0
    for number, kind in enumerate(kinds, 1):
        found += kind == "found"
        if found == calls:
            return number
    return None
""",
            """
def enough(kinds, calls):
    return calls if len(kinds) >= calls and "found" in kinds[:calls] else None
""",
            """
def enough(kinds, calls):
    for number in range(3, len(kinds) + 1):
        if "found" in kinds[:number]:
            return number
    return None
""",
            """
def enough(kinds, calls):
    if "found" not in kinds:
        return None
    number = kinds.index("found") + calls
    return number if number <= len(kinds) else None
""",
        ),
    ),
    "08.3": Answers(
        right="""
def made(plan, calls, scope):
    def until(kinds):
        for number in range(calls, len(kinds) + 1):
            if "found" in kinds[:number]:
                return number
        return len(kinds)

    if scope == "run":
        return until([kind for step in plan for kind in step])
    return sum(until(step) for step in plan)
""",
        wrong=(
            """
def made(plan, calls, scope):
    def until(kinds):
        for number in range(calls, len(kinds) + 1):
            if "found" in kinds[:number]:
                return number

    if scope == "run":
        everything = [kind for step in plan for kind in step]
        return until(everything) or len(everything)
    total = 0
    for step in plan:
        total += until(step) or len(step)
        if until(step):
            break
    return total
""",
            """
def made(plan, calls, scope):
    return sum(len(step) for step in plan)
""",
            """
def made(plan, calls, scope):
    everything = [kind for step in plan for kind in step]
    for number in range(calls, len(everything) + 1):
        if "found" in everything[:number]:
            return number
    return len(everything)
""",
            """
def made(plan, calls, scope):
    if scope == "run":
        return min(calls, sum(len(step) for step in plan))
    return sum(min(calls, len(step)) for step in plan)
""",
            """
def made(plan, calls, scope):
    def until(kinds):
        for number in range(4, len(kinds) + 1):
            if "found" in kinds[:number]:
                return number
        return len(kinds)

    if scope == "run":
        return until([kind for step in plan for kind in step])
    return sum(until(step) for step in plan)
""",
            """
def made(plan, calls, scope):
    def until(kinds):
        for number in range(calls, len(kinds) + 1):
            if "found" in kinds[:number]:
                return number
        return 0

    if scope == "run":
        return until([kind for step in plan for kind in step])
    return sum(until(step) for step in plan)
""",
            """
def made(plan, calls, scope):
    def enough(kinds):
        for number in range(calls, len(kinds) + 1):
            if "found" in kinds[:number]:
                return number
        return None

    if scope == "run":
        everything = [kind for step in plan for kind in step]
        return enough(everything) or len(everything)
    return sum(enough(step) for step in plan)
""",
        ),
    ),
    "09.1": Answers(
        right="""
def may_start(used, need, held, limit):
    return limit is None or used + need + held <= limit
""",
        wrong=(
            """
def may_start(used, need, held, limit):
    return limit is None or used + need <= limit
""",
            """
def may_start(used, need, held, limit):
    return not limit or used + need + held <= limit
""",
            """
def may_start(used, need, held, limit):
    return limit is None or used + need + held < limit
""",
        ),
    ),
    "09.2": Answers(
        right="""
def brakes(dollars):
    from planexec.labs.limits import OFF

    return OFF.with_(max_usd=dollars)
""",
        wrong=(
            """
def brakes(dollars):
    from planexec import Limits

    return Limits.article()
""",
            """
def brakes(dollars):
    from planexec import Limits

    return Limits(max_steps=3)
""",
            """
def brakes(dollars):
    return dollars
""",
            """
def brakes(dollars):
    from planexec.labs.limits import OFF

    return OFF.with_(max_usd=0.5)
""",
            """
def brakes(dollars):
    from planexec.labs.limits import OFF, PACE

    return OFF.with_(max_model_calls=int(dollars / PACE.usd_per_call))
""",
            """
def brakes(dollars):
    from planexec import Limits

    return Limits(max_usd=dollars / 2)
""",
        ),
    ),
    "10.1": Answers(
        right="""
def key(tool, args):
    import json

    plain = {name: value.strip() if isinstance(value, str) else value for name, value in args.items()}
    return tool + json.dumps(plain, sort_keys=True)
""",
        wrong=(
            """
def key(tool, args):
    return tool + str(args)
""",
            """
def key(tool, args):
    import json

    return tool + json.dumps(args, sort_keys=True)
""",
            """
def key(tool, args):
    return tool + str(sorted(str(value).strip() for value in args.values()))
""",
            """
def key(tool, args):
    import json

    return json.dumps({name: str(value).strip() for name, value in args.items()}, sort_keys=True)
""",
            """
def key(tool, args):
    import json

    return tool + json.dumps(args, sort_keys=True).replace(" ", "")
""",
            """
def key(tool, args):
    return tool, tuple(sorted((name, str(value).strip()) for name, value in args.items()))
""",
        ),
    ),
    "10.2": Answers(
        right="""
def rounds(keys, period):
    last, count = keys[-period:], 0
    if len(keys) < period:
        return 0
    while len(keys) >= period and keys[-period:] == last:
        keys, count = keys[:-period], count + 1
    return count
""",
        wrong=(
            """
def rounds(keys, period):
    return len(keys) // period
""",
            """
def rounds(keys, period):
    count = 0
    while keys[-period:] == keys[-2 * period : -period]:
        keys, count = keys[:-period], count + 1
        if len(keys) < period:
            break
    return count
""",
            """
def rounds(keys, period):
    return sum(keys[i : i + period] == keys[-period:] for i in range(len(keys)))
""",
            """
def rounds(keys, period):
    last, count = keys[-period:], 0
    while len(keys) >= period and keys[-period:] == last:
        keys, count = keys[:-1], count + 1
    return count
""",
        ),
    ),
    "10.3": Answers(
        right="""
def detector(calls):
    import json

    keys = []
    for index, (tool, args, result, kind) in enumerate(calls):
        keys.append((tool, json.dumps(args, sort_keys=True), result))
        for period in (1, 2, 3, 4):
            if len(keys) >= 3 * period and keys[-3 * period :] == 3 * keys[-period:]:
                return index
    return None
""",
        wrong=(
            """
def detector(calls):
    run = 1
    for index in range(1, len(calls)):
        run = run + 1 if calls[index][:2] == calls[index - 1][:2] else 1
        if run == 3:
            return index
    return None
""",
            """
def detector(calls):
    run = 1
    for index in range(1, len(calls)):
        run = run + 1 if calls[index][0] == calls[index - 1][0] else 1
        if run == 3:
            return index
    return None
""",
            """
def detector(calls):
    run = 1
    for index in range(1, len(calls)):
        run = run + 1 if calls[index][:3] == calls[index - 1][:3] else 1
        if run == 3:
            return index
    return None
""",
            """
def detector(calls):
    return 12 if len(calls) > 12 else None
""",
            """
def detector(calls):
    import json

    keys = []
    for index, (tool, args, result, kind) in enumerate(calls):
        keys.append((tool, json.dumps(args, sort_keys=True), result))
        for period in (1, 2, 3, 4):
            if len(keys) >= 2 * period and keys[-2 * period :] == 2 * keys[-period:]:
                return index
    return None
""",
        ),
    ),
    "11.1": Answers(
        right="""
def again(status, attempt, most):
    passes = status in (408, 409, 425, 429) or status >= 500
    return passes and attempt < most
""",
        wrong=(
            """
def again(status, attempt, most):
    return attempt < most
""",
            """
def again(status, attempt, most):
    return status >= 500 and attempt < most
""",
            """
def again(status, attempt, most):
    passes = status in (408, 409, 425, 429) or status >= 500
    return passes and attempt <= most
""",
            """
def again(status, attempt, most):
    return status in (408, 429, 500, 503, 504) and attempt < most
""",
            """
def again(status, attempt, most):
    return status in (408, 409, 425, 429, 500, 502, 503, 504) and attempt < most
""",
            """
def again(status, attempt, most):
    return "retry" if (status in (408, 409, 425, 429) or status >= 500) and attempt < most else False
""",
        ),
    ),
    "11.2": Answers(
        right="""
def waits(attempts, first, longest):
    return [min(first * 2**n, longest) for n in range(attempts - 1)]
""",
        wrong=(
            """
def waits(attempts, first, longest):
    return [min(first * 2**n, longest) for n in range(attempts)]
""",
            """
def waits(attempts, first, longest):
    return [first * 2**n for n in range(attempts - 1)]
""",
            """
def waits(attempts, first, longest):
    return [min(first + n, longest) for n in range(attempts - 1)]
""",
            """
def waits(attempts, first, longest):
    return [first * 2**n for n in range(attempts - 1) if first * 2**n <= longest]
""",
            """
def waits(attempts, first, longest):
    return [min(2**n, longest) for n in range(attempts - 1)]
""",
            """
def waits(attempts, first, longest):
    return [min(first * (n + 1), longest) for n in range(attempts - 1)]
""",
        ),
    ),
    "11.3": Answers(
        right="""
def requests(attempts, retries, passes):
    return attempts * (retries + 1 if passes else 1)
""",
        wrong=(
            """
def requests(attempts, retries, passes):
    return attempts + retries
""",
            """
def requests(attempts, retries, passes):
    return attempts * retries
""",
            """
def requests(attempts, retries, passes):
    return attempts * (retries + 1)
""",
            """
def requests(attempts, retries, passes):
    return attempts * (retries + 1) if passes else 1
""",
        ),
    ),
    "12.1": Answers(
        right="""
def on_resume(begun, finished, effect, idempotent):
    if finished:
        return "reuse"
    if begun and effect and not idempotent:
        return "ask"
    return "run"
""",
        wrong=(
            """
def on_resume(begun, finished, effect, idempotent):
    return "reuse" if finished else "run"
""",
            """
def on_resume(begun, finished, effect, idempotent):
    if finished:
        return "reuse"
    return "ask" if effect and not idempotent else "run"
""",
            """
def on_resume(begun, finished, effect, idempotent):
    if finished:
        return "reuse"
    return "ask" if begun else "run"
""",
            """
def on_resume(begun, finished, effect, idempotent):
    if begun and effect and not idempotent:
        return "ask"
    return "reuse" if finished else "run"
""",
        ),
    ),
    "12.2": Answers(
        right="""
import json


def key(run, step, tool, args, n):
    return json.dumps([run, step, tool, args, n], sort_keys=True)
""",
        wrong=(
            """
def key(run, step, tool, args, n):
    return f"{run}|{step}|{tool}|{args}|{n}"
""",
            """
import json


def key(run, step, tool, args, n):
    return json.dumps([run, step, tool, args], sort_keys=True)
""",
            """
import json


def key(run, step, tool, args, n):
    return run + step + tool + json.dumps(args, sort_keys=True) + str(n)
""",
            """
def key(run, step, tool, args, n):
    return str(hash((run, step, tool, tuple(sorted(args.items())), n)))
""",
            """
def key(run, step, tool, args, n):
    return f"{run}-{step}-{tool}-{sorted(args.items())}-{n}"
""",
            """
def key(run, step, tool, args, n):
    return str((run, step, tool, sorted(args.items()), n))
""",
        ),
    ),
    "13.1": Answers(
        right="""
def needs_person(args, home):
    to = args.get("to", "").strip().lower()
    return to.count("@") != 1 or not to.endswith("@" + home)
""",
        wrong=(
            """
def needs_person(args, home):
    return not args.get("to", "").strip().lower().endswith("@" + home)
""",
            """
def needs_person(args, home):
    to = args.get("to", "").strip().lower()
    return to.count("@") == 1 and to.endswith("@" + home)
""",
            """
def needs_person(args, home):
    to = args.get("to", "").strip().lower()
    return bool(to) and to.partition("@")[2] != home
""",
            """
def needs_person(args, home):
    return not args.get("to", "").strip().lower().endswith(home)
""",
            """
def needs_person(args, home):
    return home not in args.get("to", "").lower()
""",
            """
def needs_person(args, home):
    return not args.get("to", "").endswith("@" + home)
""",
        ),
    ),
    "13.2": Answers(
        right="""
from planexec.person import Answer


def clerk(request, most):
    if request.tool != "refund":
        return None
    if request.args["amount_yuan"] <= most:
        return Answer("approve")
    return Answer("edit", args={**request.args, "amount_yuan": most})
""",
        wrong=(
            """
from planexec.person import Answer


def clerk(request, most):
    if "amount_yuan" not in request.args:
        return None
    if request.args["amount_yuan"] <= most:
        return Answer("approve")
    return Answer("edit", args={**request.args, "amount_yuan": most})
""",
            """
from planexec.person import Answer


def clerk(request, most):
    def person(request):
        if request.tool != "refund":
            return None
        if request.args["amount_yuan"] <= most:
            return Answer("approve")
        return Answer("edit", args={**request.args, "amount_yuan": most})

    return person
""",
            """
from planexec.person import Answer


def clerk(request, most):
    return Answer("approve")
""",
            """
from planexec.person import Answer


def clerk(request, most):
    if request.tool != "refund":
        return None
    if request.args["amount_yuan"] < most:
        return Answer("approve")
    return Answer("edit", args={**request.args, "amount_yuan": most})
""",
            """
from planexec.person import Answer


def clerk(request, most):
    if request.tool != "refund":
        return None
    if request.args["amount_yuan"] <= most:
        return Answer("approve")
    return Answer("edit", args={"amount_yuan": most})
""",
            """
from planexec.person import Answer


def clerk(request, most):
    if request.tool != "refund":
        return Answer("reject")
    if request.args["amount_yuan"] <= most:
        return Answer("approve")
    return Answer("edit", args={**request.args, "amount_yuan": most})
""",
        ),
    ),
    "14.1": Answers(
        right="""
from collections import Counter


def identical(calls):
    keys = Counter((tool, tuple(sorted(args.items()))) for tool, args in calls)
    return max(keys.values(), default=0)
""",
        wrong=(
            """
from collections import Counter


def identical(calls):
    return max(Counter(tool for tool, args in calls).values(), default=0)
""",
            """
def identical(calls):
    best = now = 0
    before = None
    for call in calls:
        now = now + 1 if call == before else 1
        best, before = max(best, now), call
    return best
""",
            """
from collections import Counter


def identical(calls):
    return max(Counter((tool, str(args)) for tool, args in calls).values(), default=0)
""",
            """
from collections import Counter


def identical(calls):
    return max(Counter((tool, tuple(sorted(args.items()))) for tool, args in calls).values())
""",
        ),
    ),
    "14.2": Answers(
        right="""
NEEDS = {"delay": "flight_status", "weather": "weather"}


def unbacked(said, calls):
    seen = {tool for tool, kind in calls if kind == "found"}
    return [claim for claim in said if NEEDS[claim] not in seen]
""",
        wrong=(
            """
NEEDS = {"delay": "flight_status", "weather": "weather"}


def unbacked(said, calls):
    seen = {tool for tool, kind in calls}
    return [claim for claim in said if NEEDS[claim] not in seen]
""",
            """
def unbacked(said, calls):
    return [] if any(kind == "found" for tool, kind in calls) else said
""",
            """
NEEDS = {"delay": "flight_status", "weather": "weather"}


def unbacked(said, calls):
    return [claim for claim in said if (NEEDS[claim], "empty") in calls]
""",
            """
NEEDS = {"delay": "flight_status", "weather": "weather"}


def unbacked(said, calls):
    return [claim for claim, tool in NEEDS.items() if claim in said and (tool, "found") not in calls]
""",
        ),
    ),
    "14.3": Answers(
        right="""
def alone(settings, base):
    def differ(setting):
        return sum(setting[thing] != settings[base][thing] for thing in setting)

    return [name for name, setting in settings.items() if differ(setting) == 1]
""",
        wrong=(
            """
def alone(settings, base):
    return [name for name, setting in settings.items() if setting != settings[base]]
""",
            """
def alone(settings, base):
    first = next(iter(settings.values()))
    return [name for name, each in settings.items() if sum(each[thing] != first[thing] for thing in each) == 1]
""",
            """
def alone(settings, base):
    of = settings[base]
    return [name for name, each in settings.items() if sum(each[thing] != of[thing] for thing in each) <= 1]
""",
            """
def alone(settings, base):
    of = settings[base]
    return sorted(name for name, each in settings.items() if sum(each[thing] != of[thing] for thing in each) == 1)
""",
            """
def alone(settings, base):
    of = settings[base]
    things = ("turns", "attempts", "guards", "last_word")
    return [name for name, each in settings.items() if sum(each.get(t) != of.get(t) for t in things) == 1]
""",
        ),
    ),
    "15.1": Answers(
        right="""
def least(needed, share):
    good = sum(runs for turns, runs in needed.items() if turns)
    so_far = 0
    for turns in sorted(needed):
        if turns:
            so_far += needed[turns]
            if so_far >= share * good:
                return turns
    return 0
""",
        wrong=(
            """
def least(needed, share):
    good = sum(needed.values())
    so_far = 0
    for turns in sorted(needed):
        so_far += needed[turns]
        if so_far >= share * good:
            return turns
    return 0
""",
            """
def least(needed, share):
    return max(needed)
""",
            """
def least(needed, share):
    good = sum(runs for turns, runs in needed.items() if turns)
    so_far = 0
    for turns in sorted(needed):
        so_far += needed[turns] if turns else 0
        if so_far > share * good:
            return turns
    return 0
""",
            """
def least(needed, share):
    good = sum(runs for turns, runs in needed.items() if turns)
    so_far = 0
    for turns, runs in needed.items():
        so_far += runs if turns else 0
        if turns and so_far >= share * good:
            return turns
    return 0
""",
        ),
    ),
    "15.2": Answers(
        right="""
def price(runs, budget):
    cut = sum(needed > budget for needed, used in runs)
    wasted = sum(min(used, budget) - needed for needed, used in runs if needed <= budget)
    return cut, wasted
""",
        wrong=(
            """
def price(runs, budget):
    cut = sum(needed > budget for needed, used in runs)
    return cut, sum(used - needed for needed, used in runs if needed <= budget)
""",
            """
def price(runs, budget):
    cut = sum(used > budget for needed, used in runs)
    return cut, sum(min(used, budget) - needed for needed, used in runs if needed <= budget)
""",
            """
def price(runs, budget):
    cut = sum(needed >= budget for needed, used in runs)
    return cut, sum(min(used, budget) - needed for needed, used in runs if needed < budget)
""",
        ),
    ),
    "15.3": Answers(
        right="""
def frontier(points):
    def beaten(cost, good):
        return any(c <= cost and g >= good and (c, g) != (cost, good) for c, g in points.values())

    return [name for name, (cost, good) in points.items() if not beaten(cost, good)]
""",
        wrong=(
            """
def frontier(points):
    most = max((good for cost, good in points.values()), default=0)
    return [name for name, (cost, good) in points.items() if good == most]
""",
            """
def frontier(points):
    def beaten(cost, good):
        return any(c < cost and g > good for c, g in points.values())

    return [name for name, (cost, good) in points.items() if not beaten(cost, good)]
""",
            """
def frontier(points):
    return list(points)
""",
            """
def frontier(points):
    def beaten(cost, good):
        return any(c <= cost and g >= good and (c, g) != (cost, good) for c, g in points.values())

    return sorted((name for name in points if not beaten(*points[name])), key=points.get)
""",
            """
def frontier(points):
    def beaten(cost, good):
        return any(c <= cost and g >= good and (c, g) != (cost, good) for c, g in points.values())

    return {name for name in points if not beaten(*points[name])}
""",
            """
def frontier(points):
    def beaten(name):
        cost, good = points[name]
        return any(c <= cost and g >= good for other, (c, g) in points.items() if other != name)

    return [name for name in points if not beaten(name)]
""",
        ),
    ),
    "16.1": Answers(
        right="""
def dollars(prompt, completion, cached, rate):
    fresh = (prompt - cached) * rate["input"]
    return (fresh + cached * rate["cached"] + completion * rate["output"]) / 1_000_000
""",
        wrong=(
            """
def dollars(prompt, completion, cached, rate):
    return (prompt * rate["input"] + completion * rate["output"]) / 1_000_000
""",
            """
def dollars(prompt, completion, cached, rate):
    return (prompt * rate["input"] + cached * rate["cached"] + completion * rate["output"]) / 1_000_000
""",
            """
def dollars(prompt, completion, cached, rate):
    return (prompt - cached) * rate["input"] + cached * rate["cached"] + completion * rate["output"]
""",
            """
def dollars(prompt, completion, cached, rate):
    fresh = (prompt - cached) * rate["input"]
    return (fresh + cached * rate["cached"] + completion * rate["output"]) / 1_000
""",
        ),
    ),
    "16.2": Answers(
        right="""
def text_of(message):
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    return (content or "").rpartition("</think>")[2].strip()
""",
        wrong=(
            """
def text_of(message):
    content = message.get("content")
    return content or ""
""",
            """
def text_of(message):
    content = message.get("content")
    if isinstance(content, list):
        content = "\\n".join(part.get("text", "") for part in content)
    return (content or "").rpartition("</think>")[2].strip()
""",
            """
def text_of(message):
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    return (content or "").strip()
""",
            """
import re


def text_of(message):
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    return re.sub("<think>.*?</think>", "", content, flags=re.DOTALL).strip()
""",
            """
def text_of(message):
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    return (content or "").split("</think>", 1)[-1].strip()
""",
        ),
    ),
    "16.3": Answers(
        right="""
import json


def calls_for(status, text):
    if status == 200:
        try:
            json.loads(text)
        except ValueError:
            return "mend"
        return "use"
    if status in (401, 402, 403) or (status == 429 and "quota" in text):
        return "person"
    return "wait" if status == 429 or status >= 500 else "mend"
""",
        wrong=(
            """
def calls_for(status, text):
    if status == 200:
        return "use"
    if status in (401, 402, 403):
        return "person"
    return "wait" if status == 429 or status >= 500 else "mend"
""",
            """
def calls_for(status, text):
    if status == 200:
        return "use" if text.startswith("{") else "mend"
    if status in (401, 402, 403) or "quota" in text:
        return "person"
    return "wait" if status == 429 or status >= 500 else "mend"
""",
            """
def calls_for(status, text):
    if status == 200:
        return "use" if text.startswith("{") else "mend"
    if status in (401, 402, 403) or "quota" in text:
        return "person"
    return "wait"
""",
            """
def calls_for(status, text):
    if status == 200:
        return "mend" if text.startswith("<") else "use"
    if status in (401, 402, 403) or (status == 429 and "quota" in text):
        return "person"
    return "wait" if status == 429 or status >= 500 else "mend"
""",
            """
def calls_for(status, text):
    if status == 200:
        return "use" if text.startswith("{") else "mend"
    if status in (401, 402, 403) or (status == 429 and "quota" in text):
        return "person"
    return "wait" if status == 429 or status >= 500 else "mend"
""",
        ),
    ),
    "17.1": Answers(
        right="""
def next_node(last, remaining):
    if last == "plan":
        return "execute"
    if last == "report":
        return "end"
    if not remaining:
        return "report"
    return "replan" if last == "execute" else "execute"
""",
        wrong=(
            """
def next_node(last, remaining):
    return "execute" if remaining else "report"
""",
            """
def next_node(last, remaining):
    return {"plan": "execute", "execute": "replan", "replan": "execute", "report": "end"}[last]
""",
        ),
    ),
    "17.2": Answers(
        right="""
def node_runs(lines):
    return 2 * lines + 1
""",
        wrong=(
            """
def node_runs(lines):
    return lines
""",
            """
def node_runs(lines):
    return 2 * lines + 2
""",
            """
def node_runs(lines):
    return lines + 2
""",
            """
def node_runs(lines):
    return 2 * lines - 1
""",
        ),
    ),
    "18.1": Answers(
        right="""
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
        wrong=(
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = list(rows)
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time < row["departs"] < to_time]
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return found("No flights.")
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = [row["category"] for row in rows[:1]]
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = [row["category"] for row in rows]
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(text, {"numbers": [row["flight"] for row in rows], "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return empty()
        text = "\\n".join(f"- {r['flight']} {r['departs']} to {r['to']}: {r['category']}" for r in rows)
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(text, {"flights": rows, "categories": categories})

    return list_flights
""",
            """
from planexec import tool
from planexec.tools import empty, found


def flights_tool(tables):
    @tool
    def list_flights(date: str, post: str, from_time: str, to_time: str):
        "Flights of one post in some hours of a day. Data: numbers, categories."
        rows = [row for row in tables["flights"] if (row["date"], row["post"]) == (date, post)]
        rows = [row for row in rows if from_time <= row["departs"] <= to_time]
        if not rows:
            return empty()
        numbers = [row["flight"] for row in rows]
        categories = list(dict.fromkeys(row["category"] for row in rows))
        return found(", ".join(numbers), {"numbers": numbers, "categories": categories})

    return list_flights
""",
        ),
    ),
    "18.2": Answers(
        right="""
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return empty()
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})
    return find_procedure
""",
        wrong=(
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted]
        if not rows:
            return empty()
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = topics.split(", ")
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return empty()
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return found("No procedure.")
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return empty()
        text = "\\n".join(f"- {row['id']} {row['title']}: {row['text']}" for row in rows)
        return found(text, {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return empty()
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return empty()
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and row["id"] != "PR-12"]
        if not rows:
            return empty()
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return empty()
        lines = [f"- {row['id']} {row['title']}: {row['text']}" for row in rows] + [f"Asked for: {topics}"]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
            """
import re

from planexec import tool
from planexec.tools import empty, found


def procedures_tool(tables):
    @tool
    def find_procedure(topics: str):
        "Procedures in force for some categories. Data: ids."
        wanted = [topic.strip() for topic in re.split("[,;]", topics)]
        rows = [row for row in tables["procedures"] if row["about"] in wanted and "superseded_by" not in row]
        if not rows:
            return empty()
        lines = [row["id"] for row in rows]
        lines += [f"(no procedure about {each})" for each in wanted if each and each not in {r["about"] for r in rows}]
        return found("\\n".join(lines), {"ids": [row["id"] for row in rows]})

    return find_procedure
""",
        ),
    ),
    "18.3": Answers(
        right="""
def due(tables, date):
    for shift in tables["roster"]:
        if shift["date"] == date:
            flights = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
            flights = [row for row in flights if shift["from"] <= row["departs"] <= shift["to"]]
            about = [row["category"] for row in flights]
            rules = [row["id"] for row in tables["procedures"] if row["about"] in about and "superseded_by" not in row]
            risks = [row["text"] for row in tables["risks"] if row["procedure"] in rules]
            return [shift["post"], *(row["flight"] for row in flights), *rules, *risks]
    return []
""",
        wrong=(
            """
def due(tables, date):
    for shift in tables["roster"]:
        if shift["date"] == date:
            flights = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
            flights = list(flights)
            about = [row["category"] for row in flights]
            rules = [row["id"] for row in tables["procedures"] if row["about"] in about and "superseded_by" not in row]
            risks = [row["text"] for row in tables["risks"] if row["procedure"] in rules]
            return [shift["post"], *(row["flight"] for row in flights), *rules, *risks]
    return []
""",
            """
def due(tables, date):
    for shift in tables["roster"]:
        if shift["date"] == date:
            flights = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
            flights = [row for row in flights if shift["from"] <= row["departs"] <= shift["to"]]
            about = [row["category"] for row in flights]
            rules = [row["id"] for row in tables["procedures"] if row["about"] in about]
            risks = [row["text"] for row in tables["risks"] if row["procedure"] in rules]
            return [shift["post"], *(row["flight"] for row in flights), *rules, *risks]
    return []
""",
            """
def due(tables, date):
    for shift in tables["roster"]:
        if shift["date"] == date:
            flights = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
            flights = [row for row in flights if shift["from"] <= row["departs"] <= shift["to"]]
            about = [row["category"] for row in flights]
            rules = [row["id"] for row in tables["procedures"] if row["about"] in about and "superseded_by" not in row]
            risks = [row["text"] for row in tables["risks"] if row["procedure"] in rules]
            return [shift.get("instead_of", shift["post"]), *(row["flight"] for row in flights), *rules, *risks]
    return []
""",
            """
def due(tables, date):
    for shift in tables["roster"]:
        if shift["date"] == date:
            flights = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
            flights = [row for row in flights if shift["from"] <= row["departs"] <= shift["to"]]
            about = [row["category"] for row in flights]
            rules = [row["id"] for row in tables["procedures"] if row["about"] in about and "superseded_by" not in row]
            return [shift["post"], *(row["flight"] for row in flights), *rules]
    return []
""",
            """
def due(tables, date):
    for shift in tables["roster"]:
        if shift["date"] == date:
            flights = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
            flights = [row for row in flights if shift["from"] <= row["departs"] < shift["to"]]
            about = [row["category"] for row in flights]
            rules = [row["id"] for row in tables["procedures"] if row["about"] in about and "superseded_by" not in row]
            risks = [row["text"] for row in tables["risks"] if row["procedure"] in rules]
            return [shift["post"], *(row["flight"] for row in flights), *rules, *risks]
    return []
""",
            """
def due(tables, date):
    for shift in tables["roster"]:
        if shift["date"] == date:
            flights = [row for row in tables["flights"] if row["date"] == date and row["post"] == shift["post"]]
            flights = [row for row in flights if shift["from"] <= row["departs"] <= shift["to"]]
            about = [row["category"] for row in flights]
            rules = [row["id"] for row in tables["procedures"] if row["about"] in about and row["id"] != "PR-12"]
            risks = [row["text"] for row in tables["risks"] if row["procedure"] in rules]
            return [shift["post"], *(row["flight"] for row in flights), *rules, *risks]
    return []
""",
        ),
    ),
}
