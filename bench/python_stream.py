#!/usr/bin/env python3
"""Streams from Python: rows a second beside River, what a call costs over the library, how long an import takes.

usage: bench/python_stream.py [--rows N] [--rounds N] [--json FILE]

Needs the package, NumPy and River. All sides see the same rows, in turns, on one thread; time is that of the processor,
so that other work on the machine counts little; a rate is the best of the rounds, a ratio the median of those of single
rounds. "the library" is the same rows given to Watcher.watch as a block, which goes through them one by one inside: what
is beyond that is the way from Python and back. Goals: learn_one + score_one at 10 x HalfSpaceTrees with 25 trees,
watch(x) at 3 us over the library, `import expose` at 50 ms over `import numpy`.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

COLUMNS = 10
WARM_UP = 1000


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def in_two_steps(model, rows):
    score, learn = model.score_one, model.learn_one
    for x in rows:
        score(x)
        learn(x)


def one_by_one(watcher, rows):
    watch = watcher.watch
    for row in rows:
        watch(row)


def sides(table, dicts, narrow):
    """{name: how to go through all rows once}, each with a model that has seen enough rows."""
    from river import anomaly

    import expose
    import expose.river

    trees = anomaly.HalfSpaceTrees(n_trees=25, seed=0)
    ours = expose.river.Expose()
    everything = expose.river.Expose(memory="everything")
    for x, y in zip(dicts[:WARM_UP], narrow[:WARM_UP]):
        trees.learn_one(y)
        ours.learn_one(x)
        everything.learn_one(x)
    watchers = [expose.Watcher(memory="fading:0.01") for _ in range(2)]
    for watcher in watchers:
        watcher.watch(table[:WARM_UP])
    rows = list(table)
    return {
        "HalfSpaceTrees, 25 trees": lambda: in_two_steps(trees, narrow),
        "expose.river.Expose": lambda: in_two_steps(ours, dicts),
        "expose.river.Expose, everything": lambda: in_two_steps(everything, dicts),
        "Watcher.watch, a row": lambda: one_by_one(watchers[0], rows),
        "Watcher.watch, a block": lambda: watchers[1].watch(table),
    }


def measure_rows(n, rounds):
    import numpy as np

    table = np.random.default_rng(0).normal(size=(n, COLUMNS))
    names = [f"feature_{column}" for column in range(COLUMNS)]
    dicts = [dict(zip(names, row)) for row in table.tolist()]
    narrow = [dict(zip(names, row)) for row in (1 / (1 + np.exp(-table))).tolist()]  # HalfSpaceTrees wants [0, 1]
    all_sides = sides(table, dicts, narrow)
    times = {name: [] for name in all_sides}
    for _ in range(rounds):
        for name, work in all_sides.items():
            times[name].append(seconds(work) / n)
    return times


def measure_import(rounds):
    def once(what):
        code = f"import time; t = time.process_time(); import {what}; print(time.process_time() - t)"
        return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)

    pairs = [(once("numpy"), once("numpy, expose")) for _ in range(rounds)]
    alone, both = (min(column) for column in zip(*pairs))
    return {"import numpy": alone, "import expose, beyond": both - alone}


def report(times, imports):
    best = {name: min(values) for name, values in times.items()}
    trees = times["HalfSpaceTrees, 25 trees"]
    found = {"columns": COLUMNS, "rows_a_second": {name: 1 / value for name, value in best.items()}}
    found["ratio_to_half_space_trees"] = {
        name: statistics.median(peer / ours for peer, ours in zip(trees, values)) for name, values in times.items()}
    found["watch_over_library_us"] = 1e6 * (best["Watcher.watch, a row"] - best["Watcher.watch, a block"])
    found["import_ms"] = {name: 1e3 * value for name, value in imports.items()}
    print(f"rows a second, {COLUMNS} columns, one thread; learn_one + score_one, or watch; beside River")
    for name, rate in found["rows_a_second"].items():
        print(f"  {name:32s}{rate:12,.0f}{found['ratio_to_half_space_trees'][name]:8.1f} x")
    print(f"watch(x) over the library: {found['watch_over_library_us']:.2f} us (goal 3)")
    for name, value in found["import_ms"].items():
        print(f"{name}: {value:.0f} ms" + (" (goal 50)" if "beyond" in name else ""))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    found = report(measure_rows(arguments.rows, arguments.rounds), measure_import(arguments.rounds))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
