#!/usr/bin/env python3
"""Whether the reasons are right: columns that were planted, named by EXPoSE and by SHAP on an isolation forest.

usage: experiments/reasons.py [--data DIR] [--sets A,B] [--rows N] [--json FILE]

In N normal rows one column, or two, is moved to 6 robust deviations (the larger of 1.4826 MAD and sd / 4) from its
median; all other rows are fitted. Counted is how often the planted columns have the largest shares. One table is made: 20 columns, each pair correlated with 1/2.
With --data come the .csv.gz tables of a folder. SHAP: shap.TreeExplainer of scikit-learn's IsolationForest, the share
of a column being the part of the anomaly score that it adds. Where the module shap is missing, its columns stay empty.
Milliseconds are those of one thread, for a row.
"""

import argparse
import time

import common
import numpy as np
from common import Problem, markdown

SETS = ("pima", "breastw", "ionosphere", "satellite", "shuttle_classes23567")
DEVIATIONS = 6.0


def made(seed=1, rows=2100, columns=20):
    random = np.random.default_rng(seed)
    x = np.sqrt(0.5) * (random.standard_normal((rows, 1)) + random.standard_normal((rows, columns)))
    return common.Table("made, 20 columns", x, np.zeros(rows, dtype=bool))


def plant(table, count, wanted, seed):
    """(rows to fit, rows with planted columns, which those are)"""
    random = np.random.default_rng([seed, count])
    middle = np.median(table.x, axis=0)
    spread = np.maximum(1.4826 * np.median(np.abs(table.x - middle), axis=0), table.x.std(axis=0) / 4)
    usable = np.flatnonzero(spread > 0)
    if len(usable) < 3:
        raise Problem(f"{table.name} has {len(usable)} columns with a spread, 3 are needed")
    chosen = random.choice(np.flatnonzero(~table.y), min(wanted, int((~table.y).sum()) // 2), replace=False)
    odd = table.x[chosen].copy()
    planted = np.zeros(odd.shape, dtype=bool)
    for i in range(len(odd)):
        columns = random.choice(usable, count, replace=False)
        planted[i, columns] = True
        odd[i, columns] = middle[columns] + DEVIATIONS * spread[columns] * random.choice([-1, 1], count)
    return np.delete(table.x, chosen, axis=0), odd, planted


def ours(program, fitted, odd):
    found = common.detect(program, fitted, odd, reasons=True)
    return found.reasons, found.plan["explaining"] / len(odd)


def shap_of_forest(fitted, odd):
    import shap
    from sklearn.ensemble import IsolationForest

    forest = IsolationForest(random_state=0, n_jobs=1).fit(fitted)
    explainer = shap.TreeExplainer(forest)
    explainer.shap_values(odd[:1])  # what it compiles on its first call is not its price a row
    start = time.perf_counter()
    values = -explainer.shap_values(odd, check_additivity=False)
    seconds = time.perf_counter() - start
    shares = np.maximum(values, 0.0)
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300), seconds / len(odd)


def named(shares, planted):
    """Share of rows whose planted columns have the largest shares."""
    count = int(planted[0].sum())
    first = np.argsort(-shares, axis=1, kind="stable")[:, :count]
    return float(np.mean([planted[i, columns].all() for i, columns in enumerate(first)]))


def run_table(table, arguments, peer):
    record = {"set": table.name, "rows": len(table.y), "columns": table.x.shape[1]}
    for count in (1, 2):
        fitted, odd, planted = plant(table, count, arguments.rows, seed=0)
        mine, seconds = ours(arguments.program, fitted, odd)
        record |= {f"ours_{count}": named(mine, planted), "ours_ms": 1000 * seconds, "judged": len(odd)}
        if peer:
            theirs, seconds = peer(fitted, odd)
            record |= {f"shap_{count}": named(theirs, planted), "shap_ms": 1000 * seconds}
            record[f"agree_{count}"] = float(np.mean(mine.argmax(axis=1) == theirs.argmax(axis=1)))
    return record


def report(records):
    def cell(record, key, form):
        return form.format(record[key]) if key in record else ""

    columns = {
        "one planted, named first": ("ours_1", "{:.0%}"),
        "SHAP": ("shap_1", "{:.0%}"),
        "two planted, the first two": ("ours_2", "{:.0%}"),
        "SHAP ": ("shap_2", "{:.0%}"),
        "same first reason": ("agree_1", "{:.0%}"),
        "ms a row": ("ours_ms", "{:.3f}"),
        "SHAP  ": ("shap_ms", "{:.3f}"),
    }
    header = ["table", "columns", "rows explained", *columns]
    lines = [
        [r["set"], r["columns"], r["judged"], *(cell(r, key, form) for key, form in columns.values())] for r in records
    ]
    print(markdown(header, lines))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="DIR", help="a folder with .csv.gz files with a last column `label`")
    parser.add_argument("--sets", default=",".join(SETS), metavar="A,B", help="files, by their names without .csv.gz")
    parser.add_argument("--rows", type=int, default=100, metavar="N", help="rows to plant in")
    common.add_program(parser)
    arguments = parser.parse_args()
    arguments.program = common.Program(arguments.program)
    return arguments


def run():
    arguments = parse()
    tables = [made()]
    if arguments.data:
        files = {common.table_name(path): path for path in common.table_files(arguments.data, csv=True)}
        names = common.names_of(arguments.sets, files, "set")
        tables += [common.capped(common.read_table(files[name]), 0) for name in names]
    try:
        import shap  # noqa: F401
    except ImportError:
        print("The module shap is not installed: its columns stay empty.\n")
        peer = None
    else:
        peer = shap_of_forest
    records = [run_table(table, arguments, peer) for table in tables]
    report(records)
    common.keep(arguments.json, arguments.program, records)
    return 0


if __name__ == "__main__":
    common.main(run)
