"""What logs of models show, counted as `planexec/trials/rates.py` counts the simulated model: used by fit_presets.py.

Three kinds of logs: transcripts of small models (JSON lines, one run a line with its outputs), the recordings that ship
with the package, and runs by others (JSON lines with steps: tool, args, ok, result_digest).
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planexec.canonical import call_key
from planexec.models.local.questions import admits, questions
from planexec.models.local.recorded import recordings, replay
from planexec.trials.rates import RATES, Rate, plain_array

PLAN, REWORDED, SAME_EMPTY, SAME_FAILED, OVER, ON, CLAIMED = list(RATES)[:7]
ENDED_EMPTY, REPEATS_EMPTY, ENDED_FOUND, REPEATS_FOUND = list(RATES)[7:]
Rates = dict[str, Rate]
MODELS = {"qwen-0.5b": "qwen2.5-coder-0.5b", "qwen-1.5b": "qwen2.5-coder-1.5b", "smollm2-135m": "smollm2-135m"}
LEAST = 20  # opportunities that a source of public runs must have to count
_NOTHING = re.compile(r"Could not find|No more results")
_FIXTURES = ("All-Hands-AI/OpenHands", "google-gemini/gemini-cli")  # cases made for tests, not runs


@dataclass(frozen=True, slots=True)
class Log:
    """One run: a key for each call, whether it ended by itself (None: cut, so not known), what it said at the end."""

    calls: tuple[str, ...]
    ended: bool | None
    claimed: bool | None = None


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, packed or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _counted(hits: Iterable[bool]) -> Rate:
    listed = list(hits)
    return Rate(sum(listed), len(listed))


def _decisions(logs: Iterable[Log]) -> list[tuple[str, str | None]]:
    """(call, next call or None for the end) wherever it is known what followed."""
    pairs = [(a, b) for log in logs for a, b in zip(log.calls, log.calls[1:], strict=False)]
    return [*pairs, *((log.calls[-1], None) for log in logs if log.ended and log.calls)]


def _repeated(logs: Iterable[Log]) -> Rate:
    listed = [log.calls for log in logs]
    return Rate(sum(len(calls) - len(set(calls)) for calls in listed), sum(map(len, listed)))


def of_logs(nothing: list[Log], answer: list[Log]) -> Rates:
    """The rates of runs whose tool found nothing, and of runs whose tool gave the answer at once."""
    empty, found = _decisions(nothing), _decisions(answer)
    rates = {
        REWORDED: _counted(b is not None and a != b for a, b in empty),
        SAME_EMPTY: _counted(a == b for a, b in empty if b is None or a == b),
        ON: _counted(b is not None for _, b in found),
        CLAIMED: _counted(log.claimed for log in nothing if log.claimed is not None),
        ENDED_EMPTY: _counted(bool(log.ended) for log in nothing if log.calls and log.ended is not None),
        REPEATS_EMPTY: _repeated(nothing),
        ENDED_FOUND: _counted(bool(log.ended) for log in answer if log.calls and log.ended is not None),
        REPEATS_FOUND: _repeated(answer),
    }
    return {name: rate for name, rate in rates.items() if rate.of}


# ------------------------------------------------------------------------------------------------ small models


def transcripts(path: Path) -> dict[str, dict[str, Rates]]:
    """Preset -> source -> rates. The first source is the one to fit, the others are what it is held against."""
    rows = lines(path)
    return {
        preset: _of_model([row for row in rows if row["model"].startswith(name)]) for preset, name in MODELS.items()
    }


def _of_model(rows: list[dict[str, Any]]) -> dict[str, Rates]:
    def logs(kind: str, mode: str, temperature: float) -> list[Log]:
        chosen = (r for r in rows if r["kind"] == kind and r["mode"] == mode)
        return [_log(row) for row in chosen if row["settings"]["temperature"] == temperature]

    plans = [row["outputs"][0]["text"] for row in rows if row["kind"] == "plan" and row["mode"] == "free"]
    guarded = [log for log in logs("react_guard_not_found", "json_action", 0) if log.calls and log.claimed is not None]
    nothing = logs("react_not_found", "json_action", 0)
    fitted = of_logs(nothing, logs("react_found", "json_action", 0))
    claims = [log.claimed for log in (*nothing, *guarded) if log.claimed is not None and log.calls]
    fitted |= {PLAN: _counted(not plain_array(text) for text in plans)}
    fitted |= {CLAIMED: _counted(bool(each) for each in claims)} if claims else {}
    sources = {"transcripts: JSON action, temperature 0": fitted}
    for mode, temperature in (("json_action", 0.7), ("native", 0)):
        rates = of_logs(logs("react_not_found", mode, temperature), logs("react_found", mode, temperature))
        if REWORDED in rates:
            sources[f"transcripts: {mode.replace('json_action', 'JSON action')}, temperature {temperature:g}"] = rates
    single = [not row["score"]["stopped"] for row in rows if row["kind"] == "stop" and row["mode"] == "json_action"]
    return sources | {"transcripts: one right result, four tools": {ON: _counted(single)}}


def _log(row: Mapping[str, Any]) -> Log:
    calls: list[str] = []
    for output in row["outputs"]:
        action = output["calls"][0] if output["calls"] else _action(output["text"])
        if action is None:
            break
        calls.append(json.dumps(action, sort_keys=True))
    ended = None if row["outputs"][-1]["finish"] == "length" else len(calls) < len(row["outputs"])
    return Log(tuple(calls), ended, not admits(row["outputs"][-1]["text"]) if ended and calls else None)


def _action(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "tool" in value else None


def recorded() -> dict[str, Rates]:
    """Preset -> rates of the shipped recordings without guards (native calls, the prompt of `react`) that are whole."""
    rates: dict[str, Rates] = {}
    for preset, model in MODELS.items():
        names = [f"{model}/{tool}/no-guards" for tool in ("nothing", "answer")]
        logs = [_replayed(name) if name in recordings() else [] for name in names]
        if all(len(each) == len(questions()) for each in logs):
            rates[preset] = of_logs(*logs)
    return rates


def _replayed(name: str) -> list[Log]:
    logs = []
    for run in replay(name):
        calls = tuple(str(call_key(call.tool, call.args)) for call in run.result.calls)
        claimed = not admits(run.result.answer) if run.ended_by_itself and calls else None
        logs.append(Log(calls, run.ended_by_itself, claimed))
    return logs


# ------------------------------------------------------------------------------------------------ runs by others


def public(path: Path) -> dict[str, dict[str, Rate]]:
    """Measure -> source -> rate, for the sources with enough opportunities."""
    hits: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for row in lines(path):
        if row["source"] not in _FIXTURES:
            for measure, hit in _of_steps(row["steps"]):
                hits[measure][row["source"].rpartition("/")[2]].append(hit)
    return {
        measure: {source: _counted(listed) for source, listed in sorted(by.items()) if len(listed) >= LEAST}
        for measure, by in hits.items()
    }


def _of_steps(steps: list[dict[str, Any]]) -> Iterable[tuple[str, bool]]:
    """(measure, did it happen) for each failed call or empty search of a run that was followed by another step."""
    done = [step for step in steps if step["tool"] not in ("think", "(invalid)")]
    keys = [(step["tool"], json.dumps(step["args"], sort_keys=True)) for step in done]
    for at, step in enumerate(done[:-1]):
        if step["ok"] is not False:
            continue
        same, tool = keys[at + 1] == keys[at], done[at + 1]["tool"] == step["tool"]
        if _NOTHING.match(step["result_digest"]):
            yield REWORDED, tool and not same
            if same or not tool:
                yield SAME_EMPTY, same
        elif not at or keys[at - 1] != keys[at]:
            yield SAME_FAILED, same
            if at and not same and keys[0] != keys[at]:
                yield OVER, keys[at + 1] == keys[0]
