"""What the adapters to scikit-learn and PyOD share. Needs scikit-learn, so nothing else may import it."""

from __future__ import annotations

import inspect
from typing import Any

import joblib
import numpy as np
from sklearn.utils import check_random_state

# The options that a plan decides about.
PLANNED = ("kernel", "bandwidth", "map", "r", "scale", "memory", "trim", "missing", "preset")


def planned(estimator: Any, adapter: type) -> dict[str, Any]:
    """Those that are not as they are by default in the adapter itself: a class made from it may have other parameters."""
    parameters = inspect.signature(adapter).parameters
    given = {name: getattr(estimator, name) for name in PLANNED}
    return {name: value for name, value in given.items() if value != parameters[name].default}


def seed_of(random_state: Any) -> int:
    """An int is the seed itself, so that the bits are those of expose.fit(seed=...)."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def threads_of(n_jobs: int | None) -> int:
    """As joblib counts: None is 1, -1 is all, and 1 inside a worker of joblib."""
    return int(joblib.effective_n_jobs(n_jobs))


def integrates(estimator: Any) -> bool:
    """Whether NaN is a missing value: all maps but Nystrom with another kernel have a closed form for it."""
    closed_form = estimator.kernel == "gaussian" or estimator.map not in ("auto", "nystrom")
    return bool(estimator.missing == "integrate" and closed_form)


def are_known(verdicts: Any) -> Any:
    """Rows with a similarity: ok, or learning (too few rows for p-values, but not for similarities)."""
    return verdicts.status_code <= 1
