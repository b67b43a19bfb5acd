"""Whole detectors on whole tables: from a table in memory to a score for each row, on one core."""

import os
import sys
from pathlib import Path

import numpy as np
from cases import quiet
from report import clock_of, interleave, nanoseconds

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "experiments"))
import common  # noqa: E402

GOALS = {"forestcover": 10.0, "kddcup": 4.0}
SHAPES = {"forestcover": (286_048, 10), "kddcup": (158_309, 127)}


def generated(name):
    """A table of that shape for those who have not the real one: four clusters, and 1 % anywhere."""
    n, d = SHAPES[name]
    draw = np.random.default_rng(7)
    x = draw.standard_normal((n, d)) + 6 * draw.integers(0, 4, n)[:, None]
    y = draw.random(n) < 0.01
    x[y] = draw.uniform(-6, 24, (int(y.sum()), d))
    return common.Table(f"generated, as {name}", x, y)


def table(name):
    """The real one of $EXPOSE_DATA, else one like it."""
    path = Path(os.environ.get("EXPOSE_DATA", "")) / f"{name}.csv.gz"
    return common.read_table(path) if os.environ.get("EXPOSE_DATA") and path.exists() else generated(name)


def z_scores(x):
    deviation = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def isolation_forest(x):
    from sklearn.ensemble import IsolationForest

    return -IsolationForest(random_state=0).fit(x).score_samples(x)


def local_outlier_factor(x):
    from sklearn.neighbors import LocalOutlierFactor

    return -LocalOutlierFactor().fit(x).negative_outlier_factor_


def one_class_svm(x):
    from sklearn.svm import OneClassSVM

    return -OneClassSVM(cache_size=1000).fit(x).score_samples(x)


def from_pyod(name):
    def run(x):
        import importlib

        model = getattr(importlib.import_module(f"pyod.models.{name.lower()}"), name)()
        return model.fit(x).decision_scores_

    return run


def half_space_trees(records):
    """River's, which judges and learns row by row; its rows must lie in [0, 1]."""
    from river import anomaly

    trees = anomaly.HalfSpaceTrees(seed=0)
    scores = np.empty(len(records))
    for i, record in enumerate(records):
        scores[i] = trees.score_one(record)
        trees.learn_one(record)
    return scores


def unit_records(x):
    low, high = x.min(axis=0), x.max(axis=0)
    scaled = (x - low) / np.where(high > low, high - low, 1)
    return [dict(enumerate(row)) for row in scaled.tolist()]


def as_float32(x):
    return np.ascontiguousarray(x, np.float32)


# What a detector is given (not timed), what is timed, and on how many rows it ends in seconds.
PEERS = {
    "scikit-learn IsolationForest": (as_float32, isolation_forest, None),
    "PyOD IForest": (as_float32, from_pyod("IForest"), None),
    "PyOD HBOS": (as_float32, from_pyod("HBOS"), None),
    "PyOD ECOD": (z_scores, from_pyod("ECOD"), None),
    "scikit-learn LocalOutlierFactor": (z_scores, local_outlier_factor, 20_000),
    "scikit-learn OneClassSVM": (z_scores, one_class_svm, 10_000),
    "River HalfSpaceTrees": (unit_records, half_space_trees, 5_000),
}


def measure(run, whole, name, rounds, rows=None):
    """Ours and one peer on the same rows of a table, interleaved; AUC of both."""
    prepare, detect, most = PEERS[name]
    part = common.capped(whole, 0, rows or most or len(whole.y))
    run.say(f"{whole.name}: {name}, {len(part.y)} rows")
    file = run.file("table", part.x, np.float64)
    given, scores = prepare(part.x), {}

    def peer():
        scores["peer"] = quiet(lambda: detect(given))

    sides = {"ours": lambda: run.ours.time("detect", file, part.x.shape[1], 1, run.folder / "similarity"),
             "peer": lambda: nanoseconds(peer, len(part.y), clock_of(run.clock))}
    quiet(lambda: detect(prepare(part.x[:300])))  # loads modules, compiles
    found = interleave(sides, rounds)
    similarity = np.fromfile(run.folder / "similarity", np.float64)
    return {"table": whole.name, "detector": name, "rows": len(part.y), "columns": part.x.shape[1], "detect": found,
            "auc": common.auc(part.y, -similarity), "peer_auc": common.auc(part.y, scores["peer"])}
