"""All benchmarks, one after the other: python -m benchmarks  (from the top of the checkout).

They print what they measured on this machine; nothing here passes or fails.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHMARKS = ("import_cost.py", "step_cost.py", "run_speed.py", "notebook_time.py", "lab_latency.py")


def main() -> int:
    for name in BENCHMARKS:
        print(f"== {name}", flush=True)
        if (code := subprocess.run([sys.executable, str(HERE / name)]).returncode) != 0:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
