#!/usr/bin/env python3
"""Kills `learn` and `watch --checkpoint` (SIGKILL) at random moments: what they leave is always a model, and always the
model of a whole prefix of the input.

usage: kill_test.py EXPOSE [SEED [KILLS]]

Kills are counted by what they hit: before anything was written; during a write (a file that was not yet renamed is
left); after a write. A command that ended before it was killed does not count; the moments then come earlier. The seed
is printed, so that they, as far as the clock allows, can be had again.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

PATIENCE = 120  # seconds


def run(*words):
    done = subprocess.run([EXPOSE, *words], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}: {done.stderr}"
    return done.stdout


def rows_of(path):
    """How many rows a model that loads has seen."""
    facts = json.loads(run("inspect", path, "--json"))
    return int(facts["rows"]) + int(facts.get("rejected", 0))


def write_table(path, rows):
    path.write_text("a,b,c\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")


def kill_after(seconds, *words):
    """Starts a command and kills it after so long; whether it had ended by itself."""
    process = subprocess.Popen([EXPOSE, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(seconds)
    process.kill()
    messages = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode in (0, -signal.SIGKILL), f"exit code {process.returncode}: {messages.decode()}"
    return process.returncode == 0


class Moments:
    """When to kill a command that takes about so long: the speed of a machine changes while others use it."""

    def __init__(self, draw, seconds):
        self.draw, self.seconds = draw, seconds

    def next(self):
        return self.draw.uniform(0, self.seconds)

    def note(self, ended):
        self.seconds *= 0.9 if ended else 1.02


def take_leftovers(folder):
    """Removes the files that a kill in the middle of a write leaves; how many there were."""
    left = list(folder.glob("*.tmp-*"))
    for path in left:
        path.unlink()
    return len(left)


def timed(*words):
    begin = time.monotonic()
    run(*words)
    return time.monotonic() - begin


def kill_learn(folder, draw, kills, rows):
    """The model is the one before or the one after, to the byte."""
    first, more, before, model = (folder / name for name in ("first.csv", "more.csv", "before.expose", "m.expose"))
    write_table(first, rows[:1000])
    write_table(more, rows[1000:3000])
    run("fit", first, "-o", before, "--r", "32")
    old = before.read_bytes()
    model.write_bytes(old)
    learn = ["learn", "-m", model, more]
    takes = timed(*learn)
    new = model.read_bytes()
    assert old != new
    hits, moments = Counter(), Moments(draw, takes)
    while hits.total() < kills:
        model.write_bytes(old)
        ended = kill_after(moments.next(), *learn)
        moments.note(ended)
        left = take_leftovers(folder)
        there = model.read_bytes()
        assert there in (old, new), "the model is neither the one before nor the one after"
        assert rows_of(model) in (1000, 3000)
        assert not (ended and there == old), "the command ended, and the model is the old one"
        if not ended:
            hits["during a write" if left else "before" if there == old else "after it"] += 1
    return hits


def kill_watch(folder, draw, kills, rows):
    """The checkpoint is the one of a watch over a whole prefix, to the byte, and going on from it gives what a watch
    that nobody killed gives: the same last checkpoint, and a file of verdicts with each row once."""
    rows = rows[:1500]
    every, n = 25, len(rows)
    table, checkpoint, verdicts = folder / "all.csv", folder / "c.expose", folder / "verdicts.csv"
    write_table(table, rows)
    options = ["--memory", "window:40", "--r", "16"]
    expected = {}
    for seen in [*range(every, n, every), n]:
        prefix, reference = folder / "prefix.csv", folder / "prefix.expose"
        write_table(prefix, rows[:seen])
        reference.unlink(missing_ok=True)
        run("watch", *options, "--checkpoint", reference, prefix)
        expected[seen] = reference.read_bytes()
    wanted = run("watch", *options, table)
    watch = ["watch", *options, "--checkpoint", checkpoint, "--every", str(every), table, "-o", verdicts]
    takes = timed(*watch)
    checkpoint.unlink()
    hits, whole, moments = Counter(), 0, Moments(draw, takes / 2)
    while hits.total() < kills:
        seen_before = rows_of(checkpoint) if checkpoint.exists() else 0
        ended = kill_after(moments.next(), *watch)
        moments.note(ended)
        left = take_leftovers(folder)
        seen = rows_of(checkpoint) if checkpoint.exists() else 0
        if checkpoint.exists():
            assert seen in expected, f"a checkpoint of {seen} rows"
            assert checkpoint.read_bytes() == expected[seen], f"the checkpoint of {seen} rows is another"
        assert seen >= seen_before, "rows were lost"
        if not ended:
            hits["during a write" if left else "before" if seen == seen_before else "after one"] += 1
        if seen == n:
            if not ended:
                run(*watch)
            assert verdicts.read_text(encoding="utf-8") == wanted, "the verdicts are others"
            whole += 1
            checkpoint.unlink()
    print(f"watch: {whole} times from the first row to the last, with the same verdicts")
    return hits


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    print(f"seed {seed}", flush=True)
    draw = random.Random(seed)
    numbers = random.Random(1)
    rows = [[f"{numbers.gauss(0, 1):.4f}" for _ in range(3)] for _ in range(3000)]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        for what, test in (("learn", kill_learn), ("watch", kill_watch)):
            folder = Path(name) / what
            folder.mkdir()
            hits = test(folder, draw, kills, rows)
            print(f"{what}: {kills} kills: " + ", ".join(f"{hits[key]} {key}" for key in sorted(hits)), flush=True)
            assert hits["during a write"] > 0, "no kill hit a write: the test shows nothing on this machine"
    print("every model loaded, and was the model of a whole prefix")


EXPOSE = sys.argv[1]
if __name__ == "__main__":
    main()
