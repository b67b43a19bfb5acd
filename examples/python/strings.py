"""Anything can be judged if two of it can be compared: odd lines of a log, with a kernel for text.

    python examples/python/strings.py [--plot DIR]

The kernel counts what pieces of three letters two lines share. There are no columns, no numbers and no parser.
"""

import argparse
import pathlib
import re
import zlib

import numpy as np

import expose

parser = argparse.ArgumentParser()
parser.add_argument("--plot", type=pathlib.Path, metavar="DIR", help="save pictures there")
arguments = parser.parse_args()
random = np.random.default_rng(4)


def pieces(lines):
    """How often each piece of three letters is there, in 4096 drawers; numbers are all the same to us."""
    counts = np.zeros((len(lines), 4096), dtype=np.float32)
    for row, line in enumerate(lines):
        text = re.sub(r"\d+", "0", f"  {line.lower()}  ")
        for k in range(len(text) - 2):
            counts[row, zlib.crc32(text[k : k + 3].encode()) % 4096] += 1
    return counts


def alike(A, B):
    """1 for equal lines, 0.007 for lines that share no piece: a Gaussian of the distance between counts of length 1."""
    a, b = pieces(A), pieces(B)
    cosine = (a / np.linalg.norm(a, axis=1)[:, None]) @ (b / np.linalg.norm(b, axis=1)[:, None]).T
    return np.exp(5 * (cosine - 1))


def usual_line():
    user, page = random.choice(["anna", "ben", "carla", "dirk"]), random.choice(["cart", "search", "help", "orders"])
    return str(random.choice([
        f"GET /{page}?id={random.integers(9999)} 200 in {random.integers(5, 90)} ms",
        f"GET /{page} 304 in {random.integers(1, 9)} ms",
        f"POST /{page} 201 in {random.integers(20, 200)} ms",
        f"session of {user} opened from 10.0.{random.integers(255)}.{random.integers(255)}",
        f"session of {user} closed after {random.integers(60)} min",
    ]))


odd = [
    "GET /search?id=1 OR 1=1; DROP TABLE users 200 in 44 ms",
    "GET /../../../../etc/passwd 403 in 1 ms",
    "POST /cart <script>alert(document.cookie)</script> 201 in 60 ms",
    "panic: runtime error: index out of range [7] with length 7",
    "session of \x00\x00\x07\x1b opened from 10.0.3.9",
    "out of memory: killed process 4711 (java)",
    "certificate of api.example.com has expired",
]
lines = [usual_line() for _ in range(1500)] + odd
is_odd = np.arange(len(lines)) >= 1500

# A gate keeps out what is unlike the crowd while it is learned. Usual lines come in kinds that share little, each a
# small crowd of its own, and none of them may be kept out (trim=0).
verdicts = expose.detect(lines, kernel=alike, r=128, trim=0, top=len(odd))
print(f"{len(lines)} lines, {len(odd)} of them odd; the {len(odd)} oddest:")
for i in verdicts.most_anomalous(len(odd)):
    print(f"  {'odd  ' if is_odd[i] else 'usual'} {verdicts.similarity[i]:.3f}  {lines[i]!r}")

# The model takes lines that it has never seen, and says so when they are new.
tomorrow = verdicts.detector.judge([usual_line(), "kernel: EXT4-fs error (device sda1): bad block bitmap checksum"])
print(f"tomorrow: {tomorrow.similarity[0]:.3f} for a usual line, {tomorrow.similarity[1]:.3f} for a broken disk")
print(f"AUC {(verdicts.similarity[is_odd][:, None] < verdicts.similarity[~is_odd]).mean():.3f}")

if arguments.plot:
    import expose.plot

    arguments.plot.mkdir(parents=True, exist_ok=True)
    expose.plot.histogram(verdicts).figure.savefig(arguments.plot / "strings-histogram.png", dpi=90)
