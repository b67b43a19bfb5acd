"""The default keeps its accuracy on the public tables: mean AUC and average precision over three seeds.

usage: goals_test.py DETECT_ROWS
Needs EXPOSE_DATA; without it, it says so and exits with 77, which ctest shows as skipped.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LEAST_AUC, LEAST_AP = 0.757, 0.425
ROOT = Path(__file__).resolve().parents[2]


def main():
    data = os.environ.get("EXPOSE_DATA")
    if not data:
        print("skipped: EXPOSE_DATA names no folder with the public tables")
        return 77
    if importlib.util.find_spec("numpy") is None:
        print("skipped: there is no NumPy for this Python (Debian: python3-numpy)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "figures.json"
        command = [sys.executable, "-B", ROOT / "experiments" / "quality.py", "--data", Path(data) / "adbench"]
        command += ["--peers", "none", "--protocols", "detection", "--program", sys.argv[1], "--json", result]
        subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, check=True)
        records = json.loads(result.read_text(encoding="utf-8"))["records"]
    auc, ap = (sum(r[key] for r in records) / len(records) for key in ("auc", "ap"))  # as many seeds for every set
    print(f"mean AUC {auc:.4f}, at least {LEAST_AUC}; mean AP {ap:.4f}, at least {LEAST_AP}")
    return 0 if auc >= LEAST_AUC and ap >= LEAST_AP else 1


if __name__ == "__main__":
    sys.exit(main())
