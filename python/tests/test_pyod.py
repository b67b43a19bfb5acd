"""expose.pyod.Expose: the pattern of PyOD's own tests, then what it does not look at."""

import doctest
import pickle

import numpy as np
import pytest

pytest.importorskip("pyod")

from numpy.testing import assert_allclose, assert_array_less, assert_equal
from pyod.models import combination
from pyod.models.base import BaseDetector
from pyod.models.feature_bagging import FeatureBagging
from pyod.models.lscp import LSCP
from pyod.utils.data import generate_data
from pyod.utils.utility import standardizer
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import expose.pyod
from expose.pyod import Expose

CONTAMINATION = 0.1


@pytest.fixture(scope="module")
def data():
    return generate_data(n_train=200, n_test=100, n_features=2, contamination=CONTAMINATION, random_state=42)


@pytest.fixture(scope="module")
def model(data):
    return Expose(contamination=CONTAMINATION).fit(data[0])


# As in PyOD's test_iforest.py and its siblings.


def test_parameters(model):
    assert isinstance(model, BaseDetector)
    for name in ("decision_scores_", "labels_", "threshold_", "_mu", "_sigma", "_classes"):
        assert getattr(model, name) is not None, name


def test_train_scores(model, data):
    assert_equal(len(model.decision_scores_), data[0].shape[0])


def test_train_labels(model, data):
    assert set(np.unique(model.labels_)) == {0, 1} and model.labels_.sum() == CONTAMINATION * len(data[0])
    assert_equal(model.labels_, (model.decision_scores_ > model.threshold_).astype(int))


def test_prediction_scores(model, data):
    _, X_test, _, y_test = data
    scores = model.decision_function(X_test)
    assert_equal(scores.shape[0], X_test.shape[0])
    assert roc_auc_score(y_test, scores) >= 0.95


def test_prediction_labels(model, data):
    labels = model.predict(data[1])
    assert_equal(labels.shape, data[3].shape)
    assert set(np.unique(labels)) == {0, 1}


@pytest.mark.parametrize("method", ["linear", "unify"])
def test_prediction_proba(model, data, method):
    proba = model.predict_proba(data[1], method=method)
    assert proba.shape == (len(data[1]), 2)
    assert proba.min() >= 0 and proba.max() <= 1
    assert_allclose(proba.sum(axis=1), np.ones(len(data[1])))


def test_prediction_proba_parameter(model, data):
    with pytest.raises(ValueError):
        model.predict_proba(data[1], method="something")


def test_prediction_labels_confidence(model, data):
    labels, confidence = model.predict(data[1], return_confidence=True)
    assert_equal(labels.shape, data[3].shape)
    assert_equal(confidence.shape, data[3].shape)
    assert confidence.min() >= 0 and confidence.max() <= 1


@pytest.mark.parametrize("method", ["linear", "unify"])
def test_prediction_proba_confidence(model, data, method):
    proba, confidence = model.predict_proba(data[1], method=method, return_confidence=True)
    assert proba.min() >= 0 and proba.max() <= 1
    assert_equal(confidence.shape, data[3].shape)
    assert confidence.min() >= 0 and confidence.max() <= 1


@pytest.mark.filterwarnings("ignore")
def test_prediction_with_rejection(model, data):
    labels, stats = model.predict_with_rejection(data[1], return_stats=True)
    assert set(np.unique(labels)) <= {-2, 0, 1} and len(stats) == 3


@pytest.mark.filterwarnings("ignore")
def test_fit_predict(model, data):
    assert_equal(Expose(contamination=CONTAMINATION).fit_predict(data[0]), model.labels_)


@pytest.mark.filterwarnings("ignore")
def test_fit_predict_score(model, data):
    _, X_test, _, y_test = data
    model = clone(model)
    model.fit_predict_score(X_test, y_test)
    model.fit_predict_score(X_test, y_test, scoring="roc_auc_score")
    model.fit_predict_score(X_test, y_test, scoring="prc_n_score")
    with pytest.raises(NotImplementedError):
        model.fit_predict_score(X_test, y_test, scoring="something")


def test_predict_rank(model, data):
    scores = model.decision_function(data[1])
    ranks = model._predict_rank(data[1])
    assert_array_less(ranks, data[0].shape[0] + 1)
    assert_array_less(-0.1, ranks)
    assert np.all(np.diff(ranks[np.argsort(scores)]) >= 0)


def test_predict_rank_normalized(model, data):
    ranks = model._predict_rank(data[1], normalized=True)
    assert_array_less(ranks, 1.01)
    assert_array_less(-0.1, ranks)


def test_model_clone(model):
    assert clone(model).get_params() == model.get_params()


# And what it does not look at.


def test_the_scores_are_the_similarities_of_the_library(model, data):
    verdicts = expose.detect(data[0])
    assert_equal(model.decision_scores_, -verdicts.similarity)  # each left out of its own judgement
    assert model.detector_ == verdicts.detector
    judged = verdicts.detector.judge(data[1])
    assert_equal(model.decision_function(data[1]), -judged.similarity)
    assert_equal(model.p_value(data[1]), judged.p_value)
    assert_equal(model.explain(data[1]), verdicts.detector.explain(data[1]))


@pytest.mark.parametrize("contamination", [0, 0.6, -1])
def test_wrong_contamination(contamination):
    with pytest.raises(ValueError):
        Expose(contamination=contamination)


class Above:
    """What PyOD expects of a thresholder of PyThresh."""

    def fit(self, scores):
        self.thresh_ = float(np.mean(scores) + np.std(scores))
        self.labels_ = (scores > self.thresh_).astype(int)

    def predict(self, scores):
        return (scores > self.thresh_).astype(int)

    def eval(self, scores):  # PyOD 2
        if not hasattr(self, "thresh_"):
            self.fit(scores)
        return self.predict(scores)


def test_thresholder(data):
    model = Expose(contamination=Above()).fit(data[0])
    assert model.threshold_ == model.contamination.thresh_
    assert_equal(model.labels_, (model.decision_scores_ > model.threshold_).astype(int))
    assert set(np.unique(model.predict(data[1]))) == {0, 1}
    confidence = model.predict(data[1], return_confidence=True)[1]
    assert confidence.shape == (100,)


def test_combination(data):
    X_train, X_test, _, y_test = data
    models = [Expose(bandwidth=b).fit(X_train) for b in ("auto", 0.5, 1.0)]
    train = np.column_stack([m.decision_scores_ for m in models])
    test = np.column_stack([m.decision_function(X_test) for m in models])
    _, test = standardizer(train, test)
    for combine in (combination.average, combination.maximization, combination.median):
        assert roc_auc_score(y_test, combine(test)) > 0.95


@pytest.mark.filterwarnings("ignore")
def test_as_a_part_of_other_models(data):
    X_train, X_test, _, y_test = data
    bagging = FeatureBagging(Expose(), n_estimators=3, random_state=0).fit(X_train)
    assert roc_auc_score(y_test, bagging.decision_function(X_test)) > 0.9
    several = LSCP([Expose(), Expose(bandwidth=1.0)], random_state=0).fit(X_train)
    assert roc_auc_score(y_test, several.decision_function(X_test)) > 0.9


def test_missing_values(data):
    holes = data[0].copy()
    holes[3, 0] = np.nan
    holes[4] = np.nan
    model = Expose().fit(holes)
    assert model.labels_[4] == 0 and np.isfinite(model.decision_scores_).all()
    for strict in (Expose(missing="reject"), Expose(kernel="laplacian")):
        with pytest.raises(ValueError, match="NaN"):
            strict.fit(holes)


def test_pickle(model, data):
    copy = pickle.loads(pickle.dumps(model))
    assert_equal(copy.decision_function(data[1]), model.decision_function(data[1]))


def test_wrong_width(model):
    with pytest.raises(ValueError, match="columns"):
        model.predict(np.zeros((5, 3)))


def test_examples():
    found = doctest.testmod(expose.pyod)
    assert found.attempted and not found.failed


def test_a_class_made_from_it():
    class Mine(Expose):
        def __init__(self):
            super().__init__(r=64)

    X = np.random.default_rng(0).normal(size=(300, 3))
    assert Mine().fit(X).detector_ == Expose(r=64).fit(X).detector_
