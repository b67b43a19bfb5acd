#!/usr/bin/env python3
"""`expose detect` on a file beside a Python script with pandas and IsolationForest that does the same: from the file on
the disk to a csv with a verdict for each row. Whole processes are timed, imports included, in turn, on all cores.

usage: bench/command.py [--rounds N] [--label COL] [FILE ...]   (default: kddcup.csv.gz of $EXPOSE_DATA, label `label`)
needs: build/release/expose (make bench builds it), pandas, scikit-learn
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPOSE = ROOT / "build" / "release" / "expose"

# As one would write it; n_jobs is what is faster here, tried before it is timed.
SCRIPT = """
import sys
import pandas as pd
from sklearn.ensemble import IsolationForest
path, label, jobs, out = sys.argv[1:]
X = pd.read_csv(path).drop(columns=[label], errors="ignore")
forest = IsolationForest(random_state=0, n_jobs=int(jobs)).fit(X)
scores = forest.score_samples(X)
pd.DataFrame({"score": scores, "anomalous": scores < forest.offset_}).to_csv(out, index_label="row")
"""


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - start


def measure(path, label, rounds, folder):
    out = str(Path(folder) / "verdicts.csv")
    has_label = ["--label", label] if label else []
    ours = [EXPOSE, "detect", path, *has_label, "--quiet", "-o", out]
    theirs = {jobs: [sys.executable, "-c", SCRIPT, path, label or "-", str(jobs), out] for jobs in (1, -1)}
    best_jobs = min(theirs, key=lambda jobs: seconds(theirs[jobs]))
    seconds(ours)
    times = [(seconds(ours), seconds(theirs[best_jobs])) for _ in range(rounds)]
    return best_jobs, min(t for t, _ in times), min(t for _, t in times), statistics.median(b / a for a, b in times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--label", default="label")
    arguments = parser.parse_args()
    data = os.environ.get("EXPOSE_DATA")
    files = arguments.files or ([str(Path(data) / "kddcup.csv.gz")] if data else [])
    if not files:
        sys.exit("bench/command.py: name a file, or set EXPOSE_DATA")
    print("seconds from the file to a verdict for each row, best of", arguments.rounds, "rounds; ratio: median of the rounds")
    print(f"{'file':<24}{'expose detect':>15}{'pandas + IsolationForest':>27}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            jobs, ours, theirs, ratio = measure(file, arguments.label, arguments.rounds, folder)
            print(f"{Path(file).name:<24}{ours:>15.2f}{theirs:>27.2f}{ratio:>8.1f}   (n_jobs={jobs})")


if __name__ == "__main__":
    main()
