"""Rows as dicts from names to values: what is not there is missing."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ._error import Error
from ._frame import Chunk, Frame, Texts, _name
from ._values import NUMBERS, is_missing, seconds_of, text_of


def bounded(value: Any) -> Any:
    """Whole numbers that no float holds are infinite: a bad row."""
    if isinstance(value, int) and not -(2**1000) < value < 2**1000:
        return np.inf
    return None if is_missing(value) else seconds_of(value)


class DictRows(Frame):
    """Dicts as a table: all names that any of them has, in an order that does not depend on the order in the rows."""

    def __init__(self, rows: Sequence[Mapping[Hashable, Any]]) -> None:
        self.rows = rows
        found = sorted({key for row in rows for key in row}, key=_name)
        self.keys = {_name(key): key for key in found}
        if len(self.keys) != len(found):
            one, other = next((a, b) for a, b in zip(found, found[1:]) if _name(a) == _name(b))
            raise Error(f"two features have one name: {one!r} and {other!r}; rename one")
        self.names = list(self.keys)
        self.kinds = [self._kind(key) for key in self.keys.values()]
        self.n = len(rows)

    def _kind(self, key: Hashable) -> str:
        values = [seconds_of(row[key]) for row in self.rows if not is_missing(row.get(key))]
        return "number" if all(isinstance(value, NUMBERS) for value in values) else "text"

    def chunks(self) -> Iterator[Chunk]:
        yield Chunk(self.names, len(self.rows), self._cells)

    def _cells(self, c: int, begin: int, end: int) -> Any:
        values = [bounded(row.get(self.keys[self.names[c]])) for row in self.rows[begin:end]]
        if self.kinds[c] == "number":
            return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        texts = list(dict.fromkeys(text_of(value) for value in values if value is not None))
        code = {text: at for at, text in enumerate(texts)}
        return Texts(np.array([-1 if value is None else code[text_of(value)] for value in values], np.int32), texts)
