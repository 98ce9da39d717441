"""Presets fitted to logged behaviour, with what the fit is worth: data/presets_fit.json and the table of it.

    python benchmarks/fit_presets.py [--transcripts FILE] [--runs FILE] [--seeds 200] [--store]

Each dial is set to the measured rate of its own decision, because a dial is a probability. Then the same decision is
counted in runs of the simulated model with that dial, and the difference stands in the table. Rates that no dial was
set by are predictions, right or wrong. Without a file, what was stored from it is kept. The recordings that ship with
the package are always read anew.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from math import sqrt
from pathlib import Path
from typing import Any

from logged_rates import CLAIMED, MODELS, ON, OVER, PLAN, REWORDED, SAME_EMPTY, SAME_FAILED, Rates, public
from logged_rates import recorded as recorded_rates
from logged_rates import transcripts as transcript_rates

from planexec.models.policy.dials import DIAL_NAMES, Dials
from planexec.paths import data_path
from planexec.trials.rates import RATES, Rate
from planexec.trials.table import Table

DIAL_OF = {PLAN: "sloppy", REWORDED: "stubborn", SAME_EMPTY: "amnesia", ON: "greed", CLAIMED: "invent"}
DIAL_OF_PUBLIC = {REWORDED: "stubborn", SAME_FAILED: "amnesia", OVER: "panic"}
OURS, SHIPPED = "transcripts of our own", "the shipped recordings"
ABOUT = {
    "en": "Fitted to {source} of {model}: it stands for that model with those prompts, and for no other.",
    "zh": "按{model}的{source}拟合：只代表该模型在那些提示词下的行为。",
}
ABOUT_PUBLIC = {
    "en": "Fitted to public runs of agents by others, many models and tasks mixed, each source counted once.",
    "zh": "按他人公开的智能体运行拟合：模型和任务混杂，每个来源同等计。",
}
SOURCE_ZH = {OURS: "自有运行记录", SHIPPED: "随包录制"}
Row = dict[str, Any]


def wilson(rate: Rate) -> tuple[float, float]:
    """The 95 % interval of a share, in per cent."""
    z, n, p = 1.96, rate.of, rate.hits / rate.of
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return round(100 * max(0.0, low), 1), round(100 * min(1.0, high), 1)


def dials_from(rates: Mapping[str, float], dial_of: Mapping[str, str]) -> dict[str, float]:
    """Every dial: the share it was measured by, 0 where nothing was."""
    set_by = {dial_of[name]: round(share, 3) for name, share in rates.items() if name in dial_of}
    return {dial: set_by.get(dial, 0.0) for dial in DIAL_NAMES}


def compared(preset: str, name: str, mark: str, dial: str, source: str, counted: Rate, spread: Any = None) -> Row:
    """A row without its simulated part. `spread`: (share, lowest, highest) in per cent, for several sources."""
    share, low, high = spread or (100 * counted.hits / counted.of, *wilson(counted))
    return {
        "preset": preset, "decision": name, "mark": mark, "dial": dial, "source": source, "n": counted.of,
        "measured": round(share, 1), "low": low, "high": high,
    }  # fmt: skip


def of_model(preset: str, model: str, kind: str, sources: Mapping[str, Rates]) -> tuple[dict[str, Any], list[Row]]:
    """A preset fitted to the first of the sources, and its rows."""
    first, *_ = sources
    shares = {name: rate.hits / rate.of for name, rate in sources[first].items()}
    rows = []
    for source, rates in sources.items():
        for name in (name for name in RATES if name in rates):
            fitted = source == first and name in DIAL_OF
            mark, dial = ("fitted", DIAL_OF[name]) if fitted else ("predicted", "")
            rows.append(compared(preset, name, mark, dial, source, rates[name]))
    about = {
        "en": ABOUT["en"].format(source=kind, model=model),
        "zh": ABOUT["zh"].format(source=SOURCE_ZH[kind], model=model),
    }
    return entry(about, dials_from(shares, DIAL_OF), rows), rows


def of_public(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """The preset of the runs by others; a rate is the mean over sources, low and high the sources that differ most."""
    rows: list[Row] = []
    means: dict[str, float] = {}
    by_measure = public(path)
    for name in (name for name in RATES if name in by_measure):
        shares = {source: 100 * rate.hits / rate.of for source, rate in by_measure[name].items()}
        means[name] = sum(shares.values()) / len(shares) / 100
        ordered = sorted(shares.items(), key=lambda each: each[1])
        counted = Rate(0, sum(rate.of for rate in by_measure[name].values()))
        spread = (100 * means[name], round(ordered[0][1], 1), round(ordered[-1][1], 1))
        source = f"public runs, {len(shares)} sources: {', '.join(name for name, _ in ordered)}"
        dial = DIAL_OF_PUBLIC.get(name, "")
        mark = "fitted" if dial else "predicted"
        rows.append(compared("public-runs", name, mark, dial, source, counted, spread))
    return entry(ABOUT_PUBLIC, dials_from(means, DIAL_OF_PUBLIC), rows), rows


def entry(about: Mapping[str, str], dials: Mapping[str, float], rows: list[Row]) -> dict[str, Any]:
    """A preset as it is stored."""
    fitted = list(dict.fromkeys(row["decision"] for row in rows if row["mark"] == "fitted"))
    predicted = list(dict.fromkeys(row["decision"] for row in rows if row["decision"] not in fitted))
    unfitted = [dial for dial in DIAL_NAMES if dial not in {row["dial"] for row in rows}]
    return {
        "about": dict(about),
        "dials": dict(dials),
        "fitted": fitted,
        "predicted": predicted,
        "not_fitted": unfitted,
    }


def simulated(rows: list[Row], presets: Mapping[str, Any], seeds: int) -> list[Row]:
    """The rows with what the simulated model does: its rate in per cent, opportunities, and the error in points."""
    made: dict[tuple[str, str], Rate] = {}
    full = []
    for row in rows:
        key = row["preset"], row["decision"]
        if key not in made:
            made[key] = RATES[key[1]](Dials(**presets[key[0]]["dials"]), range(seeds))
        share = made[key].share
        ours = None if share is None else round(100 * share, 1)
        error = None if ours is None else round(ours - row["measured"], 1)
        full.append(row | {"simulated": ours, "simulated_n": made[key].of, "error": error})
    return full


def fit(given: argparse.Namespace, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that data/presets_fit.json holds."""
    shipped = recorded_rates()
    parts: dict[str, tuple[dict[str, Any], list[Row]]] = {}
    logged = transcript_rates(given.transcripts) if given.transcripts else {}
    for preset, model in MODELS.items():
        if preset in logged:
            extra = {"recordings: native calls, without guards": shipped[preset]} if preset in shipped else {}
            parts[preset] = of_model(preset, model, OURS, logged[preset] | extra)
        if preset in shipped:
            name = f"{preset}-recorded"
            parts[name] = of_model(name, model, SHIPPED, {"recordings: native calls, without guards": shipped[preset]})
    if given.runs:
        parts["public-runs"] = of_public(given.runs)
    names = sorted({*stored.get("presets", {}), *parts})
    presets = {name: parts[name][0] if name in parts else stored["presets"][name] for name in names}
    old = {name: [row for row in stored.get("rows", ()) if row["preset"] == name] for name in names}
    rows = [row for name in names for row in (parts[name][1] if name in parts else old[name])]
    return {"about": HOW, "seeds": given.seeds, "presets": presets, "rows": simulated(rows, presets, given.seeds)}


HOW = (
    "Presets fitted by benchmarks/fit_presets.py. `measured`, `low`, `high`: per cent of `n` opportunities in the logs "
    "with the 95 % interval of Wilson, or, over several sources, the mean and the lowest and highest source. "
    "`simulated`: the same in runs of the simulated model with all dials of the preset; `error` in percentage points."
)
COLUMNS = (
    "preset",
    "decision",
    "mark",
    "dial",
    "source",
    "n",
    "measured",
    "low",
    "high",
    "simulated",
    "simulated_n",
    "error",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transcripts", type=Path, help="runs of small models: JSON lines, packed or not")
    parser.add_argument("--runs", type=Path, help="runs by others: JSON lines, packed or not")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--store", action="store_true", help="write data/presets_fit.json")
    given = parser.parse_args()
    path = data_path("presets_fit.json")
    stored = json.loads(path.read_text("utf-8")) if path.exists() else {}
    made = fit(given, stored)
    print(Table({name: row[name] for name in COLUMNS} for row in made["rows"]).markdown())
    if given.store:
        path.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
