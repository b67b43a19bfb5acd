#!/usr/bin/env python3
"""Would a second kernel help? The isolation kernel alone, and beside the default, in several ways to add the two.

usage: experiments/precise.py --data DIR [--check DIR [--skip A,B]] [--seeds N] [--cells] [--json FILE]

Both detectors are the library's (detect_rows), each with its own gate; what is added are their similarities of the same
rows, each row left out of its own. "spreads" adds -log similarity in units of its median absolute deviation, as
tried.py does; "kernels" adds the similarities themselves, which is one mean map of the kernel k + c k'.
The tables of --check (.csv.gz) choose nothing: an idea holds up if it is better than the default on DIR, in the means
of AUC and of AP, and not worse than it there.
--cells compares kinds of cells instead, in a NumPy replica of the isolation map: how many landmarks a partition, and
balls or Voronoi cells.
"""

import argparse
import json

import common
from ablation import line
from common import markdown, short
from tried import FLOOR, Space, read_all, squared_distances, standard

import numpy as np


def surprise(similarity):
    return -np.log(np.maximum(similarity, FLOOR))


def spreads(weight):
    return lambda own, other: standard(surprise(own)) + weight * standard(surprise(other))


def kernels(c):
    return lambda own, other: -(own + c * other)


# How anomalous rows are, by their similarity under the default and under the isolation kernel.
IDEAS = {
    "**the default**": lambda own, other: -own,
    "isolation alone": lambda own, other: -other,
    "spreads, weight .25": spreads(0.25),
    "spreads, weight .5": spreads(0.5),
    "spreads, weight 1": spreads(1),
    "logs, weight 1": lambda own, other: surprise(own) + surprise(other),
    "kernels, c = .1": kernels(0.1),
    "kernels, c = .3": kernels(0.3),
    "kernels, c = 1": kernels(1),
}


class Cells:
    """The isolation map: for each row and partition the landmark in whose cell it lies, or the last column: none."""

    def __init__(self, space, psis, balls, landmarks=512):
        self.cells = []
        while sum(psi for psi, _ in self.cells) < landmarks:
            for psi in psis:
                self.cells.append((psi, self.cell_of_each(space, psi, balls)))
        sample = space.order[:2000]
        below, members = int(0.2 * len(sample)), sample
        for _ in range(3):
            eta = self.left_out(members, sample)
            members = sample[eta >= np.sort(eta)[below]]
        eta = self.similarity(members, np.arange(len(space.z)))
        self.eta = self.left_out(np.flatnonzero(eta >= np.sort(eta[sample])[below]), np.arange(len(space.z)))

    def cell_of_each(self, space, psi, balls):
        marks = space.z[space.draw.integers(0, len(space.z), psi)]
        squares = squared_distances(space.z, marks)
        cell = squares.argmin(1)
        if balls:
            apart = squared_distances(marks, marks)
            apart[apart < 1e-9] = np.inf
            radius = np.where(np.isinf(apart.min(1)), 0, apart.min(1))
            cell[squares.min(1) > radius[cell] + 1e-9] = psi
        return cell

    def similarity(self, members, rows):
        total = np.zeros(len(rows))
        for psi, cell in self.cells:
            mass = np.bincount(cell[members], minlength=psi + 1) / len(members)
            mass[psi] = 0
            total += mass[cell[rows]]
        return total / len(self.cells)

    def left_out(self, members, rows):
        eta = self.similarity(members, rows)
        inside = np.isin(rows, members)
        eta[inside] = (len(members) * eta[inside] - 1) / max(len(members) - 1, 1)
        return eta


def compare_cells(tables, seeds, say):
    lines = []
    for balls in (False, True):
        for psis in ((2,), (4,), (8,), (16,), (2, 4, 8, 16)):
            name = f"{'balls' if balls else 'Voronoi'}, {', '.join(map(str, psis))} landmarks"
            say(name)
            runs = []
            for table in tables:
                for seed in range(seeds):
                    part = common.capped(table, seed)
                    anomaly = -Cells(Space(part.x, seed), psis, balls).eta
                    runs.append([common.auc(part.y, anomaly), common.average_precision(part.y, anomaly)])
            lines.append([name, *(short(v) for v in np.mean(runs, axis=0))])
    print(markdown(["cells", "mean AUC", "mean AP"], lines))


def figures(program, tables, seeds, more, say):
    """[idea][table]: AUC and AP, means over the seeds."""
    values = np.zeros((len(IDEAS), len(tables), 2))
    for i, table in enumerate(tables):
        say(table.name)
        for seed in range(seeds):
            part = common.capped(table, seed)
            own = common.detect(program, part.x, seed=seed).similarity
            other = common.detect(program, part.x, seed=seed, map="isolation", **more).similarity
            for k, idea in enumerate(IDEAS.values()):
                anomaly = idea(own, other)
                got = common.auc(part.y, anomaly), common.average_precision(part.y, anomaly)
                values[k, i] += np.array(got) / seeds
    return values


def report(values, checks):
    header = ["", "mean AUC", "mean AP", "difference", "error", "better", "worse"]
    lines = [line(name, now, values[0]) for name, now in zip(IDEAS, values)]
    if checks is not None:
        header += ["check: AUC", "AP", "difference", "error", "better", "worse"]
        lines = [row + line(name, now, checks[0])[1:] for row, name, now in zip(lines, IDEAS, checks)]
    print(markdown(header, lines))


def report_sets(tables, values):
    """AUC and AP table by table, for the default, isolation alone, and both as spreads."""
    kept = [list(IDEAS).index(name) for name in ("**the default**", "isolation alone", "spreads, weight 1")]
    header = ["set", *(f"{list(IDEAS)[k].strip('*')}: {m}" for k in kept for m in ("AUC", "AP"))]
    print(markdown(header, [[t.name, *(short(v) for k in kept for v in values[k, i])] for i, t in enumerate(tables)]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_sets_and_check(parser)
    parser.add_argument("--cells", action="store_true", help="compare kinds of cells, in NumPy")
    parser.add_argument("--r", type=int, metavar="N", help="points of the isolation kernel (default: the library's)")
    common.add_program(parser)
    return parser.parse_args()


def run():
    arguments = parse()
    tables = read_all(arguments.data, False)
    if arguments.cells:
        print(f"{len(tables)} sets, {arguments.seeds} seeds, at most {common.MOST_ROWS:,} rows a set.\n")
        with common.progress() as say:
            compare_cells(tables, arguments.seeds, say)
        return 0
    program = common.Program(arguments.program)
    others = read_all(arguments.check, True, arguments.skip.split(",")) if arguments.check else []
    more = {} if arguments.r is None else {"r": arguments.r}
    with common.progress() as say:
        values = figures(program, tables, arguments.seeds, more, say)
        checks = figures(program, others, arguments.seeds, more, say) if others else None
    counts = f"{len(tables)} sets, {len(others)} to check, {arguments.seeds} seeds"
    print(f"{counts}, at most {common.MOST_ROWS:,} rows a set.\n")
    report(values, checks)
    print()
    report_sets(tables + others, values if checks is None else np.concatenate([values, checks], axis=1))
    if arguments.json:
        told = {"versions": common.versions(np), "program": program.sha256, "ideas": list(IDEAS)}
        told |= {"sets": [t.name for t in tables], "check_sets": [t.name for t in others]}
        told |= {"values": values.tolist(), "checks": None if checks is None else checks.tolist()}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(told, file, indent=1)
    return 0


if __name__ == "__main__":
    common.main(run)
