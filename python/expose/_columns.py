"""What the columns of a table are for, and the numbers that rows become by that.

It is decided once, by the first fit, frozen into the plan and matched by name afterwards.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Union

import numpy as np

from . import _core
from ._dicts import DictRows, bounded
from ._error import Error
from ._frame import Cells, Chunk, Frame, PandasFrame, Texts, Times, _name, opened
from ._input import ArrayData, Data, rows_a_block
from ._values import NUMBERS, is_missing, seconds_of, text_of

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


def _listed(value: Any) -> list[str]:
    """Names, as one or several; pandas may have numbers as names."""
    if value is None:
        return []
    return [_name(value)] if isinstance(value, str) or not isinstance(value, Iterable) else [_name(one) for one in value]


def _role(name: str, roles: Roles) -> str | None:
    """What the caller says about a column."""
    for role in ("label", "id"):
        if name in _listed(roles.get(role)):
            return role
    if name in _listed(roles.get("ignore")):
        return "ignored"
    if name in _listed(roles.get("time")):
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
    return Texts(codes, [text_of(value) for value in values.tolist()])


def guess_table(frame: Frame, roles: Roles, warn: bool = True) -> _core.Columns:
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
    for note in notes if warn else ():
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


def _kept_chunks(frame: Frame, enough: int = LOOK_ROWS) -> Iterator[Chunk]:
    """All chunks, where they can be had again; else the first rows, which are kept for later."""
    if frame.again:
        yield from frame.chunks()
        return
    rest = frame.chunks()
    kept: list[Chunk] = []
    while sum(chunk.rows for chunk in kept) < enough:
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
    note = re.sub(r"^'(.+)' counts (.+) \(--id\)", lambda found: f"'{found[1]}' counts {found[2]} (id={found[1]!r})", note)
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


def takes_numbers(table: _core.Columns | None) -> bool:
    """Whether a row without names can be meant: all of it are numbers, in their order."""
    return table is None or not any(column.role in ("category", "time") for column in table.all)


def rows_for(x: Any, table: _core.Columns | None) -> Data:
    """The rows of anything, as a plan with or without a table of columns wants them."""
    frame = x if isinstance(x, (Frame, Data)) else opened(x)
    if isinstance(frame, DictRows) and table is not None:  # not as a table: a name that all of them lack is missing
        return ArrayData(np.array([encoded_row({_name(key): bounded(value) for key, value in row.items()}, table)
                                   for row in frame.rows]))
    if isinstance(frame, Data):
        if not takes_numbers(table):
            raise Error("the plan has columns that are categories or times, so it wants rows with named columns: "
                        "a DataFrame, an Arrow table or dicts")
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
        value = seconds_of(row.get(column.name))
        if not column.width or is_missing(value):
            continue
        first = table.first_number(c)
        if column.role == "number" and isinstance(value, NUMBERS):
            numbers[first] = value
        else:
            numbers[first : first + column.width] = column.encode([text_of(value)])[0]
    return numbers


class FirstRows(Frame):
    """The first rows of a frame, which keeps them where it can be gone through only once."""

    def __init__(self, frame: Frame, most: int) -> None:
        self._frame = frame
        self._most = most
        self.names = frame.names
        self.kinds = frame.kinds

    def chunks(self) -> Iterator[Chunk]:
        left = self._most
        for chunk in _kept_chunks(self._frame, self._most):
            yield Chunk(chunk.names, min(left, chunk.rows), chunk._cells)
            left -= chunk.rows
            if left <= 0:
                return


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
