"""Rows in: whatever people have becomes blocks of float32 or float64, without a copy where the layout allows.

``read(X)`` gives a Data; ``whole()`` is one array if that costs no copy (or a small one), ``blocks()`` goes through the
rows a few megabytes at a time, so that nothing large is ever copied at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._error import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Block = NDArray[Any]

BLOCK_BYTES = 8 << 20
SMALL_BYTES = 64 << 20
# What float32 holds exactly.
NARROW = ("e", "f", "?", "b", "B", "h", "H")


def is_direct(a: Block) -> bool:
    """Whether the library can read it where it lies: rows of float32 or float64 without gaps inside."""
    size = a.itemsize
    return (
        a.dtype.char in "fd"
        and a.dtype.isnative
        and a.flags.aligned
        and (a.shape[1] <= 1 or a.strides[1] == size)
        and (a.shape[0] <= 1 or (a.strides[0] >= a.shape[1] * size and a.strides[0] % size == 0))
    )


def require_numbers(a: Block) -> None:
    kind = a.dtype.kind
    if kind in "biuf":
        return
    what = {"O": "objects", "U": "text", "S": "text", "T": "text", "c": "complex numbers", "M": "times", "m": "durations"}
    hint = {
        "U": "; give a DataFrame, whose text columns become categories",
        "T": "; give a DataFrame, whose text columns become categories",
        "O": "; convert it with astype(float), or give a DataFrame, whose text columns become categories",
        "M": "; give a DataFrame and name the column with time=",
    }
    raise Error(f"rows are numbers, this array holds {what.get(kind, a.dtype)} ({a.dtype}){hint.get(kind, '')}")


def converted(a: Block) -> Block:
    """A copy that the library can read."""
    return np.ascontiguousarray(a, dtype=np.float32 if a.dtype.char in NARROW else np.float64)


class Data:
    """Rows that can be gone through. ``n``: how many, None if nobody knows. ``again``: whether more than once."""

    n: int | None = None
    again = True

    def whole(self) -> Block | None:
        """All rows as one array if that costs no large copy."""
        return None

    def blocks(self) -> Iterator[Block]:
        raise NotImplementedError

    def gathered(self) -> Block:
        """All rows as one array, whatever it costs."""
        whole = self.whole()
        if whole is not None:
            return whole
        blocks = [np.array(block) for block in self.blocks()]
        if not blocks:
            raise Error("there are no rows")
        require_one_width(blocks)
        return np.concatenate(blocks)


def require_one_width(blocks: Iterable[Block]) -> None:
    widths = sorted({block.shape[1] for block in blocks})
    if len(widths) > 1:
        raise Error(f"a block of rows has {widths[1]} columns, another one has {widths[0]}", "shape_mismatch")


class ArrayData(Data):
    def __init__(self, a: Block) -> None:
        self._a = a
        self.n, self.columns = a.shape

    def whole(self) -> Block | None:
        if is_direct(self._a):
            return self._a
        if self._a.size * 8 <= SMALL_BYTES:
            return converted(self._a)
        return None

    def blocks(self) -> Iterator[Block]:
        step = rows_a_block(self._a.shape[1])
        direct = is_direct(self._a)
        for begin in range(0, len(self._a), step):
            block = self._a[begin : begin + step]
            yield block if direct else converted(block)


class MadeData(Data):
    """Blocks from a function that gives an iterator of anything `read` can read."""

    def __init__(self, make: Callable[[], Iterator[Any]], n: int | None = None, again: bool = True) -> None:
        self._make = make
        self.n = n
        self.again = again

    def blocks(self) -> Iterator[Block]:
        from ._frame import is_frame

        for item in self._make():
            if is_frame(item):
                raise Error("the first block of rows has no names, a later one is a table with named columns")
            yield from read(item).blocks()


def rows_a_block(columns: int) -> int:
    return max(256, BLOCK_BYTES // (8 * max(1, columns)))


def sparse_blocks(matrix: Any) -> Iterator[Block]:
    rows = matrix.tocsr()
    step = rows_a_block(rows.shape[1])
    for begin in range(0, rows.shape[0], step):
        yield rows[begin : begin + step].toarray()


def plain(x: Any) -> Block:
    """As an array; what is masked is missing."""
    if isinstance(x, np.ma.MaskedArray) and x.dtype.kind in "biuf":
        return np.where(np.ma.getmaskarray(x), np.nan, x.data.astype(np.float64))
    return np.asarray(x)


def as_array(x: Any) -> Block:
    """Two dimensions of numbers, or a sentence that says why not."""
    try:
        a = plain(x)
    except ValueError as problem:  # rows of different lengths
        raise Error(f"rows must have equally many numbers: {problem}", "shape_mismatch") from None
    if a.ndim == 2:
        require_numbers(a)
        return a
    if a.ndim == 1 and a.size == 0:
        raise Error("there are no rows: the array is empty")
    hint = {
        0: "",
        1: "; write x[None, :] for one row of numbers, x[:, None] for one column",
    }.get(a.ndim, "; write x.reshape(len(x), -1) to make a row of each")
    raise Error(f"rows are a table with 2 dimensions, this has {a.ndim}{hint}", "shape_mismatch")


def read(x: Any) -> Data:
    """Arrays, sparse matrices, and all that NumPy can make an array of."""
    if isinstance(x, Data):
        return x
    if isinstance(x, np.ndarray):
        return ArrayData(as_array(x))
    if hasattr(x, "tocsr"):  # scipy.sparse
        if len(x.shape) != 2:
            raise Error(f"rows are a table with 2 dimensions, this sparse array has {len(x.shape)}", "shape_mismatch")
        return MadeData(lambda: sparse_blocks(x), n=x.shape[0])
    return ArrayData(as_array(x))


def as_bytes(data: Any) -> bytes:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a model is made from bytes, not from {type(data).__name__}")
    return bytes(data)


# Weights are counted in these; what is less than half of one is none.
WEIGHT_UNIT = 1 / 1024


def weights_of(weights: Any, n: int | None = None) -> NDArray[np.float64] | None:
    """One number a row."""
    if weights is None:
        return None
    try:
        a = np.ascontiguousarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise Error(f"weights are numbers, one a row: {problem}") from None
    if a.ndim != 1:
        raise Error(f"weights have 1 dimension, one number a row; these have {a.ndim}", "shape_mismatch")
    if n is not None and len(a) != n:
        raise Error(f"{len(a)} weights come with {n} rows", "shape_mismatch")
    tiny = (a > 0) & (a < WEIGHT_UNIT / 2)
    if tiny.any():
        at = int(tiny.argmax())
        raise Error(f"the weight of row {at}, {a[at]:g}, would be rounded to 0, as weights count in steps of 1/1024; "
                    "multiply all weights by one number, so that a usual row weighs 1, or give it 0")
    return a
