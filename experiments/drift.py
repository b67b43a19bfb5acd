#!/usr/bin/env python3
"""Whether the p-value of drift keeps its level, what it sees beside two other tests, and whether it names the column.

usage: experiments/drift.py [--pairs N] [--power N] [--sizes 200,5000]

Level: pairs of samples of one kind, with a plan made from the first sample and with a plan from other rows. Power: one
column of the second sample is moved; beside a permutation MMD (Gaussian kernel on z-scores, median bandwidth, 200
permutations) and Kolmogorov-Smirnov a column with Bonferroni, at 5 %. Needs build/release/drift_pairs
(`cmake --build --preset release --target drift_pairs`). The exit status is 1 if a goal was missed.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parent.parent / "build" / "release" / "drift_pairs"
FAMILIES = ("gaussian", "heavy", "clusters")
COLUMNS = 10


def pairs_of(family, rows, pairs, plan, shift, out=None):
    command = [PROGRAM, family, rows, pairs, plan, shift, 0] + ([out] if out else [])
    run = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return np.array([line.split() for line in run.stdout.splitlines()], dtype=float)


def permutation_mmd(a, b, draw, permutations=200):
    """p-value of the unbiased MMD, the plain way."""
    x = np.concatenate([a, b])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    square = (x**2).sum(axis=1)
    distance = np.maximum(square[:, None] + square[None, :] - 2 * x @ x.T, 0)
    kernel = np.exp(-distance / np.median(distance[np.triu_indices(len(x), 1)]))
    np.fill_diagonal(kernel, 0)
    labels = np.concatenate([np.full(len(a), 1 / len(a)), np.full(len(b), -1 / len(b))])
    deals = np.array([labels] + [draw.permutation(labels) for _ in range(permutations)])
    mmd = np.einsum("pi,pi->p", deals @ kernel, deals)
    return float(np.mean(mmd >= mmd[0] - 1e-15))


def kolmogorov(a, b):
    """Bonferroni over the columns of the asymptotic two-sample Kolmogorov-Smirnov p-value."""
    lowest = 1.0
    n = len(a) * len(b) / (len(a) + len(b))
    for k in range(a.shape[1]):
        grid = np.sort(np.concatenate([a[:, k], b[:, k]]))
        gap = np.abs(
            np.searchsorted(np.sort(a[:, k]), grid, "right") / len(a)
            - np.searchsorted(np.sort(b[:, k]), grid, "right") / len(b)
        ).max()
        j = np.arange(1, 101)
        lowest = min(lowest, float(np.clip(2 * np.sum((-1.0) ** (j - 1) * np.exp(-2 * j**2 * n * gap**2)), 0, 1)))
    return min(1.0, a.shape[1] * lowest)


def level(args):
    missed = False
    print(f"| rows a side | family | plan | % at .05 | % at .01 |\n| ---: | --- | --- | ---: | ---: |")
    for rows in args.sizes:
        for family in FAMILIES:
            for plan in ("own", "third"):
                p = pairs_of(family, rows, args.pairs, plan, 0)[:, 0]
                share = 100 * np.mean(p <= 0.05)
                missed |= not 3.5 <= share <= 6.5
                print(f"| {rows} | {family} | {plan} | {share:.2f} | {100 * np.mean(p <= 0.01):.2f} |", flush=True)
    return missed


def power(args):
    named, of = 0, 0
    print("\n| rows a side | family | moved by | drift, % seen | permutation MMD | KS, Bonferroni | column named first |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for family in FAMILIES:
        for shift in (0.25, 0.5, 1.0):
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "rows"
                found = pairs_of(family, 200, args.power, "own", shift, out)
                tables = np.fromfile(out).reshape(args.power, 2, 200, COLUMNS)
            draw = np.random.default_rng(1)
            mmd = np.mean([permutation_mmd(a, b, draw) <= 0.05 for a, b in tables])
            ks = np.mean([kolmogorov(a, b) <= 0.05 for a, b in tables])
            seen = found[:, 0] <= 0.05
            right = found[:, 1] == found[:, 2]
            if shift == 1.0:
                named, of = named + int(right.sum()), of + len(right)
            print(
                f"| 200 | {family} | {shift} | {100 * seen.mean():.0f} | {100 * mmd:.0f} | {100 * ks:.0f} "
                f"| {100 * right.mean():.0f} |",
                flush=True,
            )
    return named < 0.95 * of


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--power", type=int, default=100)
    parser.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[200, 5000])
    args = parser.parse_args()
    missed = level(args) if args.pairs else False
    missed |= power(args) if args.power else False
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
