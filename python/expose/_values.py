"""Single values, as they come in dicts and in columns of objects: whether one is missing, and what it is as a text."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

NUMBERS = (int, float, np.number, np.bool_)


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA; whoever has no pandas need not import it for that."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    differs = value != value
    return isinstance(differs, (bool, np.bool_)) and bool(differs)


def text_of(value: Any) -> str:
    """Equal values have equal texts, whether they come as bool, int or float, of Python or NumPy, or out of Arrow."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (float, np.floating)) and value.is_integer()):
        value = int(value)
    return value if isinstance(value, str) else str(value)


def seconds_of(value: Any) -> Any:
    """Durations are numbers, in seconds; all else stays as it is."""
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "s"))
    return value.total_seconds() if isinstance(value, datetime.timedelta) else value
