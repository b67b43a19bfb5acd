#!/usr/bin/env python3
"""Counts the instructions of the inner loops, which noise cannot move, and compares them with bench/instruction_counts.json.

usage: tools/instruction_counts.py [--write] [PROGRAM]
PROGRAM is build/release/bench/instruction_counts_bench unless told otherwise. --write renews the file. Exit status 1 if a
workload takes over 20 % more instructions than the file says. Valgrind knows no AVX-512, so all run on AVX2.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "bench" / "instruction_counts.json"
BOUND = 1.20
ROWS = 120  # kRows of bench/instruction_counts.cpp


def count(program, workload):
    """Instructions of one workload, preparation left out."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", "--toggle-collect=count", f"--callgrind-out-file={folder}/out",
                   program, workload]
        done = subprocess.run(command, env={**os.environ, "EXPOSE_TARGET": "AVX2"}, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found or int(found[1]) == 0:
        sys.exit(f"instruction_counts: {' '.join(command)} failed:\n{done.stderr}")
    return int(found[1])


def compare(counts, known):
    """Lines of a table, and whether every count is within the bound."""
    lines = [f"{'instructions a row, AVX2':<26}{'now':>10}{'known':>10}{'ratio':>8}"]
    good = True
    for name, now in counts.items():
        before = known.get(name)
        ratio = now / before if before else None
        bad = ratio is None or ratio > BOUND
        good = good and not bad
        lines.append(f"{name:<26}{now / ROWS:>10.0f}{before / ROWS if before else 0:>10.0f}"
                     + (f"{ratio:>8.3f}" if ratio else f"{'new':>8}") + ("  TOO MANY" if bad and ratio else ""))
    return lines, good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="renew bench/instruction_counts.json")
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/release/bench/instruction_counts_bench"))
    arguments = parser.parse_args()
    names = subprocess.run([arguments.program], capture_output=True, text=True, check=True).stdout.splitlines()
    counts = {name: count(arguments.program, name) for name in names}
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    lines, good = compare(counts, known)
    print("\n".join(lines))
    if arguments.write:
        FILE.write_text(json.dumps(counts, indent=2) + "\n")
        return 0
    if not good:
        print(f"instruction_counts: a loop takes over {BOUND - 1:.0%} more instructions than {FILE.relative_to(ROOT)} says, "
              "or is not in it; tools/instruction_counts.py --write renews it", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
