"""Watcher: the detector for streams."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core as _lib
from ._core import Verdict
from ._detector import Learned, _whole_or_blocks
from ._error import Error
from ._frame import Frame, encoded_row, groups_of, guess_table, opened, rows_for
from ._input import Data, require_numbers
from ._options import Options, core_options
from ._plan import Plan
from ._verdicts import Verdicts, joined
from .kernels import Kernel, OwnKernel, attached

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

_ndarray = np.ndarray


class Watcher:
    """Judges each row of a stream by the rows before it, then learns it.

    With a plan (`expose.plan(rows, memory="fading:0.01")`, and alpha), or without one: then the options of `fit`, and the
    plan is made from the first 256 good rows. Similarities are relative, so a row keeps its value while the model grows or
    forgets. Equal rows in equal order give equal bits: one by one, in blocks, across save and load. Pickle and copy work.

    >>> import numpy as np, expose
    >>> stream = np.random.default_rng(0).normal(size=(2000, 3))
    >>> w = expose.Watcher(expose.plan(stream[:500], memory="fading:0.01"))
    >>> v = w.watch(stream)              # a block: the same answers as row by row
    >>> w.watch([7.0, 7.0, 7.0]).anomalous      # one row
    True
    >>> w.rows
    2001
    """

    __slots__ = ("_core", "_watch_row", "_options", "_table", "_own", "__weakref__")

    _core: _lib.Watcher
    _options: _lib.Options | None  # until the first row has come
    _table: _lib.Columns | None
    _own: OwnKernel | None

    def __init__(self, plan: Plan | None = None, **options: Unpack[Options]) -> None:
        if plan is None:
            chosen = core_options(options)
            self._set(_lib.Watcher(chosen))
            self._options = chosen
            return
        if not isinstance(plan, Plan):
            raise TypeError(f"a Watcher is made from a Plan or from options, not from {type(plan).__name__}")
        alpha = options.pop("alpha", 0.01)
        if options:
            raise TypeError(f"the plan has decided about {', '.join(options)} already; give options to expose.plan")
        self._set(_lib.Watcher(plan._core, alpha), plan._own)

    def _set(self, core: _lib.Watcher, own: OwnKernel | None = None) -> None:
        self._core = core
        self._watch_row = core.watch_row
        self._options = None
        self._table = core.table
        self._own = own

    @classmethod
    def _of(cls, core: _lib.Watcher, own: OwnKernel | None = None) -> Watcher:
        self = object.__new__(cls)
        self._set(core, own)
        return self

    def _rows(self, X: Any) -> Data:
        if self._own is not None:
            return self._own.data(X)
        rows = opened(X)
        if self._options is not None and isinstance(rows, Frame) and self._core.rows + self._core.rejected == 0:
            self._options.table = guess_table(rows, {})
            self._set(_lib.Watcher(self._options))
        return rows_for(rows, self._table)

    def watch(self, rows: Any) -> Any:
        """Judge, then learn. One row (1 dimension, or a dict by name) gives a Verdict, a block of rows Verdicts.

        With an own kernel always a block: `watch([thing])[0]`.

        The status is `learning` until there is a plan and enough rows are remembered.
        """
        if self._own is None and type(rows) is _ndarray and rows.ndim == 1 and rows.dtype.char in "df" and rows.strides[0] == rows.itemsize:
            return self._watch_row(rows)
        return self._watch_any(rows)

    def _watch_any(self, rows: Any) -> Verdict | Verdicts:
        if self._own is None and isinstance(rows, (list, tuple, np.ndarray)):
            a = np.asarray(rows)
            if a.ndim == 1 and a.size:
                require_numbers(a)
                return self._core.watch_row(np.ascontiguousarray(a, dtype=np.float64))
        if isinstance(rows, Mapping):
            return self._core.watch_row(self._encoded(rows))
        data = self._rows(rows)
        return joined([self._core.watch(block) for block in _whole_or_blocks(data)], ("alpha", 0.0))

    def _encoded(self, row: Mapping[str, Any]) -> NDArray[np.float64]:
        """A row by name; what is not there is missing."""
        if self._table is None:
            raise Error("this watcher knows no names; give its plan a table with named columns")
        return encoded_row(row, self._table)

    def judge(self, X: Any) -> Verdicts:
        """Look only: what watch would say to each of them now."""
        return joined([self._core.judge(block) for block in _whole_or_blocks(self._rows(X))], ("alpha", 0.0))

    def explain(self, X: Any) -> NDArray[np.float64]:
        """Why: the share of each feature in a row's unlikeness, as `Detector.explain` gives it; ask before the row is
        watched, for then it is a part of the model."""
        if self._own is not None:
            raise Error("an own kernel knows no columns that could be reasons")
        groups = groups_of(self._table)
        parts = [self._core.explain(block, groups).reshape(len(block), -1) for block in _whole_or_blocks(self._rows(X))]
        return np.concatenate(parts)

    def forget(self, X: Any) -> Learned:
        """Take rows out again, exactly. A window: the oldest that equals each leaves. A fading memory cannot."""
        return Learned(*self._core.forget(self._rows(X).gathered()))

    @property
    def planned(self) -> bool:
        """Whether there is a plan yet."""
        return self._core.planned

    @property
    def plan(self) -> Plan:
        """Raises Error while there is none."""
        return Plan._of(self._core.plan, self._own)

    @property
    def fingerprint(self) -> str:
        return self.plan.fingerprint

    @property
    def rows(self) -> int:
        """Good rows watched so far."""
        return self._core.rows

    @property
    def rejected(self) -> int:
        """Bad rows that came by."""
        return self._core.rejected

    @property
    def weight(self) -> float:
        """How many rows it remembers; for a fading memory the effective number."""
        return self._core.weight

    @property
    def alpha(self) -> float:
        """Flag a row when p_value <= alpha; may be changed at any time."""
        return self._core.alpha

    @alpha.setter
    def alpha(self, value: float) -> None:
        self._core.alpha = value

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its whole state to a file, atomically: what is loaded goes on with the same bits."""
        self._core.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, kernel: Kernel | None = None, landmarks: Any = None) -> Watcher:
        """Read what save wrote. kernel, landmarks: of an own kernel, see `Detector.load`."""
        core = _lib.load_watcher(os.fspath(path))
        return cls._of(core, None if kernel is None else attached(core.plan, kernel, landmarks))

    def to_bytes(self) -> bytes:
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Watcher:
        return cls._of(_lib.watcher_from_bytes(data))

    def copy(self) -> Watcher:
        return Watcher._of(self._core.copy(), self._own)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Watcher:
        return self.copy()

    def __reduce__(self) -> Any:
        return _watcher_from_bytes, (self.to_bytes(), self._own)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Watcher) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        what = self.plan._core.summary() if self.planned else "no plan yet"
        return f"<expose.Watcher: {self.rows} rows watched, {what}, alpha {self.alpha:g}>"

    def _repr_html_(self) -> str:
        from ._html import watcher_page

        return watcher_page(self)


def _watcher_from_bytes(data: bytes, own: OwnKernel | None) -> Watcher:
    return Watcher._of(_lib.watcher_from_bytes(data), own)
