"""From the command line, and from the journal that `--save` names, to an agent that is ready to run.

What a saved run was made with stands in the header of its journal, so that another process can set it up again. A key
is never among it: the environment of the process that goes on has to hold it.
"""

from __future__ import annotations

import argparse
import datetime
import re
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from planexec.commands import WrongUse
from planexec.commands.limits import changes, dials

if TYPE_CHECKING:
    from planexec.agent import PlanExecuteAgent
    from planexec.chat import Model
    from planexec.commands.terminal import Row
    from planexec.gate import Event
    from planexec.journal import Journal
    from planexec.limits import Limits
    from planexec.worlds import World

PRESET = "articles"  # of the simulated model, when none is named
DEFAULTS: dict[str, Any] = {"world": None, "data": None, "lang": None, "seed": 0, "date": None, "loop": "auto"}
DEFAULTS |= {"dials": {}, "unguarded": False}
_NUMBER = re.compile(r"\b\d[\d.,]*\b")  # figures change from question to question and tell no world from another
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]")


@dataclass(frozen=True)
class Settings:
    """How a run is set up, but for its limits. `world_from`: "question" or "default" where no world was given."""

    question: str
    world: str
    data: str | None
    model: str
    base_url: str | None
    lang: str
    seed: int
    date: str
    loop: str
    dials: dict[str, float]
    unguarded: bool
    world_from: str = ""

    def meta(self) -> dict[str, Any]:
        """What the journal's header keeps beside question, language, seed and date."""
        names = ("world", "data", "model", "loop", "dials", "unguarded")
        kept = {name: value for name, value in asdict(self).items() if name in names}
        return {**kept, "base_url": _without_secrets(self.base_url)}


def _without_secrets(base_url: str | None) -> str | None:
    """The address without a user, a password or a query: keys have been seen in all three."""
    if base_url is None:
        return None
    parts = urlsplit(base_url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def recorded(journal: Journal) -> dict[str, Any]:
    """The settings in a journal's header; {} for a new journal, or for a run that another program made."""
    from planexec.store import made_by_command

    header = journal.header
    if not made_by_command(header):
        return {}
    return {**header["meta"], **{name: header[name] for name in ("question", "lang", "seed", "date")}}


def chosen(args: argparse.Namespace, journal: Journal) -> Settings:
    """The settings of `planexec run`: what was given, else what the journal was made with, else the defaults."""
    if not args.question.strip():
        raise WrongUse("the question is empty")
    kept = recorded(journal)
    given: dict[str, Any] = {name: getattr(args, name, None) for name in DEFAULTS}
    given["dials"] = dials(args.dial) if args.dial is not None else None
    given["data"] = str(Path(args.data).resolve()) if args.data else None
    values: dict[str, Any] = {name: _one(name, given[name], kept, default) for name, default in DEFAULTS.items()}
    if values["world"] is None:
        guess = guess_world(args.question)
        values |= {"world": guess or "finance", "world_from": "question" if guess else "default"}
    values["lang"] = values["lang"] or ("zh" if _CJK.search(args.question) else "en")
    model = _full_name(args.model) or kept.get("model") or _full_name("sim")
    base_url = args.base_url or kept.get("base_url")
    return _dated(Settings(question=args.question, model=model, base_url=base_url, **values))


def _full_name(model: str | None) -> str:
    """_full_name("sim") -> "sim:articles"; a real model's name stays as it is."""
    return f"sim:{PRESET}" if model in ("sim", "sim:") else model or ""


def _one(name: str, given: Any, kept: dict[str, Any], default: Any) -> Any:
    """A setting that a saved run cannot change half-way."""
    if name not in kept:
        return default if given is None else given
    if given is not None and given != kept[name]:
        raise WrongUse(
            f"the saved run was made with {name} {kept[name]!r}, and now it should be {given!r}. "
            "Leave it out to go on with that run, or save to another file."
        )
    return kept[name]


def of_saved(journal: Journal, model: str | None, base_url: str | None) -> Settings:
    """The settings of a saved run, with another model or address where one is given."""
    kept = recorded(journal)
    if not kept:
        raise WrongUse(f"{journal.path} was not made by `planexec run`: go on with it in the program that made it")
    names = [name for name in Settings.__dataclass_fields__ if name != "world_from"]
    values: dict[str, Any] = {name: kept.get(name, DEFAULTS.get(name)) for name in names}
    return Settings(
        **{**values, "model": _full_name(model) or kept["model"], "base_url": base_url or kept.get("base_url")}
    )


def _dated(settings: Settings) -> Settings:
    """The date that counts as today: the one given, else the world's own."""
    from dataclasses import replace

    if settings.date is None:
        return replace(settings, date=world_of(settings).date)
    try:
        datetime.date.fromisoformat(settings.date)
    except ValueError:
        raise WrongUse(f"--date {settings.date!r}: write it as YYYY-MM-DD") from None
    return settings


def guess_world(question: str) -> str:
    """The world whose own questions are most like this one; "" when none is like it."""
    from importlib import import_module

    from planexec.worlds import NAMES
    from planexec.worlds.search import STRONG, Index

    asked = {}
    for name in NAMES:
        questions = import_module(f"planexec.worlds.{name}").QUESTIONS
        asked[name] = [(text, STRONG) for lang in questions for text in questions[lang].values()]
    best = Index(asked).search(_NUMBER.sub(" ", question), most=1)
    return best[0].id if best else ""


def world_of(settings: Settings) -> World:
    from planexec.worlds import load

    try:
        return load(settings.world, settings.lang, settings.data)
    except (ValueError, OSError, LookupError) as problem:
        if settings.data is None and isinstance(problem, ValueError):
            raise WrongUse(str(problem)) from None
        raise WrongUse(f"--data {settings.data}: {type(problem).__name__}: {problem}") from None


def model_of(settings: Settings) -> Model:
    """The model that was named: "sim", "sim:careful", or one of a chat-completions service."""
    kind, _, preset = settings.model.partition(":")
    if kind == "sim":
        return _simulated(settings, preset)
    if settings.dials:
        raise WrongUse(f"--dial is for the simulated model; {settings.model} has none")
    try:
        from planexec.models.openai_model import OpenAIModel

        return OpenAIModel(settings.model, settings.base_url)
    except ImportError as problem:
        raise WrongUse(
            f"a real model needs a package that is not installed ({problem.name or 'openai'}). Install it with:\n"
            '  python -m pip install "planexec[models]"'
        ) from None
    except ValueError as problem:  # no key, no address, or none that can be used
        words = str(problem).replace("base_url=...", "--base-url URL").replace(", or give api_key=...", "")
        raise WrongUse(words) from None


def _simulated(settings: Settings, preset: str) -> Model:
    from planexec.models.simulated import SimulatedModel

    if settings.base_url:
        raise WrongUse("--base-url is the address of a real model; the simulated one has none")
    chosen_dials: dict[str, Any] = dict(settings.dials)
    try:
        return SimulatedModel(preset, seed=settings.seed, **chosen_dials)
    except (ValueError, TypeError) as problem:
        raise WrongUse(str(problem)) from None


def limits_of(args: argparse.Namespace, base: Limits) -> Limits:
    """`base` with `--max-steps` and every `--limit`."""
    steps = [f"max_steps={args.max_steps}"] if args.max_steps is not None else []
    return base.with_(**changes([*steps, *(args.limit or ())], base))


def agent_of(
    settings: Settings,
    limits: Limits,
    on_event: Callable[[Event], None] | None,
    tell: Callable[[str], None],
    row: Row | None = None,
    follow: bool = False,
) -> PlanExecuteAgent:
    """The agent, ready to run. `tell` gets remarks about limits that contradict each other; `row` shows requests to a
    real model while they last; `follow`: a recording is followed where only contents differ from it.
    """
    from planexec.agent import PlanExecuteAgent

    model, world = model_of(settings), world_of(settings)
    if row is not None and not settings.model.startswith("sim:"):
        model = row.around(model)
    if limits.max_usd is not None and model.price is None:
        raise WrongUse(f"max_usd is set, but the price of {settings.model} is not known; take max_tokens instead")
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        agent = PlanExecuteAgent(
            model,
            world.tools,
            limits,
            settings.lang,
            guards=() if settings.unguarded else None,
            seed=settings.seed,
            date=settings.date,
            loop=settings.loop,
            replay="follow" if follow else "strict",
            on_event=on_event,
            meta=settings.meta(),
        )
    for remark in remarks:
        tell(str(remark.message))
    return agent
