"""The command under test, and small tables to feed it: what the tests of the command line share.

Every test script gets the path of the command as its first argument.
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXPOSE = os.path.abspath(sys.argv.pop(1))
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BREASTW = EXAMPLES / "breastw.csv"


class Done:
    """What a command left behind."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err

    def rows(self):
        """Verdicts in csv, as dictionaries."""
        return list(csv.DictReader(io.StringIO(self.out)))

    def objects(self):
        """Verdicts in jsonl."""
        return [json.loads(line) for line in self.out.splitlines()]

    def json(self):
        return json.loads(self.out)


class Case(unittest.TestCase):
    """A test in a folder of its own, which is the working folder of its commands."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def expose(self, *words, stdin=b"", env=None, **more):
        """Runs the command; words are its arguments."""
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | (env or {})
        done = subprocess.run([EXPOSE, *map(str, words)], input=stdin, capture_output=True, cwd=self.folder,
                              env=environment, timeout=600, check=False, **more)
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def does(self, *words, **more):
        """Runs a command that must succeed."""
        done = self.expose(*words, **more)
        self.assertEqual(done.code, 0, done.err)
        return done

    def fails(self, *words, code=1, says=(), **more):
        """Runs a command that must fail with this exit code, and say all of this, with nothing on standard output."""
        done = self.expose(*words, **more)
        self.assertEqual(done.code, code, done.err)
        self.assertEqual(done.out, "")
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, done.err)
        return done

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def write_rows(self, name, header, rows):
        return self.write(name, table(header, rows))


def table(header, rows):
    """csv."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue()


def breastw():
    """Header and rows of the example, as texts; the last column is the label."""
    with BREASTW.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


class Table(Case):
    """Real files: the breast cancer table with the label called fraud, and parts of it."""

    def setUp(self):
        super().setUp()
        header, rows = breastw()
        self.header = [*header[:-1], "fraud"]
        self.rows = rows
        self.write_rows("data.csv", self.header, rows)
        self.write_rows("first.csv", self.header, rows[:400])
        self.write_rows("last.csv", self.header, rows[400:])

    def fit(self, data="data.csv", model="normal.expose", *more):
        self.does("fit", data, "--label", "fraud", "-o", model, *more)
        return (self.folder / model).read_bytes()


class Hostile(Case):
    """A good model, and good rows beside whatever is hostile."""

    def setUp(self):
        super().setUp()
        header, rows = breastw()
        self.header, self.rows = header[:-1], [row[:-1] for row in rows]
        self.write_rows("good.csv", self.header, self.rows)
        self.does("fit", "good.csv", "-o", "m.expose")
        self.model = (self.folder / "m.expose").read_bytes()
        self.judged = self.does("judge", "-m", "m.expose", "good.csv").out.splitlines()

    def model_is_whole(self):
        self.assertEqual((self.folder / "m.expose").read_bytes(), self.model)
        self.assertEqual({p.name for p in self.folder.iterdir() if p.name.startswith("m.expose")}, {"m.expose"})

    def refuses(self, name, says, verbs=("detect", "judge", "learn", "fit")):
        """Every verb that reads the file says so, with exit code 1, and leaves the model as it was."""
        for verb in verbs:
            words = {"judge": ["-m", "m.expose"], "learn": ["-m", "m.expose"], "fit": ["-o", "new.expose"]}
            done = self.expose(verb, *words.get(verb, []), name)
            self.assertEqual(done.code, 1, (verb, done.err))
            for part in [says] if isinstance(says, str) else says:
                self.assertIn(part, done.err, verb)
            self.assertTrue(done.err.startswith("expose: "), done.err)
            self.assertFalse((self.folder / "new.expose").exists())
            self.model_is_whole()


def main():
    unittest.main()
