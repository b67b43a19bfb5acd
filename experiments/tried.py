#!/usr/bin/env python3
"""What was tried to make the default better, in NumPy: a replica of the recipe with one idea changed at a time.

usage: experiments/tried.py --data DIR [--check DIR [--skip A,B]] [--seeds N] [--json FILE]

DIR holds .npz files. Choosing the best of many ideas by the sets they are measured on flatters the winner, so the last
lines say what choosing is worth: for each set, the idea that is best on all others is taken (leave one set out), and
the sets of --check (.csv.gz), which choose nothing, judge the idea that is best on all of DIR.
The replica draws other samples than the library; its default agrees with the library's to about .002 in the means.
"""

import argparse
import json
from collections import Counter

import common
from ablation import line
from common import Problem, average_ranks, markdown, short

import numpy as np

FLOOR = 1e-8  # of a similarity, before its logarithm


def squared_distances(a, b):
    return np.maximum((a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * a @ b.T, 0)


class Space:
    """Scaled rows in a random order that stands for the plan's sample."""

    def __init__(self, rows, seed, sd_share=0.25):
        self.draw = np.random.default_rng([seed, 9])
        rows = rows[:, rows.min(0) < rows.max(0)]
        centre = np.median(rows, 0)
        mad = 1.4826 * np.median(np.abs(rows - centre), 0)
        self.z = np.arcsinh((rows - centre) / np.maximum(mad, sd_share * rows.std(0)))
        self.order = self.draw.permutation(len(rows))

    def median_distance(self):
        some = self.z[self.order[:1000]]
        squares = squared_distances(some, some)[np.tril_indices(len(some), -1)]
        squares = np.sort(squares[squares > 1e-12])
        return np.sqrt(squares[len(squares) // 2]) if len(squares) else 1.0

    def landmarks(self, r):
        _, first = np.unique(self.z[self.order], axis=0, return_index=True)
        return self.z[self.order[np.sort(first)[:r]]]


class Model:
    """Nystrom features of all rows, the gate, and leave-one-out similarities."""

    def __init__(self, space, share=0.354, r=256, trim=0.2, rounds=3, own="one", threshold="plain"):
        self.bandwidth = share * space.median_distance()
        self.marks = space.landmarks(r)
        self.features = self.kernel(space.z)
        values, vectors = np.linalg.eigh(self.kernel(self.marks))
        kept = values >= 1e-6 * values[-1]
        self.white = vectors[:, kept] / np.sqrt(values[kept])
        n = len(space.z)
        self.own = np.ones(n) if own == "one" else ((self.features @ self.white) ** 2).sum(1)
        self.passes = self.gate(space.order[:2000], n, trim, rounds, threshold)
        self.eta = self.left_out(np.flatnonzero(self.passes), np.arange(n))
        self.surprise = -np.log(np.maximum(self.eta, FLOOR))

    def kernel(self, rows):
        return np.exp(-squared_distances(rows, self.marks) / (2 * self.bandwidth**2))

    def dual(self, members):
        return self.white @ (self.white.T @ self.features[members].mean(0))

    def left_out(self, members, rows):
        eta = self.features[rows] @ self.dual(members)
        inside = np.isin(rows, members)
        eta[inside] = (len(members) * eta[inside] - self.own[rows[inside]]) / max(len(members) - 1, 1)
        return eta

    def gate(self, sample, n, trim, rounds, threshold):
        if trim == 0 or len(sample) < 20:
            return np.ones(n, dtype=bool)
        below, members = int(trim * len(sample)), sample
        for _ in range(rounds):
            eta = self.left_out(members, sample)
            members = sample[eta >= np.sort(eta)[below]]
        plain = threshold == "plain"
        eta = self.features[sample] @ self.dual(members) if plain else self.left_out(members, sample)
        everyone = self.features @ self.dual(members) if plain else self.left_out(members, np.arange(n))
        return everyone >= np.sort(eta)[below]


# --- the ideas: each a function of (rows, seed) -> how anomalous -----------------------------------------------------


def recipe(sd_share=0.25, **changes):
    return lambda rows, seed: -Model(Space(rows, seed, sd_share), **changes).eta


def standard(score):
    centre = np.median(score)
    return (score - centre) / max(1.4826 * np.median(np.abs(score - centre)), 1e-9)


def two_bandwidths(combine, shares=(0.25, 0.7)):
    def idea(rows, seed):
        space = Space(rows, seed)
        return sum(combine(Model(space, share).surprise) for share in shares)

    return idea


def mixed(other, weight):
    """The surprise of the recipe and another score, both in units of their spread."""

    def idea(rows, seed):
        space = Space(rows, seed)
        model = Model(space)
        return standard(model.surprise) + weight * standard(other(space, model))

    return idea


def marginal(space, model, h=0.25):
    """Column by column, as HBOS and ECOD do: minus the sum of log similarities in one dimension."""
    total, step = np.zeros(len(space.z)), h / 4
    weights = np.exp(-0.5 * (np.arange(-16, 17) * step / h) ** 2)
    for column in space.z.T:
        places = ((column - column.min()) / step).astype(int) + 17
        counts = np.bincount(places[model.passes], minlength=places.max() + 18) / model.passes.sum()
        total -= np.log(np.maximum(np.convolve(counts, weights, "same")[places], 1 / len(column)))
    return total


def whitened(space, model):
    """The recipe again on principal components of equal spread."""
    if space.z.shape[1] > 400:
        return model.surprise
    inner = space.z[model.passes]
    values, vectors = np.linalg.eigh(np.cov(inner.T).reshape(inner.shape[1], -1))
    kept = values > 1e-9 * values[-1]
    other = Space.__new__(Space)
    other.draw, other.order = space.draw, space.order
    scale = np.sqrt(values[kept] + 0.05 * np.maximum(values, 0).mean())
    other.z = (space.z - inner.mean(0)) @ (vectors[:, kept] / scale)
    return Model(other, share=0.354).surprise


def isolation(space, model):
    """A mean map of the isolation kernel: 50 Voronoi partitions by 4 and by 16 random rows."""
    total = np.zeros(len(space.z))
    for cells in (4, 16):
        for _ in range(50):
            centres = space.z[space.draw.choice(len(space.z), cells, replace=False)]
            cell = squared_distances(space.z, centres).argmin(1)
            total += (np.bincount(cell[model.passes], minlength=cells) / model.passes.sum())[cell]
    return -np.log(total / 100)


def local(weight):
    """Similarity in relation to that of the landmarks nearby: for anomalies of local density."""

    def idea(rows, seed):
        model = Model(Space(rows, seed))
        dual = model.dual(np.flatnonzero(model.passes))
        there = np.log(np.maximum(model.kernel(model.marks) @ dual, FLOOR))
        near = model.features + 1e-30
        return model.surprise + weight * (near @ there) / near.sum(1)

    return idea


DEFAULT = recipe()
IDEAS = {
    "gate: 1 round": recipe(rounds=1),
    "gate: 5 rounds": recipe(rounds=5),
    "gate: 10 % out": recipe(trim=0.1),
    "gate: 30 % out": recipe(trim=0.3),
    "gate: threshold without own term": recipe(threshold="left out"),
    "own term as Nystrom sees it": recipe(own="exact"),
    "512 landmarks": recipe(r=512),
    "spread at least .1 sd": recipe(sd_share=0.1),
    "spread at least .5 sd": recipe(sd_share=0.5),
    "bandwidth .25 median": recipe(share=0.25),
    "bandwidth .42 median": recipe(share=0.42),
    "bandwidth .7 median": recipe(share=0.7),
    "bandwidths .25 and .7, logs added": two_bandwidths(lambda s: s),
    "bandwidths .25 and .7, spreads added": two_bandwidths(standard),
    "bandwidths .25 and .7, ranks added": two_bandwidths(average_ranks),
    "and columns one by one, weight .5": mixed(marginal, 0.5),
    "and columns one by one, weight 1": mixed(marginal, 1),
    "and whitened columns, weight .5": mixed(whitened, 0.5),
    "and isolation kernel, weight .5": mixed(isolation, 0.5),
    "and isolation kernel, weight 1": mixed(isolation, 1),
    "relative to landmarks nearby, weight .25": local(0.25),
    "relative to landmarks nearby, weight .5": local(0.5),
}


def figures(idea, tables, seeds):
    means = []
    for table in tables:
        runs = []
        for seed in range(seeds):
            part = common.capped(table, seed)
            anomaly = idea(part.x, seed)
            runs.append([common.auc(part.y, anomaly), common.average_precision(part.y, anomaly)])
        means.append(np.mean(runs, axis=0))
    return np.array(means)


def read_all(folder, csv, skip=()):
    tables = []
    for path in common.table_files(folder, csv):
        if common.table_name(path) in skip:
            continue
        try:
            tables.append(common.read_table(path))
        except (Problem, ValueError, OSError) as problem:
            print(f"{path.name} is left out: it {problem}\n")
    return tables


def leave_one_out(names, values):
    """Mean AUC and AP if each set is judged by what is best on all others; and what was taken how often."""
    taken, got = Counter(), []
    goodness = values.mean(axis=2)
    for i in range(values.shape[1]):
        best = int(np.delete(goodness, i, axis=1).mean(axis=1).argmax())
        taken[names[best]] += 1
        got.append(values[best, i])
    return np.mean(got, axis=0), taken


def report(names, values, checks):
    header = ["idea", "mean AUC", "mean AP", "difference", "error", "better", "worse"]
    lines = [line(name, now, values[0]) for name, now in zip(names, values)]
    if checks is not None:
        header += ["check: AUC", "AP"]
        lines = [row + [short(v) for v in check.mean(axis=0)] for row, check in zip(lines, checks)]
    print(markdown(header, lines))
    (auc, ap), taken = leave_one_out(names, values)
    picks = ", ".join(f"{name} ({count})" for name, count in taken.most_common())
    default = values[0].mean(axis=0).round(4).tolist()
    print(f"\nLeave one set out: {auc:.4f} / {ap:.4f}, the default {default}. Taken: {picks}.")
    best = int(values.mean(axis=(1, 2)).argmax())
    if checks is not None:
        got, default = (checks[k].mean(axis=0).round(4).tolist() for k in (best, 0))
        print(f"Best on all sets: {names[best]}; on the check sets {got}, the default {default}.")


def run():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_sets_and_check(parser)
    parser.add_argument("--json", metavar="FILE", help="where every single figure goes")
    arguments = parser.parse_args()
    tables = read_all(arguments.data, False)
    others = read_all(arguments.check, True, arguments.skip.split(",")) if arguments.check else []
    names, values, checks = ["**the default**", *IDEAS], [], []
    with common.progress() as say:
        for name, idea in zip(names, (DEFAULT, *IDEAS.values())):
            say(name)
            values.append(figures(idea, tables, arguments.seeds))
            checks.append(figures(idea, others, arguments.seeds) if others else None)
    values = np.array(values)
    checks = np.array(checks) if others else None
    counts = f"{len(tables)} sets, {len(others)} to check, {arguments.seeds} seeds"
    print(f"{counts}, at most {common.MOST_ROWS:,} rows a set.\n")
    report(names, values, checks)
    if arguments.json:
        told = {"versions": common.versions(np), "ideas": names, "sets": [t.name for t in tables]}
        told |= {"check_sets": [t.name for t in others], "values": values.tolist()}
        told |= {"checks": checks.tolist() if others else None}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(told, file, indent=1)
    return 0


if __name__ == "__main__":
    common.main(run)
