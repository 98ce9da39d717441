"""What a question needs: which world it belongs to, what it gives, and the needs it calls for, in order.

    task_of("How should a 500,000-yuan account be allocated?", worlds) -> Task with sectors, amounts, stocks, ...

A question that calls for no need of any world gives None: the model does not know it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from planexec.models.policy.amounts import Amount, amounts, plain, with_digits
from planexec.models.policy.days import day_of
from planexec.models.policy.knowledge import Known, Need, Slot
from planexec.models.policy.reading import language
from planexec.models.policy.tables import same_name

EVERYONE = "{everyone}"  # stands in a wording for names that only a result will bring
_BETWEEN = re.compile(r"\s*(?:[,、/&]|\band\b|\bor\b|以及|和|与|及)\s*", re.IGNORECASE)
_AROUND = re.compile(
    r"^(?:the|our|both|各|这|那)\s*|\s*(?:sectors?|industries|stocks?|shares?|板块|行业)$", re.IGNORECASE
)
_WORKED_OUT = re.compile(r"\b(?:work(?:ed|ing)? out|calculat|comput|multipl|split|divid)|计算|算出|乘", re.IGNORECASE)
_SLOT = re.compile(r"\{(\w+)\}")
LONGEST = 2_000  # characters of a question that are read
PLACE = re.compile(r"\{([\w.]+)\}")  # a slot of the question, or "{need.name}": what another need's result says


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """One need of one question, with the question's own words filled in. `name`: the one name it is about, or ""."""

    need: Need
    goal: str
    label: str
    expression: str = ""
    name: str = ""


@dataclass(frozen=True, eq=False)
class Task:
    """A question understood. `given`: slot -> the figure as a calculator takes it; `shown`: the same as it was written;
    `names`: the names the question lists."""

    known: Known
    lang: str
    question: str
    given: Mapping[str, str]
    shown: Mapping[str, str]
    names: tuple[str, ...]
    wanted: tuple[Wanted, ...]

    @property
    def survey(self) -> bool:
        """The question asks for several sides of a topic, none of which waits for another."""
        return sum(each.need.side for each in self.wanted) > 1

    def also(self, scope: tuple[Wanted, ...]) -> Task:
        """The same task with needs that the question itself does not name."""
        return replace(self, wanted=(*self.wanted, *scope))

    def waits(self, wanted: Wanted) -> tuple[Wanted, ...]:
        """What has to be known before `wanted`, of the things this question needs."""
        if wanted.name and not wanted.need.args:
            return ()
        return tuple(each for each in self.wanted if each.need.id in wanted.need.after)

    def wordings(self, wanted: Wanted, lang: str, names: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The ways to ask for `wanted`, the plainest first. `names` fill in for names the question does not give."""
        return tuple(self.fill(text, wanted.name, names, lang) for text in wanted.need.ask.get(lang, ()))

    def queries(self, wanted: Wanted, lang: str, names: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The wordings as a call takes them: where no name is known, words stand for all of them."""
        everyone = wanted.need.everyone.get(lang, "")
        return tuple(text.replace(EVERYONE, everyone) for text in self.wordings(wanted, lang, names))

    def fill(self, text: str, name: str = "", names: tuple[str, ...] = (), lang: str = "") -> str:
        """`text` with its {slots} filled as the question words them."""
        listed = name or join(names or self.names, lang or self.lang) or EVERYONE
        values = {**self.shown, "names": listed, "unit": self.known.units.get(self.lang, "")}
        return _SLOT.sub(lambda match: values.get(match[1], match[0]), text)


def join(names: tuple[str, ...], lang: str) -> str:
    """join(("A", "B"), "en") -> "A, B" """
    return ("、" if lang == "zh" else ", ").join(names)


@lru_cache(maxsize=4_096)
def task_of(question: str, worlds: tuple[Known, ...], today: str = "") -> Task | None:
    """The question as a task of the world that it calls for most needs of, or None. Ties go to the first world.

    `today` (YYYY-MM-DD) is what "next Wednesday" is counted from.
    """
    text, lang = with_digits(plain(question[:LONGEST])), language(question)
    best: tuple[int, Task] | None = None
    for known in worlds:
        if lang not in known.topic or not known.topic[lang].search(text):
            continue
        called = called_for(known, text, lang)
        if called and (best is None or len(called) > best[0]):
            task = _task(known, question, text, lang, called, today)
            if task.wanted:
                best = len(called), task
    return best[1] if best else None


def called_for(known: Known, text: str, lang: str) -> tuple[Need, ...]:
    """The needs whose patterns the text holds, in the world's order."""
    held = {name for name, by_lang in known.patterns.items() if lang in by_lang and by_lang[lang].search(text)}
    return tuple(need for need in known.needs if held.intersection(need.when) and not held.intersection(need.unless))


def _task(known: Known, question: str, text: str, lang: str, called: tuple[Need, ...], today: str) -> Task:
    used = {name for need in called for name in [*_slots(need), need.check]}
    given, shown, names = _given(known, text, lang, used, today)
    bare = Task(known, lang, question, given, shown, names, ())
    wanted: list[Wanted] = []
    for need in called:
        if set(_slots(need)) <= given.keys() | {"names", *ALWAYS}:
            each_name = names if need.per and names else ("",)
            wanted += [_wanted(bare, need, name) for name in each_name]
    return replace(bare, wanted=tuple(wanted))


ALWAYS = ("question", "answer")  # what a look-up or an act may use besides the slots of the question


def _slots(need: Need) -> list[str]:
    """The slots of the question that a need cannot do without; what other needs bring is written with a dot."""
    texts = [need.expression, *(said for by_lang in need.args.values() for said in by_lang.values())]
    return [name for text in texts for name in _SLOT.findall(text)]


def bound(task: Task, need: Need) -> Wanted:
    """A need with this task's words, whether or not the question called for it."""
    return next((each for each in task.wanted if each.need is need), None) or _wanted(task, need, "")


def _wanted(bare: Task, need: Need, name: str) -> Wanted:
    def say(said: Mapping[str, str]) -> str:
        return bare.fill(said.get(bare.lang, ""), name).replace(EVERYONE, need.everyone.get(bare.lang, ""))

    expression = _SLOT.sub(lambda match: bare.given.get(match[1], match[0]), need.expression)
    label = _SLOT.sub(lambda open_: _unnamed(open_[1], bare.lang), say(need.label))
    if name and name not in label:
        label += f"（{name}）" if bare.lang == "zh" else f" ({name})"
    return Wanted(need, say(need.goal), label, expression, name)


def _unnamed(slot: str, lang: str) -> str:
    """A blank that the question left open, in words: what it asks about was not named."""
    return "…" if lang == "zh" else f"the {slot.replace('_', ' ')}"


def _given(
    known: Known, text: str, lang: str, used: set[str], today: str
) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """What the question gives, for calculating and as written, and the names it lists.

    Patterns first; the figures that are left over then go by size to slots that the question needs.
    """
    figures: dict[str, Amount] = {}
    words: dict[str, str] = {}
    names: tuple[str, ...] = ()
    free = list(amounts(text))
    for name, slot in known.slots.items():
        for match in _matches(slot, lang, text):
            kind = match.lastgroup or ""
            if kind in ("names", "pairs"):
                names = names or split_names(match[kind], kind == "pairs")
            elif kind == "text":
                words.setdefault(name, match[kind])
            elif kind == "date":
                words.setdefault(name, day_of(match[kind], today))
            elif name not in figures and (figure := _standing_at(free, match.start(kind), kind == "percent")):
                free.remove(figure)
                figures[name] = figure
    missing = [name for name in known.slots if name in used and name not in figures and name not in words]
    for name in sorted(missing, key=lambda each: known.slots[each].otherwise != "smallest"):
        if figure := _left_over(free, known.slots[name].otherwise):
            free.remove(figure)
            figures[name] = figure
    given = {name: figure.text for name, figure in figures.items()}
    shown = {name: text[figure.start : figure.end].strip() for name, figure in figures.items()}
    return given | words, shown | words, names


def _standing_at(free: list[Amount], start: int, percent: bool) -> Amount | None:
    return next((each for each in free if each.start == start and each.percent == percent), None)


def _matches(slot: Slot, lang: str, text: str) -> list[re.Match[str]]:
    return [match for pattern in slot.patterns.get(lang, ()) for match in pattern.finditer(text)]


def _left_over(free: list[Amount], rule: str) -> Amount | None:
    fitting = [each for each in free if each.percent == (rule == "percent")]
    if not rule or not fitting:
        return None
    return (
        min(fitting, key=lambda each: each.value) if rule == "smallest" else max(fitting, key=lambda each: each.value)
    )


def split_names(text: str, pairs: bool = False) -> tuple[str, ...]:
    """split_names("banks and property") -> ("banks", "property"); with `pairs`, "银行地产" -> ("银行", "地产").

    Chinese is written without spaces: with `pairs`, a run of four, six, ... characters is read two at a time.
    """
    parts = [_AROUND.sub("", part.strip()).strip() for part in _BETWEEN.split(text)]
    names: list[str] = []
    for part in parts:
        chinese = pairs and language(part) == "zh" and len(part) > 3 and len(part) % 2 == 0
        names += [part[i : i + 2] for i in range(0, len(part), 2)] if chinese else [part] if part else []
    return tuple(dict.fromkeys(names))


def scope_of(task: Task, goal: str, question: str) -> tuple[Wanted, ...]:
    """What a step with this goal is about: the whole question, several needs ("A; B"), or the one it words best."""
    if goal == question:
        return task.wanted
    parts = [part.strip() for part in re.split(r"[;；]", goal) if part.strip()]
    exact = tuple(each for each in task.wanted if each.goal in parts or each.goal == goal)
    if exact:
        return exact
    best = by_words(task, goal)
    return (best,) if best else ()


@lru_cache(maxsize=8_192)
def by_words(task: Task, text: str) -> Wanted | None:
    """The need of the task whose words `text` holds most of; one that is about a name only where that name stands."""
    text = plain(text)
    rated = [(_hits(each, text), each) for each in task.wanted]
    best = max((hits for hits, _ in rated), default=0)
    return next(each for hits, each in rated if hits == best) if best else None


def _hits(wanted: Wanted, text: str) -> int:
    found = {match.group().lower() for pattern in wanted.need.words.values() for match in pattern.finditer(text)}
    if wanted.name and not any(same_name(wanted.name, word) for word in re.findall(r"[\w-]+", text)):
        return 0
    worked_out = bool(found and wanted.need.expression and _WORKED_OUT.search(text))
    return len(found) + worked_out


@lru_cache(maxsize=1_024)
def free_need(task: Task, goal: str) -> Wanted:
    """A step's goal that is none of the known needs: it is searched for in its own words."""
    every = re.compile(re.escape(goal), re.IGNORECASE)
    need = Need(
        "free", "search", {task.lang: goal}, {task.lang: goal}, {task.lang: every}, ask={"en": (goal,), "zh": (goal,)}
    )
    return Wanted(need, goal, goal)
