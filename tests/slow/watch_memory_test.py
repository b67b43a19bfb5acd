#!/usr/bin/env python3
"""Two million rows through a pipe: a watch takes no more memory for them than for the first 200,000.

usage: watch_memory_test.py EXPOSE
"""

import random
import subprocess
import sys
from pathlib import Path

EXPOSE = sys.argv[1]
BLOCK, FIRST, LAST = 2000, 200_000, 2_000_000  # rows
ALLOWED = 2048  # kilobytes


def resident(pid):
    """Kilobytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0])


def main():
    draw = random.Random(1)
    rows = [",".join(f"{draw.gauss(0, 1):.4f}" for _ in range(3)) for _ in range(BLOCK - 3)]
    block = "\n".join([*rows, "1,2", "x,y,z", ",,"]).encode() + b"\n"  # some of them bad or empty
    for memory in ("everything", "window:500", "fading:0.01"):
        options = ["--memory", memory, "--r", "16", "--format", "jsonl"]
        with open("/dev/null", "wb") as nowhere:
            watch = subprocess.Popen([EXPOSE, "watch", *options], bufsize=0, stdin=subprocess.PIPE, stdout=nowhere,
                                     stderr=subprocess.PIPE)  # fmt: skip
            watch.stdin.write(b"a,b,c\n")
            sizes = {}
            for sent in range(BLOCK, LAST + 1, BLOCK):
                watch.stdin.write(block)
                if sent in (FIRST, LAST):
                    sizes[sent] = resident(watch.pid)
            messages = watch.communicate()[1].decode()
        assert watch.returncode == 0 and f"{LAST:,} rows in" in messages, messages
        print(f"{memory}: {sizes[FIRST]} kB after {FIRST:,} rows, {sizes[LAST]} kB after {LAST:,}")
        assert sizes[LAST] <= sizes[FIRST] + ALLOWED, "the memory grows with the stream"


if __name__ == "__main__":
    main()
