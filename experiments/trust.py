#!/usr/bin/env python3
"""How many frequencies the order of normal rows needs, and whether trust() knows it.

usage: experiments/trust.py [--seeds N] [--rows N] [--kind fourier]

Needs build/release/trust_rows (`cmake --build --preset release --target trust_rows`). The exit status is 1 if trust()
calls an r enough that leaves a rank correlation below .88 with the exact kernel.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parent.parent / "build" / "release" / "trust_rows"
FAMILIES = ("gaussian", "heavy", "clusters")
SHARE = 0.35  # kNoiseShare in expose/score/trust.hpp


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--kind", default="fourier")
    args = parser.parse_args()
    missed = False
    print("| family | r | noise / spread | enough | r needed | rank correlation |\n| --- | ---: | ---: | --- | ---: | ---: |")
    for family in FAMILIES:
        command = [str(word) for word in (PROGRAM, family, args.rows, args.seeds, args.kind)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        lines = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
        for r in np.unique(lines[:, 0]):
            some = lines[lines[:, 0] == r]
            missed |= bool(np.any((some[:, 1] <= SHARE) & (some[:, 3] < 0.88)))
            noise, needed, spearman = some[:, 1].mean(), some[:, 2].mean(), some[:, 3].mean()
            print(
                f"| {family} | {r:.0f} | {noise:.2f} | {'yes' if noise <= SHARE else 'no'} | {needed:.0f} | {spearman:.2f} |"
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
