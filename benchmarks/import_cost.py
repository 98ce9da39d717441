"""What `import planexec` costs: CPU seconds, modules loaded, and which heavy libraries came along (none should).

    python benchmarks/import_cost.py [--json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

HEAVY = ("openai", "requests", "pydantic", "json_repair", "matplotlib", "ipywidgets", "nbformat", "numpy")
PROBE = """
import json, sys, time
before = set(sys.modules); begun = time.process_time()
{statement}
print(json.dumps([time.process_time() - begun, sorted(set(sys.modules) - before)]))
"""
STATEMENTS = {
    "import planexec": "import planexec",
    "the agent, used for the first time": "from planexec import PlanExecuteAgent, Run, Journal, react",
}


def measure(statement: str, rounds: int = 7) -> dict[str, Any]:
    """Least CPU seconds over some fresh processes, and the modules the statement added."""
    best, modules = float("inf"), []
    for _ in range(rounds):
        command = [sys.executable, "-c", PROBE.format(statement=statement)]
        seconds, modules = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        best = min(best, seconds)
    loaded = sorted({name.partition(".")[0] for name in modules} & set(HEAVY))
    return {"cpu_seconds": round(best, 4), "modules": len(modules), "heavy": loaded}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    rows = {name: measure(statement) for name, statement in STATEMENTS.items()}
    if parser.parse_args().json:
        print(json.dumps(rows))
        return
    for name, row in rows.items():
        heavy = ", ".join(row["heavy"]) or "none"
        print(f"{name:<36} {row['cpu_seconds']:.3f} s CPU, {row['modules']:>3} modules, heavy libraries: {heavy}")


if __name__ == "__main__":
    main()
