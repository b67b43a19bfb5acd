#!/usr/bin/env python3
"""Writes what tests/io/parquet_test.cpp reads, in tests/golden: table.parquet, every kind of column, in three row groups;
and moments.parquet, the first and the last moments that there are.

usage: make_parquet.py FOLDER     (needs pyarrow)
"""
import datetime
import decimal
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 7


def each(make):
    """One value a row; row 4 (counted from 1) is null everywhere."""
    return [None if i == 4 else make(i) for i in range(1, ROWS + 1)]


def columns():
    moment = datetime.datetime(2026, 11, 15, 17, 50, 14)
    seconds = datetime.timedelta(seconds=1)
    yield "small", pa.array(each(lambda i: -i), pa.int8())
    yield "large", pa.array(each(lambda i: 2**53 + 2 * i), pa.uint64())
    yield "half", pa.array(each(lambda i: i / 4), pa.float16())
    yield "single", pa.array(each(lambda i: float("inf") if i == 6 else i / 2), pa.float32())
    yield "double", pa.array(each(lambda i: float("nan") if i == 2 else i / 10), pa.float64())
    yield "yes", pa.array(each(lambda i: i % 2 == 0), pa.bool_())
    yield "money", pa.array(each(lambda i: decimal.Decimal(i * 150) / 100), pa.decimal128(9, 2))
    yield "text", pa.array(each(lambda i: "12" if i == 1 else f"text {i}"), pa.string())
    yield "long", pa.array(each(lambda i: f"long {i}"), pa.large_string())
    yield "bytes", pa.array(each(lambda i: b"\x00" * i), pa.binary())
    yield "level", pa.array(each(lambda i: ["low", "high"][i % 2]), pa.string()).dictionary_encode()
    yield "day", pa.array(each(lambda i: datetime.date(1969, 12, 29 + i % 3)), pa.date32())
    yield "moment", pa.array(each(lambda i: moment + i * seconds / 4), pa.timestamp("us"))
    yield "zoned", pa.array(each(lambda i: moment - i * 10**9 * seconds), pa.timestamp("ms", "Europe/Berlin"))
    yield "clock", pa.array(each(lambda i: datetime.time(17, 50, i)), pa.time32("s"))
    yield "list", pa.array(each(lambda i: [i, None, i * i][:i]), pa.list_(pa.int16()))
    yield "words", pa.array(each(lambda i: ['a "b"', "c"]), pa.list_(pa.string()))
    inner = pa.struct([("deep", pa.int32()), ("word", pa.string())])
    outer = pa.struct([("x", pa.float64()), ("inner", inner)])
    yield "nested", pa.array(
        each(lambda i: {"x": i, "inner": None if i == 5 else {"deep": 10 * i, "word": f"w{i}"}}), outer)
    yield "pairs", pa.array(each(lambda i: [("k", i)]), pa.map_(pa.string(), pa.int32()))


def moments():
    ends = [-(2**63), -1, 0, 2**63 - 1]
    yield "ns", pa.array(ends, pa.timestamp("ns"))
    yield "us", pa.array(ends, pa.timestamp("us"))
    yield "day", pa.array([-(2**31), -1, 0, 2**31 - 1], pa.date32())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    pq.write_table(pa.table(dict(columns())), folder / "table.parquet", row_group_size=3)
    pq.write_table(pa.table(dict(moments())), folder / "moments.parquet")


if __name__ == "__main__":
    main()
