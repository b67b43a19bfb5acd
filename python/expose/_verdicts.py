"""What a detector says about many rows: arrays, one number a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from . import _core
from ._core import Verdict

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from ._detector import Detector

STATUS = np.array(["ok", "learning", "unknown", "rejected"])
OK = 0


class Verdicts:
    """One verdict a row, as NumPy arrays.

    ``similarity``: high = normal. ``p_value``: share of normal rows at least this unlike; low = anomalous.
    ``anomalous``: whether the row is flagged. ``status``: ``ok``, ``learning`` (too few rows so far), ``unknown`` (every
    value is missing) or ``rejected`` (a bad row); all but ok have p_value 1 and are not flagged.

    Has a length, can be indexed (a row, a slice, a mask) and gone through; ``to_pandas()``; Arrow through the PyCapsule
    interface, so ``pyarrow.table(v)`` and ``polars.DataFrame(v)`` work.

    >>> import numpy as np, expose
    >>> rows = np.random.default_rng(0).normal(size=(500, 2))
    >>> v = expose.fit(rows).judge([[0, 0], [9, 9], [np.nan, np.nan]])
    >>> v.anomalous
    array([False,  True, False])
    >>> v.status == "ok"
    array([ True,  True, False])
    >>> len(v), v[1].anomalous, v[2].status
    (3, True, 'unknown')
    """

    __slots__ = ("similarity", "p_value", "anomalous", "status_code", "_status", "detector", "much_looks_anomalous")

    similarity: NDArray[np.float64]
    p_value: NDArray[np.float64]
    anomalous: NDArray[np.bool_]
    status_code: NDArray[np.uint8]
    #: what `detect` has fitted; None elsewhere
    detector: Detector | None
    #: `detect`: p <= .001 for over 5 % of the rows, so a whole group of normal rows may have been taken for anomalies
    much_looks_anomalous: bool

    def __init__(
        self, similarity: Any, p_value: Any, anomalous: Any, status_code: Any, detector: Detector | None = None,
        much_looks_anomalous: bool = False,
    ) -> None:
        self.similarity = similarity
        self.p_value = p_value
        self.anomalous = anomalous.view(np.bool_)
        self.status_code = status_code
        self._status: NDArray[np.str_] | None = None
        self.detector = detector
        self.much_looks_anomalous = much_looks_anomalous

    @property
    def status(self) -> NDArray[np.str_]:
        """Words; ``status_code`` has the same as numbers 0 to 3, in less memory."""
        if self._status is None:
            self._status = STATUS[self.status_code]
        return self._status

    def __len__(self) -> int:
        return len(self.similarity)

    @overload
    def __getitem__(self, at: int) -> Verdict: ...
    @overload
    def __getitem__(self, at: slice | NDArray[Any] | list[int] | list[bool]) -> Verdicts: ...
    def __getitem__(self, at: Any) -> Verdict | Verdicts:
        parts = [part[at] for part in (self.similarity, self.p_value, self.anomalous, self.status_code)]
        if np.ndim(parts[0]) == 0:
            return Verdict(float(parts[0]), float(parts[1]), bool(parts[2]), int(parts[3]))
        return Verdicts(*parts)

    def __iter__(self) -> Iterator[Verdict]:
        columns = (self.similarity, self.p_value, self.anomalous, self.status_code)
        for one in zip(*(column.tolist() for column in columns)):
            yield Verdict(*one)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Verdicts):
            return NotImplemented
        names = ("similarity", "p_value", "anomalous", "status_code")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return type(self), (self.similarity, self.p_value, self.anomalous, self.status_code, self.detector,
                          self.much_looks_anomalous)

    def __repr__(self) -> str:
        flagged = int(self.anomalous.sum())
        others = [f"{int(n)} {name}" for name, n in zip(STATUS[1:], np.bincount(self.status_code, minlength=4)[1:]) if n]
        return f"<expose.Verdicts: {len(self)} rows, {', '.join([f'{flagged} anomalous', *others])}>"

    def _repr_html_(self) -> str:
        from ._html import verdicts_page

        return verdicts_page(self)

    def _cut(self) -> float | None:
        """Where the similarities of flagged rows end and those of the others begin; None if no row is flagged."""
        good = self.status_code == OK
        flagged = self.similarity[good & self.anomalous]
        if len(flagged) == 0:
            return None
        highest = float(flagged.max())
        others = self.similarity[good & ~self.anomalous]
        above = others[others > highest]
        return (highest + float(above.min())) / 2 if len(above) else highest

    def most_anomalous(self, k: int = 10) -> NDArray[np.intp]:
        """The k rows with the smallest p-values, then similarities; counted from 0.

        >>> import numpy as np, expose
        >>> rows = np.random.default_rng(0).normal(size=(500, 2))
        >>> rows[[7, 70]] = [[9, 9], [12, -12]]
        >>> sorted(expose.detect(rows).most_anomalous(2).tolist())
        [7, 70]
        """
        order = np.lexsort((self.similarity, self.p_value, self.status_code != OK))
        return order[:k]

    def to_pandas(self, index: Any = None) -> pandas.DataFrame:
        """A DataFrame with the columns similarity, p_value, anomalous and status."""
        import pandas

        status = pandas.Categorical.from_codes(self.status_code, categories=STATUS.tolist())
        columns = {"similarity": self.similarity, "p_value": self.p_value, "anomalous": self.anomalous, "status": status}
        return pandas.DataFrame(columns, index=index)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return _core.verdicts_to_arrow(self.similarity, self.p_value, self.anomalous.view(np.uint8), self.status_code)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _core.verdicts_to_arrow_stream(
            self.similarity, self.p_value, self.anomalous.view(np.uint8), self.status_code)


class Detected(Verdicts):
    """What `detect` gives: verdicts, and the detector."""

    __slots__ = ()

    detector: Detector


class GroupVerdicts:
    """One verdict a group of rows, as NumPy arrays: ``group`` (the labels, ascending), ``similarity`` (the mean of its
    rows'), ``p_value`` (share of groups of as many normal rows at least this unlike), ``rows`` (good ones), ``status``."""

    __slots__ = ("group", "similarity", "p_value", "rows", "status_code")

    def __init__(self, group: Any, similarity: Any, p_value: Any, rows: Any, status_code: Any) -> None:
        self.group = group
        self.similarity: NDArray[np.float64] = similarity
        self.p_value: NDArray[np.float64] = p_value
        self.rows: NDArray[np.int64] = rows
        self.status_code: NDArray[np.uint8] = status_code

    @property
    def status(self) -> NDArray[np.str_]:
        return STATUS[self.status_code]

    def __len__(self) -> int:
        return len(self.similarity)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame, one row a group."""
        import pandas

        columns = {name: getattr(self, name) for name in ("similarity", "p_value", "rows", "status")}
        return pandas.DataFrame(columns, index=pandas.Index(self.group, name="group"))

    def __repr__(self) -> str:
        return f"<expose.GroupVerdicts: {len(self)} groups>"


def joined(parts: list[tuple[Any, ...]], threshold: tuple[str, float]) -> Verdicts:
    """The verdicts of consecutive blocks as those of one batch: what looks at the batch is decided anew."""
    if len(parts) == 1:
        return Verdicts(*parts[0])
    if not parts:
        empty = np.empty(0)
        return Verdicts(empty, empty.copy(), np.empty(0, np.uint8), np.empty(0, np.uint8))
    similarity, p_value, anomalous, status = (np.concatenate(column) for column in zip(*parts))
    if threshold[0] != "alpha":
        anomalous = _core.flag(p_value, similarity, (status == OK).view(np.uint8), *threshold)
    return Verdicts(similarity, p_value, anomalous, status)
