#!/usr/bin/env python3
"""Whether p-values keep their promise: how much of clean tables is flagged, and how much of what was planted is found.

usage: experiments/calibration.py [--data DIR] [--quick] [--json FILE] [--plot FILE]

Clean: synthetic families, and the normal rows of every .npz in DIR, each fitted and judged by `detect`. Planted: those
normal rows and outliers drawn uniformly from 1.5 times their box. New rows: half of the normal rows fitted, the other
half judged. Every figure stands beside its goal; the exit status is 1 if one was missed. Without --data: families only.
"""

import argparse
import json

import common
from common import Problem, benjamini_hochberg, markdown

import numpy as np

ALPHAS = (0.05, 0.01, 0.001)
NEW_ALPHAS = (0.1, 0.05, 0.01)
Q = 0.1  # of Benjamini and Hochberg, everywhere below
SIZES = {300: 20, 3000: 10, 30000: 5}  # rows: tables drawn
SHARES = (0.01, 0.05, 1 / 6)  # planted, of all rows
CURVE = np.logspace(-4, -0.31, 60)  # where the plot looks

FAMILIES = {
    "Gaussian, d = 2": lambda draw, n: draw.standard_normal((n, 2)),
    "Gaussian, d = 10": lambda draw, n: draw.standard_normal((n, 10)),
    "Gaussian, d = 50": lambda draw, n: draw.standard_normal((n, 50)),
    "t, 3 df, d = 2": lambda draw, n: draw.standard_t(3, (n, 2)),
    "t, 3 df, d = 10": lambda draw, n: draw.standard_t(3, (n, 10)),
    "uniform, d = 2": lambda draw, n: draw.random((n, 2)),
    "uniform, d = 10": lambda draw, n: draw.random((n, 10)),
    "lognormal, d = 2": lambda draw, n: draw.lognormal(size=(n, 2)),
    "lognormal, d = 10": lambda draw, n: draw.lognormal(size=(n, 10)),
}


def percent(share):
    return f"{100 * share:.2f}"


def flagged(p, alphas):
    return [float(np.mean(p <= alpha)) for alpha in alphas]


def clean_record(name, n, detection):
    p = detection.p
    return {
        "name": name,
        "n": n,
        "flagged": flagged(p, ALPHAS),
        "discovery": bool(benjamini_hochberg(p, Q).any()),
        "warned": detection.plan["much_looks_anomalous"],
        "curve": flagged(p, CURVE),
    }


def mean_flagged(records):
    return np.mean([record["flagged"] for record in records], axis=0)


# --- experiments: each a list of records -----------------------------------------------------------------------------


def run_families(program, sizes, say):
    records = []
    for f, (name, make) in enumerate(FAMILIES.items()):
        for n, times in sizes.items():
            for time in range(times):
                say(f"{name}, {n} rows, {time + 1} of {times}")
                rows = make(np.random.default_rng([3, f, n, time]), n)
                records.append(clean_record(name, n, common.detect(program, rows, seed=time)))
    return records


def run_clean(program, tables, seeds, say):
    records = []
    for name, seed, normal in normal_rows(tables, seeds, say, "clean"):
        records.append(clean_record(name, len(normal), common.detect(program, normal, seed=seed)))
    return records


def normal_rows(tables, seeds, say, what):
    """The normal rows, capped after the anomalies went, of each table for each seed."""
    for table in tables:
        for seed in range(seeds):
            say(f"{what}: {table.name}, seed {seed}")
            yield table.name, seed, common.capped(table.part(np.flatnonzero(~table.y)), seed).x


def plant(normal, share, draw):
    """The rows, and outliers uniform in 1.5 times their box, a share of all; and which they are."""
    low, high = normal.min(axis=0), normal.max(axis=0)
    middle, half = (low + high) / 2, 1.5 * (high - low) / 2
    count = max(1, round(len(normal) * share / (1 - share)))
    planted = draw.uniform(middle - half, middle + half, (count, normal.shape[1]))
    y = np.repeat([False, True], [len(normal), count])
    return np.concatenate([normal, planted]), y


def recall_and_f1(found, y):
    hits = int((found & y).sum())
    return hits / int(y.sum()), 2 * hits / int(found.sum() + y.sum())


def run_planted(program, tables, seeds, say):
    records = []
    for name, seed, normal in normal_rows(tables, seeds, say, "planted"):
        for s, share in enumerate(SHARES):
            rows, y = plant(normal, share, np.random.default_rng([4, seed, s]))
            detection = common.detect(program, rows, seed=seed)
            at_alpha = recall_and_f1(detection.p <= 0.01, y)
            by_bh = recall_and_f1(benjamini_hochberg(detection.p, Q), y)
            warned = detection.plan["much_looks_anomalous"]
            records.append({"name": name, "share": share, "alpha": at_alpha, "bh": by_bh, "warned": warned})
    return records


def run_new(program, tables, seeds, say):
    records = []
    for name, seed, normal in normal_rows(tables, seeds, say, "new rows"):
        order = np.random.default_rng([5, seed]).permutation(len(normal))
        fitted, judged = normal[order[::2]], normal[order[1::2]]
        p = common.detect(program, fitted, judged, seed=seed).p
        shares = {"flagged": flagged(p, NEW_ALPHAS), "curve": flagged(p, CURVE)}
        records.append({"name": name, "fitted": len(fitted), "judged": len(judged)} | shares)
    return records


# --- goals -----------------------------------------------------------------------------------------------------------


class Goals:
    """Lines "what, seen, goal, reached"."""

    def __init__(self):
        self.lines = []

    def add(self, what, seen, low, high, show=percent):
        goal = f">= {show(low)}" if high == 1 else f"<= {show(high)}" if low == 0 else f"{show(low)} to {show(high)}"
        self.lines.append([what, show(seen), goal, "yes" if low <= seen <= high else "**no**"])

    @property
    def missed(self):
        return [line for line in self.lines if line[-1] != "yes"]

    def table(self):
        return markdown(["what", "seen", "goal", "reached"], self.lines)


def by(records, key):
    groups = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups


def extreme(groups, k, pick):
    """The group with the largest or smallest mean share at ALPHAS[k]."""
    return pick((float(mean_flagged(group)[k]), name) for name, group in groups.items())


def family_goals(goals, records):
    groups = by(records, lambda record: (record["name"], record["n"]))
    named = {f"{name}, {n:,} rows": group for (name, n), group in groups.items()}
    for pick, which in ((min, "lowest"), (max, "highest")):
        seen, where = extreme(named, 0, pick)
        goals.add(f"families, % at .05, {which}: {where}", seen, 0.02, 0.06)
    for k, most in ((1, 0.015), (2, 0.002)):
        seen, where = extreme(named, k, max)
        goals.add(f"families, % at {common.short(ALPHAS[k], 3 if k == 2 else 2)}, highest: {where}", seen, 0.0, most)
    goals.add("families, % of tables with a discovery", float(np.mean([r["discovery"] for r in records])), 0.0, 0.1)


def clean_goals(goals, records):
    shares = np.array([mean_flagged(group) for group in by(records, lambda record: record["name"]).values()])
    goals.add("clean tables, % at .05, median", float(np.median(shares[:, 0])), 0.04, 0.07)
    goals.add("clean tables, % at .01, median", float(np.median(shares[:, 1])), 0.0, 0.015)
    goals.add("clean tables, % at .01, 90 % quantile", float(np.quantile(shares[:, 1], 0.9)), 0.0, 0.05)


def planted_goals(goals, records):
    def mean(share, rule, what):
        return float(np.mean([r[rule][what] for r in records if r["share"] == share]))

    def show(value):
        return common.short(value, 2)

    one, five, sixth = SHARES
    goals.add("planted 1 %, recall at .01", mean(one, "alpha", 0), 0.9, 1.0, show)
    goals.add("planted 1 %, recall by BH", mean(one, "bh", 0), 0.8, 1.0, show)
    goals.add("planted 5 %, F1 at .01", mean(five, "alpha", 1), 0.8, 1.0, show)
    goals.add("planted 5 %, F1 by BH", mean(five, "bh", 1), 0.75, 1.0, show)
    goals.add("planted 16.7 %, F1 at .01", mean(sixth, "alpha", 1), 0.65, 1.0, show)


def new_goals(goals, records):
    large = {k: v for k, v in by(records, lambda r: r["name"]).items() if v[0]["fitted"] >= 1000}
    if not large:
        return
    for k, most in enumerate((0.115, 0.065, 0.018)):
        seen, where = extreme(large, k, max)
        alpha = common.short(NEW_ALPHAS[k], 2)
        goals.add(f"new rows, >= 1,000 fitted, % at {alpha}, highest: {where}", seen, 0.0, most)


# --- reports ---------------------------------------------------------------------------------------------------------


def clean_table(records, key, columns):
    lines = []
    for name, group in by(records, key).items():
        discoveries = sum(r["discovery"] for r in group)
        warned = sum(r["warned"] for r in group)
        shares = [percent(v) for v in mean_flagged(group)]
        lines.append([*name, *shares, f"{discoveries} of {len(group)}", f"{warned} of {len(group)}"])
    return markdown([*columns, "% at .05", "at .01", "at .001", "BH discoveries", "warned"], lines)


def planted_table(records):
    lines = []
    for (share, name), group in sorted(by(records, lambda r: (r["share"], r["name"])).items(), key=lambda g: g[0][0]):
        cells = [np.mean([r[rule][what] for r in group]) for rule in ("alpha", "bh") for what in (0, 1)]
        warned = f"{sum(r['warned'] for r in group)} of {len(group)}"
        lines.append([name, percent(share), *(common.short(v, 2) for v in cells), warned])
    header = ["normal rows of", "% planted", "recall at .01", "F1 at .01", "recall BH", "F1 BH", "warned"]
    return markdown(header, lines)


def new_table(records):
    lines = []
    for name, group in by(records, lambda r: r["name"]).items():
        lines.append([name, group[0]["fitted"], group[0]["judged"], *(percent(v) for v in mean_flagged(group))])
    return markdown(["normal rows of", "fitted", "judged", "% at .1", "at .05", "at .01"], lines)


def plot(path, results):
    """Promised against seen, for fitted rows and for new rows; a line a family or table, means over its runs."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = [("families", "clean families, fitted rows"), ("clean", "clean tables, fitted rows")]
    panels.append(("new", "clean tables, new rows"))
    panels = [(key, title) for key, title in panels if results.get(key)]
    figure, axes = pyplot.subplots(1, len(panels), figsize=(3.6 * len(panels), 3.6), sharey=True, squeeze=False)
    for axis, (key, title) in zip(axes[0], panels):
        groups = by(results[key], lambda r: (r["name"], r.get("n") if key == "families" else None))
        curves = np.array([np.mean([r["curve"] for r in group], axis=0) for group in groups.values()])
        for curve in curves:
            axis.plot(CURVE, np.where(curve > 0, curve, np.nan), color="#7a9cc6", linewidth=0.7, alpha=0.7)
        axis.plot(CURVE, np.median(curves, axis=0), color="#123c69", linewidth=2, label="median")
        axis.plot(CURVE, CURVE, color="#c1440e", linestyle="--", linewidth=1, label="promised")
        axis.set(xscale="log", yscale="log", title=title, xlabel="threshold on p", ylim=(5e-5, 1))
    axes[0][0].set_ylabel("share of normal rows flagged")
    axes[0][0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=100, metadata={"Software": None})


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="DIR", help="a folder with .npz files that hold X and y")
    parser.add_argument("--sets", metavar="A,B", help="only these files of DIR, by their names without .npz")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="draws of each table of DIR")
    parser.add_argument("--quick", action="store_true", help="one seed, one table a family and size, none of 30,000")
    common.add_program(parser)
    parser.add_argument("--plot", metavar="FILE", help="a picture of promised against seen, as .png")
    arguments = parser.parse_args()
    arguments.program = common.Program(arguments.program)
    return arguments


def read_tables(folder, sets):
    """All tables, or those named, and a line about each file that is none."""
    files = {common.table_name(path): path for path in common.table_files(folder)}
    tables, left_out = [], []
    for name in common.names_of(sets, files, "set") if sets else files:
        path = files[name]
        try:
            tables.append(common.read_table(path))
        except (Problem, ValueError, OSError) as problem:
            left_out.append(f"{path.name} is left out: it {problem}")
    return tables, left_out


def run():
    arguments = parse()
    tables, left_out = read_tables(arguments.data, arguments.sets) if arguments.data else ([], [])
    sizes = {n: 1 for n in SIZES if n <= 3000} if arguments.quick else SIZES
    seeds = 1 if arguments.quick else arguments.seeds
    goals, results = Goals(), {}
    with common.progress() as say:
        results["families"] = run_families(arguments.program, sizes, say)
        family_goals(goals, results["families"])
        for key, experiment, add_goals in (
            ("clean", run_clean, clean_goals),
            ("planted", run_planted, planted_goals),
            ("new", run_new, new_goals),
        ):
            if tables:
                results[key] = experiment(arguments.program, tables, seeds, say)
                add_goals(goals, results[key])
    print(f"## Goals\n\n{goals.table()}\n\n## Clean families\n")
    print(clean_table(results["families"], lambda r: (r["name"], r["n"]), ["family", "rows"]))
    if tables:
        print(f"\n## Clean tables\n\n{clean_table(results['clean'], lambda r: (r['name'],), ['normal rows of'])}")
        print(f"\n## Planted outliers\n\n{planted_table(results['planted'])}")
        print(f"\n## New rows\n\n{new_table(results['new'])}")
    for line in left_out:
        print(f"\n{line}")
    if arguments.plot:
        plot(arguments.plot, results)
    if arguments.json:
        told = {"versions": common.versions(np), "program": arguments.program.sha256, "left_out": left_out}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(told | {"goals": goals.lines} | results, file, indent=1)
    return 1 if goals.missed else 0


if __name__ == "__main__":
    common.main(run)
