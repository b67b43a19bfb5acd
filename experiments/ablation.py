#!/usr/bin/env python3
"""What each default is worth: EXPoSE with one choice changed at a time, on every table of a folder.

usage: experiments/ablation.py --data DIR [--csv] [--seeds N] [--quick] [--json FILE]

Prints the means of AUC and average precision, the difference to the default with its standard error over the sets, and
on how many sets the change is better or worse. A difference below two standard errors is not told from chance, and the
largest of many differences is partly chance: no row of this table alone is a reason to change a default.
"""

import argparse
import json

import common
from common import Problem, markdown, short

import numpy as np

CHANGES = {
    "scaling": [{"scale": "zscore"}, {"scale": "none"}],
    "kernel": [{"kernel": "laplacian"}, {"kernel": "matern32"}, {"kernel": "matern52"}],
    "map": [{"map": "fourier"}, {"map": "fourier", "r": 8192}, {"map": "sorf"}, {"map": "sorf", "r": 8192}],
    "r": [{"r": 32}, {"r": 64}, {"r": 128}, {"r": 512}, {"r": 1024}],
    "gate": [{"trim": 0}, {"trim": 0.1}, {"trim": 0.3}, {"trim": 0.4}],
}
# Shares of the median distance; the default, .354, is found from the bandwidth that a plan has chosen.
SHARES = (0.125, 0.25, 0.5, 0.707, 1.0)
DEFAULT_SHARE = 0.354
SMALLEST = 0.001  # differences below this count as neither better nor worse


def figures(program, tables, seeds, rows, options, share=None):
    """Mean AUC and AP of each table over the seeds."""
    means = []
    for table in tables:
        runs = []
        for seed in range(seeds):
            part = common.capped(table, seed, rows)
            more = dict(options)
            if share is not None:
                chosen = common.detect(program, part.x, seed=seed).plan["bandwidth"]
                more["bandwidth"] = chosen * share / DEFAULT_SHARE
            anomaly = -common.detect(program, part.x, seed=seed, **more).similarity
            runs.append([common.auc(part.y, anomaly), common.average_precision(part.y, anomaly)])
        means.append(np.mean(runs, axis=0))
    return np.array(means)


def line(name, now, default):
    """Differences are those of the mean of AUC and AP, set by set."""
    gain = (now - default).mean(axis=1)
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else float("nan")
    better, worse = int((gain > SMALLEST).sum()), int((gain < -SMALLEST).sum())
    return [name, *(short(v) for v in now.mean(axis=0)), f"{gain.mean():+.4f}", f"{error:.4f}", better, worse]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, metavar="DIR", help="a folder with .npz files that hold X and y")
    parser.add_argument("--csv", action="store_true", help="its .csv.gz files instead; their last column is `label`")
    parser.add_argument("--sets", metavar="A,B", help="only these files, by their names without .npz")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--quick", action="store_true", help="one seed, at most 2,000 rows a set")
    common.add_program(parser)
    arguments = parser.parse_args()
    arguments.program = common.Program(arguments.program)
    return arguments


def read_tables(arguments):
    files = {common.table_name(path): path for path in common.table_files(arguments.data, arguments.csv)}
    chosen = common.names_of(arguments.sets, files, "set") if arguments.sets else files
    tables = []
    for name in chosen:
        try:
            tables.append(common.read_table(files[name]))
        except (Problem, ValueError, OSError) as problem:
            print(f"{files[name].name} is left out: it {problem}\n")
    if not tables:
        raise Problem("no table was fit to run")
    return tables


def run():
    arguments = parse()
    seeds, rows = (1, 2000) if arguments.quick else (arguments.seeds, common.MOST_ROWS)
    tables = read_tables(arguments)
    plans = []
    for group, changes in CHANGES.items():
        plans += [(group, " ".join(f"{k} {v}" for k, v in change.items()), change, None) for change in changes]
    plans += [("bandwidth", f"{share:g} x median distance", {}, share) for share in SHARES]
    results = {}
    with common.progress() as say:
        say("default")
        default = figures(arguments.program, tables, seeds, rows, {})
        lines = [["", *line("**the default**", default, default)[:3], "", "", "", ""]]
        for group, name, change, share in plans:
            say(name)
            now = figures(arguments.program, tables, seeds, rows, change, share)
            results[name] = now.tolist()
            lines.append([group, *line(name, now, default)])
    print(f"{len(tables)} sets, {seeds} seeds, at most {rows:,} rows a set.\n")
    print(markdown(["", "change", "mean AUC", "mean AP", "difference", "error", "better", "worse"], lines))
    if arguments.json:
        told = {"versions": common.versions(np), "program": arguments.program.sha256, "sets": [t.name for t in tables]}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(told | {"default": default.tolist(), "changes": results}, file, indent=1)
    return 0


if __name__ == "__main__":
    common.main(run)
