#!/usr/bin/env python3
"""Whether p-values of groups are uniform for normal groups, and what a group shows that its rows do not.

usage: experiments/groups.py [--models N] [--rows N]

Each group is judged by a model of its own. Kolmogorov-Smirnov against the uniform distribution. Needs
build/release/group_pairs (`cmake --build --preset release --target group_pairs`). The exit status is 1 if a p-value of
Kolmogorov-Smirnov is below .001.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parent.parent / "build" / "release" / "group_pairs"
FAMILIES = ("gaussian", "heavy", "clusters")
SIZES = (1, 2, 10, 1000)


def run(family, rows, models, shift):
    command = [PROGRAM, family, rows, models, shift, *SIZES]
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return np.array([line.split() for line in done.stdout.splitlines()], dtype=float)


def kolmogorov(p):
    p, n, i = np.sort(p), len(p), np.arange(1, len(p) + 1)
    gap = max((i / n - p).max(), (p - (i - 1) / n).max())
    x = gap * (np.sqrt(n) + 0.12 + 0.11 / np.sqrt(n))
    j = np.arange(1, 101)
    return float(np.clip(2 * np.sum((-1.0) ** (j - 1) * np.exp(-2 * j**2 * x**2)), 0, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--rows", type=int, default=3000)
    args = parser.parse_args()
    missed = False
    print("| family | rows of the group | moved by | % at .05 | % at .01 | KS p | its rows alone, % at .05 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for family in FAMILIES:
        for shift in (0, 0.2):
            found = run(family, args.rows, args.models, shift)
            for s, size in enumerate(SIZES):
                p, rows = found[:, 2 * s], found[:, 2 * s + 1]
                ks = kolmogorov(p) if shift == 0 else None
                missed |= ks is not None and ks < 0.001
                print(
                    f"| {family} | {size} | {shift} | {100 * np.mean(p <= 0.05):.1f} | {100 * np.mean(p <= 0.01):.1f} "
                    f"| {'' if ks is None else f'{ks:.3f}'} | {100 * np.mean(rows <= 0.05):.1f} |",
                    flush=True,
                )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
