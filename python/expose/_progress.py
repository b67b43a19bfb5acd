"""How far long work has come: a bar on standard error, or whatever the caller likes to do."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Union

import numpy as np

Progress = Union[bool, None, Callable[[int], object]]


class Bar:
    """A line on standard error that is written over, at most ten times a second."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._start = self._last = time.monotonic()
        self._shown = False

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if now - self._last < 0.1:
            return
        self._last = now
        self._shown = True
        rate = done / max(now - self._start, 1e-9)
        if self._total:
            share = min(1.0, done / self._total)
            filled = int(30 * share)
            line = f"[{'#' * filled}{'.' * (30 - filled)}] {100 * share:3.0f} %  {rate:,.0f} rows/s"
        else:
            line = f"{done:,} rows  {rate:,.0f} rows/s"
        sys.stderr.write("\r" + line)
        sys.stderr.flush()

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


def _is_false(answer: object) -> bool:
    """Of Python or NumPy; None and 0 do not stop."""
    return isinstance(answer, (bool, np.bool_)) and not answer


class shown:
    """``with shown(progress, total) as told``: what is to be told about rows done, or None.

    ``passes``: how often each row is gone through.
    """

    def __init__(self, progress: Progress, total: int | None = None, passes: int = 1) -> None:
        self._bar: Bar | None = None
        self._told: Callable[[int], object] | None = None
        if progress is True:
            self._told = self._bar = Bar(None if total is None else total * passes)
        elif callable(progress):
            self._told = lambda done: False if _is_false(progress(done)) else None
        elif progress is not None and progress is not False:
            raise TypeError(f"progress is True for a bar, or a function of the rows done; it is {progress!r}")

    def __enter__(self) -> Callable[[int], object] | None:
        return self._told

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
