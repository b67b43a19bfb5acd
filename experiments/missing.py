#!/usr/bin/env python3
"""What missing values cost: values removed at random from every table of a folder, integrated out or filled in.

usage: experiments/missing.py --data DIR [--share S] [--seeds N] [--sets A,B] [--option KEY=VALUE] [--quick] [--json FILE]

Detection: fit all rows, without labels, and rank the same rows, as experiments/quality.py does. `complete` sees every
value; from the others a share of them is removed, each by a coin of its own, the same for both: `integrated` gets NaN
where a value was, `mean` the mean of what is left in the column. A column keeps at least two values, a row one.
"""

import argparse

import common
from common import Problem, auc, average_precision, markdown, short
from quality import ahead

import numpy as np

WAYS = ("complete", "integrated", "mean")


def with_gaps(x, share, seed):
    """The rows with NaN where a value was removed."""
    coins = np.random.default_rng([seed, 5]).random(x.shape)
    gone = coins < share
    rows, columns = np.arange(len(x)), np.arange(x.shape[1])
    gone[rows, coins.argmax(axis=1)] = False
    for place in np.argsort(-coins, axis=0)[:2]:
        gone[place, columns] = False
    return np.where(gone, np.nan, x)


def imputed(x):
    return np.where(np.isnan(x), np.nanmean(x, axis=0), x)


def measure(way, table, gaps, seed, arguments):
    rows = {"complete": lambda: table.x, "integrated": lambda: gaps, "mean": lambda: imputed(gaps)}[way]()
    anomaly = -common.detect(arguments.program, rows, seed=seed, **arguments.options).similarity
    return {"set": table.name, "seed": seed, "way": way} | {
        "auc": auc(table.y, anomaly),
        "ap": average_precision(table.y, anomaly),
    }


def mean_of(records, measure_name, way, name=None):
    values = [r[measure_name] for r in records if r["way"] == way and name in (None, r["set"])]
    return float(np.mean(values))


def report(records, share):
    sets = list(dict.fromkeys(r["set"] for r in records))
    ways = [way for way in WAYS if any(r["way"] == way for r in records)]
    print(f"{100 * share:g} % of the values removed, {len(sets)} tables, {len({r['seed'] for r in records})} seeds\n")
    lines = []
    for way in ways:
        line = [way] + [short(mean_of(records, name, way)) for name in ("auc", "ap")]
        for name in ("auc", "ap") if "integrated" in ways else ():
            ours, theirs = ([mean_of(records, name, w, s) for s in sets] for w in ("integrated", way))
            line.append("" if way == "integrated" else ahead(np.subtract(ours, theirs)))
        lines.append(line)
    header = ["", "mean AUC", "mean AP", "integrated ahead in AUC", "in AP"]
    print(markdown(header[: len(lines[0])], lines))
    print()
    cells = [[short(mean_of(records, m, way, name)) for m in ("auc", "ap") for way in ways] for name in sets]
    header = ["set"] + [f"{label}, {way}" for label in ("AUC", "AP") for way in ways]
    print(markdown(header, [[name, *row] for name, row in zip(sets, cells)]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="DIR", required=True, help="a folder with .npz files that hold X and y")
    parser.add_argument("--share", type=float, default=0.1, metavar="S", help="of the values to remove")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--sets", metavar="A,B", help="only these files, by their names without .npz")
    parser.add_argument("--ways", default=",".join(WAYS), metavar="A,B", help="complete, integrated, mean")
    parser.add_argument("--rows", type=int, default=common.MOST_ROWS, metavar="N", help="at most so many of a set")
    parser.add_argument("--quick", action="store_true", help="one seed, at most 2,000 rows a set")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="for EXPoSE, as in Options")
    common.add_program(parser)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seeds, arguments.rows = 1, min(arguments.rows, 2000)
    if not 0 <= arguments.share < 1 or arguments.seeds < 1:
        raise Problem("the share is from 0 to below 1, and at least 1 seed is needed")
    arguments.ways = common.names_of(arguments.ways, WAYS, "way")
    arguments.options = dict(option.split("=", 1) for option in arguments.option)
    arguments.program = common.Program(arguments.program)
    return arguments


def run():
    arguments = parse()
    files = {common.table_name(path): path for path in common.table_files(arguments.data)}
    if arguments.sets:
        files = {name: files[name] for name in common.names_of(arguments.sets, files, "set")}
    records = []
    with common.progress() as say:
        for name, path in files.items():
            whole = common.read_table(path)
            for seed in range(arguments.seeds):
                table = common.capped(whole, seed, arguments.rows)
                gaps = with_gaps(table.x, arguments.share, seed)
                for way in arguments.ways:
                    say(f"{name}: seed {seed}, {way}")
                    records.append(measure(way, table, gaps, seed, arguments))
    report(records, arguments.share)
    common.keep(arguments.json, arguments.program, records)
    return 0


if __name__ == "__main__":
    common.main(run)
