"""What side_by_side.py says, and how it times: the child process, rounds, ratios, Markdown. Standard library only."""

import json
import re
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "build" / "release" / "bench"


# NumPy as in np32, doing what we do: sums of cosines and sines when learning, Hadamard transforms for SORF.
AS_WE_DO = "np32 as we do"


class Problem(Exception):
    """A sentence for whoever called the script."""


# --- our side --------------------------------------------------------------------------------------------------------


class Ours:
    """The program side_by_side: a line of words in, a line of JSON out."""

    def __init__(self, program, clock="wall"):
        self.clock = clock
        try:
            self._child = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as problem:
            raise Problem(f"cannot start {program} ({problem.strerror}): `make bench` builds it") from problem

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()

    def ask(self, *words):
        self._child.stdin.write(" ".join(str(word) for word in words) + "\n")
        self._child.stdin.flush()
        line = self._child.stdout.readline()
        if not line:
            raise Problem(f"side_by_side ended at the command {words[0]}")
        answer = json.loads(line)
        if "error" in answer:
            raise Problem(f"side_by_side: {answer['error']}")
        return answer

    def time(self, *words, clock=None):
        """Nanoseconds a row."""
        answer = self.ask(*words)
        return answer[f"{clock or self.clock}_ns"] / answer["rows"]


# --- timing ----------------------------------------------------------------------------------------------------------


def clock_of(name):
    return time.perf_counter if name == "wall" else time.process_time


def nanoseconds(work, rows, clock):
    """Of one call of work(), a row."""
    start = clock()
    work()
    return (clock() - start) * 1e9 / rows


def interleave(sides, rounds):
    """{name: nanoseconds a row in each round}: A B C, B C A, C A B, .. so that no side has the better moments."""
    names = list(sides)
    seen = {name: [] for name in names}
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            seen[name].append(sides[name]())
    return seen


def ratio(peer, ours):
    """How many times faster we are: best against best, and the lowest and highest of the single rounds."""
    single = sorted(theirs / mine for theirs, mine in zip(peer, ours, strict=True))
    return {"best": min(peer) / min(ours), "low": single[0], "high": single[-1]}


# --- words -----------------------------------------------------------------------------------------------------------


def count(value):
    """3.21 M, 104 k, 950: three digits."""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= unit * 0.9995:
            return three_digits(value / unit) + name
    return three_digits(value)


def three_digits(value):
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def duration(nanoseconds_):
    """In the unit that suits: 350 ns, 2.61 us, 44.0 ms, 1.20 s."""
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if nanoseconds_ >= unit * 0.9995:
            return f"{three_digits(nanoseconds_ / unit)} {name}"
    return f"{three_digits(nanoseconds_)} ns"


def times(found, goal=None):
    """3.41 (3.10 to 3.62); **2.13** (..), goal 3 where that is missed."""
    text = three_digits(found["best"])
    spread = f"({three_digits(found['low'])} to {three_digits(found['high'])})"
    if goal is None:
        return f"{text} {spread}"
    return f"{text if found['best'] >= goal else f'**{text}**'} {spread}, goal {goal:g}"


def markdown(header, rows):
    """A table, the first column to the left, the others to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


# --- blocks in a document: what a run prints stands between <!-- NAME --> and <!-- end NAME --> ----------------------


def block(name, text):
    return f"<!-- {name} -->\n{text.strip()}\n<!-- end {name} -->"


def update(document, blocks):
    """The document with these blocks in the place of those of their names; a Problem if it has not all of them."""
    for name, text in blocks.items():
        pattern = rf"<!-- {re.escape(name)} -->\n.*?<!-- end {re.escape(name)} -->"
        found = re.findall(pattern, document, re.DOTALL)
        if len(found) != 1:
            raise Problem(f"the document has {len(found)} blocks called {name}, it needs 1")
        document = document.replace(found[0], block(name, text))
    return document
