#!/usr/bin/env python3
"""The largest memory that a verb takes, for tables of 10 columns: the table of docs/limits.md.

usage: bench/verb_memory.py EXPOSE [ROWS ...]     (default 100000 1000000)
"""

import os
import random
import sys
import tempfile

COLUMNS = 10
VERBS = {
    "detect": ["detect", "{table}", "--label", "label", "-o", "verdicts.csv"],
    "fit": ["fit", "{table}", "--label", "label", "-o", "model.expose"],
    "judge": ["judge", "-m", "model.expose", "{table}", "-o", "verdicts.csv"],
    "judge --top 20": ["judge", "-m", "model.expose", "{table}", "--top", "20", "-o", "verdicts.csv"],
    "learn": ["learn", "-m", "model.expose", "{table}"],
    "forget": ["forget", "-m", "model.expose", "{table}"],
    "watch": ["watch", "{table}", "--label", "label", "--memory", "fading:0.001", "-o", "verdicts.csv"],
    "drift": ["drift", "model.expose", "{table}"],
    "evaluate": ["evaluate", "-m", "model.expose", "{table}", "--label", "label"],
    "tune": ["tune", "{table}", "--label", "label"],
    "report": ["report", "{table}", "--label", "label", "-o", "report.html"],
}


def write_table(path, rows):
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"c{k}" for k in range(COLUMNS)) + ",label\n")
        for i in range(rows):
            file.write(",".join(f"{draw.gauss(0, 1):.3f}" for _ in range(COLUMNS)) + (",1\n" if i % 1000 == 0 else ",0\n"))


def peak_megabytes(expose, words):
    """Of one process: getrusage of all children would give the largest of them all."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(expose, [expose, *words, "-q", "--threads", "1"])
    _, status, usage = os.wait4(child, 0)
    return f"{usage.ru_maxrss / 1024:,.0f} MiB" if status == 0 else "failed"


def main(expose, *rows):
    expose = os.path.abspath(expose)
    counts = [int(n) for n in rows or ("100000", "1000000")]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for n in counts:
            write_table(f"{n}.csv", n)
        print("| verb | " + " | ".join(f"{n:,} rows" for n in counts) + " |")
        print("| --- |" + " ---: |" * len(counts))
        for name, words in VERBS.items():
            cells = [peak_megabytes(expose, [word.format(table=f"{n}.csv") for word in words]) for n in counts]
            print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
