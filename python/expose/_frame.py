"""Tables with named columns: DataFrames of pandas and polars, Arrow tables and streams.

A Frame gives its rows in chunks, a column at a time: numbers, texts by code, or times. What each column is for is decided
once, from the first fit, frozen into the plan and matched by name afterwards.
"""

from __future__ import annotations

import datetime
import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypedDict, Union

import numpy as np

from . import _core
from ._error import Error
from ._input import Data, rows_a_block

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOOK_ROWS = 65536


class Roles(TypedDict, total=False):
    """What columns are for, by name: `label` and `id` are never used to fit, nor is what `ignore` lists; `time` becomes
    time of day and of week; `columns`: all others are ignored; `category`: numbers that are names."""

    label: str
    id: str
    ignore: Union[str, Sequence[str]]
    time: str
    columns: Union[str, Sequence[str]]
    category: Union[str, Sequence[str]]


ROLES = tuple(Roles.__annotations__)


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
            naive = column.dt.tz_localize(None) if getattr(column.dt, "tz", None) is not None else column
            return Times(naive.to_numpy(dtype="datetime64[ns]"))
        if kind == "category":
            texts = [_text(value) for value in column.cat.categories]
            return Texts(np.ascontiguousarray(column.cat.codes, dtype=np.int32), texts)
        codes, values = column.factorize()
        return Texts(np.ascontiguousarray(codes, dtype=np.int32), [_text(value) for value in values])

    def array(self) -> Any:
        """All of it as one array where pandas holds it as one, else None."""
        dtypes = set(self._frame.dtypes)
        if len(dtypes) != 1 or next(iter(dtypes)) not in (np.dtype("f4"), np.dtype("f8")):
            return None
        return self._frame.to_numpy()


def _name(name: Any) -> str:
    return name if isinstance(name, str) else ".".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else str(value)


def _pandas_kind(dtype: Any) -> str:
    import pandas

    types = pandas.api.types
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
    values = column.dropna().unique().tolist()
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
            moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(0, 900 * quarter)
            offset = moment.astimezone(info).utcoffset()
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
    return (
        hasattr(x, "__arrow_c_stream__")
        or hasattr(x, "__arrow_c_array__")
        or (hasattr(x, "iloc") and hasattr(x, "columns"))
        or hasattr(x, "iter_batches")
        or hasattr(x, "to_reader")
        or hasattr(x, "scanner")
        or (hasattr(x, "collect") and hasattr(x, "lazy"))
    )


def frame_of(x: Any) -> Optional[Frame]:
    """None for what is no table with named columns."""
    if isinstance(x, Frame):
        return x
    if not is_frame(x):
        return None
    if hasattr(x, "iloc"):
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


# What the columns are for


def _listed(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(one) for one in value]


def _role(name: str, roles: Roles) -> str | None:
    """What the caller says about a column."""
    for role in ("label", "id"):
        if roles.get(role) == name:
            return role
    if name in _listed(roles.get("ignore")):
        return "ignored"
    if roles.get("time") == name:
        return "time"
    if "columns" in roles and name not in _listed(roles["columns"]):
        return "ignored"
    return "category" if name in _listed(roles.get("category")) else None


def _require_named(roles: Roles, names: list[str]) -> None:
    for role in ROLES:
        for name in _listed(roles.get(role)):
            if name not in names:
                _core.Columns([_core.Column(name)]).require(names)  # which says what is missing


def _as_texts(cells: Cells) -> Texts:
    if isinstance(cells, Texts):
        return cells
    if isinstance(cells, Times):
        missing = np.isnat(cells.times)
        texts = np.datetime_as_string(cells.times, unit="ms").tolist()
        return Texts(np.where(missing, -1, np.arange(len(texts))).astype(np.int32), texts)
    values, places = np.unique(cells, return_inverse=True)
    codes = np.where(np.isnan(cells), -1, places.reshape(-1)).astype(np.int32)
    return Texts(codes, [_text(value) for value in values.tolist()])


def guess_table(frame: Frame, roles: Roles) -> _core.Columns:
    """What each column is for: as the caller says, as its type says, and for texts as the library sees it."""
    _require_named(roles, frame.names)
    said = {name: _role(name, roles) for name in frame.names}
    texts = [name for name, kind in zip(frame.names, frame.kinds)
             if said[name] == "category" or (said[name] is None and kind in ("text", "category"))]
    forced = [name for name, kind in zip(frame.names, frame.kinds)
              if name in texts and (said[name] == "category" or kind == "category")]
    guessed, notes = _guess_texts(frame, texts, forced)
    columns = []
    for name, kind in zip(frame.names, frame.kinds):
        if name in guessed:
            columns.append(guessed[name])
            continue
        role = said[name] or {"number": "number"}.get(kind, "ignored")
        if role == "ignored" and said[name] is None:
            use = f"it is a time; time={name!r} makes use of it" if kind == "time" else "it holds no numbers or texts"
            notes.append(f"'{name}' is ignored: {use}")
        columns.append(_core.Column(name, role))
    table = _core.Columns(columns)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=5)
    if table.width == 0:
        raise Error("no column is left that could become a number")
    return table


def _guess_texts(frame: Frame, texts: list[str], forced: list[str]) -> tuple[dict[str, _core.Column], list[str]]:
    if not texts:
        return {}, []
    guesser = _core.ColumnGuesser(texts, forced)
    looked = False
    for chunk in _kept_chunks(frame):
        for begin in range(0, chunk.rows, LOOK_ROWS):
            pairs = [_as_texts(chunk.cells(name, begin, min(begin + LOOK_ROWS, chunk.rows))) for name in texts]
            if not looked:
                guesser.look(pairs)
                looked = True
            guesser.count(pairs)
    found, notes = guesser.guess()
    return {column.name: column for column in found}, [_in_python(note) for note in notes]


def _kept_chunks(frame: Frame) -> Iterator[Chunk]:
    """All chunks, where they can be had again; else the first rows, which are kept for later."""
    if frame.again:
        yield from frame.chunks()
        return
    rest = frame.chunks()
    kept: list[Chunk] = []
    while sum(chunk.rows for chunk in kept) < LOOK_ROWS:
        chunk = next(rest, None)
        if chunk is None:
            break
        kept.append(chunk)

    def again() -> Iterator[Chunk]:
        yield from kept
        kept.clear()
        yield from rest

    frame.chunks = again  # type: ignore[method-assign]
    yield from list(kept)


def _in_python(note: str) -> str:
    """The library speaks of the command line."""
    return re.sub(r"--time (.+?) makes", lambda found: f"time={found[1]!r} makes", note)


def label_codes(frame: Frame, name: str) -> NDArray[np.int8]:
    """A column of labels: 1 anomaly, 0 normal, -1 not known."""
    parts = []
    for chunk in frame.chunks():
        cells = chunk.cells(name, 0, chunk.rows)
        if not isinstance(cells, np.ndarray):
            raise Error(f"column '{name}' should hold labels: 1 or True for anomalies, 0 or False for normal rows")
        parts.append(np.sign(np.where(np.isnan(cells), -1, cells)).astype(np.int8))
    return np.concatenate(parts)


# Numbers out of it


class EncodedData(Data):
    """The rows of a frame as the numbers that a table of columns makes of them."""

    def __init__(self, frame: Frame, table: _core.Columns) -> None:
        self._frame = frame
        self._features = [(c, column) for c, column in enumerate(table.all) if column.width]
        self._firsts = [table.first_number(c) for c, _ in self._features]
        self._width = table.width
        self._table = table
        self.n = frame.n
        self.again = frame.again
        table.require(frame.names)

    def whole(self) -> Any:
        direct = self._direct()
        if direct is not None:
            return direct.whole()
        if self.n is not None and self.again and self.n * self._width * 8 <= 64 << 20:
            blocks = list(self.blocks())
            return np.concatenate(blocks) if blocks else np.empty((0, self._width))
        return None

    def _direct(self) -> Any:
        """pandas may hold the very array, with the columns in their order."""
        from ._input import ArrayData

        if not isinstance(self._frame, PandasFrame) or self._frame.names != [column.name for _, column in self._features]:
            return None
        if any(column.role != "number" for _, column in self._features):
            return None
        a = self._frame.array()
        return None if a is None else ArrayData(a)

    def blocks(self) -> Iterator[Any]:
        step = rows_a_block(self._width)
        for chunk in self._frame.chunks():
            if chunk.names is not self._frame.names:
                self._table.require(chunk.names)
            for begin in range(0, chunk.rows, step):
                yield self._encode(chunk, begin, min(begin + step, chunk.rows))

    def _encode(self, chunk: Chunk, begin: int, end: int) -> NDArray[np.float64]:
        rows = np.empty((end - begin, self._width))
        for (_, column), first in zip(self._features, self._firsts):
            cells = chunk.cells(column.name, begin, end)
            if column.role == "number" and isinstance(cells, np.ndarray):
                rows[:, first] = cells
                continue
            if isinstance(cells, Times) and column.role == "number":
                raise Error(f"column '{column.name}' is a number in the plan and a time here")
            codes, texts = _as_texts(cells)
            rows[:, first : first + column.width] = column.encode(texts)[codes]
        return rows


def rows_for(x: Any, table: _core.Columns | None) -> Data:
    """The rows of anything, as a plan with or without a table of columns wants them."""
    frame = x if isinstance(x, (Frame, Data)) else opened(x)
    if isinstance(frame, Data):
        if table is not None and any(column.role in ("category", "time") for column in table.all):
            raise Error("the plan has columns that are categories or times, so it wants rows with named columns: "
                        "a DataFrame or an Arrow table")
        return frame
    if table is None:
        odd = [name for name, kind in zip(frame.names, frame.kinds) if kind != "number"]
        if odd:
            raise Error(f"the plan was made without names, from numbers alone; column '{odd[0]}' is none")
        table = _core.Columns([_core.Column(f"{c}:{name}") for c, name in enumerate(frame.names)])
        frame = _Renamed(frame, [column.name for column in table.all])
    return EncodedData(frame, table)


def groups_of(table: _core.Columns | None) -> Any:
    """To which feature each number belongs; None: each is its own."""
    if table is None:
        return None
    return np.unique(table.owners, return_inverse=True)[1].reshape(-1).astype(np.uint32)


def encoded_row(row: Any, table: _core.Columns) -> NDArray[np.float64]:
    """A mapping from names to values as numbers; what is not there is missing, what is not known is left out."""
    numbers = np.full(table.width, np.nan)
    for c, column in enumerate(table.all):
        value = row.get(column.name)
        if not column.width or value is None:
            continue
        first = table.first_number(c)
        if column.role == "number" and isinstance(value, (int, float, np.number, np.bool_)):
            numbers[first] = value
        else:
            numbers[first : first + column.width] = column.encode([_text(value)])[0]
    return numbers


class _Renamed(Frame):
    """A frame whose columns are taken in their order."""

    def __init__(self, frame: Frame, names: list[str]) -> None:
        self._frame = frame
        self.names = names
        self.kinds = frame.kinds
        self.n = frame.n
        self.again = frame.again

    def chunks(self) -> Iterator[Chunk]:
        for chunk in self._frame.chunks():
            yield Chunk(self.names, chunk.rows, chunk._cells)


_NONE = object()


def opened(x: Any) -> Frame | Data:
    """Whatever people have: a table with named columns, or rows of numbers; also iterators of these, functions that give
    such an iterator each time they are called, and lists of tables."""
    from ._input import MadeData, read

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
        again = is_frame(next(iter(x()), None))
        return FrameSequence(lambda: iter(x()), True) if again else MadeData(lambda: iter(x()))
    return read(x)
