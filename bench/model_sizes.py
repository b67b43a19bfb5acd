#!/usr/bin/env python3
"""How many bytes a model takes, by map, r and number of columns: the table of docs/limits.md.

usage: bench/model_sizes.py EXPOSE [ROWS]     (default 5000 rows; from 2,000 on their number makes no difference)
"""

import json
import os
import random
import subprocess
import sys
import tempfile

CASES = [("nystrom", 64), ("nystrom", 256), ("nystrom", 1024), ("fourier", 2048), ("sorf", 2048), ("sorf", 16384)]
COLUMNS = [2, 10, 100, 1000]


def write_table(path, rows, columns):
    draw = random.Random(columns)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"c{k}" for k in range(columns)) + "\n")
        for _ in range(rows):
            file.write(",".join(f"{draw.gauss(0, 1):.3f}" for _ in range(columns)) + "\n")


def model_bytes(expose, folder, table, *options):
    model = os.path.join(folder, "model.expose")
    subprocess.run([expose, "fit", table, "-q", "-o", model, *options], check=True)
    said = json.loads(subprocess.run([expose, "inspect", model, "--json"], check=True, capture_output=True).stdout)
    assert said["bytes"] == os.path.getsize(model)
    return said["bytes"]


def main(expose, rows="5000"):
    print("| map | r | " + " | ".join(f"{d:,} columns" for d in COLUMNS) + " |")
    print("| --- | ---: |" + " ---: |" * len(COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        tables = {}
        for d in COLUMNS:
            tables[d] = os.path.join(folder, f"{d}.csv")
            write_table(tables[d], int(rows), d)
        for name, r in CASES:
            sizes = [model_bytes(expose, folder, tables[d], "--map", name, "-r", str(r)) for d in COLUMNS]
            print(f"| {name} | {r:,} | " + " | ".join(f"{size / 1000:,.0f} kB" for size in sizes) + " |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
