#!/usr/bin/env python3
"""Hostile files, rows, names and models: each gets a sentence and an exit code, and nothing good is lost.
Hostile surroundings: surroundings_test.py.

usage: hostile_test.py EXPOSE
"""

import csv
import gzip
import os
import random
import resource
import subprocess

from command import EXPOSE, Hostile, main


def as_nobody():
    """Root may open everything: the command runs as somebody who may not."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


class Files(Hostile):
    def test_an_empty_file(self):
        self.write("empty.csv", b"")
        self.refuses("empty.csv", "empty.csv: the file is empty")
        for verb in ("judge", "learn"):
            self.fails(verb, "-m", "m.expose", stdin=b"", says="standard input: the file is empty")

    def test_a_header_and_no_rows(self):
        self.write("header.csv", ",".join(self.header) + "\n")
        self.refuses("header.csv", "header.csv has a header and no rows", verbs=("detect", "fit"))
        done = self.does("judge", "-m", "m.expose", "header.csv")
        self.assertEqual(done.out.splitlines(), ["row,similarity,p_value,anomalous,status"])
        self.does("learn", "-m", "m.expose", "header.csv")
        self.model_is_whole()

    def test_one_column(self):
        self.write("one.csv", "a\n" + "".join(f"{i % 10}\n" for i in range(200)) + "99\n")
        rows = self.does("detect", "one.csv", "--top", "1").rows()
        self.assertEqual(rows[0]["row"], "201")
        self.refuses("one.csv", "one.csv: there is no column 'clump_thickness'", verbs=("judge", "learn"))

    def test_binary_junk(self):
        junk = random.Random(1).randbytes(100000)
        for name in ("junk.csv", "junk.jsonl", "junk.npy", "junk.gz"):
            self.write(name, b"\x07" + junk)
            self.refuses(name, name)

    def test_a_line_without_an_end(self):
        with (self.folder / "long.csv").open("wb") as file:
            file.write(",".join(self.header).encode() + b"\n" + ",".join(self.rows[0]).encode() + b"\n")
            for _ in range(200):
                file.write(b"7" * 1_000_000)
        self.refuses("long.csv", "long.csv, line 3: this line has no end within 16777216 bytes")
        with (self.folder / "long.csv").open("rb") as file:
            done = subprocess.run([EXPOSE, "detect", str(self.folder / "long.csv")], stdin=file, capture_output=True,
                                  timeout=600, check=False, preexec_fn=lambda: resource.setrlimit(
                                      resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        self.assertEqual(done.returncode, 1, done.stderr)  # and in far less memory than the line has

    def test_a_packed_file_that_was_cut(self):
        packed = gzip.compress("\n".join([",".join(self.header), *map(",".join, self.rows), ""]).encode())
        self.write("cut.csv.gz", packed[:len(packed) // 2])
        self.refuses("cut.csv.gz", ["cut.csv.gz, line ", "the packed data stops before its end: the file was cut"])
        before = self.expose("judge", "-m", "m.expose", "cut.csv.gz").out.splitlines()
        self.assertGreater(len(before), 100)  # the good rows before the cut are judged
        self.assertEqual(before, self.judged[:len(before)])

    def test_a_directory(self):
        (self.folder / "folder").mkdir()
        self.refuses("folder", "folder is a directory; name the files in it")
        for words in (["judge", "-m", "folder", "good.csv"], ["inspect", "folder"]):
            self.fails(*words, says="folder")
        self.fails("fit", "good.csv", "-o", "folder", says="folder")

    def test_a_file_that_is_not_there(self):
        self.refuses("nowhere.csv", "cannot open nowhere.csv: No such file or directory")
        self.fails("judge", "-m", "nowhere.expose", "good.csv", says="nowhere.expose: No such file or directory")
        self.fails("detect", "good.csv", "-o", "nowhere/verdicts.csv", says="cannot write nowhere/verdicts.csv")

    def test_no_permission(self):
        self.write("secret.csv", "a,b\n1,2\n").chmod(0)
        self.folder.chmod(0o755)
        (self.folder / "m.expose").chmod(0o644)
        self.fails("detect", "secret.csv", says="cannot open secret.csv: Permission denied", preexec_fn=as_nobody)
        self.fails("fit", "good.csv", "-o", "new.expose", says=["new.expose", "Permission denied"],
                   preexec_fn=as_nobody)
        self.fails("learn", "-m", "m.expose", "good.csv", says=["m.expose", "Permission denied"],
                   preexec_fn=as_nobody)
        (self.folder / "m.expose").chmod(0)
        self.fails("judge", "-m", "m.expose", "good.csv", says="m.expose: Permission denied", preexec_fn=as_nobody)
        (self.folder / "m.expose").chmod(0o644)
        self.model_is_whole()


class SameFile(Hostile):
    """A file is not read and overwritten by one command."""

    def test_what_is_read_is_not_overwritten(self):
        good = (self.folder / "good.csv").read_bytes()
        os.link(self.folder / "good.csv", self.folder / "linked.csv")
        label = ["--label", "mitoses"]
        for words in (["judge", "-m", "m.expose", "good.csv", "-o", "good.csv"],
                      ["detect", "good.csv", "-o", "good.csv"],
                      ["detect", "good.csv", "-o", "./linked.csv"], ["fit", "good.csv", "-o", "good.csv"],
                      ["report", "good.csv", "-o", "good.csv"], ["tune", "good.csv", *label, "-o", "good.csv"],
                      ["detect", "good.csv", "--save", "good.csv"], ["detect", "good.csv", "--rejects", "good.csv"],
                      ["learn", "-m", "m.expose", "good.csv", "-o", "good.csv"],
                      ["watch", "good.csv", "-o", "good.csv"],
                      ["drift", "m.expose", "good.csv", "--rejects", "good.csv"]):
            self.fails(*words, code=2, says=["is read; name another file for --", words[-2].lstrip("-")[-1]])
        self.fails("judge", "-m", "m.expose", "good.csv", "-o", "m.expose", code=2, says="m.expose is read")
        self.fails("fit", "good.csv", "--plan", "m.expose", "-o", "m.expose", code=2, says="m.expose is read")
        with (self.folder / "good.csv").open("rb") as file:
            done = subprocess.run([EXPOSE, "detect", "-o", "good.csv"], stdin=file, capture_output=True, check=False,
                                  cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual((self.folder / "good.csv").read_bytes(), good)
        self.model_is_whole()

    def test_what_is_written_is_not_written_twice(self):
        says = "is written by --rejects; name another file for --output"
        self.fails("detect", "good.csv", "--rejects", "y.csv", "-o", "./y.csv", code=2, says=says)
        self.assertFalse((self.folder / "y.csv").exists())
        self.does("detect", "good.csv", "-o", "/dev/null", "--rejects", "/dev/null")

    def test_a_model_may_be_replaced_as_a_whole(self):
        self.does("learn", "-m", "m.expose", "good.csv", "-o", "m.expose")
        self.does("fit", "good.csv", "--plan", "m.expose", "-o", "b.expose")
        self.does("merge", "m.expose", "b.expose", "-o", "m.expose")
        self.assertEqual(self.does("inspect", "m.expose", "--json").json()["rows"], 3 * len(self.rows))


class Rows(Hostile):
    """Bad rows are told, never learned, and the good ones beside them are judged as ever."""

    BAD = {
        "ragged, too short": (b"5,1,1", "3 fields, the table has 9"),
        "ragged, too long": (b"1,2,3,4,5,6,7,8,9,10", "10 fields, the table has 9"),
        "no number": (b"5,1,1,abc,2,1,3,1,1", "column 'marginal_adhesion': 'abc' is no number"),
        "1e400": (b"1e400,1,1,1,2,1,3,1,1", "column 'clump_thickness': '1e400' is beyond the largest number"),
        "infinity": (b"inf,1,1,1,2,1,3,1,1", "column 'clump_thickness': 'inf' is"),
        "a NUL": (b"5,1,\x001,1,2,1,3,1,1", "column 'uniformity_of_cell_shape': '\\x001' is no number"),
    }

    def plant(self, name="bad.csv"):
        """A bad row behind every hundredth good one; which rows are good."""
        lines, good = [], []
        bad = [text for text, _ in self.BAD.values()]
        for i, row in enumerate(self.rows):
            lines.append(",".join(row).encode())
            good.append(len(lines))
            if i % 100 == 99 and bad:
                lines.append(bad.pop(0))
        self.assertEqual(bad, [])
        self.write(name, b"\n".join([",".join(self.header).encode(), *lines, b""]))
        return good, len(lines)

    def test_they_keep_their_place_and_change_nothing(self):
        good, count = self.plant()
        done = self.does("judge", "-m", "m.expose", "bad.csv")
        rows = done.rows()
        self.assertEqual(len(rows), count)
        for row in rows:
            if int(row["row"]) not in good:
                self.assertEqual([row[k] for k in ("similarity", "p_value", "anomalous", "status")],
                                 ["0", "1", "0", "rejected"])
        kept = [line.split(",", 1)[1] for line in done.out.splitlines()[1:] if not line.endswith("rejected")]
        self.assertEqual(kept, [line.split(",", 1)[1] for line in self.judged[1:]])
        self.assertIn(f"{len(self.BAD)} rows of {count} are bad and were left out:", done.err)
        self.assertIn("bad.csv, line 102 (row 101): 3 fields, the table has 9", done.err)
        self.assertIn("--rejects FILE lists them all", done.err)

    def test_they_are_never_learned(self):
        self.plant()
        self.does("fit", "bad.csv", "-o", "bad.expose")
        self.assertEqual((self.folder / "bad.expose").read_bytes(), self.model)
        self.does("learn", "-m", "bad.expose", "bad.csv")
        self.does("learn", "-m", "m.expose", "good.csv")
        self.assertEqual((self.folder / "bad.expose").read_bytes(), (self.folder / "m.expose").read_bytes())

    def test_detect_judges_the_others_as_without_them(self):
        good, _ = self.plant()
        clean = self.does("detect", "good.csv").out.splitlines()[1:]
        dirty = self.does("detect", "bad.csv").out.splitlines()[1:]
        kept = [dirty[row - 1].split(",", 1)[1] for row in good]
        self.assertEqual(kept, [line.split(",", 1)[1] for line in clean])

    def test_rejects_and_strict(self):
        good, count = self.plant()
        for verb, words in (("judge", ["-m", "m.expose"]), ("detect", []), ("fit", ["-o", "x.expose"]),
                            ("learn", ["-m", "m.expose", "-o", "y.expose"]), ("watch", [])):
            done = self.expose(verb, *words, "bad.csv", "--strict", "--rejects", "rejects.csv")
            self.assertEqual(done.code, 3, (verb, done.err))
            with (self.folder / "rejects.csv").open(encoding="utf-8", newline="") as file:
                rejects = list(csv.DictReader(file))
            self.assertEqual([int(r["row"]) for r in rejects], sorted(set(range(1, count + 1)) - set(good)), verb)
            for reject, (_, reason) in zip(rejects, self.BAD.values()):
                self.assertEqual(reject["file"], "bad.csv")
                self.assertEqual(int(reject["line"]), int(reject["row"]) + 1)
                self.assertIn(reason, reject["reason"])
            self.assertEqual(self.expose(verb, *words, "bad.csv").code, 0)
        self.assertEqual(self.expose("judge", "-m", "m.expose", "good.csv", "--strict").code, 0)
        self.model_is_whole()

    def test_rows_that_are_rejected_for_missing_values_are_bad_rows(self):
        rows = [[*row[:4], "" if i % 10 == 0 else row[4], *row[5:]] for i, row in enumerate(self.rows)]
        self.write_rows("gaps.csv", self.header, rows)
        gaps = [i + 1 for i in range(len(rows)) if i % 10 == 0]
        self.does("fit", "good.csv", "--missing", "reject", "-o", "r.expose")
        for words in (["detect", "gaps.csv", "--missing", "reject"], ["judge", "-m", "r.expose", "gaps.csv"],
                      ["fit", "gaps.csv", "--missing", "reject", "-o", "x.expose"],
                      ["learn", "-m", "r.expose", "gaps.csv", "-o", "y.expose"]):
            done = self.expose(*words, "--strict", "--rejects", "rejects.csv")
            self.assertEqual(done.code, 3, (words, done.err))
            self.assertIn(f"{len(gaps)} rows of {len(rows)} are bad and were left out", done.err)
            self.assertIn("gaps.csv, line 2 (row 1): has missing values", done.err)
            with (self.folder / "rejects.csv").open(encoding="utf-8", newline="") as file:
                self.assertEqual([int(r["row"]) for r in csv.DictReader(file)], gaps)
        self.assertEqual(self.expose("detect", "gaps.csv", "--strict").code, 0)

    def test_a_table_of_bad_rows_alone_says_why(self):
        self.write_rows("times.csv", [*self.header, "when"], [[*row, f"x{i}"] for i, row in enumerate(self.rows)])
        for verb, words in (("detect", []), ("fit", ["-o", "x.expose"]), ("report", ["-o", "x.html"])):
            self.fails(verb, "times.csv", "--time", "when", *words,
                       says="all 683 rows of times.csv are bad; the first: times.csv, line 2 (row 1): column 'when'")

    def test_rows_that_were_never_learned_are_not_forgotten(self):
        self.write_rows("other.csv", self.header, [["77"] * 9] * 3)
        self.fails("forget", "-m", "m.expose", "other.csv",
                   says=["other.csv: ", "never learned", "m.expose stays as it is"])
        self.model_is_whole()

    def test_strict_has_done_its_work(self):
        self.plant()
        done = self.expose("judge", "-m", "m.expose", "bad.csv", "--strict")
        self.assertEqual(done.out, self.does("judge", "-m", "m.expose", "bad.csv").out)
        self.expose("fit", "bad.csv", "-o", "x.expose", "--strict")
        self.assertEqual((self.folder / "x.expose").read_bytes(), self.model)

    def test_all_rows_bad(self):
        self.write("bad.csv", ",".join(self.header) + "\n" + "x,1,1,1,2,1,3,1,1\n" * 3 + "1,2\n")
        done = self.does("judge", "-m", "m.expose", "bad.csv")
        self.assertEqual({r["status"] for r in done.rows()}, {"rejected"})
        self.assertIn("4 rows of 4 are bad", done.err)


class Names(Hostile):
    def test_wrong_column_names(self):
        wrong = [*self.header[:-1], "mitosis"]
        self.write_rows("wrong.csv", wrong, self.rows)
        self.refuses("wrong.csv", "wrong.csv: there is no column 'mitoses' among the 9 there are; did you mean "
                                  "'mitosis'?", verbs=("judge", "learn"))
        self.fails("forget", "-m", "m.expose", "wrong.csv", says="'mitoses'")
        self.model_is_whole()

    def test_a_role_for_a_column_that_is_not_there(self):
        for role in ("--label", "--id", "--time", "--ignore", "--columns", "--category"):
            self.fails("detect", "good.csv", role, "mitosis", says=["'mitosis'", "did you mean 'mitoses'?"])
        for role in ("--label", "--id"):
            self.fails("judge", "-m", "m.expose", "good.csv", role, "nobody", says="'nobody'")
        self.fails("judge", "-m", "m.expose", "good.csv", "--label", "mitoses",
                   says="the model learned from column 'mitoses'")

    def test_files_of_different_columns_are_no_table(self):
        self.write_rows("other.csv", ["a", "b"], [["1", "2"]])
        self.fails("detect", "good.csv", "other.csv", says="have the same columns")

    def test_nothing_to_learn_from(self):
        self.write("texts.csv", "a,b\n" + "".join(f"some text {i},{i}th other text\n" for i in range(100)))
        self.fails("detect", "texts.csv", says="texts.csv")
        self.fails("detect", "good.csv", "--ignore", ",".join(self.header), says="good.csv")


class Models(Hostile):
    def test_a_model_that_was_cut_or_changed(self):
        for verb in ("judge", "learn", "forget"):
            for size in (0, 3, 20, 500, len(self.model) // 2, len(self.model) - 1):
                self.write("broken.expose", self.model[:size])
                self.fails(verb, "-m", "broken.expose", "good.csv", says="broken.expose: this ")
                self.assertEqual((self.folder / "broken.expose").read_bytes(), self.model[:size])
        draw = random.Random(2)
        for _ in range(20):
            at = draw.randrange(len(self.model))
            changed = bytearray(self.model)
            changed[at] ^= 1 << draw.randrange(8)
            self.write("broken.expose", bytes(changed))
            self.fails("inspect", "broken.expose", says="broken.expose: this ")

    def test_something_else_where_a_model_is_wanted(self):
        self.fails("judge", "-m", "good.csv", "good.csv", says="good.csv: this is not an EXPoSE file")
        self.fails("merge", "m.expose", "good.csv", "-o", "x.expose", says="good.csv: this is not an EXPoSE file")
        self.fails("inspect", "good.csv", says="good.csv: this is not an EXPoSE file")

    def test_a_model_where_a_table_is_wanted(self):
        self.refuses("m.expose", "m.expose", verbs=("detect", "judge", "learn"))

    def test_the_file_of_a_watcher(self):
        self.does("watch", "good.csv", "--checkpoint", "w.expose")
        saved = (self.folder / "w.expose").read_bytes()
        for words in (["judge", "-m", "w.expose", "good.csv"], ["learn", "-m", "w.expose", "good.csv"],
                      ["merge", "m.expose", "w.expose", "-o", "x.expose"], ["drift", "w.expose", "good.csv"]):
            self.fails(*words, says=["w.expose", "watcher"])
        self.assertEqual((self.folder / "w.expose").read_bytes(), saved)
        self.assertEqual(self.does("inspect", "w.expose", "--json").json()["kind"], "watcher")

    def test_rows_that_were_never_learned(self):
        self.write_rows("other.csv", self.header, [["1000"] * 9] * 700)
        self.fails("forget", "-m", "m.expose", "other.csv", says="expose: ")
        self.model_is_whole()


if __name__ == "__main__":
    main()
