"""EXPoSE as a River anomaly detector: for where HalfSpaceTrees or OneClassSVM stands today."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from river import base

    if not hasattr(base, "AnomalyDetector"):  # before River 0.23
        from river.anomaly import base
except ImportError as problem:
    raise ImportError("expose.river needs River: pip install 'expose[river]'; "
                      "expose.Watcher watches streams and needs NumPy alone") from problem

from . import _core
from ._columns import encoded_row, guess_table
from ._dicts import DictRows, bounded
from ._error import Error
from ._frame import _name
from ._options import core_options
from ._plan import Plan
from ._values import is_missing
from ._watcher import Watcher

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Expose"]

Row = Mapping[Hashable, Any]

OPTIONS = ("kernel", "bandwidth", "map", "r", "scale", "memory", "trim", "missing", "seed", "preset")
# Rows that features are gathered from, and that a watcher makes its plan from.
FIRST_ROWS = 256
_empty = np.empty


class Expose(base.AnomalyDetector):  # type: ignore[misc]
    """Expected similarity estimation on a stream.

    The score of a row is 1 - p_value, in [0, 1]: if every row is learned, a normal row scores above 0.99 with a chance of
    0.01. The p-value is a rank among the learned rows, so a `ThresholdFilter`, which keeps the highest scores from being
    learned, takes ranks away and flags more than that; a `QuantileFilter` follows. The score is 0 as long as there are
    too few rows to tell: until 256 rows have made the plan, or for the first 20 rows if a plan is given.

    The features are those of the first 256 rows, or of the plan. A feature that a row lacks (or that is None) is a
    missing value and is integrated out; one that nobody knows is ignored. Texts become categories. Neither the order of
    the features nor other rows of a mini-batch matter.

    Parameters
    ----------
    kernel
        `gaussian`, `laplacian`, `matern32` or `matern52`.
    bandwidth
        `auto` or a number, in scaled units.
    map
        `auto`, `nystrom`, `fourier`, `sorf` or `fastfood`.
    r
        Number of landmarks or frequencies.
    scale
        `robust`, `zscore` or `none`; there is no need for a scaler before it in a pipeline.
    memory
        `fading:G`, in which a row loses the share G of its weight with each row that follows; `window:L`, the last L
        rows; or `everything`, if normal never moves. Elsewhere in EXPoSE the default is `everything`; models of River
        are expected to follow the stream, so here it is a memory of about 200 rows.
    trim
        Share of the planning rows that is kept out, as are later rows like them.
    missing
        `integrate`, or `reject`: then rows with missing values are neither scored nor learned.
    seed
        Random number seed.
    preset
        `balanced` or `paper`.
    plan
        An `expose.Plan` made from a table with named columns, such as a DataFrame of yesterday's rows. It has decided
        about everything above.

    Examples
    --------
    >>> import random
    >>> from expose.river import Expose
    >>> rng = random.Random(0)
    >>> model = Expose()
    >>> for _ in range(1000):
    ...     model.learn_one({"heat": rng.gauss(60, 3), "load": rng.gauss(0.5, 0.1)})
    >>> model.score_one({"heat": 60, "load": 0.5}) < 0.9
    True
    >>> model.score_one({"heat": 60, "load": 1.7}) > 0.99
    True
    >>> model.score_one({"load": 1.7}) > 0.99              # a sensor is silent
    True
    """

    def __init__(
        self,
        kernel: str = "gaussian",
        bandwidth: float | str = "auto",
        map: str = "auto",
        r: int | None = None,
        scale: str | None = None,
        memory: str = "fading:0.01",
        trim: float | None = None,
        missing: str = "integrate",
        seed: int | None = 0,
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
        self.seed = seed
        self.preset = preset
        self.plan = plan
        self._first: list[dict[Hashable, Any]] = []  # until there is a watcher
        self._watcher: Watcher | None = None
        self._keys: tuple[Hashable, ...] = ()
        if plan is None:
            self._require_valid()
        else:
            self._watch_with(Watcher(plan))

    def _options(self) -> Any:
        return core_options({name: getattr(self, name) for name in OPTIONS})

    def _require_valid(self) -> None:
        _core.Watcher(self._options())  # rather now than 256 rows later

    # Rows that come one by one.

    def learn_one(self, x: Row) -> None:
        watch = self._watch
        if watch is None:
            self._wait(x)
        else:
            watch(self._row(x))

    def score_one(self, x: Row) -> float:
        judge = self._judge
        return 0.0 if judge is None else 1.0 - judge(self._row(x)).p_value

    def learn_many(self, X: Any) -> None:
        """The rows of a frame (pandas, polars, narwhals), as learn_one takes them one after the other."""
        if self._watcher is not None and self._pack is not None:
            block = self._block(X)
            if block is not None:
                self._watcher._core.watch(block)
                return
        for x in _rows_of(X):
            self.learn_one(x)

    @property
    def watcher(self) -> Watcher | None:
        """What watches; None until there is a plan."""
        return self._watcher

    # From features to numbers. Most rows have all features, and all of them are numbers: those take the first lines.

    def _row(self, x: Row) -> NDArray[np.float64]:
        numbers = _empty(self._width)
        try:
            self._pack(numbers, 0, *self._get(x))
        except (KeyError, TypeError, struct.error, OverflowError):
            return self._odd_row(x)
        return numbers

    def _odd_row(self, x: Row) -> NDArray[np.float64]:
        if self._pack is not None:
            try:
                numbers = _empty(self._width)
                self._pack(numbers, 0, *[x.get(key, np.nan) for key in self._keys])
                return numbers
            except (TypeError, struct.error, OverflowError):
                pass
        assert self._watcher is not None and self._watcher._table is not None
        return encoded_row({_name(key): bounded(value) for key, value in x.items()}, self._watcher._table)

    def _block(self, X: Any) -> NDArray[np.float64] | None:
        """None if not all features are numbers."""
        names = set(X.columns)
        block = np.full((len(X), len(self._keys)), np.nan)
        for at, key in enumerate(self._keys):
            if key in names:
                column = X[key].to_numpy()
                if column.dtype.kind not in "biuf":
                    return None
                block[:, at] = column
        return block

    def _wait(self, x: Row) -> None:
        self._first.append(dict(x))
        if len(self._first) < FIRST_ROWS:
            return
        rows, self._first = self._first, []
        frame = DictRows(rows)
        options = self._options()
        options.table = guess_table(frame, {})
        core = _core.Watcher(options)
        self._watch_with(Watcher._of(core), frame.keys)
        for row in rows:
            core.watch_row(self._row(row))

    def _watch_with(self, watcher: Watcher, keys: Mapping[str, Hashable] | None = None) -> None:
        table = watcher._table
        if table is None:
            raise Error("River names its features, and this plan knows no names; make it from a DataFrame")
        self._watcher = watcher
        used = [column for column in table.all if column.width]
        self._keys = tuple(column.name if keys is None else keys[column.name] for column in used)
        self._set_up(all(column.role == "number" for column in used))

    # What a row needs at hand; made anew after a copy.
    _watch: Callable[[Any], Any] | None = None
    _judge: Callable[[Any], Any] | None = None
    _pack: Any = None
    _get: Any = None
    _width = 0

    def _set_up(self, all_numbers: bool) -> None:
        assert self._watcher is not None
        self._watch = self._watcher._core.watch_row
        self._judge = self._watcher._core.peek_row
        self._width = len(self._keys)
        if not all_numbers:
            return
        self._pack = struct.Struct(f"{len(self._keys)}d").pack_into
        self._get = operator.itemgetter(*self._keys) if len(self._keys) > 1 else _the_only(self._keys[0])

    def __getstate__(self) -> dict[str, Any]:
        made = ("_watch", "_judge", "_get")
        state = {name: value for name, value in self.__dict__.items() if name not in made}
        state["_pack"] = self._pack is not None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        all_numbers = state.pop("_pack")
        self.__dict__.update(state)
        if self._watcher is not None:
            self._set_up(all_numbers)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"memory": "window:300", "r": 256}
        yield {"memory": "everything"}


class _the_only:
    """What operator.itemgetter does not do for a single key: a tuple."""

    def __init__(self, key: Hashable) -> None:
        self._key = key

    def __call__(self, x: Row) -> tuple[Any]:
        return (x[self._key],)


def _rows_of(X: Any) -> Iterator[dict[Hashable, Any]]:
    names = list(X.columns)
    columns = [[None if is_missing(value) else value for value in X[name].to_list()] for name in names]
    for values in zip(*columns):
        yield dict(zip(names, values))
