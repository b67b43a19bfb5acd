"""Watcher: the detector for streams."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _core as _lib
from ._columns import FirstRows, encoded_row, groups_of, guess_table, rows_for, takes_numbers
from ._core import Verdict
from ._detector import Learned, _block_by_block, _whole_or_blocks
from ._error import Error
from ._frame import Frame, is_row_by_name, is_series, opened
from ._input import Data, as_bytes, plain, require_numbers
from ._options import Options, Unpack, as_keywords, checked, core_options
from ._plan import Plan, roles_of
from ._progress import Progress
from ._verdicts import Verdicts, joined
from .kernels import Kernel, OwnKernel, attached

_ndarray = np.ndarray
# Rows that a plan is made from.
PLAN_ROWS = 256


class Watcher:
    """Judges each row of a stream by the rows before it, then learns it.

    With a plan (`expose.plan(rows, memory="fading:0.01")`, and alpha), or without one: then the options of `fit`, and the
    plan is made from the first 256 good rows, and what the columns of a table are for from its first 256. Similarities are relative, so a row keeps its value while the model grows or
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

    __slots__ = ("_core", "_watch_row", "_options", "_roles", "_table", "_own", "_by_place", "__weakref__")

    _core: _lib.Watcher
    _options: _lib.Options | None  # until the first table has come
    _roles: Any
    _table: _lib.Columns | None
    _own: OwnKernel | None
    _by_place: bool  # whether a row may come without names

    def __init__(self, plan: Plan | None = None, **options: Unpack[Options]) -> None:
        if plan is None:
            roles, others = roles_of(options)
            self._set_options(core_options(others), roles)
            return
        if not isinstance(plan, Plan):
            raise TypeError(f"a Watcher is made from a Plan or from options, not from {type(plan).__name__}")
        given = options.pop("alpha", None)
        alpha = 0.01 if given is None else checked("alpha", given)
        if options:
            raise TypeError(f"the plan has decided about {', '.join(options)} already; give options to expose.plan")
        self._set(_lib.Watcher(plan._core, alpha), plan._own)

    def _set(self, core: _lib.Watcher, own: OwnKernel | None = None) -> None:
        self._core = core
        self._watch_row = core.watch_row
        self._options = None
        self._roles = {}
        self._table = core.table
        self._own = own
        self._by_place = own is None and takes_numbers(core.table)

    def _set_options(self, options: _lib.Options, roles: Any, core: _lib.Watcher | None = None) -> None:
        self._set(_lib.Watcher(options) if core is None else core)
        self._options = options
        self._roles = roles
        self._by_place = not roles

    @classmethod
    def _of(cls, core: _lib.Watcher, own: OwnKernel | None = None) -> Watcher:
        self = object.__new__(cls)
        self._set(core, own)
        return self

    def _rows(self, X: Any) -> Data:
        if self._own is not None:
            return self._own.data(X)
        rows = opened(X)
        return rows_for(rows, self._table_for(rows, warn=False))

    def _table_for(self, rows: Frame | Data, warn: bool) -> _lib.Columns | None:
        """What the columns are for; before the first row as these rows would have it."""
        if self._options is None or self._core.rows + self._core.rejected + self._core.unknown > 0:
            return self._table
        if isinstance(rows, Frame):
            return guess_table(FirstRows(rows, PLAN_ROWS), self._roles, warn)
        if self._roles:
            raise Error(f"{next(iter(self._roles))} names a column, and these rows have no names; give a DataFrame or an "
                        "Arrow table")
        return None

    def _rows_to_watch(self, X: Any) -> Data:
        """As _rows, and the first table decides what the columns are for."""
        if self._own is not None:
            return self._own.data(X)
        rows = opened(X)
        table = self._table_for(rows, warn=True)
        if table is not None and self._table is None and self._options is not None:
            _require_enough(rows)
            alpha = self._core.alpha
            self._options.table = table
            self._set(_lib.Watcher(self._options))
            self._core.alpha = alpha
        return rows_for(rows, self._table)

    @overload
    def watch(self, rows: Mapping[str, Any] | Sequence[float]) -> Verdict: ...
    @overload
    def watch(self, rows: NDArray[Any], *, progress: Progress = False) -> Any: ...
    @overload
    def watch(self, rows: Any, *, progress: Progress = False) -> Verdicts: ...
    def watch(self, rows: Any, *, progress: Progress = False) -> Any:
        """Judge, then learn. One row (1 dimension, or by name: a dict or a pandas.Series) gives a Verdict, a block of rows
        Verdicts. With an own kernel always a block: `watch([thing])[0]`.

        The status is `learning` until there is a plan and enough rows are remembered. If a call is stopped, by an error or
        by Ctrl-C, the rows that were watched until then stay watched: `rows` says how many.
        """
        if (self._by_place and type(rows) is _ndarray and rows.ndim == 1 and rows.dtype.char in "df"
                and rows.dtype.isnative and rows.strides[0] == rows.itemsize):
            return self._watch_row(rows)
        return self._watch_any(rows, progress)

    def _watch_any(self, rows: Any, progress: Progress) -> Verdict | Verdicts:
        if self._own is None and isinstance(rows, Mapping):
            return self._core.watch_row(self._encoded(rows))
        if self._own is None and is_series(rows):
            if self._table is not None:
                return self._core.watch_row(self._encoded(rows))
            rows = rows.to_numpy()
        if self._own is None and isinstance(rows, (list, tuple, np.ndarray)) and not is_row_by_name(rows):
            a = plain(rows)
            if a.ndim == 1 and a.size:
                require_numbers(a)
                if not self._by_place:
                    self._rows(a[None, :])  # which says why
                return self._core.watch_row(np.ascontiguousarray(a, dtype=np.float64))
        data = self._rows_to_watch(rows)
        return joined(_block_by_block(data, progress, self._core.watch), ("alpha", 0.0))

    def _encoded(self, row: Any) -> NDArray[np.float64]:
        """A row by name; what is not there is missing."""
        if self._table is None:
            raise Error("this watcher knows no names; make its plan from a table with named columns, or let it watch one")
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
        features = self._core.plan.columns if groups is None else int(groups.max()) + 1
        parts = [self._core.explain(block, groups).reshape(len(block), features)
                 for block in _whole_or_blocks(self._rows(X))]
        return np.concatenate(parts) if parts else np.empty((0, features))

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
        self._core.alpha = checked("alpha", value)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its whole state to a file, atomically: what is loaded goes on with the same bits."""
        self._core.save(os.fsdecode(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, kernel: Kernel | None = None, landmarks: Any = None) -> Watcher:
        """Read what save wrote. kernel, landmarks: of an own kernel, see `Detector.load`."""
        core = _lib.load_watcher(os.fsdecode(path))
        return cls._of(core, None if kernel is None else attached(core.plan, kernel, landmarks))

    def to_bytes(self) -> bytes:
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Watcher:
        return cls._of(_lib.watcher_from_bytes(as_bytes(data)))

    def copy(self) -> Watcher:
        copy = Watcher._of(self._core.copy(), self._own)
        if self._options is not None:
            copy._set_options(core_options(as_keywords(self._options)), self._roles, copy._core)
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Watcher:
        return self.copy()

    def __reduce__(self) -> Any:
        options = None if self._options is None else as_keywords(self._options)
        return _watcher_from_bytes, (self.to_bytes(), self._own, options, self._roles)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Watcher) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        what = self.plan._core.summary() if self.planned else "no plan yet"
        return f"<expose.Watcher: {self.rows} rows watched, {what}, alpha {self.alpha:g}>"

    def _repr_html_(self) -> str:
        from ._html import watcher_page

        return watcher_page(self)


def _watcher_from_bytes(data: bytes, own: OwnKernel | None, options: Any, roles: Any) -> Watcher:
    watcher = Watcher._of(_lib.watcher_from_bytes(data), own)
    if options is not None:
        watcher._set_options(core_options(options), roles, watcher._core)
    return watcher


def _require_enough(frame: Frame | Data) -> None:
    """A few rows do not tell which texts are categories, and what is decided stays."""
    if not isinstance(frame, Frame) or not any(kind in ("text", "category") for kind in frame.kinds):
        return
    rows = sum(chunk.rows for chunk in FirstRows(frame, PLAN_ROWS).chunks())
    if rows < PLAN_ROWS:
        raise Error(f"a watcher without a plan decides on its first {PLAN_ROWS} rows which texts are categories, and this "
                    f"table has {rows}; let it watch a longer one first, or give it a plan from a longer one")
