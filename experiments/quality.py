#!/usr/bin/env python3
"""How well EXPoSE ranks: its default beside other detectors at theirs, on every table of a folder.

usage: experiments/quality.py --data DIR [--seeds N] [--sets A,B] [--peers A,B] [--quick] [--json FILE]

Two tables. Detection: fit all rows, without labels, and rank the same rows. Novelty: fit half of the normal rows, rank
the others and the anomalies. A set has at most 10,000 rows, by a seeded draw; each seed makes another draw, another
plan and another forest. The peers see z-scores, EXPoSE the rows as they are: its scaler belongs to it.
A detector that fails or takes too long on a set is named and counts there as a toss of a coin: AUC 1/2, average
precision the share of anomalies. Seconds are those of one thread; EXPoSE's hold a process and files for its rows.
"""

import argparse
import contextlib
import json
import warnings

import common
from common import Problem, auc, average_precision, average_ranks, markdown, short

import numpy as np

OURS = "EXPoSE"
PROTOCOLS = {"detection": "fit all rows, rank the same rows", "novelty": "fit half of the normal rows, rank the rest"}


# --- the peers: each gives a function (fitted rows, judged rows, seed) -> how anomalous, both in z-scores ------------


def from_scikit(make):
    def run(fitted, judged, seed):
        return -make(seed).fit(fitted).score_samples(judged)

    return run


def lof(fitted, judged, seed):
    from sklearn.neighbors import LocalOutlierFactor

    if judged is fitted:
        return -LocalOutlierFactor().fit(fitted).negative_outlier_factor_
    return -LocalOutlierFactor(novelty=True).fit(fitted).score_samples(judged)


def from_pyod(name, seeded=False):
    def run(fitted, judged, seed):
        import importlib

        make = getattr(importlib.import_module(f"pyod.models.{name.lower()}"), name)
        model = make(random_state=seed) if seeded else make()
        model.fit(fitted)
        return model.decision_scores_ if judged is fitted else model.decision_function(judged)

    return run


def isolation_forest(seed):
    from sklearn.ensemble import IsolationForest

    return IsolationForest(random_state=seed)


def one_class_svm(seed):
    from sklearn.svm import OneClassSVM

    return OneClassSVM()


def nystroem_svm(seed):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import SGDOneClassSVM
    from sklearn.pipeline import make_pipeline

    return make_pipeline(Nystroem(random_state=seed), SGDOneClassSVM(random_state=seed))


PEERS = {
    "IForest": from_scikit(isolation_forest),
    "LOF": lof,
    "OCSVM": from_scikit(one_class_svm),
    "SGDSVM": from_scikit(nystroem_svm),
    "ECOD": from_pyod("ECOD"),
    "COPOD": from_pyod("COPOD"),
    "HBOS": from_pyod("HBOS"),
    "KNN": from_pyod("KNN"),
    "CBLOF": from_pyod("CBLOF", seeded=True),
}


def warm_up(peers):
    """Runs each peer once before any is timed, in the process that all jobs are forked from: modules that it loads and
    code that it compiles on its first call are not its price a table. What fails here fails again where it counts."""
    rows = np.random.default_rng(0).standard_normal((200, 3))
    for peer in peers:
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            PEERS[peer](rows, rows, 0)
            PEERS[peer](rows, rows[:50], 0)


# --- one run ---------------------------------------------------------------------------------------------------------


def split(table, protocol, seed):
    """Fitted and judged part; the same object where they are the same rows."""
    return (table, table) if protocol == "detection" else common.halved(table, seed)


def z_scores(fitted, judged):
    mean, deviation = fitted.mean(axis=0), fitted.std(axis=0)
    deviation[deviation == 0] = 1.0
    ours = (fitted - mean) / deviation
    return ours, ours if judged is fitted else (judged - mean) / deviation


def job_of(detector, program, fitted, judged, seed, options):
    """What to run in a process of its own: () -> how anomalous each judged row is."""
    if detector == OURS:
        other = None if judged is fitted else judged
        return lambda: -common.detect(program, fitted, other, seed=seed, **options).similarity
    rows = z_scores(fitted, judged)
    return lambda: PEERS[detector](*rows, seed)


def measure(detector, program, parts, seed, limit, options):
    fitted, judged = parts
    anomaly, failed, seconds = common.run_job(job_of(detector, program, fitted.x, judged.x, seed, options), limit)
    if failed is None and not np.isfinite(anomaly).all():
        failed = "gave scores that are not finite"
    result = {"detector": detector, "seed": seed, "rows": len(fitted.y), "seconds": round(seconds, 3)}
    if failed is not None:
        return result | {"auc": 0.5, "ap": float(judged.y.mean()), "failed": failed}
    return result | {"auc": auc(judged.y, anomaly), "ap": average_precision(judged.y, anomaly)}


def run_table(table, detectors, arguments, say):
    """One record a protocol, seed and detector."""
    records = []
    for protocol in arguments.protocols:
        for seed in range(arguments.seeds):
            parts = split(common.capped(table, seed, arguments.rows), protocol, seed)
            for detector in detectors:
                say(f"{table.name}: {protocol}, seed {seed}, {detector}")
                record = measure(detector, arguments.program, parts, seed, arguments.limit, arguments.options)
                records.append({"set": table.name, "protocol": protocol} | record)
    return records


# --- reports ---------------------------------------------------------------------------------------------------------


def mean_by_set(records, protocol, detectors, measure_name):
    """Sets in their order, and a matrix sets x detectors of means over the seeds."""
    cells = {}
    for record in records:
        if record["protocol"] == protocol:
            cells.setdefault(record["set"], {}).setdefault(record["detector"], []).append(record[measure_name])
    return list(cells), np.array([[np.mean(row[detector]) for detector in detectors] for row in cells.values()])


def mean_ranks(values):
    """1 is best."""
    return np.mean([average_ranks(-row) for row in np.round(values, 9)], axis=0)


def ahead(differences):
    """Mean over the sets, its standard error, and how many sets are won and lost."""
    error = differences.std(ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else float("nan")
    return f"{differences.mean():+.3f} ± {error:.3f}, {(differences > 0).sum()} : {(differences < 0).sum()}"


def summary(records, protocol, detectors):
    lines = []
    aucs, aps = (mean_by_set(records, protocol, detectors, measure_name)[1] for measure_name in ("auc", "ap"))
    ranks, ap_ranks = mean_ranks(aucs), mean_ranks(aps)
    ours = detectors.index(OURS)
    for k in np.argsort(ranks, kind="stable"):
        mine = [r for r in records if r["protocol"] == protocol and r["detector"] == detectors[k]]
        lines.append(
            [
                f"**{detectors[k]}**" if detectors[k] == OURS else detectors[k],
                short(aucs[:, k].mean()),
                short(aps[:, k].mean()),
                f"{ranks[k]:.2f}",
                f"{ap_ranks[k]:.2f}",
                "" if k == ours else ahead(aucs[:, ours] - aucs[:, k]),
                "" if k == ours else ahead(aps[:, ours] - aps[:, k]),
                f"{sum(r['seconds'] for r in mine) / len({r['seed'] for r in mine}):.1f}",
                sum("failed" in r for r in mine),
            ]
        )
    header = ["detector", "mean AUC", "mean AP", f"mean rank of {len(detectors)}", "by AP"]
    header += [f"{OURS} ahead in AUC", "in AP", "seconds a seed", "failed"]
    return markdown(header, lines)


def per_set(records, protocol, detectors, measure_name):
    sets, values = mean_by_set(records, protocol, detectors, measure_name)
    lines = []
    for name, row in zip(sets, values):
        best = np.round(row, 3).max()
        lines.append([name] + [f"**{short(v)}**" if np.round(v, 3) == best else short(v) for v in row])
    lines.append(["mean"] + [short(v) for v in values.mean(axis=0)])
    return markdown(["set", *detectors], lines)


def losses(records, protocol, detectors, margin=0.01):
    """The sets where a peer is better, and by how much: means hide them."""
    sets, values = mean_by_set(records, protocol, detectors, "auc")
    ours = detectors.index(OURS)
    gaps = sorted(((row.max() - row[ours], name, row) for name, row in zip(sets, values)), key=lambda gap: -gap[0])
    lines = [
        [name, short(row[ours]), short(row.max()), detectors[int(row.argmax())], int(np.sum(row > row[ours]) + 1)]
        for gap, name, row in gaps
        if gap > margin
    ]
    return markdown(["set", OURS, "best", "of", "our place"], lines) if lines else "Nowhere."


def distinct(records, key):
    return list(dict.fromkeys(record[key] for record in records))


def report(records, left_out):
    detectors = distinct(records, "detector")
    sets, seeds, most = distinct(records, "set"), distinct(records, "seed"), max(record["rows"] for record in records)
    print(f"{len(sets)} sets, {len(seeds)} seeds, at most {most:,} rows fitted.")
    for protocol in distinct(records, "protocol"):
        print(f"\n## {protocol.capitalize()}: {PROTOCOLS[protocol]}\n")
        print(summary(records, protocol, detectors))
        print("\nAUC\n\n" + per_set(records, protocol, detectors, "auc"))
        print("\nAverage precision\n\n" + per_set(records, protocol, detectors, "ap"))
        if len(detectors) > 1:
            print("\nWhere a peer is better by more than .01 AUC\n\n" + losses(records, protocol, detectors))
    failures = [r for r in records if "failed" in r]
    if failures:
        print("\n## Failed: counted as a toss of a coin\n")
        rows = [[r["set"], r["protocol"], r["seed"], r["detector"], r["failed"]] for r in failures]
        print(markdown(["set", "protocol", "seed", "detector", "why"], rows))
    if left_out:
        print("\n## Left out\n")
        print(markdown(["file", "why"], left_out))


# --- the script ------------------------------------------------------------------------------------------------------


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="DIR", help="a folder with .npz files that hold X and y")
    parser.add_argument("--report", metavar="FILE", help="runs nothing: prints the tables of an earlier --json again")
    parser.add_argument("--csv", action="store_true", help="its .csv.gz files instead; their last column is `label`")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--sets", metavar="A,B", help="only these files, by their names without .npz")
    parser.add_argument("--peers", metavar="A,B", help=f"only these of {','.join(PEERS)}; none for EXPoSE alone")
    parser.add_argument("--protocols", default=",".join(PROTOCOLS), metavar="A,B", help="detection, novelty or both")
    parser.add_argument("--rows", type=int, default=common.MOST_ROWS, metavar="N", help="at most so many of a set")
    parser.add_argument("--quick", action="store_true", help="one seed, at most 2,000 rows a set")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="for one detector on one set")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="for EXPoSE, as in Options")
    common.add_program(parser)
    arguments = parser.parse_args()
    if arguments.report:
        return arguments
    if not arguments.data:
        raise Problem("--data DIR is missing")
    if arguments.quick:
        arguments.seeds, arguments.rows = 1, min(arguments.rows, 2000)
    if arguments.seeds < 1 or arguments.rows < 20:
        raise Problem("at least 1 seed and 20 rows are needed")
    arguments.protocols = common.names_of(arguments.protocols, PROTOCOLS, "protocol")
    arguments.options = dict(option.split("=", 1) for option in arguments.option)
    arguments.program = common.Program(arguments.program)
    return arguments


def run():
    arguments = parse()
    if arguments.report:
        with open(arguments.report, encoding="utf-8") as file:
            earlier = json.load(file)
        report(earlier["records"], earlier["left_out"])
        return 0
    files = {common.table_name(path): path for path in common.table_files(arguments.data, arguments.csv)}
    if arguments.sets:
        files = {name: files[name] for name in common.names_of(arguments.sets, files, "set")}
    peers = [] if arguments.peers == "none" else common.names_of(arguments.peers or ",".join(PEERS), PEERS, "peer")
    detectors = [OURS, *peers]
    records, left_out = [], []
    with common.progress() as say:
        say("warming up")
        warm_up(peers)
        for name, path in files.items():
            try:
                table = common.read_table(path)
            except (Problem, ValueError, OSError) as problem:
                left_out.append([path.name, problem])
                continue
            records += run_table(table, detectors, arguments, say)
    if not records:
        raise Problem("no table was fit to run: " + "; ".join(f"{file} {why}" for file, why in left_out))
    report(records, left_out)
    if arguments.json:
        modules = [np]
        if peers:
            import pyod
            import sklearn

            modules += [sklearn, pyod]
        left = [[file, str(why)] for file, why in left_out]
        told = {"versions": common.versions(*modules), "program": arguments.program.sha256}
        told |= {"records": records, "left_out": left}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(told, file, indent=1)
    ours_failed = any(r["detector"] == OURS and "failed" in r for r in records)
    return 1 if ours_failed else 0


if __name__ == "__main__":
    common.main(run)
