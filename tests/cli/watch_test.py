#!/usr/bin/env python3
"""expose watch, as its users meet it: pipes, files, checkpoints, signals.

usage: watch_test.py EXPOSE
"""

import csv
import gzip
import io
import json
import os
import pty
import random
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXPOSE = os.path.abspath(sys.argv.pop(1))
PLAN_ROWS = 256
QUICK = ["--r", "64"]  # landmarks or frequencies: enough to tell verdicts apart
PATIENCE = 120  # seconds until an answer that does not come is a failure


def numbers(n, seed=1):
    """Rows of three numbers; every 397th is far away."""
    draw = random.Random(seed)
    far = [9.0 if i % 397 == 396 else 0.0 for i in range(n)]
    return [[f"{draw.gauss(0, 1) + far[i]:.4f}" for _ in range(3)] for i in range(n)]


def as_csv(rows, header=("a", "b", "c")):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue().encode()


def parsed(output):
    return list(csv.DictReader(io.StringIO(output.decode())))


class Watch(subprocess.Popen):
    """A watch that one can talk to."""

    def __init__(self, *options):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        super().__init__([EXPOSE, "watch", *options], bufsize=0, **pipes)
        self.rest = b""

    def say(self, data):
        self.stdin.write(data)

    def line(self):
        """The next line, or a failure if none comes while the input stays open."""
        while b"\n" not in self.rest:
            if not select.select([self.stdout], [], [], PATIENCE)[0]:
                raise AssertionError("a verdict was held back")
            more = os.read(self.stdout.fileno(), 65536)
            if not more:
                raise AssertionError(f"the output ended: {self.stderr.read().decode()}")
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def end(self):
        """Exit code, what else came to standard output, and standard error."""
        out, err = self.communicate(timeout=PATIENCE)
        return self.returncode, self.rest + out, err.decode()

    def end_when_stopped(self):
        """As end(), but with an input that stays open until then."""
        code = self.wait(timeout=PATIENCE)
        out, messages = self.rest + self.stdout.read(), self.stderr.read().decode()
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()
        return code, out, messages


class WatchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, data=None):
        path = self.folder / name
        if data is not None:
            path.write_bytes(data)
        return str(path)

    def expose(self, *words, data=b"", code=0):
        """Output and messages of a command that ends with this code."""
        done = subprocess.run([EXPOSE, *words], input=data, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout, done.stderr.decode()

    def watch(self, *options, data=b"", code=0):
        return self.expose("watch", *QUICK, *options, data=data, code=code)


class Answers(WatchTest):
    def test_each_row_is_answered_before_the_next_one_comes(self):
        rows = numbers(400)
        watch = Watch(*QUICK, "--memory", "fading:0.02")
        watch.say(as_csv([])), watch.say(as_csv(rows[:1]).split(b"\n", 1)[1])
        lines = [watch.line(), watch.line()]
        for row in rows[1:]:
            watch.say((",".join(row) + "\n").encode())
            lines.append(watch.line())
        code, rest, messages = watch.end()
        self.assertEqual((code, rest), (0, b""), messages)
        whole, _ = self.watch("--memory", "fading:0.02", self.file("all.csv", as_csv(rows)))
        self.assertEqual("\n".join(lines) + "\n", whole.decode())

    def test_verdicts_do_not_depend_on_how_rows_arrive(self):
        data = as_csv(numbers(900))
        path = self.file("all.csv", data)
        for memory in ["everything", "window:100", "fading:0.02"]:
            for more in [[], ["--reasons", "2"], ["--reasons", "1", "--only-anomalies"], ["--format", "jsonl"]]:
                whole, _ = self.watch("--memory", memory, *more, path)
                piped, _ = self.watch("--memory", memory, *more, data=data)
                self.assertEqual(whole, piped)
                watch = Watch(*QUICK, "--memory", memory, *more)
                for at in range(0, len(data), 4001):
                    watch.say(data[at : at + 4001])
                _, pieces, _ = watch.end()
                self.assertEqual(whole, pieces)
        self.assertIn(b'"row": 900,', whole)

    def test_anomalies_are_found(self):
        for memory in ["everything", "window:300", "fading:0.01"]:
            out, messages = self.watch("--memory", memory, "--r", "512", "--reasons", "1", data=as_csv(numbers(4000)))
            verdicts = parsed(out)
            self.assertEqual([int(v["row"]) for v in verdicts], list(range(1, 4001)))
            self.assertEqual({v["status"] for v in verdicts[:PLAN_ROWS]}, {"learning"})
            self.assertEqual({v["status"] for v in verdicts[PLAN_ROWS:]}, {"ok"})
            flagged = {int(v["row"]) for v in verdicts if v["anomalous"] == "1"}
            far = {row for row in range(PLAN_ROWS + 1, 4001) if row % 397 == 0}
            self.assertGreater(len(flagged & far), len(far) * 0.7, memory)
            self.assertLess(len(flagged - far), 4000 * 0.03, memory)
            self.assertIn("4,000 rows in", messages)
            self.assertIn(f"{len(flagged)} of 4,000 rows are flagged (p <= 0.01)", messages)
            self.assertTrue(all(v["reason_1"][:2] in ("a=", "b=", "c=") for v in verdicts if v["anomalous"] == "1"))

    def test_alpha_flags_more(self):
        data = as_csv(numbers(1500))
        few, _ = self.watch("--memory", "window:300", data=data)
        many, _ = self.watch("--memory", "window:300", "--alpha", "0.2", data=data)
        self.assertLess(few.count(b",1,ok"), many.count(b",1,ok"))
        only, _ = self.watch("--memory", "window:300", "--only-anomalies", data=data)
        self.assertEqual(only.splitlines()[1:], [line for line in few.splitlines() if line.endswith(b",1,ok")])

    def test_a_note_says_why_nothing_is_flagged(self):
        rows = [[str(i % 2 * 9 if i < 60 else 0), *row] for i, row in enumerate(numbers(390))]
        data = as_csv(rows, ("x", "a", "b", "c"))
        out, messages = self.watch("--alpha", "1e-9", data=data)
        lowest = min(float(v["p_value"]) for v in parsed(out) if v["status"] == "ok")
        said = re.search(r"note: the lowest p-value was ([0-9.e-]+), alpha is 1e-09: ", messages)
        self.assertAlmostEqual(float(said[1]) / lowest, 1, delta=0.1)
        self.assertIn("--memory window:N", messages)
        _, messages = self.watch("--alpha", "1e-9", "--memory", "window:200", data=data)
        self.assertIn("a longer memory", messages)
        _, messages = self.watch("--alpha", "0.5", data=data)
        self.assertNotIn("lowest", messages)
        _, messages = self.watch(data=as_csv(numbers(260)))  # too few to say so
        self.assertNotIn("lowest", messages)

    def test_alpha_alone_flags(self):
        for option in ("--top", "--fdr", "--contamination"):
            for words in ([option, "0.1"], [option + "=0.1"]):
                _, messages = self.watch(*words, data=as_csv(numbers(10)), code=2)
                self.assertIn(f"expose: {option}: watch answers each row as it comes and flags by --alpha", messages)

    def test_ids_are_copied_from_the_first_row_on(self):
        rows = [[f"id {i}, or so", *row] for i, row in enumerate(numbers(300), 1)]
        out, _ = self.watch("--id", "name", data=as_csv(rows, ("name", "a", "b", "c")))
        self.assertEqual([v["id"] for v in parsed(out)], [row[0] for row in rows])

    def test_fewer_rows_than_a_plan_takes(self):
        out, _ = self.watch(data=as_csv(numbers(20)))
        self.assertEqual([v["status"] for v in parsed(out)], ["learning"] * 20)
        _, messages = self.watch(data=as_csv([]), code=1)
        self.assertIn("standard input has a header and no rows", messages)
        self.watch(data=b"", code=1)

    def test_a_terminal_gets_a_table_with_flagged_rows_in_red(self):
        ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": "xterm"}
        env.pop("NO_COLOR", None)
        path = self.file("all.csv", as_csv(numbers(3000)))
        watch = subprocess.Popen([EXPOSE, "watch", *QUICK, "--memory", "window:300", "--only-anomalies", path],
                                 stdout=theirs, stderr=subprocess.DEVNULL, env=env)  # fmt: skip
        os.close(theirs)
        text = b""
        try:
            while more := os.read(ours, 65536):
                text += more
        except OSError:  # how a terminal says that it is closed
            pass
        self.assertEqual(watch.wait(), 0)
        lines = text.decode().splitlines()
        self.assertRegex(lines[0], r"^ +row +similarity +p_value  anomalous  status$")
        self.assertGreater(len(lines), 3)
        for line in lines[1:]:
            self.assertRegex(line, "^\x1b\\[31m +[0-9]+ .* yes .*\x1b\\[0m$")


class Rows(WatchTest):
    def test_bad_rows_before_and_after_the_plan(self):
        rows = numbers(500)
        rows[9] = rows[9][:2]  # ragged: seen at once
        rows[19][1] = "oops"  # no number: seen when the columns are known
        rows[299] = [*rows[299], "1"]
        rows[309][0] = "1e400"
        data = as_csv(rows)
        rejects = self.file("rejects.csv")
        out, messages = self.watch("--rejects", rejects, data=data)
        status = [v["status"] for v in parsed(out)]
        self.assertEqual([status[i] for i in (9, 19, 299, 309)], ["rejected", "learning", "rejected", "rejected"])
        self.assertEqual(status.count("rejected"), 3)
        self.assertIn("1 of the first rows was answered before it was known what the columns are for", messages)
        self.assertIn("4 rows of 500 are bad and were left out", messages)
        with open(rejects, encoding="utf-8") as file:
            self.assertEqual([line.split(",")[0] for line in file], ["row", "10", "20", "300", "310"])
        # Two of the first 256 are bad, so two more are learning.
        self.assertEqual(status[PLAN_ROWS : PLAN_ROWS + 3], ["learning", "learning", "ok"])
        self.watch("--strict", data=data, code=3)
        good = [row for i, row in enumerate(rows) if i not in (9, 19, 299, 309)]
        clean, _ = self.watch(data=as_csv(good))
        values = [(v["similarity"], v["p_value"]) for v in parsed(out) if v["status"] == "ok"]
        self.assertEqual(values, [(v["similarity"], v["p_value"]) for v in parsed(clean) if v["status"] == "ok"])

    def test_categories_and_missing_values(self):
        draw = random.Random(3)
        rows = [[f"{draw.gauss(0, 1):.3f}", draw.choice(["red", "green", "blue"])] for _ in range(800)]
        for i in (5, 50, 400, 500):
            rows[i][0] = "NA"
        rows[7] = ["", "?"]
        rows[600] = ["null", ""]
        rows[700][1] = "plaid"
        options = ["--memory", "fading:0.005", "--reasons", "1"]
        out, _ = self.watch(*options, data=as_csv(rows, ("size", "colour")))
        verdicts = parsed(out)
        self.assertEqual([v["row"] for v in verdicts if v["status"] == "unknown"], ["8", "601"])
        self.assertEqual(verdicts[500]["status"], "ok")
        self.assertEqual(verdicts[700]["anomalous"], "1")
        self.assertRegex(verdicts[700]["reason_1"], "^colour=plaid ")
        lines = [json.dumps({"size": None if row[0] in ("NA", "", "null") else float(row[0]),
                             "colour": None if row[1] in ("", "?") else row[1]}) for row in rows]  # fmt: skip
        same, _ = self.watch(*options, data="\n".join(lines).encode())
        self.assertEqual(out, same)

    def test_packed(self):
        data = as_csv(numbers(1000))
        packed = gzip.compress(data)
        plain, _ = self.watch(data=data)
        self.assertEqual(self.watch(self.file("all.csv.gz", packed))[0], plain)
        self.assertEqual(self.watch(data=packed)[0], plain)
        unpack = subprocess.Popen(["gzip", "-dc", self.file("all.csv.gz")], stdout=subprocess.PIPE)
        piped = subprocess.run([EXPOSE, "watch", *QUICK], stdin=unpack.stdout, capture_output=True)
        unpack.stdout.close()
        self.assertEqual(unpack.wait(), 0)
        self.assertEqual(piped.stdout, plain)

    def test_what_comes_before_damage_is_watched_and_kept(self):
        draw = random.Random(5)
        data = as_csv([[str(draw.random()) for _ in range(3)] for _ in range(4000)])
        packed = gzip.compress(data)
        checkpoint = self.file("c.expose")
        out, messages = self.watch("--checkpoint", checkpoint, data=packed[: len(packed) // 2], code=1)
        rows = len(parsed(out))
        self.assertIn("the packed data stops before its end", messages)
        self.assertGreater(rows, 1000)
        whole = self.file("whole.expose")
        self.watch("--checkpoint", whole, data=b"\n".join(data.split(b"\n")[: rows + 1]) + b"\n")
        self.assertEqual(Path(checkpoint).read_bytes(), Path(whole).read_bytes())

    def test_several_files_are_one_stream(self):
        rows = numbers(700)
        one, two = self.file("1.csv", as_csv(rows[:100])), self.file("2.csv", as_csv(rows[100:]))
        self.assertEqual(self.watch(one, two)[0], self.watch(data=as_csv(rows))[0])


class Models(WatchTest):
    def test_with_the_plan_of_a_model_twenty_rows_are_enough(self):
        rows = numbers(600)
        model = self.file("m.expose")
        self.expose("fit", self.file("old.csv", as_csv(rows[:300])), "-o", model, "--alpha", "0.05")
        out, messages = self.expose("watch", "-m", model, data=as_csv(rows[300:]))
        status = [v["status"] for v in parsed(out)]
        self.assertEqual(status[:20], ["learning"] * 20)
        self.assertEqual(set(status[20:]), {"ok"})
        self.assertIn("(p <= 0.05)", messages)
        # Columns are matched by name.
        turned = as_csv([row[::-1] for row in rows[300:]], ("c", "b", "a"))
        self.assertEqual(self.expose("watch", "-m", model, data=turned)[0], out)
        self.expose("watch", "-m", model, data=as_csv(rows, ("a", "b", "x")), code=1)
        _, messages = self.expose("watch", "-m", model, "--memory", "window:50", data=as_csv(rows), code=2)
        self.assertIn("--memory window:50", messages)

    def test_from_a_watcher_on(self):
        rows = numbers(900)
        watcher, checkpoint = self.file("w.expose"), self.file("c.expose")
        options = ["--memory", "fading:0.02"]
        whole, _ = self.watch(*options, data=as_csv(rows))
        self.watch(*options, "--checkpoint", watcher, data=as_csv(rows[:400]))
        before = Path(watcher).read_bytes()
        more = self.file("more.csv", as_csv(rows[400:]))
        out, _ = self.watch("-m", watcher, more)
        values = [(int(v["row"]) + 400, v["p_value"]) for v in parsed(out)]
        self.assertEqual(values, [(int(v["row"]), v["p_value"]) for v in parsed(whole)[400:]])
        self.assertEqual(Path(watcher).read_bytes(), before)
        # With a checkpoint of its own the rows of this file count, not those of the watcher.
        part = self.file("part.csv", as_csv(rows[400:600]))
        self.watch("-m", watcher, "--checkpoint", checkpoint, part)
        rest, messages = self.watch("-m", watcher, "--checkpoint", checkpoint, more)
        self.assertIn("goes on with row 201; the rows before it are skipped", messages)
        self.assertEqual(rest.splitlines()[1:], out.splitlines()[201:])
        # The checkpoint knows that by itself.
        Path(checkpoint).unlink()
        self.watch("-m", watcher, "--checkpoint", checkpoint, part)
        rest, messages = self.watch("--checkpoint", checkpoint, more)
        self.assertIn("goes on with row 201; the rows before it are skipped", messages)
        self.assertEqual(rest.splitlines()[1:], out.splitlines()[201:])

    def test_from_a_watcher_without_a_plan_on(self):
        rows = numbers(700)
        watcher, checkpoint = self.file("w.expose"), self.file("c.expose")
        self.watch("--checkpoint", watcher, data=as_csv(rows[:100]))
        whole, _ = self.watch(data=as_csv(rows))
        first, _ = self.watch("-m", watcher, "--checkpoint", checkpoint, data=as_csv(rows[100:400]))
        second, messages = self.watch("-m", watcher, "--checkpoint", checkpoint, data=as_csv(rows[400:]))
        self.assertIn("goes on with row 301; ", messages)
        values = [v["p_value"] for v in parsed(first) + parsed(second)]
        self.assertEqual(values, [v["p_value"] for v in parsed(whole)[100:]])

    def test_a_model_that_is_not_there_is_an_error(self):
        path, nowhere = self.file("all.csv", as_csv(numbers(300))), self.file("nowhere.expose")
        for checkpoint in (nowhere, self.file("c.expose")):
            _, messages = self.watch("-m", nowhere, "--checkpoint", checkpoint, path, code=1)
            self.assertIn("nowhere.expose", messages)
            self.assertFalse(Path(checkpoint).exists())


class Checkpoints(WatchTest):
    def test_a_stopped_watch_goes_on_as_if_it_had_not_been_stopped(self):
        rows = numbers(1000)
        rows[280] = ["1"]
        path = self.file("all.csv", as_csv(rows))
        for memory in ["everything", "window:60", "fading:0.02"]:
            options = ["--memory", memory, "--every", "100", "--checkpoint"]
            whole, verdicts = self.file("whole.expose"), self.file("whole.csv")
            Path(whole).unlink(missing_ok=True)
            self.watch(*options, whole, path, "-o", verdicts)
            for stop in (100, 270, 300, 650, 1000):  # the first before there is a plan
                part, out = self.file("part.expose"), self.file("part.csv")
                Path(part).unlink(missing_ok=True)
                self.watch(*options, part, self.file("begin.csv", as_csv(rows[:stop])), "-o", out)
                _, messages = self.watch(*options, part, path, "-o", out)
                self.assertIn(f"goes on with row {stop + 1:,}; the rows before it are skipped in", messages)
                self.assertEqual(Path(part).read_bytes(), Path(whole).read_bytes(), (memory, stop))
                self.assertEqual(Path(out).read_bytes(), Path(verdicts).read_bytes(), (memory, stop))
        self.assertEqual([name for name in os.listdir(self.folder) if "lock" in name or "tmp" in name], [])

    def test_a_pipe_is_taken_to_begin_behind_the_checkpoint(self):
        rows = numbers(900)
        whole, part = self.file("whole.expose"), self.file("part.expose")
        options = ["--memory", "fading:0.02", "--checkpoint"]
        all_of_it, _ = self.watch(*options, whole, data=as_csv(rows))
        first, _ = self.watch(*options, part, data=as_csv(rows[:500]))
        second, messages = self.watch(*options, part, data=as_csv(rows[500:]))
        self.assertIn("goes on with row 501; standard input is taken to begin there", messages)
        self.assertEqual(first + second.split(b"\n", 1)[1], all_of_it)
        self.assertEqual(Path(part).read_bytes(), Path(whole).read_bytes())
        # A file that comes as standard input is a file.
        path = self.file("all.csv", as_csv(rows))
        with open(path, "rb") as file:
            done = subprocess.run([EXPOSE, "watch", "--checkpoint", part], stdin=file, capture_output=True)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn(b"goes on with row 901; the rows before it are skipped in standard input", done.stderr)

    def test_what_was_written_behind_the_checkpoint_is_not_there_twice(self):
        rows = [[f'id "{i}"\nsecond line', *row] for i, row in enumerate(numbers(900))]
        rows[650] = ["short"]
        names = ("id", "a", "b", "c")
        path, begin = self.file("all.csv", as_csv(rows, names)), self.file("begin.csv", as_csv(rows[:600], names))
        for format in ("csv", "jsonl"):
            whole, out, checkpoint = (self.file(name) for name in (f"whole.{format}", f"out.{format}", "c.expose"))
            rejects, all_rejects = self.file("rejects.csv"), self.file("all_rejects.csv")
            Path(checkpoint).unlink(missing_ok=True)
            options = ["--id", "id", "--reasons", "1"]
            self.watch(*options, path, "-o", whole, "--rejects", all_rejects)
            self.watch(*options, begin, "-o", out, "--checkpoint", checkpoint, "--rejects", rejects)
            # As if it had been killed in the middle of a row, long after its checkpoint.
            text = Path(whole).read_bytes()
            self.assertTrue(text.startswith(Path(out).read_bytes()))
            Path(out).write_bytes(text[: (len(text) + Path(out).stat().st_size) // 2])
            Path(rejects).write_bytes(Path(all_rejects).read_bytes()[:-3])
            self.watch(*options, path, "-o", out, "--checkpoint", checkpoint, "--rejects", rejects)
            self.assertEqual(Path(out).read_bytes(), text)
            self.assertEqual(Path(rejects).read_bytes(), Path(all_rejects).read_bytes())

    def test_verdicts_that_could_not_be_written_come_again(self):
        path = self.file("all.csv", as_csv(numbers(3000)))
        whole, out, checkpoint = self.file("whole.csv"), self.file("out.csv"), self.file("c.expose")
        self.watch(path, "-o", whole)
        room = Path(whole).stat().st_size * 2 // 3  # the checkpoint is smaller

        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        words = [EXPOSE, "watch", *QUICK, path, "-o", out, "--checkpoint", checkpoint, "--every", "500"]
        full = subprocess.run(words, capture_output=True, timeout=PATIENCE, preexec_fn=little_room)
        self.assertEqual(full.returncode, 1, full.stderr)
        self.assertIn(b"cannot write " + out.encode(), full.stderr)
        _, messages = self.watch(path, "-o", out, "--checkpoint", checkpoint, "--every", "500")
        self.assertRegex(messages, "goes on with row [1-9],?[05]01; ")
        self.assertEqual(Path(out).read_bytes(), Path(whole).read_bytes())

    def test_half_a_row_at_the_end_of_a_file_is_read_again_when_it_is_whole(self):
        rows = numbers(600)
        data = as_csv(rows)
        whole, kept = self.file("whole.csv"), self.file("whole.expose")
        self.watch(self.file("all.csv", data), "-o", whole, "--checkpoint", kept)
        growing, out, checkpoint = self.file("growing.csv"), self.file("out.csv"), self.file("c.expose")
        options = [growing, "-o", out, "--checkpoint", checkpoint]
        ends = [len(b"\n".join(data.split(b"\n")[: row + 1])) for row in (1, 100, 256, 257, 300, 500)]
        for cut in [ends[0] - 3, *ends[1:3], ends[3] - 3, ends[4], ends[5] - 12]:
            self.file("growing.csv", data[:cut])
            _, messages = self.watch(*options)
            rows_there = data[:cut].count(b"\n")
            self.assertEqual(len(Path(out).read_bytes().splitlines()), rows_there + 1)  # it is answered all the same
            self.assertEqual(Path(checkpoint).exists(), rows_there > 1)
            if rows_there > 1:
                self.assertIn(f"up to row {rows_there - 1}; the one behind it has no newline yet", messages)
        self.file("growing.csv", data)
        _, messages = self.watch(*options)
        self.assertIn("goes on with row 500; ", messages)
        self.assertEqual(Path(out).read_bytes(), Path(whole).read_bytes())
        self.assertEqual(Path(checkpoint).read_bytes(), Path(kept).read_bytes())
        # The end of a pipe is the end of its last row, and so is that of a file before another one.
        _, messages = self.watch("--checkpoint", self.file("pipe.expose"), data=data[:-1])
        self.assertIn("up to row 600\n", messages)
        begin, rest = self.file("begin.csv", as_csv(rows[:300])[:-1]), self.file("rest.csv", as_csv(rows[300:]))
        _, messages = self.watch("--checkpoint", self.file("files.expose"), begin, rest)
        self.assertIn("up to row 600\n", messages)

    def test_standard_output_is_no_file_called_minus(self):
        path, checkpoint = self.file("all.csv", as_csv(numbers(400))), self.file("c.expose")
        self.watch(self.file("begin.csv", as_csv(numbers(400)[:300])), "--checkpoint", checkpoint)
        self.file("-", b"dear diary\n")
        words = [EXPOSE, "watch", *QUICK, path, "--checkpoint", checkpoint, "-o", "-"]
        done = subprocess.run(words, capture_output=True, timeout=PATIENCE, cwd=self.folder)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 101), done.stderr)
        self.assertEqual(Path(self.file("-")).read_bytes(), b"dear diary\n")

    def test_results_that_are_gone_are_told(self):
        rows = numbers(400)
        path, begin = self.file("all.csv", as_csv(rows)), self.file("begin.csv", as_csv(rows[:300]))
        out, checkpoint = self.file("out.csv"), self.file("c.expose")
        _, messages = self.watch(begin, "--checkpoint", checkpoint, "-o", out)
        self.assertNotIn("warning", messages)
        Path(out).unlink()
        _, messages = self.watch(path, "--checkpoint", checkpoint, "-o", out)
        self.assertIn(f"warning: {out} is not there: it is begun anew, without the first 300 rows", messages)
        self.assertEqual([v["row"] for v in parsed(Path(out).read_bytes())], [str(i) for i in range(301, 401)])
        _, messages = self.watch(path, "--checkpoint", checkpoint, "-o", out)
        self.assertNotIn("warning", messages)

    def test_a_file_of_something_else_is_left_alone(self):
        path, checkpoint = self.file("all.csv", as_csv(numbers(400))), self.file("c.expose")
        self.watch(path, "--checkpoint", checkpoint)
        other = self.file("other.csv", b"dear diary\n")
        _, messages = self.watch(path, "--checkpoint", checkpoint, "-o", other, code=1)
        self.assertIn("other.csv is not what this command wrote before", messages)
        self.assertEqual(Path(other).read_bytes(), b"dear diary\n")

    def test_options_that_contradict_a_checkpoint_are_named(self):
        data, checkpoint = as_csv(numbers(400)), self.file("c.expose")
        made = ["--memory", "fading:0.02", "--kernel", "laplacian", "--map", "fourier", "--ignore", "c"]
        for rows in (100, 400):  # before there is a plan, and with one
            Path(checkpoint).unlink(missing_ok=True)
            some = b"\n".join(data.split(b"\n")[: rows + 1]) + b"\n"
            self.watch(*made, "--checkpoint", checkpoint, data=some)
            before = Path(checkpoint).read_bytes()
            for wrong in (["--memory", "everything"], ["--memory", "fading:0.03"], ["--kernel", "gaussian"],
                          ["--map", "sorf"], ["--r", "32"], ["--seed", "7"], ["--ignore", "a"],
                          ["--columns", "a"], ["--category", "b"]):  # fmt: skip
                _, messages = self.expose("watch", "--checkpoint", checkpoint, *wrong, data=data, code=2)
                self.assertIn(f"expose: {wrong[0]} ", messages)
                self.assertEqual(Path(checkpoint).read_bytes(), before)
            # The same ones, others than the plan's, and none at all are right.
            self.watch(*made, "--alpha", "0.05", "--checkpoint", checkpoint, data=data)
            self.expose("watch", "--checkpoint", checkpoint, data=data)

    def test_the_same_words_go_on_whatever_the_map_makes_of_them(self):
        rows = numbers(500)
        path, checkpoint = self.file("all.csv", as_csv(rows)), self.file("c.expose")
        for words in (["--map", "isolation", "--kernel", "laplacian", "--bandwidth", "2"], ["--map", "nystrom"]):
            for stop in (100, 300):
                Path(checkpoint).unlink(missing_ok=True)
                whole, _ = self.watch(*words, path)
                self.watch(*words, "--checkpoint", checkpoint, self.file("begin.csv", as_csv(rows[:stop])))
                rest, _ = self.watch(*words, "--checkpoint", checkpoint, path)
                self.assertEqual(rest.splitlines()[1:], whole.splitlines()[stop + 1 :])

    def test_the_wrong_file_is_told(self):
        checkpoint = self.file("c.expose")
        self.watch("--checkpoint", checkpoint, self.file("all.csv", as_csv(numbers(400))))
        short = self.file("short.csv", as_csv(numbers(300)))
        _, messages = self.watch("--checkpoint", checkpoint, short, code=1)
        self.assertIn("has 300 rows, ", messages)
        self.assertIn("has seen 400", messages)
        _, messages = self.watch("--every", "5", code=2)
        self.assertIn("--every goes with --checkpoint", messages)
        self.watch("--checkpoint", checkpoint, "--every", "0", code=2)
        _, messages = self.watch("--checkpoint", self.file("nowhere/c.expose"), short, code=1)
        self.assertIn("cannot write the checkpoint", messages)
        self.file("junk", b"junk")
        self.watch("--checkpoint", self.file("junk"), short, code=1)
        model = self.file("m.expose")
        self.expose("fit", short, "-o", model)
        _, messages = self.expose("watch", "--checkpoint", model, short, code=1)
        self.assertIn(f"{model} is the file of a detector, not of a watcher: -m {model} takes its plan", messages)

    def test_two_cannot_share_a_checkpoint(self):
        rows, checkpoint = numbers(400), self.file("c.expose")
        first = Watch(*QUICK, "--checkpoint", checkpoint, "--every", "50")
        first.say(as_csv(rows[:300]))
        for _ in range(301):
            first.line()
        for _ in range(2):
            _, messages = self.watch("--checkpoint", checkpoint, data=as_csv(rows), code=1)
            self.assertIn("c.expose is in use by another watch", messages)
        first.say(as_csv(rows[300:]).split(b"\n", 1)[1])
        code, out, _ = first.end()
        self.assertEqual((code, len(out.splitlines())), (0, 100))
        self.watch("--checkpoint", checkpoint, data=as_csv(rows))


class Ends(WatchTest):
    def checkpoint_of(self, rows):
        path = self.file("reference.expose")
        Path(path).unlink(missing_ok=True)
        self.watch("--checkpoint", path, data=as_csv(rows))
        return Path(path).read_bytes()

    def test_signals_finish_the_rows_that_have_come(self):
        rows, checkpoint = numbers(400), self.file("c.expose")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for stop in (30, 256, 390):  # while the columns are found out, and after
                Path(checkpoint).unlink(missing_ok=True)
                watch = Watch(*QUICK, "--checkpoint", checkpoint)
                watch.say(as_csv(rows[:stop]) + b"0.5,0.5,0.")  # the last one is still to come
                for _ in range(stop + 1):
                    watch.line()
                watch.send_signal(number)
                code, out, messages = watch.end_when_stopped()
                self.assertEqual((code, out), (0, b""), messages)
                self.assertIn(f"{stop} rows in ", messages)
                self.assertEqual(Path(checkpoint).read_bytes(), self.checkpoint_of(rows[:stop]))

    def test_a_signal_before_the_first_row(self):
        for said in (b"", b"a,b\n"):
            watch = Watch("--checkpoint", self.file("c.expose"))
            watch.say(said)
            while "c.expose.lock" not in os.listdir(self.folder):
                self.assertIsNone(watch.poll())
            watch.send_signal(signal.SIGTERM)
            code, out, messages = watch.end_when_stopped()
            self.assertEqual(code, 0, messages)
            self.assertIn("stopped before the first row", messages)
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_named_pipe_is_stopped_too(self):
        fifo = self.file("fifo")
        os.mkfifo(fifo)
        watch = Watch(*QUICK, fifo)
        with open(fifo, "wb", buffering=0) as pipe:
            pipe.write(as_csv(numbers(300)))
            for _ in range(301):
                watch.line()
            watch.send_signal(signal.SIGINT)
            code, _, messages = watch.end_when_stopped()
        self.assertEqual(code, 0, messages)
        self.assertIn("300 rows in ", messages)

    def test_a_reader_that_goes_away_is_no_error(self):
        rows, checkpoint = numbers(400), self.file("c.expose")
        for stop in (30, 300):
            Path(checkpoint).unlink(missing_ok=True)
            watch = Watch(*QUICK, "--checkpoint", checkpoint)
            watch.say(as_csv(rows[:stop]))
            for _ in range(stop + 1):
                watch.line()
            watch.stdout.close()
            watch.say((",".join(rows[stop]) + "\n").encode())
            code = watch.wait(timeout=PATIENCE)  # the input stays open
            messages = watch.stderr.read().decode()
            self.assertEqual(code, 0, messages)
            self.assertEqual(Path(checkpoint).read_bytes(), self.checkpoint_of(rows[: stop + 1]))
            watch.stdin.close(), watch.stderr.close()

    def test_a_signal_while_nobody_writes_to_a_named_pipe(self):
        fifo = self.file("fifo")
        os.mkfifo(fifo)
        watch = Watch("--checkpoint", self.file("c.expose"), fifo)
        while "c.expose.lock" not in os.listdir(self.folder):
            self.assertIsNone(watch.poll())
        while Path(f"/proc/{watch.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "S":
            pass  # until it waits
        watch.send_signal(signal.SIGTERM)
        code, _, messages = watch.end_when_stopped()
        self.assertEqual(code, 0, messages)
        self.assertIn("stopped before the first row", messages)

    def test_head(self):
        path = self.file("all.csv", as_csv(numbers(3000)))
        line = f"{EXPOSE} watch {path} --r 16 | head -n 2; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "row,similarity,p_value,anomalous,status\n1,0,1,0,learning\n0\n")


def resident(pid):
    """Kilobytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0])


class Memory(WatchTest):
    def test_does_not_grow(self):
        """From 40,000 to 400,000 rows; tests/slow/watch_memory_test.py has more of them."""
        block = as_csv(numbers(2000)).split(b"\n", 1)[1] + b"1,2\nx,y,z\n,,\n"
        for memory in ("everything", "window:500", "fading:0.01"):
            options = ["--memory", memory, "--r", "16", "--only-anomalies", "-o", "/dev/null"]
            watch = Watch(*options, "--checkpoint", self.file("c.expose"), "--every", "50000")
            watch.say(as_csv([]))
            sizes = []
            for i in range(1, 201):
                watch.say(block)
                if i >= 20:
                    sizes.append(resident(watch.pid))
            code, _, messages = watch.end()
            self.assertEqual(code, 0, messages)
            self.assertIn(f"{200 * 2003:,} rows in", messages)
            self.assertLess(sizes[-1], sizes[0] + 4096, memory)
            os.unlink(self.file("c.expose"))


if __name__ == "__main__":
    unittest.main()
