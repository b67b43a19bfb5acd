"""Tables with named columns: DataFrames of pandas and polars, Arrow tables and streams.

A Frame gives its rows in chunks, a column at a time: numbers, texts by code, or times.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

from . import _core
from ._error import Error
from ._input import Data
from ._values import text_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Texts(NamedTuple):
    codes: NDArray[np.int32]  # -1: missing
    texts: list[str]


class Times(NamedTuple):
    times: NDArray[np.datetime64]  # on the wall where they were written


Cells = Union["NDArray[np.float64]", Texts, Times]


class Chunk:
    """Some rows of a frame."""

    def __init__(self, names: list[str], rows: int, cells: Callable[[int, int, int], Cells]) -> None:
        self.names = names
        self.rows = rows
        self._cells = cells  # (column, begin, end)

    def cells(self, name: str, begin: int, end: int) -> Cells:
        return self._cells(self.names.index(name), begin, end)


class Frame:
    """names, kinds ("number", "text", "category", "time" or "" for others), n (or None), again: read more than once?"""

    names: list[str]
    kinds: list[str]
    n: int | None = None
    again = True

    def chunks(self) -> Iterator[Chunk]:
        raise NotImplementedError


# pandas


class PandasFrame(Frame):
    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = [_name(name) for name in frame.columns]
        self.kinds = [_pandas_kind(dtype) for dtype in frame.dtypes]
        self.n = len(frame)
        for c, kind in enumerate(self.kinds):
            if kind == "object":
                self.kinds[c] = _object_kind(frame.iloc[:, c])

    def chunks(self) -> Iterator[Chunk]:
        yield Chunk(self.names, len(self._frame), self._cells)

    def _cells(self, c: int, begin: int, end: int) -> Cells:
        column = self._frame.iloc[begin:end, c]
        kind = self.kinds[c]
        if kind == "number":
            return _pandas_numbers(column)
        if kind == "time":
            if "date" in str(column.dtype) and "pyarrow" in str(column.dtype):
                column = column.astype("datetime64[s]")
            naive = column.dt.tz_localize(None) if getattr(column.dt, "tz", None) is not None else column
            return Times(naive.to_numpy(dtype="datetime64[ns]"))
        if kind == "category":
            texts = [text_of(value) for value in column.cat.categories]
            return Texts(np.ascontiguousarray(column.cat.codes, dtype=np.int32), texts)
        codes, values = column.factorize()
        return Texts(np.ascontiguousarray(codes, dtype=np.int32), [text_of(value) for value in values])

    def array(self) -> Any:
        """All of it as one array where pandas holds it as one, else None."""
        dtypes = set(self._frame.dtypes)
        if len(dtypes) != 1 or next(iter(dtypes)) not in (np.dtype("f4"), np.dtype("f8")):
            return None
        return self._frame.to_numpy()


def _name(name: Any) -> str:
    return name if isinstance(name, str) else ".".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _pandas_kind(dtype: Any) -> str:
    import pandas

    types = pandas.api.types
    if str(dtype) in ("date32[day][pyarrow]", "date64[ms][pyarrow]"):
        return "time"
    if isinstance(dtype, pandas.CategoricalDtype):
        return "category"
    if types.is_bool_dtype(dtype) or (types.is_numeric_dtype(dtype) and not types.is_complex_dtype(dtype)):
        return "number"
    if types.is_timedelta64_dtype(dtype):
        return "number"
    if types.is_datetime64_any_dtype(dtype):
        return "time"
    if types.is_object_dtype(dtype):
        return "object"
    return "text" if types.is_string_dtype(dtype) else ""


def _object_kind(column: Any) -> str:
    """A column of Python objects: numbers if all are, else texts."""
    try:
        values = column.dropna().unique().tolist()
    except TypeError:  # lists, dicts
        return ""
    if values and all(isinstance(value, (int, float, np.number)) for value in values):
        return "number"
    return "text"


def _pandas_numbers(column: Any) -> NDArray[np.float64]:
    if column.dtype.kind == "m":
        return np.asarray(column.dt.total_seconds(), dtype=np.float64)
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


# Arrow


class ArrowFrame(Frame):
    def __init__(self, open_stream: Callable[[], Any], again: bool, n: int | None = None) -> None:
        self._open = open_stream
        self._opened: Any = open_stream()
        pairs = self._opened.columns
        self.names = [name for name, _ in pairs]
        self.kinds = [kind for _, kind in pairs]
        self.n = n
        self.again = again

    def chunks(self) -> Iterator[Chunk]:
        stream, self._opened = self._opened or self._open(), None
        while (batch := stream.next()) is not None:
            yield Chunk(self.names, batch.rows, self._cells_of(batch))

    def _cells_of(self, batch: Any) -> Callable[[int, int, int], Cells]:
        def cells(c: int, begin: int, end: int) -> Cells:
            found = batch.column(c, begin, end)
            if self.kinds[c] == "number":
                return found  # type: ignore[no-any-return]
            if self.kinds[c] == "time":
                counts, unit, zone = found
                return Times(_on_the_wall(counts.view(f"datetime64[{unit}]"), zone))
            return Texts(*found)

        return cells


def _on_the_wall(times: NDArray[np.datetime64], zone: str) -> NDArray[np.datetime64]:
    """Times in UTC as the clocks of a zone show them. Offsets change at quarters of an hour."""
    if zone in ("", "UTC", "Etc/UTC", "Z", "+00:00"):
        return times
    import zoneinfo

    if zone[0] in "+-":
        hours, minutes = zone[1:].split(":")
        sign = -1 if zone[0] == "-" else 1
        return times + sign * np.timedelta64(60 * int(hours) + int(minutes), "m")
    info = zoneinfo.ZoneInfo(zone)
    quarters, which = np.unique(times.astype("datetime64[s]").astype(np.int64) // 900, return_inverse=True)
    offsets = np.zeros(len(quarters), dtype="timedelta64[s]")
    for q, quarter in enumerate(quarters.tolist()):
        if quarter > -(1 << 50):  # not a time: stays none
            try:
                moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(0, 900 * quarter)
                offset = moment.astimezone(info).utcoffset()
            except OverflowError:  # a year that no calendar has: its hours are those of UTC
                offset = None
            offsets[q] = np.timedelta64(int(offset.total_seconds()) if offset else 0, "s")
    return times + offsets[which.reshape(-1)]


class FrameSequence(Frame):
    """Frames one after the other, which have the columns of the first one by name."""

    def __init__(self, make: Callable[[], Iterator[Any]], again: bool) -> None:
        self._make = make
        self.again = again
        self._items: Iterator[Any] | None = make()
        first = next(self._items)
        self._first: Frame | None = frame_of(first)
        assert self._first is not None
        self.names, self.kinds = self._first.names, self._first.kinds

    def chunks(self) -> Iterator[Chunk]:
        items, self._items = self._items, None
        first, self._first = self._first, None
        if first is not None:
            yield from first.chunks()
        for item in self._make() if items is None else items:
            frame = frame_of(item)
            if frame is None:
                raise Error("the first block of rows is a table with named columns, a later one is not")
            yield from frame.chunks()


def is_frame(x: Any) -> bool:
    return not is_series(x) and (
        hasattr(x, "__arrow_c_stream__")
        or hasattr(x, "__arrow_c_array__")
        or (hasattr(x, "iloc") and hasattr(x, "columns"))
        or hasattr(x, "iter_batches")
        or hasattr(x, "to_reader")
        or hasattr(x, "scanner")
        or (hasattr(x, "collect") and hasattr(x, "lazy"))
    )


def is_series(x: Any) -> bool:
    """A pandas.Series: a row of a DataFrame has the names of the columns as its index."""
    return hasattr(x, "iloc") and not hasattr(x, "columns")


def is_row_by_name(x: Any) -> bool:
    """Whether the first of some rows is a dict."""
    return isinstance(x, (list, tuple)) and len(x) > 0 and isinstance(x[0], Mapping)


def frame_of(x: Any) -> Optional[Frame]:
    """None for what is no table with named columns."""
    if isinstance(x, Frame):
        return x
    if not is_frame(x):
        return None
    if hasattr(x, "iloc") and hasattr(x, "columns"):
        return PandasFrame(x)
    if hasattr(x, "__arrow_c_stream__"):
        again = not (hasattr(x, "read_next_batch") or hasattr(x, "__next__"))
        rows = getattr(x, "num_rows", None) if again else None
        return ArrowFrame(lambda: _core.ArrowStream(x.__arrow_c_stream__()), again, rows)
    if hasattr(x, "__arrow_c_array__"):
        return ArrowFrame(lambda: _core.ArrowStream(*x.__arrow_c_array__()), True, getattr(x, "num_rows", None))
    if hasattr(x, "iter_batches"):  # pyarrow.parquet.ParquetFile
        import pyarrow

        def batches() -> Any:
            reader = pyarrow.RecordBatchReader.from_batches(x.schema_arrow, x.iter_batches())
            return _core.ArrowStream(reader.__arrow_c_stream__())

        return ArrowFrame(batches, True, x.metadata.num_rows)
    if hasattr(x, "scanner") or hasattr(x, "to_reader"):  # pyarrow.dataset
        def scan() -> Any:
            reader = (x.scanner() if hasattr(x, "scanner") else x).to_reader()
            return _core.ArrowStream(reader.__arrow_c_stream__())

        return ArrowFrame(scan, True)
    return frame_of(x.collect())  # polars.LazyFrame


_NONE = object()


class _MadeAgain:
    """What a function gives when it is called, again and again; the first block of the first call is looked at and kept."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._function = make
        self._blocks = iter(make())
        self.first = next(self._blocks, _NONE)
        self._kept: Iterator[Any] | None = iter(()) if self.first is _NONE else itertools.chain([self.first], self._blocks)

    def __call__(self) -> Iterator[Any]:
        kept, self._kept = self._kept, None
        if kept is not None:
            return kept
        blocks: Iterator[Any] = iter(self._function())
        if blocks is self._blocks:
            raise Error("the function gave the same iterator twice, which is used up the second time; it must make a new "
                        "one each time, or give the iterator itself")
        return blocks


def opened(x: Any) -> Frame | Data:
    """Whatever people have: a table with named columns, or rows of numbers; also iterators of these, functions that give
    such an iterator each time they are called, and lists of tables."""
    from ._dicts import DictRows
    from ._input import MadeData, read

    if is_series(x):
        raise Error("a Series has 1 dimension; write x.to_frame() for one column of values, x.to_frame().T for one row",
                    "shape_mismatch")
    if isinstance(x, Mapping):
        raise Error("a dict is one row by name, or columns; write [x] for one row, pandas.DataFrame(x) for columns",
                    "shape_mismatch")
    if is_row_by_name(x):
        return DictRows(x)
    frame = frame_of(x)
    if frame is not None:
        return frame
    if isinstance(x, (list, tuple)) and x and is_frame(x[0]):
        return FrameSequence(lambda: iter(x), again=True)
    if hasattr(x, "__next__"):
        first = next(x, _NONE)
        rest = iter(()) if first is _NONE else itertools.chain([first], x)
        return FrameSequence(lambda: rest, False) if is_frame(first) else MadeData(lambda: rest, again=False)
    if callable(x) and not hasattr(x, "__array__"):
        made = _MadeAgain(x)
        return FrameSequence(made, True) if is_frame(made.first) else MadeData(made)
    return read(x)
