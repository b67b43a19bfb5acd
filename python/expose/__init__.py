"""EXPoSE: expected similarity estimation. Anomaly detection with exact merging and exact forgetting.

>>> import numpy as np, expose
>>> rows = np.random.default_rng(0).normal(size=(1000, 3))
>>> d = expose.fit(rows)                                    # plan, learn, calibrate
>>> d.judge([[0, 0, 0], [8, 8, 8]]).anomalous               # new rows
array([False,  True])
>>> expose.detect(rows).similarity.shape                    # the same rows, each left out of its own judgement
(1000,)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core, kernels
from ._core import Verdict
from ._detector import Detector, Drift, ErrorBars, Learned, Trust, detect, drift, fit, load, merge
from ._error import Error
from ._maps import FeatureMap, MeanMap, map
from ._options import Options
from ._plan import Plan, Trial, Tuned, plan, tune
from ._verdicts import GroupVerdicts, Verdicts
from ._watcher import Watcher

__version__: str = _core.version()

__all__ = [
    "Detector", "Drift", "Error", "ErrorBars", "FeatureMap", "GroupVerdicts", "Learned", "MeanMap", "Options", "Plan",
    "Trial", "Trust", "Tuned", "Verdict", "Verdicts", "Watcher", "detect", "drift", "fit", "kernels", "load", "merge", "plan",
    "tune",
]  # not map, which `from expose import *` would put in the place of Python's own

if TYPE_CHECKING:
    from . import plot, pyod, river, sklearn

# What needs other packages is imported when it is used.
_LATER = ("plot", "pyod", "river", "sklearn")


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
