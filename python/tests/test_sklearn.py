"""expose.sklearn.Expose: scikit-learn's own checks, then what they do not look at."""

import doctest
import os
import pickle
import warnings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before SciPy is there, else scikit-learn leaves a check out

import numpy as np
import pytest

pytest.importorskip("sklearn")

import joblib
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import expose.sklearn
from expose.sklearn import Expose


@parametrize_with_checks([
    Expose(),
    Expose(contamination=0.1, n_jobs=2),
    Expose(map="fourier", r=128),
    Expose(kernel="laplacian"),  # NaN is an error
    Expose(missing="reject", preset="paper"),
])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    return random.normal(size=(700, 4))


def far_and_near(rows):
    return np.concatenate([rows[:50], rows[:50] * 6])


def test_the_score_is_the_similarity_of_the_library(rows):
    model = Expose(random_state=3, alpha=0.05).fit(rows)
    native = expose.fit(rows, seed=3, alpha=0.05)
    assert model.detector_ == native
    verdicts = native.judge(far_and_near(rows))
    assert np.array_equal(model.score_samples(far_and_near(rows)), verdicts.similarity)
    assert np.array_equal(model.p_value(far_and_near(rows)), verdicts.p_value)
    assert np.array_equal(model.explain(rows), native.explain(rows))


@pytest.mark.parametrize("alpha", [0.2, 0.01, 1e-3, 1e-6])
def test_auto_flags_exactly_the_rows_with_a_p_value_up_to_alpha(rows, alpha):
    model = Expose(alpha=alpha).fit(rows)
    asked = np.concatenate([rows, rows * 2, rows * 6, rows * 1e6])
    flagged = model.predict(asked) == -1
    assert np.array_equal(flagged, model.detector_.judge(asked).anomalous)
    assert flagged.any() and not flagged.all()


def test_too_few_rows_flag_nothing(rows):
    model = Expose().fit(rows[:10])
    assert model.predict(rows * 10).tolist() == [1] * len(rows)
    assert np.isfinite(model.decision_function(rows)).all()


@pytest.mark.parametrize("share", [0.5, 0.1, 1 / 700])
def test_a_share_of_the_training_rows_is_flagged(rows, share):
    model = Expose(contamination=share)
    assert (model.fit_predict(rows) == -1).sum() == round(share * len(rows))
    assert np.array_equal(model.fit_predict(rows), model.fit(rows).predict(rows))


@pytest.mark.parametrize("contamination", [0, -0.1, 0.6, "often", True, float("nan")])
def test_wrong_contamination(rows, contamination):
    with pytest.raises(ValueError, match="contamination must be 'auto' or a share"):
        Expose(contamination=contamination).fit(rows)


def test_wrong_options_are_told_in_fit(rows):
    with pytest.raises(ValueError, match="window"):
        Expose(memory="window:100").fit(rows)
    with pytest.raises(ValueError, match="kernel"):
        Expose(kernel="cosine").fit(rows)


def test_partial_fit_is_fit_when_the_plan_is_given(rows):
    plan = expose.plan(rows[:300])
    whole = Expose(plan=plan).fit(rows)
    parts = Expose(plan=plan)
    for block in np.array_split(rows, 7):
        assert parts.partial_fit(block) is parts
    assert parts.detector_ == whole.detector_
    assert parts.offset_ == whole.offset_
    assert np.array_equal(parts.predict(rows), whole.predict(rows))


def test_partial_fit_plans_on_its_first_rows(rows):
    model = Expose().partial_fit(rows[:400])
    assert model.detector_ == expose.fit(rows[:400])
    model.partial_fit(rows[400:])
    assert model.detector_.weight == len(rows)


def test_partial_fit_takes_a_share_by_p_values(rows):
    model = Expose(contamination=0.1).partial_fit(rows)
    assert np.array_equal(model.predict(rows) == -1, model.p_value(rows) <= 0.1)


def test_options_beside_a_plan_are_an_error(rows):
    plan = expose.plan(rows)
    with pytest.raises(ValueError, match="the plan has decided about kernel, r already"):
        Expose(plan=plan, kernel="laplacian", r=10).fit(rows)
    with pytest.raises(TypeError, match="made by expose.plan"):
        Expose(plan=rows).fit(rows)


def test_weights_are_repetitions(rows):
    weights = np.random.default_rng(1).integers(0, 4, len(rows))
    for contamination in ("auto", 0.1):
        weighted = Expose(contamination=contamination).fit(rows, sample_weight=weights)
        repeated = Expose(contamination=contamination).fit(rows.repeat(weights, axis=0))
        assert weighted.offset_ == repeated.offset_
        assert np.array_equal(weighted.score_samples(rows), repeated.score_samples(rows))


def test_wrong_weights(rows):
    with pytest.raises(ValueError, match="sample_weight must be 0 or more"):
        Expose().fit(rows, sample_weight=np.full(len(rows), -1.0))
    with pytest.raises(ValueError, match="zero|above 0"):
        Expose().fit(rows, sample_weight=np.zeros(len(rows)))


def test_missing_values(rows):
    holes = rows.copy()
    holes[::3, 1] = np.nan
    holes[5] = np.nan
    model = Expose(contamination=0.1).fit(holes)
    assert model.decision_function(holes)[5] == 0 and model.predict(holes)[5] == 1  # nothing is known about it
    assert (model.predict(holes) == -1).sum() == 69  # a tenth of the others
    assert get_tags(model).input_tags.allow_nan
    for strict in (Expose(missing="reject"), Expose(kernel="laplacian"), Expose(plan=expose.plan(rows, missing="reject"))):
        assert not get_tags(strict).input_tags.allow_nan
        with pytest.raises(ValueError, match="NaN"):
            strict.fit(holes)


def test_sparse_rows(rows):
    few = np.where(np.abs(rows) > 1, rows, 0)
    for container in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array):
        dense, thin = Expose().fit(few), Expose().fit(container(few))
        assert thin.detector_ == dense.detector_ and thin.offset_ == dense.offset_
        assert np.array_equal(thin.score_samples(container(few)), dense.score_samples(few))
    assert get_tags(Expose()).input_tags.sparse


def test_names(rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=["a", "b", "c", "d"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # fit must not warn of names that it has itself taken off
        model = Expose(contamination=0.1).fit(frame)
        model.predict(frame)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"] and model.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "d"]])


def test_pipeline_with_frames_between_its_steps(rows):
    pytest.importorskip("pandas")
    model = make_pipeline(StandardScaler(), Expose()).set_output(transform="pandas").fit(rows)
    assert model[-1].feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    assert model.predict(rows * 9).min() == -1
    assert model.score_samples(rows).shape == (700,)


def test_grid_search(rows):
    outliers = np.random.default_rng(2).normal(size=(40, 4)) * 5
    X, y = np.concatenate([rows, outliers]), np.repeat([1, -1], [700, 40])
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(Expose(), {"bandwidth": [0.01, "auto"], "kernel": ["gaussian", "laplacian"]}, scoring="roc_auc",
                          cv=folds, n_jobs=2)
    search.fit(X, y)
    assert search.best_params_["bandwidth"] == "auto"
    assert search.best_score_ > 0.9
    assert roc_auc_score(y, search.decision_function(X)) > 0.9
    assert cross_val_score(Expose(), X, y, scoring="roc_auc", cv=folds).min() > 0.9


def test_copies(rows, tmp_path):
    model = Expose(plan=expose.plan(rows), n_jobs=2).fit(rows)
    joblib.dump(model, tmp_path / "m.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "m.joblib")):
        assert np.array_equal(copy.decision_function(rows), model.decision_function(rows))
    fresh = clone(model)
    assert fresh.plan == model.plan and fresh.n_jobs == 2
    with pytest.raises(NotFittedError):
        fresh.predict(rows)


def test_random_state(rows):
    def scores(state):
        return Expose(map="fourier", r=64, random_state=state).fit(rows).score_samples(rows)

    assert np.array_equal(scores(1), scores(1)) and not np.array_equal(scores(1), scores(2))
    assert np.array_equal(scores(np.random.RandomState(1)), scores(np.random.RandomState(1)))
    np.random.seed(0)
    assert not np.array_equal(scores(None), scores(None))


def ramp(a, b):
    """A kernel of one's own, on rows as they are."""
    distance = np.abs(np.asarray(a)[:, None, :] - np.asarray(b)[None, :, :]).sum(axis=2)
    return np.maximum(0, 1 - distance / 12)


def test_a_kernel_of_ones_own(rows):
    model = Expose(kernel=ramp, contamination=0.1).fit(rows)
    assert (model.predict(rows) == -1).sum() == 70
    assert model.predict([[0, 0, 0, 0], [9, 9, 9, 9]]).tolist() == [1, -1]
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.score_samples(rows), model.score_samples(rows))
    assert not get_tags(model).input_tags.allow_nan
    assert clone(model).kernel is ramp
    auto = Expose(kernel=ramp).fit(rows)
    assert np.array_equal(auto.predict(rows * 2) == -1, auto.p_value(rows * 2) <= 0.01)


def test_threads_do_not_change_a_bit(rows):
    assert Expose(n_jobs=-1).fit(rows).detector_ == Expose(n_jobs=1).fit(rows).detector_


def test_same_signs_as_isolation_forest(rows):
    both = [model.fit(rows) for model in (Expose(), IsolationForest(random_state=0))]
    for model in both:
        near, far = model.decision_function([[0, 0, 0, 0], [9, 9, 9, 9]])
        assert near > 0 > far


def test_examples():
    found = doctest.testmod(expose.sklearn)
    assert found.attempted and not found.failed


def test_weights_are_relative_if_they_are_small():
    X = np.random.default_rng(0).normal(size=(600, 3))
    plain = Expose().fit(X)
    for weight in (0.01, 0.0004, 1e-9, 1 / 600):
        model = Expose().fit(X, sample_weight=np.full(600, weight))
        assert model.detector_ == plain.detector_
        assert model.predict([[50, 50, 50]]) == [-1]
    weights = np.ones(600)
    weights[:200] = 1e-12
    assert Expose().fit(X, sample_weight=weights).detector_ == expose.fit(X[200:], weights=np.full(400, 1.5))
    twice = Expose().fit(X, sample_weight=np.full(600, 2.0))
    assert twice.detector_.weight == 1200
    blocks = Expose(plan=expose.plan(X))
    for begin in (0, 300):
        blocks.partial_fit(X[begin : begin + 300], sample_weight=np.full(300, 0.001))
    assert blocks.detector_ == plain.detector_


def test_a_plan_with_names_wants_them_in_order():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(300, 3)), columns=["a", "b", "c"])
    plan = expose.plan(frame)
    assert Expose(plan=plan).fit(frame).detector_ == Expose(plan=plan).fit(frame.to_numpy()).detector_
    for call in (Expose(plan=plan).fit, Expose(plan=plan).partial_fit):
        with pytest.raises(ValueError, match="columns are c, b, a, the plan takes a, b, c"):
            call(frame[["c", "b", "a"]])


def test_a_class_made_from_it():
    class Mine(Expose):
        def __init__(self, level=3):
            super().__init__(r=64, alpha=0.05)
            self.level = level

    X = np.random.default_rng(0).normal(size=(300, 3))
    assert Mine().fit(X).detector_ == Expose(r=64, alpha=0.05).fit(X).detector_


@pytest.mark.parametrize("wrong", [{"alpha": None}, {"contamination": None}, {"alpha": "low"}, {"contamination": [0.1]}])
def test_sentences_about_wrong_thresholds(wrong):
    with pytest.raises(expose.Error, match=f"{next(iter(wrong))} must be"):
        Expose(**wrong).fit(np.zeros((30, 2)))


def test_an_own_kernel_takes_no_sparse_rows():
    model = Expose(kernel=lambda A, B: np.exp(-((A[:, None] - B[None]) ** 2).sum(2)))
    assert not get_tags(model).input_tags.sparse
    with pytest.raises(TypeError, match="[Ss]parse"):
        model.fit(sparse.csr_matrix(np.eye(30)))
    assert model.fit(np.random.default_rng(0).normal(size=(100, 2))).predict([[9, 9]]) == [-1]
