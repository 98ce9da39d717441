"""Makes the recordings that ship: real models answer the ten questions, and every run is written down.

    PLANEXEC_MODELS=... python -m planexec.models.local.experiment qwen2.5-coder-0.5b answer/no-guards ...

Without further names: every tool and every setting. A question that is recorded already is left out, so that an
interrupted measurement goes on. It takes minutes; what each model does is in docs/local_models.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from planexec.chat import Model
from planexec.journal import Journal, dumps
from planexec.models.local.catalogue import named
from planexec.models.local.endpoint import RUNTIME, start
from planexec.models.local.questions import LIMITS, SETTINGS, TOOLS, Question, date, questions, search_tool
from planexec.models.local.recorded import SUFFIX
from planexec.paths import data_path
from planexec.react_loop import react


def record(model: Model, weights: str, does: str, setting: str, folder: Path | None = None) -> Path:
    """Ask what is not recorded yet; the file of the recording. `weights`: the name of the model that answers."""
    path = (folder or data_path("recordings")) / weights / does / f"{setting}{SUFFIX}"
    path.parent.mkdir(parents=True, exist_ok=True)
    done = _recorded(path)
    for question in questions():
        if question.question not in done:
            lines = _run(model, weights, does, setting, question)
            with open(path, "a", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in lines)
    return path


def _recorded(path: Path) -> set[str]:
    if not path.exists():
        return set()
    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {entry["question"] for entry in entries if "planexec_journal" in entry}


def _run(model: Model, weights: str, does: str, setting: str, question: Question) -> list[str]:
    chosen = named(weights)
    meta = {"weights": chosen.title, "sha256": chosen.sha256, "licence": chosen.licence, "tool": does}
    meta |= {"setting": setting, "runtime": f"{RUNTIME} {version(RUNTIME)}"}
    journal = Journal()
    react(
        question.question,
        model,
        [search_tool(does)],
        LIMITS,
        guards=SETTINGS[setting].guards,
        journal=journal,
        date=date(),
        meta=meta,
    )
    return [_rounded(line) for line in journal.lines()]


def _rounded(line: str) -> str:
    """Milliseconds are enough."""
    entry = json.loads(line)
    return dumps(entry | {"seconds": round(entry["seconds"], 3)}) if "seconds" in entry else line


def main(argv: Sequence[str]) -> None:
    weights, *wanted = argv
    with start(weights, port=0) as endpoint:
        for does, setting in (name.split("/") for name in wanted or _all()):
            profile = {"like": "local", "remind": SETTINGS[setting].remind}
            print(record(endpoint.model(profile=profile), weights, does, setting), flush=True)


def _all() -> list[str]:
    return [f"{does}/{setting}" for setting in SETTINGS for does in TOOLS]


if __name__ == "__main__":
    main(sys.argv[1:])
