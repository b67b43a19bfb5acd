#!/usr/bin/env python3
"""Reads csv files with EXPoSE, pandas (C engine) and polars in one run, each on one core, and prints megabytes a second.

usage: bench/csv_side_by_side.py [FILE.csv ...]     (default: three tables of random numbers)
needs: build/release/bench/csv_bench (make bench builds it), pandas, polars

Each reader takes the whole file from the disk cache to numbers, several times in turn; the best time counts. It is
processor time, all threads together, so that what else the machine does matters little.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "1"

import numpy as np
import pandas
import polars

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / "build" / "release" / "bench" / "csv_bench"
ROUNDS = 5
MEGABYTE = 1e6


def make_tables(folder):
    """Ten columns of normal numbers: as integers, with three decimals, with all digits."""
    values = np.random.default_rng(1).normal(size=(400_000, 10)) * 1000
    for name, format in [("integers", "%.0f"), ("short", "%.3f"), ("full", "%.17g")]:
        path = Path(folder) / f"{name}.csv"
        with open(path, "w", encoding="ascii") as file:
            file.write(",".join(f"column_{c}" for c in range(10)) + "\n")
            np.savetxt(file, values, fmt=format, delimiter=",")
        yield path


def processor_seconds(read):
    start = time.process_time()
    read()
    return time.process_time() - start


def expose_seconds(path):
    """The processor time of one thread, as Google Benchmark measures it."""
    out = subprocess.run(
        [BENCH, "--benchmark_filter=threads=1", "--benchmark_format=json", "--benchmark_min_time=0.1"],
        env={**os.environ, "EXPOSE_CSV": str(path)}, capture_output=True, check=True, text=True)
    return min(run["cpu_time"] for run in json.loads(out.stdout)["benchmarks"]) / 1000


def side_by_side(path):
    """All are told that every column is a double: none has to guess."""
    doubles = {name: polars.Float64 for name in polars.read_csv(path, n_rows=0).columns}
    readers = {
        "expose": lambda: expose_seconds(path),
        "pandas": lambda: processor_seconds(lambda: pandas.read_csv(path, engine="c", dtype="float64")),
        "polars": lambda: processor_seconds(lambda: polars.read_csv(path, schema=doubles)),
    }
    best = {name: float("inf") for name in readers}
    for _ in range(ROUNDS):
        for name, seconds in readers.items():
            best[name] = min(best[name], seconds())
    return best


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(path) for path in sys.argv[1:]] or list(make_tables(folder))
        print(f"pandas {pandas.__version__}, polars {polars.__version__}; one core, megabytes of text a second")
        print(f"{'file':<24}{'MB':>8}{'expose':>9}{'pandas':>9}{'polars':>9}{'expose / polars':>18}")
        for path in paths:
            megabytes = path.stat().st_size / MEGABYTE
            best = side_by_side(path)
            rates = "".join(f"{megabytes / best[name]:>9.0f}" for name in ("expose", "pandas", "polars"))
            print(f"{path.name:<24}{megabytes:>8.1f}{rates}{best['polars'] / best['expose']:>18.2f}")


if __name__ == "__main__":
    main()
