"""EXPoSE as a PyOD detector: for where IForest, KNN or another model of PyOD stands today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from pyod.models.base import BaseDetector
    from sklearn.utils import check_array
    from sklearn.utils.validation import check_is_fitted
except ImportError as problem:
    raise ImportError("expose.pyod needs PyOD: pip install 'expose[pyod]'; "
                      "expose.fit and expose.detect need NumPy alone") from problem

from ._adapters import are_known, integrates, planned, seed_of, threads_of
from ._detector import Detector, detect

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Expose"]


class Expose(BaseDetector):  # type: ignore[misc]
    """Expected similarity estimation: how unlike the mean of the training rows a row is.

    Parameters
    ----------
    contamination : float in (0., 0.5], or an object of PyThresh, optional (default=0.1)
        The share of outliers, which sets threshold_. Not needed if you go by p_value.
    kernel, bandwidth, map, r, scale, memory, trim, missing, preset
        The options of expose.fit, with the same names; None and "auto" leave a choice to the data or the preset.
    random_state : int, RandomState instance or None, optional (default=0)
        An int is the seed itself. None draws one from NumPy's global generator.
    n_jobs : int, optional (default=1)
        Threads; -1 is all. The answers do not depend on it.

    Attributes
    ----------
    decision_scores_ : numpy array of shape (n_samples,)
        Minus the similarity of each training row, left out of its own judgement.
    threshold_ : float
    labels_ : numpy array of shape (n_samples,), 0 or 1
    detector_ : expose.Detector
        What was fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from expose.pyod import Expose
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> model = Expose(contamination=0.05).fit(X)
    >>> int(model.labels_.sum()), model.predict(np.array([[0, 0, 0], [8, 8, 8]]))
    (50, array([0, 1]))
    """

    detector_: Detector
    decision_scores_: NDArray[np.float64]

    def __init__(
        self,
        contamination: Any = 0.1,
        kernel: str | Callable[[Any, Any], Any] = "gaussian",
        bandwidth: float | str = "auto",
        map: str = "auto",
        r: int | None = None,
        scale: str | None = None,
        memory: str = "everything",
        trim: float | None = None,
        missing: str = "integrate",
        preset: str = "balanced",
        random_state: Any = 0,
        n_jobs: int | None = 1,
    ) -> None:
        super().__init__(contamination=contamination)
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.map = map
        self.r = r
        self.scale = scale
        self.memory = memory
        self.trim = trim
        self.missing = missing
        self.preset = preset
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Expose:
        """Fit detector. y is ignored. NaN is a missing value."""
        rows = self._checked(X)
        self._set_n_classes(y)
        verdicts = detect(rows, seed=seed_of(self.random_state), threads=threads_of(self.n_jobs), **planned(self, Expose))
        self.detector_ = verdicts.detector
        self.n_features_in_ = rows.shape[1]
        known = are_known(verdicts)
        self._middle = float(np.median(-verdicts.similarity[known])) if known.any() else 0.0
        self.decision_scores_ = self._scores(verdicts)
        self._process_decision_scores()
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Minus the similarity of each row: high = anomalous. A row without any value has the median of the training
        scores: nothing speaks against it."""
        return self._scores(self._judged(X))

    def p_value(self, X: Any) -> NDArray[np.float64]:
        """The share of normal rows that are at least as unlike as each of these."""
        p_value: NDArray[np.float64] = self._judged(X).p_value
        return p_value

    def explain(self, X: Any) -> NDArray[np.float64]:
        """An array (n, d): the share of a row's unlikeness that each feature carries."""
        check_is_fitted(self, ["detector_"])
        return self.detector_.explain(self._checked(X))

    def _judged(self, X: Any) -> Any:
        check_is_fitted(self, ["decision_scores_", "threshold_", "labels_"])
        return self.detector_.judge(self._checked(X))

    def _scores(self, verdicts: Any) -> NDArray[np.float64]:
        return np.where(are_known(verdicts), -verdicts.similarity, self._middle)

    def _checked(self, X: Any) -> Any:
        finite: Any = "allow-nan" if integrates(self) else True
        return check_array(X, dtype=[np.float64, np.float32], ensure_all_finite=finite)
