"""expose.river.Expose: River's own checks on a table of ours (its own needs a download), then what they do not look at."""

import copy
import csv
import doctest
import itertools
import math
import pathlib
import pickle
import random

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("river")

from river import anomaly, checks, compose, evaluate, metrics, preprocessing, stream

import expose.river
from expose.river import Expose

TABLE = pathlib.Path(__file__).parents[2] / "examples" / "breastw.csv"
PARAMS = list(Expose._unit_test_params())


def labelled_rows():
    with open(TABLE, newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    random.Random(0).shuffle(rows)
    for row in itertools.cycle(rows):
        x = dict(row)
        yield x, x.pop("label") == 1


class Local:
    """A data set that can be gone through again, as River's can."""

    def __init__(self, rows):
        self._rows = rows

    def __iter__(self):
        return itertools.islice(labelled_rows(), self._rows)


def local_datasets(model, scale=1):
    yield Local(1000 * scale)


def check_names():
    original, checks._yield_datasets = checks._yield_datasets, local_datasets
    try:
        return [check.__name__ for check in checks.yield_checks(Expose())]
    finally:
        checks._yield_datasets = original


@pytest.mark.parametrize("params", PARAMS, ids=str)
@pytest.mark.parametrize("name", check_names())
def test_river(monkeypatch, name, params):
    monkeypatch.setattr(checks, "_yield_datasets", local_datasets)
    model = Expose(**params)
    assert not model._unit_test_skips()
    (check,) = [check for check in checks.yield_checks(model) if check.__name__ == name]
    check(model.clone())


def stream_of(n, seed=0, **shift):
    rng = random.Random(seed)
    for _ in range(n):
        yield {"a": rng.gauss(shift.get("a", 0), 1), "b": rng.gauss(5, 2), 3: rng.gauss(0, 1)}


def taught(n=600, **params):
    model = Expose(**params)
    for x in stream_of(n):
        model.learn_one(x)
    return model


@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_the_score_is_one_minus_the_p_value_of_the_watcher(params):
    options = {"memory": "fading:0.01", **params}
    watcher, model = expose.Watcher(**options), Expose(**params)
    scores, verdicts = [], []
    for x in stream_of(500):
        scores.append(model.score_one(x))
        model.learn_one(x)
        verdicts.append(watcher.watch(np.array([x[3], x["a"], x["b"]])))  # by name
    assert scores == [1 - verdict.p_value for verdict in verdicts]
    assert scores[:256] == [0.0] * 256 and all(scores[256:260])
    assert model.watcher.rows == watcher.rows == 500


def test_a_plan_from_yesterday_scores_after_twenty_rows():
    pandas = pytest.importorskip("pandas")
    yesterday = pandas.DataFrame([{str(key): value for key, value in x.items()} for x in stream_of(400, seed=1)])
    model = Expose(plan=expose.plan(yesterday, memory="fading:0.01"))
    scores = []
    for x in stream_of(40):
        x = {str(key): value for key, value in x.items()}
        scores.append(model.score_one(x))
        model.learn_one(x)
    assert scores[:20] == [0.0] * 20 and all(scores[20:22])
    assert model.clone().plan == model.plan
    with pytest.raises(expose.Error, match="knows no names"):
        Expose(plan=expose.plan(yesterday.to_numpy(), memory="fading:0.01"))


def test_an_absent_feature_is_a_missing_value():
    model = taught()
    row = {"a": 0.5, "b": 4.0, 3: -0.5}
    assert model.score_one({**row, "b": float("nan")}) == model.score_one({"a": 0.5, 3: -0.5})
    assert model.score_one({**row, "b": None}) == model.score_one({"a": 0.5, 3: -0.5})
    assert model.score_one({"b": 60}) > 0.99 > model.score_one({"b": 5})
    assert model.score_one({}) == 0.0
    before = model.score_one(row)
    model.learn_one({})
    assert model.watcher.rows == 600 and model.score_one(row) == before


def test_an_unknown_feature_is_ignored():
    model, other = taught(), taught()
    for x in stream_of(50, seed=2):
        more = {"new": 1e9, **x, "text": "word"}
        assert model.score_one(x) == other.score_one(more)
        model.learn_one(x)
        other.learn_one(more)
    assert pickle.dumps(model) == pickle.dumps(other)


def test_features_may_emerge_until_there_is_a_plan():
    model = Expose()
    for at, x in enumerate(stream_of(300)):
        model.learn_one(x if at > 100 else {"a": x["a"]})
    assert model.watcher.plan.columns == 3


def test_order_of_features_does_not_matter():
    model, other = Expose(), Expose()
    for x in stream_of(400):
        turned = dict(reversed(x.items()))
        assert model.score_one(x) == other.score_one(turned)
        model.learn_one(x)
        other.learn_one(turned)


def test_bad_rows_leave_no_trace():
    model = taught()
    before = model.score_one({"a": 0, "b": 5, 3: 0})
    for bad in (math.inf, -math.inf, 10**400):
        row = {"a": bad, "b": 5, 3: 0}
        assert model.score_one(row) == 0.0
        model.learn_one(row)
    assert model.watcher.rejected == 3
    assert model.score_one({"a": 0, "b": 5, 3: 0}) == before


def test_kinds_of_numbers():
    model = taught()
    row = {"a": 1, "b": 5, 3: 0}
    for kind in (float, np.float64, np.float32, np.int64):
        assert model.score_one({key: kind(value) for key, value in row.items()}) == model.score_one(row)
    assert model.score_one({**row, "a": True}) == model.score_one(row)


def test_texts_become_categories():
    rng = random.Random(0)
    model = Expose()
    for _ in range(600):
        land = rng.choice(["de", "at"])
        model.learn_one({"land": land, "amount": rng.gauss(10 if land == "de" else 50, 1)})
    assert model.score_one({"land": "de", "amount": 10}) < 0.9
    assert model.score_one({"land": "de", "amount": 50}) > 0.97
    assert model.score_one({"land": "xy", "amount": 10}) > 0.97
    again = pickle.loads(pickle.dumps(model))
    assert again.score_one({"land": "de", "amount": 50}) == model.score_one({"land": "de", "amount": 50})


def test_one_feature():
    model = Expose()
    rng = random.Random(0)
    for _ in range(300):
        model.learn_one({"only": rng.random()})
    assert model.score_one({"only": 5}) > 0.99 > model.score_one({"only": 0.5})


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_mini_batches(library):
    frames = pytest.importorskip(library)
    rows = [{str(key): value for key, value in x.items()} for x in stream_of(700)]
    single, many = Expose(), Expose()
    for row in rows:
        single.learn_one(row)
    for begin in range(0, 700, 90):
        many.learn_many(frames.DataFrame(rows[begin : begin + 90]))
    assert pickle.dumps(single.watcher) == pickle.dumps(many.watcher)
    part = [{"b": row["b"], "unknown": "word"} for row in rows[:50]]
    for row in part:
        single.learn_one(row)
    many.learn_many(frames.DataFrame(part))
    assert pickle.dumps(single.watcher) == pickle.dumps(many.watcher)


def test_mini_batches_with_texts():
    pandas = pytest.importorskip("pandas")
    rows = [{"word": "ab"[at % 2] if at % 7 else None, "x": at % 10} for at in range(400)]
    single, many = Expose(), Expose()
    for row in rows:
        single.learn_one(row)
    many.learn_many(pandas.DataFrame(rows))
    assert pickle.dumps(single.watcher) == pickle.dumps(many.watcher)


def test_in_a_pipeline():
    model = compose.Pipeline(preprocessing.StandardScaler(), Expose())
    for x in stream_of(500):
        model.score_one(x)
        model.learn_one(x)
    assert model.score_one({"a": 40, "b": 5, 3: 0}) > 0.99


def test_a_fixed_threshold_flags_what_it_says():
    model = Expose()
    flagged = 0
    for at, x in enumerate(stream_of(3000)):
        flagged += at >= 1000 and model.score_one(x) > 0.99
        model.learn_one(x)
    assert 8 <= flagged <= 40  # one in a hundred would be 20


@pytest.mark.parametrize("filtered", [
    anomaly.ThresholdFilter(Expose(), threshold=0.99),
    anomaly.QuantileFilter(Expose(), q=0.99),
    anomaly.QuantileFilter(Expose(), q=0.99, protect_anomaly_detector=False),
], ids=["threshold", "quantile", "unprotected quantile"])
def test_in_a_filter(filtered):
    model = filtered.clone()
    flagged = 0
    for at, x in enumerate(stream_of(3000)):
        flagged += at >= 1000 and model.classify(model.score_one(x))
        model.learn_one(x)
    if isinstance(model, anomaly.QuantileFilter):
        assert 8 <= flagged <= 40
    far = {"a": 40, "b": 5, 3: 0}
    assert model.classify(model.score_one(far))
    rows = model.anomaly_detector.watcher.rows
    model.learn_one(far)
    assert model.anomaly_detector.watcher.rows == rows + (not model.protect_anomaly_detector)


def test_follows_a_moving_normal():
    model = taught()
    assert model.score_one({"a": 12, "b": 5, 3: 0}) > 0.99
    for x in stream_of(2000, seed=3, a=12):
        model.learn_one(x)
    assert model.score_one({"a": 12, "b": 5, 3: 0}) < 0.9


def test_progressive_evaluation():
    auc = evaluate.progressive_val_score(Local(683), Expose(), metrics.ROCAUC())
    assert auc.get() > 0.5
    scores, labels = [], []
    model = Expose()
    for x, y in Local(683):
        scores.append(model.score_one(x))
        labels.append(y)
        model.learn_one(x)
    from sklearn.metrics import roc_auc_score

    assert roc_auc_score(labels[256:], scores[256:]) > 0.9


def test_copies_go_on_with_the_same_bits():
    model = taught(300)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        original = copy.deepcopy(model)
        for x in stream_of(50, seed=4):
            assert other.score_one(x) == original.score_one(x)
            other.learn_one(x)
            original.learn_one(x)
    waiting = pickle.loads(pickle.dumps(taught(100)))
    for x in itertools.islice(stream_of(600), 100, None):
        waiting.learn_one(x)
    assert waiting.score_one({"a": 2, "b": 5, 3: 0}) == taught(600).score_one({"a": 2, "b": 5, 3: 0})


def test_wrong_options_are_told_at_once():
    with pytest.raises(expose.Error, match="kernel"):
        Expose(kernel="cosine")
    with pytest.raises(expose.Error, match="memory"):
        Expose(memory="goldfish")


def test_arrays_of_river():
    model = Expose()
    for x, _ in stream.iter_array(np.random.default_rng(0).normal(size=(300, 3))):
        model.learn_one(x)
    assert model.score_one({0: 0, 1: 0, 2: 0}) < 0.9


def test_examples():
    found = doctest.testmod(expose.river)
    assert found.attempted and not found.failed


def test_missing_values_of_pandas_and_categories_by_value():
    rng = np.random.default_rng(3)
    rows = [{"x": float(x), "paid": bool(i % 3), "land": "de"} for i, x in enumerate(rng.normal(size=400))]
    model, other = Expose(), Expose()
    for i, row in enumerate(rows):
        model.learn_one({**row, "x": pd.NA} if i % 7 == 0 else row)
        other.learn_one({**row, "x": None} if i % 7 == 0 else row)
    assert model.watcher == other.watcher
    odd = {"x": 50.0, "paid": True, "land": pd.NA}
    assert model.score_one(odd) == model.score_one({"x": 50.0, "paid": True}) > 0.99
    frame = pd.DataFrame(rows).astype({"x": "Float64"})
    frame.loc[::7, "x"] = pd.NA
    by_frame = Expose()
    by_frame.learn_many(frame)
    assert by_frame.watcher == model.watcher


def test_two_features_of_one_name():
    model = Expose()
    with pytest.raises(expose.Error, match="two features have one name: (1 and '1'|'1' and 1)"):
        for i in range(256):
            model.learn_one({1: i, "1": -i})
