"""Detector: a plan and the mean of the rows it has learned. fit, detect, merge, drift, load."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core as _lib
from ._error import Error
from ._input import Data, as_bytes, weights_of
from ._maps import MeanMap
from ._options import Options, Unpack, checked
from ._plan import Plan, plan_with_own_kernel, prepared
from ._progress import Progress, shown
from ._verdicts import OK, Detected, GroupVerdicts, Verdicts, joined
from .kernels import Kernel, OwnKernel, attached

if TYPE_CHECKING:
    from ._watcher import Watcher

# Rows between two steps of a progress bar.
STRIDE = 1 << 17


class Learned(NamedTuple):
    """What became of rows: how many were `learned` (or forgotten), how many the gate has `turned_away`, which were
    `rejected` or `unknown`, and, after forget, which live on as `landmarks` of the plan; rows counted from 0."""

    learned: int
    turned_away: int
    rejected: NDArray[np.uint64]
    unknown: NDArray[np.uint64]
    landmarks: NDArray[np.uint64]

    def __repr__(self) -> str:
        parts = [f"learned={self.learned}", f"turned_away={self.turned_away}"]
        parts += [f"{name}={len(getattr(self, name))} rows" for name in ("rejected", "unknown", "landmarks")
                  if len(getattr(self, name))]
        return f"Learned({', '.join(parts)})"


class ErrorBars(NamedTuple):
    """How far each similarity may be off, one standard error: `total`, from the map (`monte_carlo`) and the rows
    (`sampling`)."""

    monte_carlo: NDArray[np.float64]
    sampling: NDArray[np.float64]
    total: NDArray[np.float64]


class Trust(NamedTuple):
    """Whether the map is fine enough for the order of normal rows to mean something: `enough`; else with `r_needed`."""

    enough: bool
    noise: float
    spread: float
    r_needed: int


class Drift(NamedTuple):
    """How two models differ: `mmd`, its `p_value` (low = drift), and the share of each column in what moved."""

    mmd: float
    p_value: float
    features: NDArray[np.float64]


def _together(parts: Iterable[tuple[int, Any]]) -> Learned:
    """What became of consecutive blocks, as one; each comes with the number of rows before it."""
    learned = turned_away = 0
    lists: tuple[list[Any], ...] = ([], [], [])
    for before, part in parts:
        learned += part[0]
        turned_away += part[1]
        for whole, some in zip(lists, part[2:]):
            whole.append(some + np.uint64(before))
    return Learned(learned, turned_away,
                   *(np.concatenate(some) if some else np.empty(0, np.uint64) for some in lists))


class Detector:
    """Learns rows, judges others, forgets and merges exactly. Made by `fit`, or empty from a plan.

    learn(a + b), merge(learn(a), learn(b)) and forget(learn(a + b + c), c) are equal, to the bit. Several threads may
    judge with one detector at once. Pickle and copy work.

    >>> import numpy as np, expose
    >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
    >>> d = expose.Detector(expose.plan(rows), threads=2)
    >>> d.learn(rows)
    Learned(learned=800, turned_away=200)
    >>> d.judge([[0, 0, 0], [8, 8, 8]]).anomalous
    array([False,  True])
    """

    __slots__ = ("_core", "_threads", "_plan", "__weakref__")

    _core: _lib.Detector
    _threads: int
    _plan: Plan

    def __init__(self, plan: Plan, *, threads: int = 0) -> None:
        if not isinstance(plan, Plan):
            raise TypeError(f"a Detector is made from a Plan, not from {type(plan).__name__}; "
                            "expose.fit(rows) makes a plan and learns")
        self._core = _lib.Detector(plan._core, checked("threads", threads))
        self._threads = threads
        self._plan = plan

    @classmethod
    def _of(cls, core: _lib.Detector, threads: int, plan: Plan | None = None) -> Detector:
        self = object.__new__(cls)
        self._core = core
        self._threads = threads
        self._plan = Plan._of(core.plan) if plan is None else plan
        return self

    def _like(self, core: _lib.Detector) -> Detector:
        return Detector._of(core, self._threads, self._plan)

    def _rows(self, X: Any) -> Data:
        return self._plan._rows(X)

    # What it holds.

    @property
    def plan(self) -> Plan:
        return self._plan

    @property
    def fingerprint(self) -> str:
        """That of the plan: models with the same one merge."""
        return self._plan.fingerprint

    @property
    def mean(self) -> MeanMap:
        """The mean map of the rows that passed the gate, as it is now: a copy."""
        return MeanMap._of(self._core.mean)

    @property
    def weight(self) -> float:
        """Rows seen, by weight: those in the mean and those that the gate kept out."""
        return self._core.weight

    @property
    def turned_away(self) -> float:
        """Rows that the gate kept out, by weight."""
        return self._core.turned_away

    # How rows are flagged.

    @property
    def threshold(self) -> tuple[str, float]:
        """How rows are flagged, such as ("alpha", 0.01). Set one of alpha, fdr, contamination, top to change it."""
        return self._core.threshold

    def _threshold(self, name: str) -> float | None:
        found, value = self._core.threshold
        return value if found == name else None

    @property
    def alpha(self) -> float | None:
        """Flag a row when p_value <= alpha: of normal rows, a share of alpha is flagged. No refit is needed.

        >>> import numpy as np, expose
        >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
        >>> d = expose.fit(rows)
        >>> d.alpha = 0.1; bool(d.judge(rows).anomalous.mean() > 0.05)
        True
        >>> d.top = 3; int(d.judge(rows).anomalous.sum())
        3
        >>> d.alpha is None, d.threshold
        (True, ('top', 3.0))
        """
        return self._threshold("alpha")

    @alpha.setter
    def alpha(self, value: float) -> None:
        self._core.set_threshold("alpha", checked("alpha", value))

    @property
    def fdr(self) -> float | None:
        """Of the flagged rows, a share of at most fdr is normal (Benjamini-Hochberg over the batch)."""
        return self._threshold("fdr")

    @fdr.setter
    def fdr(self, value: float) -> None:
        self._core.set_threshold("fdr", checked("fdr", value))

    @property
    def contamination(self) -> float | None:
        """Flag this share of a batch."""
        return self._threshold("contamination")

    @contamination.setter
    def contamination(self, value: float) -> None:
        self._core.set_threshold("contamination", checked("contamination", value))

    @property
    def top(self) -> int | None:
        """Flag so many rows of a batch."""
        value = self._threshold("top")
        return None if value is None else int(value)

    @top.setter
    def top(self, value: int) -> None:
        self._core.set_threshold("top", checked("top", value))

    # Changing it.

    def learn(self, X: Any, weights: Any = None, *, progress: Progress = False) -> Learned:
        """Add rows. weights: one a row, whole or rounded to 1/1024. On an error nothing is learned.

        >>> import numpy as np, expose
        >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
        >>> d = expose.fit(rows[:500])
        >>> before = d.copy()
        >>> _ = d.learn(rows[500:]); _ = d.forget(rows[500:])
        >>> d == before
        True
        """
        return self._change("learn", X, weights, progress)

    def forget(self, X: Any, weights: Any = None, *, progress: Progress = False) -> Learned:
        """Take rows out again, exactly; out of the model, not out of the plan: `landmarks` of the answer are rows that
        live on there. On an error nothing is forgotten."""
        return self._change("forget", X, weights, progress)

    def _change(self, verb: str, X: Any, weights: Any, progress: Progress) -> Learned:
        data = self._rows(X)
        weight = weights_of(weights, data.n)
        whole = data.whole()
        if whole is not None and not progress:
            return Learned(*getattr(self._core, verb)(whole, weight))
        # Into a model beside it, so that an error half-way leaves everything as it was, and what other threads learn
        # meanwhile stays.
        beside = _lib.Detector(self._plan._core, self._threads)
        with shown(progress, data.n) as told:
            def parts() -> Iterator[tuple[int, Any]]:
                before = 0
                for block in _strides(data):
                    some = None if weight is None else weight[before : before + len(block)]
                    became = beside.learn(block, some)
                    # Only forgetting tells which rows are landmarks.
                    yield before, became if verb == "learn" else beside.copy().forget(block, some)
                    before += len(block)
                    _tell(told, before)
                if weight is not None and len(weight) != before:
                    raise Error(f"{len(weight)} weights come with {before} rows", "shape_mismatch")
            became = _together(parts())
        if verb == "learn":
            self._core.merge(beside)
        else:
            self._core.unmerge(beside)
        return became

    def vouch(self, X: Any, weights: Any = None) -> NDArray[np.float64]:
        """False alarms: rows that a person calls normal enter the model past the gate. Gives the weight of each: the
        smallest with which it is no longer flagged, if none are given.

        >>> import numpy as np, expose
        >>> d = expose.fit(np.random.default_rng(0).normal(size=(1000, 3)))
        >>> odd = np.array([[3.0, 3.0, 3.0]])
        >>> d.judge(odd).anomalous
        array([ True])
        >>> weights = d.vouch(odd)
        >>> d.judge(odd).anomalous
        array([False])
        >>> d.withdraw(odd, weights)
        """
        return self._core.vouch(self._rows(X).gathered(), weights_of(weights))

    def withdraw(self, X: Any, weights: Any) -> None:
        """Take vouched rows out again, to the bit."""
        given = weights_of(weights)
        if given is None:
            raise Error("to take vouched rows out again give the weights that vouch gave")
        self._core.withdraw(self._rows(X).gathered(), given)

    def merge(self, other: Detector) -> Detector:
        """Add a model of the same plan, exactly. Gives this one back."""
        _require_same_plan(self, other)
        self._core.merge(other._core)
        return self

    def __add__(self, other: Detector) -> Detector:
        if not isinstance(other, Detector):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: object) -> Detector:
        """For sum(models), which begins with 0."""
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Detector) -> Detector:
        """Without a model whose rows this one has learned too: everybody but this host."""
        if not isinstance(other, Detector):
            return NotImplemented
        _require_same_plan(self, other)
        left = self.copy()
        left._core.unmerge(other._core)
        return left

    # Asking it.

    def judge(self, X: Any, *, errors: Any = None, progress: Progress = False) -> Verdicts:
        """Judge new rows; never learns. A row's similarity and p-value do not depend on the rows beside it.

        errors: standard deviations of the values, as many as there are values, where they are known only so well.
        """
        data = self._rows(X)
        if errors is not None:
            return Verdicts(*self._core.judge(data.gathered(), self._rows(errors).gathered()))
        whole = data.whole()
        if whole is not None and not progress:
            return Verdicts(*self._core.judge(whole, None))
        parts = _block_by_block(data, progress, lambda block: self._core.judge(block, None))
        if not parts and not data.again:
            raise Error("there are no rows: what was given can be gone through once, and is used up or empty")
        return joined(parts, self.threshold)

    def judge_fitted(self, X: Any, weights: Any = None) -> Verdicts:
        """Judge the rows that it was fitted on, each left out of its own judgement; `detect` does both in one go."""
        return Verdicts(*self._core.judge_fitted(self._rows(X).gathered(), weights_of(weights)))

    def explain(self, X: Any, *, progress: Progress = False) -> NDArray[np.float64]:
        """Why: an array (n, d) with the share of a row's unlikeness that each feature carries; >= 0, rows sum to 1 (or
        are all 0). Features are the columns of an array, or the columns named by `plan.feature_names`.

        >>> import numpy as np, expose
        >>> d = expose.fit(np.random.default_rng(0).normal(size=(1000, 3)))
        >>> int(d.explain([[0.0, 6.0, 0.0]]).argmax())
        1
        """
        if self._plan._own is not None:
            raise Error("an own kernel knows no columns that could be reasons")
        groups = self._plan._groups()
        features = self._plan.columns if groups is None else int(groups.max()) + 1
        parts = _block_by_block(self._rows(X), progress,
                                lambda block: self._core.explain(block, groups).reshape(len(block), features))
        return np.concatenate(parts) if parts else np.empty((0, features))

    def judge_groups(self, X: Any, groups: Any) -> GroupVerdicts:
        """Judge sets of rows as one each: hosts, customers, days. groups: a label for each row.

        >>> import numpy as np, expose
        >>> rows = np.random.default_rng(0).normal(size=(2000, 3))
        >>> d = expose.fit(rows[:1000])
        >>> g = d.judge_groups(rows[1000:] + 0.3 * (np.arange(1000) < 500)[:, None], ["b"] * 500 + ["a"] * 500)
        >>> g.group.tolist(), (g.p_value < 0.001).tolist()
        (['a', 'b'], [False, True])
        """
        rows = self._rows(X).gathered()
        try:
            labels, numbers = np.unique(np.asarray(groups), return_inverse=True)
        except TypeError:  # None among texts
            raise Error("groups must be labels that can be sorted, one a row: all numbers or all texts, none missing") from None
        found = self._core.judge_groups(rows, np.ascontiguousarray(numbers.reshape(-1), dtype=np.uint32))
        return GroupVerdicts(labels, *found)

    def error_bars(self, X: Any, *, progress: Progress = False) -> ErrorBars:
        """How far each row's similarity may be off."""
        parts = _block_by_block(self._rows(X), progress, self._core.error_bars)
        if not parts:
            return ErrorBars(*(np.empty(0) for _ in ErrorBars._fields))
        return ErrorBars(*(np.concatenate(column) for column in zip(*parts)))

    def trust(self) -> Trust:
        """Whether the map is fine enough for the order of normal rows to mean something."""
        found = self._core.trust()
        return Trust(found.enough, found.noise, found.spread, found.r_needed)

    # Keeping it.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, atomically: whoever reads it sees the old or the new one whole."""
        self._core.save(os.fsdecode(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, threads: int = 0, kernel: Kernel | None = None,
             landmarks: Any = None) -> Detector:
        """Read a model file. One with an own kernel holds neither code nor things: give kernel and landmarks again
        (`plan.landmarks`); without them it takes rows of kernel values."""
        return cls._loaded(_lib.load(os.fsdecode(path), checked("threads", threads)), threads, kernel, landmarks)

    @classmethod
    def _loaded(cls, core: _lib.Detector, threads: int, kernel: Kernel | None, landmarks: Any) -> Detector:
        own = None if kernel is None else attached(core.plan, kernel, landmarks)
        return cls._of(core, threads, Plan._of(core.plan, own))

    def to_bytes(self) -> bytes:
        """The model file as bytes: equal for equal models, on every machine."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, *, threads: int = 0) -> Detector:
        return cls._of(_lib.detector_from_bytes(as_bytes(data), checked("threads", threads)), threads)

    def copy(self) -> Detector:
        return self._like(self._core.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Detector:
        return self.copy()

    def __reduce__(self) -> Any:
        return _detector_from_bytes, (self.to_bytes(), self._threads, self._plan._own)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Detector) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        name, value = self.threshold
        return (f"<expose.Detector {self.fingerprint}: {self.weight:g} rows, {self._plan._core.summary()}, "
                f"{name} {value:g}>")

    def _repr_html_(self) -> str:
        from ._html import detector_page

        return detector_page(self)


def _detector_from_bytes(data: bytes, threads: int, own: OwnKernel | None) -> Detector:
    core = _lib.detector_from_bytes(data, threads)
    return Detector._of(core, threads, Plan._of(core.plan, own))


def _strides(data: Data) -> Iterator[Any]:
    whole = data.whole()
    if whole is None:
        yield from data.blocks()
        return
    for begin in range(0, max(1, len(whole)), STRIDE):
        yield whole[begin : begin + STRIDE]


def _whole_or_blocks(data: Data) -> Iterable[Any]:
    whole = data.whole()
    return data.blocks() if whole is None else [whole]


def _block_by_block(data: Data, progress: Progress, ask: Callable[[Any], Any]) -> list[Any]:
    """What is said to each block of rows: without a progress to tell as few as there are."""
    parts, done = [], 0
    with shown(progress, data.n) as told:
        for block in _whole_or_blocks(data) if told is None else _strides(data):
            parts.append(ask(block))
            done += len(block)
            _tell(told, done)
    return parts


def _require_same_plan(one: Detector, other: Detector) -> None:
    if not isinstance(other, Detector):
        raise TypeError(f"models are merged and compared with another Detector, not with {type(other).__name__}")
    if one._plan != other._plan:
        raise Error(f"models are merged and compared only if they have the same plan (make the second with "
                    f"expose.Detector(first.plan)); these plans are {one.fingerprint} and {other.fingerprint}", "incompatible")


def _tell(told: Any, done: int) -> None:
    if told is not None and told(done) is False:
        raise Error(f"stopped on request after {done} rows", "cancelled")


class _Source:
    """Blocks for a fit that reads them as often as it needs to, or once."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._blocks: Iterator[Any] | None = None
        self._rows = 0  # of this pass so far
        self._all: int | None = None  # of the first pass that came to the end

    def rewind(self) -> bool:
        if not self._data.again:
            return False
        self._blocks = None
        return True

    def next(self) -> Any:
        if self._blocks is None:
            self._blocks = self._data.blocks()
            self._rows = 0
        for block in self._blocks:
            if len(block):
                self._rows += len(block)
                return block
        if self._all is None:
            self._all = self._rows
        if self._rows != self._all:
            raise Error(f"the rows were gone through once and there were {self._all}, and {self._rows} when they were gone "
                        "through again; a function must give all blocks each time it is called")
        return None


def fit(X: Any, *, weights: Any = None, progress: Progress = False, **options: Unpack[Options]) -> Detector:
    """Plan, learn, calibrate.

    X: an array (float32 and float64 in C order are read where they lie), anything NumPy can make one of, a DataFrame of
    pandas or polars, an Arrow table or stream, a sparse matrix, or blocks of these: an iterator, read once, or a function
    that gives one, read as often as needed. NaN is a missing value.

    weights: one a row. progress: True for a bar on standard error, or a function of the rows done (False stops). The
    options are kernel, bandwidth, map, r, scale, memory, trim, missing, alpha, fdr, contamination, top, seed, threads
    and preset, as on the command line; for rows with named columns also label, id, ignore, time, columns and category,
    which say what columns are for.

    >>> import numpy as np, expose
    >>> random = np.random.default_rng(0)
    >>> d = expose.fit(random.normal(size=(1000, 3)), alpha=0.001)
    >>> v = d.judge(random.normal(size=(5, 3)) + [[0], [0], [0], [0], [9]])
    >>> v.anomalous
    array([False, False, False, False,  True])
    """
    if callable(options.get("kernel")):
        return _fit_own(X, weights, progress, options)
    data, chosen = prepared(X, options)
    weight = weights_of(weights, data.n)
    whole = data.whole() if weight is None else data.gathered()
    with shown(progress, data.n, passes=2) as told:
        if whole is not None:
            core = _lib.fit(whole, chosen, weight, told)
        else:
            source = _Source(data)
            core = _lib.fit_source(source.next, source.rewind, chosen, told)
    return Detector._of(core, chosen.threads)


def _fit_own(X: Any, weights: Any, progress: Progress, options: Any) -> Detector:
    plan, chosen = plan_with_own_kernel(X, options)
    detector = Detector(plan, threads=chosen.threads)
    name = next((name for name in ("fdr", "contamination", "top") if getattr(chosen, name) is not None), "alpha")
    detector._core.set_threshold(name, getattr(chosen, name))
    detector.learn(X, weights, progress=progress)
    return detector


def detect(X: Any, *, weights: Any = None, progress: Progress = False, **options: Unpack[Options]) -> Detected:
    """Fit and judge the same rows, each left out of its own judgement: the everyday one. Takes what `fit` takes;
    an iterator, which can be read only once, is gathered in memory. The answer has `detector` and `much_looks_anomalous` besides.

    >>> import numpy as np, expose
    >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
    >>> rows[17] = 9
    >>> v = expose.detect(rows)
    >>> int(v.p_value.argmin()), bool(v.anomalous[17]), v.much_looks_anomalous
    (17, True, False)
    >>> v.detector.weight
    1000.0
    """
    if callable(options.get("kernel")):
        detector = _fit_own(X, weights, progress, options)
        own = detector.judge_fitted(X, weights)
        much = _lib.much_looks_anomalous(own.p_value[own.status_code == OK])
        return Detected(own.similarity, own.p_value, own.anomalous, own.status_code, detector, much)
    data, chosen = prepared(X, options)
    weight = weights_of(weights, data.n)
    whole = data.whole() if weight is None and data.again else data.gathered()
    with shown(progress, data.n, passes=2) as told:
        if whole is not None:
            core, verdicts, much = _lib.detect(whole, chosen, weight, told)
        else:
            source = _Source(data)
            core, verdicts, much = _lib.detect_source(source.next, source.rewind, chosen, told)
    found = Detected(*verdicts)
    found.detector = Detector._of(core, chosen.threads)
    found.much_looks_anomalous = much
    return found


def merge(models: Iterable[Detector]) -> Detector:
    """The sum of models of one plan, exactly: any partition, any order gives the same bits.

    >>> import numpy as np, expose
    >>> rows = np.random.default_rng(0).normal(size=(900, 3))
    >>> p = expose.plan(rows)
    >>> parts = [expose.Detector(p) for _ in range(3)]
    >>> for part, some in zip(parts, np.split(rows, 3)):
    ...     _ = part.learn(some)
    >>> expose.merge(parts) == expose.merge(parts[::-1]) == parts[0] + parts[1] + parts[2]
    True
    """
    whole: Detector | None = None
    for model in models:
        if not isinstance(model, Detector):
            raise TypeError(f"merge takes Detectors, one of the models is {type(model).__name__}")
        whole = model.copy() if whole is None else whole.merge(model)
    if whole is None:
        raise Error("merge needs at least 1 model, there is none")
    return whole


def drift(a: Detector, b: Detector) -> Drift:
    """Whether the rows of two models of one plan are of one kind, and which columns moved.

    >>> import numpy as np, expose
    >>> random = np.random.default_rng(0)
    >>> last_week = expose.fit(random.normal(size=(1000, 3)))
    >>> today = expose.Detector(last_week.plan)
    >>> _ = today.learn(random.normal(size=(1000, 3)) + [0, 0, 1])
    >>> moved = expose.drift(last_week, today)
    >>> moved.p_value < 0.001, int(moved.features.argmax())
    (True, 2)
    """
    _require_same_plan(a, b)
    found = a._core.drift(b._core)
    groups = a.plan._groups()
    features = found.features
    if groups is not None:
        features = np.bincount(groups, weights=features).astype(np.float64)
    return Drift(found.mmd, found.p_value, features)


def load(path: str | os.PathLike[str], *, threads: int = 0, kernel: Kernel | None = None,
         landmarks: Any = None) -> Union[Detector, Watcher]:
    """Read what `save` of a Detector or a Watcher wrote. kernel, landmarks: of an own kernel, see `Detector.load`.

    >>> import numpy as np, expose, os, tempfile
    >>> d = expose.fit(np.random.default_rng(0).normal(size=(100, 3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     d.save(os.path.join(folder, "m.expose"))
    ...     expose.load(os.path.join(folder, "m.expose")) == d
    True
    """
    from ._watcher import Watcher

    try:
        core = _lib.load(os.fsdecode(path), checked("threads", threads))
    except Error as problem:
        if problem.code != "incompatible":
            raise
        return Watcher.load(path, kernel=kernel, landmarks=landmarks)
    return Detector._loaded(core, threads, kernel, landmarks)
