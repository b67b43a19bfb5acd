#!/usr/bin/env python3
"""What a few labels are worth: the paper's protocol for its batch experiment, on its data sets.

usage: experiments/labels.py --data DIR [--sets A,B] [--seeds N] [--json FILE]

A random 1 % of the rows, at least 20 and at most 2,000, is labelled and chooses kernel, scale and bandwidth (`tune`);
everything is fitted without labels and ranked; the AUC is that of the rows that were not labelled. Each seed makes
another draw of the labelled rows and another plan. A draw with fewer than 2 rows of a class is drawn again.
"bandwidth alone" is the paper's search: the Gaussian kernel and the scale of the default stay.
"""

import argparse

import common
import numpy as np
from common import Problem, auc, markdown, short

SETS = ("ionosphere", "pima", "satellite", "shuttle_classes23567", "breastw")
PAPER = {"ionosphere": 0.92, "pima": 0.68, "satellite": 0.79, "shuttle_classes23567": 0.99, "breastw": 0.99}
# What is tuned, by what is fixed.
WAYS = {"default": None, "bandwidth alone": {"kernel": "gaussian", "scale": "robust"}, "tuned": {}}


def draw_labels(y, seed):
    """-1 but for the labelled rows, and which those are."""
    count = min(2000, max(20, round(len(y) / 100)))
    random = np.random.default_rng([seed, 3])
    while True:
        chosen = random.choice(len(y), count, replace=False)
        if 2 <= y[chosen].sum() <= count - 2:
            break
    labels = np.full(len(y), -1.0)
    labels[chosen] = y[chosen]
    return labels


def run_table(table, arguments, say):
    records = []
    for seed in range(arguments.seeds):
        labels = draw_labels(table.y, seed)
        rest = labels < 0
        for way, fixed in WAYS.items():
            say(f"{table.name}: seed {seed}, {way}")
            options = {} if fixed is None else {"labels": labels, **fixed}
            found = common.detect(arguments.program, table.x, seed=seed, threads=0, **options)
            records.append(
                {"set": table.name, "seed": seed, "way": way, "rows": len(table.y), "labelled": int((~rest).sum())}
                | {"anomalies": int((labels == 1).sum()), "auc": auc(table.y[rest], -found.similarity[rest])}
                | found.plan
            )
    return records


def report(records):
    lines = []
    for name in dict.fromkeys(record["set"] for record in records):
        mine = [record for record in records if record["set"] == name]
        line = [name, mine[0]["rows"], mine[0]["labelled"]]
        for way in WAYS:
            values = [record["auc"] for record in mine if record["way"] == way]
            line.append(f"{short(np.mean(values))} ({short(min(values))})")
        line.append(short(PAPER[name], 2) if name in PAPER else "")
        line.append(f"{np.mean([record['seconds'] for record in mine if record['way'] == 'tuned']):.1f}")
        lines.append(line)
    print(f"AUC of the rows without a label: mean (lowest) of {len({r['seed'] for r in records})} draws.\n")
    print(markdown(["set", "rows", "labelled", *WAYS, "paper", "seconds, tuned"], lines))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="DIR", required=True, help="a folder with .csv.gz files with a last `label`")
    parser.add_argument("--sets", default=",".join(SETS), metavar="A,B", help="files, by their names without .csv.gz")
    parser.add_argument("--seeds", type=int, default=5, metavar="N")
    common.add_program(parser)
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        raise Problem("at least 1 seed is needed")
    arguments.program = common.Program(arguments.program)
    return arguments


def run():
    arguments = parse()
    files = {common.table_name(path): path for path in common.table_files(arguments.data, csv=True)}
    records = []
    with common.progress() as say:
        for name in common.names_of(arguments.sets, files, "set"):
            records += run_table(common.read_table(files[name]), arguments, say)
    report(records)
    common.keep(arguments.json, arguments.program, records)
    return 0


if __name__ == "__main__":
    common.main(run)
