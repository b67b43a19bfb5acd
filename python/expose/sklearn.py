"""EXPoSE as a scikit-learn outlier detector: for where IsolationForest, OneClassSVM or LocalOutlierFactor stands today."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, OutlierMixin
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as problem:
    raise ImportError(
        "expose.sklearn needs scikit-learn 1.6 or newer: pip install 'expose[sklearn]'; "
        "expose.fit and expose.detect need NumPy alone") from problem

from ._adapters import are_known, integrates, planned, seed_of, threads_of
from ._detector import Detector, fit
from ._error import Error
from ._input import WEIGHT_UNIT
from ._options import checked
from ._plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Expose"]

# Below every similarity: nothing is flagged.
NEVER = -1.0


class Expose(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Expected similarity estimation: how similar a row is to the mean of the rows that were learned.

    The options have the names and meanings that they have everywhere in EXPoSE; ``None`` and "auto" leave a choice to
    the data or the preset. ``fdr`` and ``top`` are missing: they look at a whole batch, and scikit-learn wants one
    threshold. Rows are judged as new ones, also those it was fitted on; the honest judgement of those, each left out,
    is `expose.detect`.

    Parameters
    ----------
    kernel : "gaussian", "laplacian", "matern32", "matern52" or a callable k(A, B)
    bandwidth : "auto" or float
        In scaled units.
    map : "auto", "nystrom", "fourier", "sorf" or "fastfood"
    r : int or None
        Landmarks or frequencies. None: 256 for nystrom, 2048 otherwise.
    scale : "robust", "zscore", "none" or None
    memory : "everything"
        Memories that forget are for streams: `expose.Watcher`, `expose.river.Expose`.
    trim : float or None
        Share of the planning rows outside the gate.
    missing : "integrate" or "reject"
        What NaN is: a missing value, or an error.
    alpha : float
        With contamination "auto" a row is an outlier when p_value(row) <= alpha.
    contamination : "auto" or float in (0, 0.5]
        A share: that part of the rows it is fitted on are outliers. `partial_fit`, which keeps no rows, takes the
        share by p-values instead.
    random_state : int, RandomState or None
        An int is the seed itself. None draws one from NumPy's global generator.
    n_jobs : int or None
        Threads, as joblib counts them: None is 1, -1 is all. The answers do not depend on it.
    preset : "balanced" or "paper"
    plan : expose.Plan or None
        All that is decided before learning, made by `expose.plan`. With one, `partial_fit` over any blocks gives what
        `fit` gives, to the bit; without one, `partial_fit` plans on the first block it sees.

    Attributes
    ----------
    detector_ : expose.Detector
        What was fitted: its plan, its mean, drift, merge, save.
    offset_ : float
        decision_function = score_samples - offset_.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from expose.sklearn import Expose
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> model = Expose().fit(X)
    >>> model.predict([[0, 0, 0], [8, 8, 8]])
    array([ 1, -1])
    >>> bool(model.p_value([[8, 8, 8]])[0] < 0.001)
    True
    """

    detector_: Detector
    offset_: float

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "gaussian",
        bandwidth: float | str = "auto",
        map: str = "auto",
        r: int | None = None,
        scale: str | None = None,
        memory: str = "everything",
        trim: float | None = None,
        missing: str = "integrate",
        alpha: float = 0.01,
        contamination: float | str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        preset: str = "balanced",
        plan: Plan | None = None,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.map = map
        self.r = r
        self.scale = scale
        self.memory = memory
        self.trim = trim
        self.missing = missing
        self.alpha = alpha
        self.contamination = contamination
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.preset = preset
        self.plan = plan

    # Learning.

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Expose:
        """Plan, learn and calibrate. y is ignored.

        sample_weight: one number >= 0 a row; a weight of 2 is the row twice, 0 is no row. If their mean is below 1, all
        are multiplied so that it is 1: rows are what p-values are counted in. Then they are rounded to 1/1024.
        """
        rows, weights = self._given(X, sample_weight, reset=True)
        self.detector_ = self._learned(rows, weights)
        self.offset_ = self._offset_of_rows(rows, weights)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Expose:
        """Learn more rows. The first call makes the plan from its rows, unless one was given, and decides by how much
        the weights of all calls are multiplied."""
        first = not self.__sklearn_is_fitted__()
        rows, weights = self._given(X, sample_weight, reset=first)
        if first:
            self.detector_ = self._learned(rows, weights)
        else:
            self.detector_.learn(rows, weights)
        self.offset_ = self._offset_of_p_value(self._share())
        return self

    def _given(self, X: Any, sample_weight: Any, reset: bool) -> tuple[Any, NDArray[np.float64] | None]:
        self._share()  # a wrong contamination is told before anything is learned
        rows = self._validated(X, reset)
        if reset:
            self._row_weight = 1.0
        if sample_weight is None:
            return rows, None
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        if np.any(weights < 0) or not np.any(weights > 0):
            raise ValueError("sample_weight must be 0 or more, and above 0 for at least 1 row")
        if reset:
            self._row_weight = min(1.0, float(weights[weights > 0].mean()))
        weights = weights / self._row_weight
        counted = weights >= WEIGHT_UNIT / 2
        return rows[counted], weights[counted]

    def _learned(self, rows: Any, weights: Any) -> Detector:
        threads = threads_of(self.n_jobs)
        if self.plan is None:
            return fit(rows, weights=weights, alpha=self.alpha, seed=seed_of(self.random_state), threads=threads,
                       **planned(self, Expose))
        if not isinstance(self.plan, Plan):
            raise TypeError(f"plan must be an expose.Plan, made by expose.plan; it is {self.plan!r}")
        if decided := planned(self, Expose):
            raise ValueError(f"the plan has decided about {', '.join(decided)} already; give options to expose.plan")
        detector = Detector(self.plan, threads=threads)
        detector.alpha = self.alpha
        detector.learn(rows, weights)
        return detector

    # The threshold.

    def _share(self) -> float:
        """The p-value up to which rows are outliers."""
        if isinstance(self.contamination, str) and self.contamination == "auto":
            return float(checked("alpha", self.alpha))
        is_number = isinstance(self.contamination, numbers.Real) and not isinstance(self.contamination, bool)
        if not is_number or not 0 < self.contamination <= 0.5:  # type: ignore[operator]
            raise Error(f"contamination must be 'auto' or a share in (0, 0.5], it is {self.contamination!r}")
        return float(self.contamination)

    def _offset_of_rows(self, rows: Any, weights: Any) -> float:
        if isinstance(self.contamination, str):
            return self._offset_of_p_value(self.alpha)
        verdicts = self.detector_.judge(rows)
        known = are_known(verdicts)
        counts = np.ones(len(verdicts)) if weights is None else weights
        return _first_kept(verdicts.similarity[known], counts[known], self._share())

    def _offset_of_p_value(self, alpha: float) -> float:
        """The lowest similarity whose p-value is above alpha, to the last bit: p-values rise with the similarity."""
        p_value = self.detector_._core.p_value
        low, high = NEVER, 1.0
        if p_value(low) > alpha:
            return low
        if p_value(high) <= alpha:
            return math.nextafter(high, math.inf)
        while (middle := low + (high - low) / 2) not in (low, high):
            low, high = (low, middle) if p_value(middle) > alpha else (middle, high)
        return high

    # Asking.

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The similarity of each row: high = normal. A row without any value has offset_: nothing speaks against it."""
        verdicts = self._judged(X)
        return np.where(are_known(verdicts), verdicts.similarity, self.offset_)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """score_samples - offset_: below 0 is an outlier."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """-1 for outliers, +1 for the others."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """The share of normal rows that are at least as unlike as each of these."""
        p_value: NDArray[np.float64] = self._judged(X).p_value
        return p_value

    def explain(self, X: Any) -> NDArray[np.float64]:
        """An array (n, n_features_in_): the share of a row's unlikeness that each feature carries."""
        check_is_fitted(self)
        return self.detector_.explain(self._validated(X, reset=False))

    def _judged(self, X: Any) -> Any:
        check_is_fitted(self)
        return self.detector_.judge(self._validated(X, reset=False))

    def _validated(self, X: Any, reset: bool) -> Any:
        rows = validate_data(
            self, X, reset=reset, accept_sparse=False if callable(self.kernel) else "csr", dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if self._integrates() else True)
        if reset and isinstance(self.plan, Plan):
            self._require_order(self.plan.feature_names)
        return rows

    def _require_order(self, wanted: list[str] | None) -> None:
        """scikit-learn hands numbers on without their names, so they must come as the plan has them."""
        names = getattr(self, "feature_names_in_", None)
        if wanted is not None and names is not None and list(names) != wanted:
            raise ValueError(f"the columns are {', '.join(names)}, the plan takes {', '.join(wanted)}, in this order")

    # What scikit-learn asks about it.

    def _integrates(self) -> bool:
        """Whether NaN is a missing value."""
        if self.plan is not None:
            return isinstance(self.plan, Plan) and self.plan.missing == "integrate"
        return integrates(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "offset_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not callable(self.kernel)
        tags.input_tags.allow_nan = self._integrates()
        return tags


def _first_kept(scores: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """The lowest score that is not among the lowest `share` of the weight. Equal scores stay together."""
    if not len(scores):
        return NEVER
    order = np.argsort(scores, kind="stable")
    up_to = np.cumsum(weights[order])
    at = int(np.searchsorted(up_to, share * up_to[-1] * (1 + 1e-12), side="right"))
    return float(scores[order[min(at, len(order) - 1)]])
