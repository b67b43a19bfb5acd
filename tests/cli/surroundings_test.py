#!/usr/bin/env python3
"""Full disks, readers that go away, several commands at once, and what should not have been typed: each gets a sentence
and an exit code, and nothing good is lost.

usage: surroundings_test.py EXPOSE
"""

import os
import resource
import signal
import stat
import subprocess
import time

from command import EXPOSE, Hostile, main

ESCAPE = "\x1b"


class Disks(Hostile):
    """Where the disk is full, the old model stays, and nothing is left beside it."""

    def limited(self, size):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return limit

    def test_a_limit_in_the_middle_of_the_model(self):
        self.write_rows("few.csv", self.header, self.rows[:3])
        for size in (0, 1, 1000, len(self.model) // 2, len(self.model) - 200):
            for words in (["learn", "-m", "m.expose", "good.csv"], ["forget", "-m", "m.expose", "few.csv"],
                          ["fit", "good.csv", "-o", "m.expose"], ["merge", "m.expose", "m.expose", "-o", "m.expose"]):
                self.fails(*words, says=["cannot write", "m.expose: File too large"],
                           preexec_fn=self.limited(size))
                self.model_is_whole()

    def test_a_limit_in_the_middle_of_the_verdicts(self):
        done = self.fails("judge", "-m", "m.expose", "good.csv", "-o", "verdicts.csv",
                          says="cannot write verdicts.csv: File too large", preexec_fn=self.limited(10000))
        self.assertNotIn("flagged", done.err)

    def test_a_full_disk(self):
        """/dev/full is one; a small file system too, where one may make it."""
        for words in (["judge", "-m", "m.expose", "good.csv"], ["detect", "good.csv"], ["inspect", "m.expose"],
                      ["report", "good.csv", "-o", "-"], ["help"], []):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([EXPOSE, *words], stdout=full, stderr=subprocess.PIPE, cwd=self.folder,
                                      timeout=600, check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(b"cannot write to standard output: No space left on device", done.stderr)
        script = ("mount -t tmpfs -o size=48k none full && cp m.expose full/ && cmp m.expose full/m.expose && "
                  f"{{ '{EXPOSE}' learn -m full/m.expose good.csv; [ $? = 1 ]; }} && cmp m.expose full/m.expose && "
                  "[ \"$(ls full)\" = m.expose ] && echo whole")
        (self.folder / "full").mkdir()
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=self.folder, capture_output=True, check=False)
        if b"mount:" in done.stderr or b"unshare:" in done.stderr:
            print("no tmpfs may be mounted here: the full disk is tested by a limit and /dev/full alone")
            return
        self.assertEqual(done.stdout, b"whole\n", done.stderr)
        self.assertIn(b"No space left on device", done.stderr)

    def test_a_reader_that_goes_away_is_no_error(self):
        big = self.rows * 100
        self.write_rows("big.csv", self.header, big)
        for words in (["judge", "-m", "m.expose", "big.csv"], ["detect", "big.csv"]):
            command = subprocess.Popen([EXPOSE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       cwd=self.folder)
            self.assertEqual(command.stdout.readline(), b"row,similarity,p_value,anomalous,status\n")
            command.stdout.close()
            said = command.stderr.read()
            command.stderr.close()
            self.assertEqual(command.wait(600), 0, said)
            self.assertNotIn(b"expose:", said)

    def test_standard_output_that_is_closed(self):
        done = subprocess.run(f"'{EXPOSE}' judge -m m.expose good.csv >&-", shell=True, cwd=self.folder,
                              capture_output=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write to standard output", done.stderr)
        self.model_is_whole()


class TwoAtOnce(Hostile):
    def test_both_updates_are_there(self):
        """Ten commands learn a part each, at once: the model has them all, as if they had come one by one."""
        parts = [self.rows[i::10] for i in range(10)]
        for i, part in enumerate(parts):
            self.write_rows(f"part{i}.csv", self.header, part)
        self.does("fit", "part0.csv", "-o", "two.expose")
        self.write("expected.expose", (self.folder / "two.expose").read_bytes())
        for i in range(1, 10):
            self.does("learn", "-m", "expected.expose", f"part{i}.csv")
        commands = [subprocess.Popen([EXPOSE, "learn", "-m", "two.expose", f"part{i}.csv"], cwd=self.folder,
                                     stderr=subprocess.PIPE) for i in range(1, 10)]
        for command in commands:
            said = command.communicate(timeout=600)[1]
            self.assertEqual(command.returncode, 0, said)
        self.assertEqual((self.folder / "two.expose").read_bytes(), (self.folder / "expected.expose").read_bytes())
        self.assertEqual(self.does("inspect", "two.expose", "--json").json()["rows"], 683)

    def test_who_comes_second_is_told_and_waits(self):
        os.mkfifo(self.folder / "slow.csv")
        first = subprocess.Popen([EXPOSE, "learn", "-m", "m.expose", "slow.csv"], cwd=self.folder,
                                 stderr=subprocess.PIPE)
        with (self.folder / "slow.csv").open("wb", buffering=0) as slow:
            slow.write((",".join(self.header) + "\n" + ",".join(self.rows[0]) + "\n").encode())
            self.wait_until_locked()
            second = subprocess.Popen([EXPOSE, "learn", "-m", "m.expose", "good.csv"], cwd=self.folder,
                                      stderr=subprocess.PIPE)
            self.assertIn(b"waiting for another command that is updating m.expose", second.stderr.readline())
            self.assertEqual(self.does("judge", "-m", "m.expose", "good.csv").out.splitlines(), self.judged)
            self.model_is_whole()
            slow.write((",".join(self.rows[1]) + "\n").encode())
        for command in (first, second):
            command.communicate(timeout=600)
            self.assertEqual(command.returncode, 0)
        self.assertEqual(self.does("inspect", "m.expose", "--json").json()["rows"], 683 + 2 + 683)

    def wait_until_locked(self):
        for _ in range(6000):
            held = subprocess.run(["flock", "-n", "m.expose", "true"], cwd=self.folder, check=False).returncode
            if held != 0:
                return
            time.sleep(0.01)
        self.fail("the first command never took the lock")


class Words(Hostile):
    """What should not have been typed: exit code 2, what is wrong with it, and where to look."""

    WRONG = {
        ("detetc", "good.csv"): "there is no verb 'detetc'; did you mean 'detect'?",
        ("detect", "good.csv", "--resons", "3"): "there is no option --resons; did you mean '--reasons'?",
        ("detect", "good.csv", "--alpha", "0.1", "--top", "3"): "rows are flagged by one rule",
        ("detect", "good.csv", "--fdr", "0.1", "--contamination", "0.3"): "rows are flagged by one of fdr",
        ("detect", "good.csv", "--alpha", "2"): "alpha is 2, it must be above 0 and below 1",
        ("detect", "good.csv", "--alpha", "x"): "--alpha: 'x' is no number",
        ("detect", "good.csv", "--fdr", "0"): "it must be above 0 and below 1",
        ("detect", "good.csv", "--top", "0"): "top",
        ("detect", "good.csv", "--top", "-1"): "--top: '-1' is no whole number",
        ("detect", "good.csv", "--kernel", "cubic"): "it may be gaussian, laplacian, matern32 or matern52",
        ("detect", "good.csv", "--map", "maps"): "--map: there is no map 'maps'",
        ("detect", "good.csv", "--scale", "big"): "--scale: ",
        ("detect", "good.csv", "--bandwidth", "-1"): "bandwidth",
        ("detect", "good.csv", "--bandwidth", "wide"): "--bandwidth: 'wide' is no number",
        ("detect", "good.csv", "--memory", "window:0"): "--memory: the window has length 0",
        ("detect", "good.csv", "--trim", "2"): "trim is a share from 0 to below 1, it is 2",
        ("detect", "good.csv", "--format", "xml"): "formats are csv, jsonl and table, not 'xml'",
        ("detect", "good.csv", "--seed", "1.5"): "--seed: '1.5' is no whole number",
        ("detect", "good.csv", "--header", "maybe"): "--header: yes or no, not 'maybe'",
        ("detect", "good.csv", "--delimiter", "::"): "--delimiter: a delimiter is one character",
        ("detect", "good.csv", "--label"): "--label needs a value",
        ("fit", "good.csv"): "--output is required",
        ("judge", "good.csv"): "--model is required",
        ("merge", "m.expose", "-o", "x.expose"): "name at least two models",
        ("drift", "good.csv"): "B is required",
        ("drift", "good.csv", "good.csv"): "are the same file",
        ("drift", "good.csv", "m.expose", "good.csv"): "one word too many",
        ("drift", "m.expose", "good.csv", "--kernel", "laplacian"): "m.expose has a plan already",
        ("evaluate", "-m", "m.expose", "good.csv"): "--label COL",
        ("evaluate", "-m", "m.expose", "good.csv", "--label", "x", "--r", "9"): "m.expose has a plan already",
        ("fit", "good.csv", "--plan", "m.expose", "--kernel", "laplacian", "-o", "x.expose"):
            "--kernel: m.expose has a plan",
        ("fit", "good.csv", "--plan", "m.expose", "--kernel", "gaussian", "-o", "x.expose"):
            "--kernel: m.expose has a plan",
        ("judge", "-m", "m.expose", "good.csv", "--ignore", "mitoses"):
            "m.expose was made with column 'mitoses' as a number",
        ("judge", "-m", "m.expose", "good.csv", "--columns", "mitoses"): "--columns lacks clump_thickness: m.expose",
        ("learn", "-m", "m.expose", "good.csv", "--time", "mitoses"): "--time mitoses: m.expose was made with",
        ("forget", "-m", "m.expose", "good.csv", "--category", "mitoses"): "--category mitoses: m.expose was made with",
        ("judge", "-m", "m.expose", "good.csv", "--time", "when"): "--time when: m.expose knows no such column",
        ("drift", "m.expose", "good.csv", "--ignore", "mitoses"): "--ignore mitoses: m.expose was made with",
        ("fit", "good.csv", "--plan", "m.expose", "--ignore", "mitoses", "-o", "x.expose"):
            "--ignore mitoses: m.expose",
        ("detect", "good.csv", "--threads", "99999"): "--threads: there are at most 4096 threads",
        ("detect", "good.csv", "--map", "given"): "--map: maps are auto, nystrom",
        ("fit", "good.csv", "-o", "-"): "--output: a model is a file",
        ("detect", "good.csv", "--rejects", "-"): "--rejects: name a file",
        ("detect", "good.csv", "--id", "mitoses", "--label", "mitoses"): "'mitoses' is named by --label and by --id",
        ("detect", "good.csv", "--time", "mitoses", "--label", "mitoses"): "is named by --label and by --time",
        ("detect", "good.csv", "--id", "mitoses", "--category", "mitoses"): "is named by --id and by --category",
        ("watch", "good.csv", "--id", "mitoses", "--category", "mitoses"): "is named by --id and by --category",
        ("detect", "good.csv", "--time", "mitoses", "--time", "a"): "--time: one column, not both 'mitoses' and 'a'",
        ("tune", "good.csv"): "--label COL",
        ("inspect",): "MODEL is required",
        ("completion", "tcsh"): "there is completion for bash, zsh and fish",
        ("help", "detetc"): "did you mean 'detect'?",
    }

    def test_each_gets_its_sentence(self):
        for words, sentence in self.WRONG.items():
            with self.subTest(words=words):
                done = self.fails(*words, code=2, says=sentence)
                self.assertTrue(done.err.startswith("expose: "))
                self.assertIn(" shows what ", done.err.splitlines()[-1])
        self.model_is_whole()

    def test_a_file_beside_a_wrong_option_is_not_touched(self):
        self.fails("fit", "good.csv", "-o", "m.expose", "--alpha", "7", code=2)
        self.fails("fit", "good.csv", "-o", "m.expose", "--preset", "none", code=2)
        self.model_is_whole()

    def test_help_is_given_however_wrong_the_rest_is(self):
        done = self.does("detect", "--alpha", "x", "--help")
        self.assertIn("Examples", done.out)


class Pipes(Hostile):
    """Standard output is for results: nothing else is there, and nothing is coloured outside a terminal."""

    def test_only_verdicts(self):
        self.write("bad.csv", (self.folder / "good.csv").read_text(encoding="utf-8") + "1,2\n")
        for words in (["detect", "bad.csv"], ["judge", "-m", "m.expose", "bad.csv"], ["watch", "bad.csv"]):
            done = self.does(*words)
            self.assertEqual(len(done.out.splitlines()), 685, words)
            self.assertEqual([r["row"] for r in done.rows()], [str(i + 1) for i in range(684)])
            self.assertIn("1 row of 684 is bad", done.err)

    def test_no_escape_sequences(self):
        for words in (["detect", "good.csv"], ["detect", "good.csv", "--format", "table"], ["--help"], [],
                      ["help", "detect"], ["inspect", "m.expose"], ["drift", "m.expose", "good.csv"],
                      ["judge", "-m", "m.expose", "good.csv"]):
            done = self.does(*words, env={"TERM": "xterm-256color"})
            self.assertNotIn(ESCAPE, done.out + done.err)

    def test_quiet(self):
        for words in (["detect", "good.csv"], ["judge", "-m", "m.expose", "good.csv"],
                      ["learn", "-m", "m.expose", "good.csv", "-o", "x.expose"], ["report", "good.csv"]):
            self.assertEqual(self.does(*words, "--quiet").err, "")
        self.fails("detect", "nowhere.csv", "-q", says="nowhere.csv")

    def test_a_saved_model_keeps_the_permissions_of_the_old_one(self):
        (self.folder / "m.expose").chmod(0o640)
        self.does("learn", "-m", "m.expose", "good.csv")
        self.assertEqual(stat.S_IMODE((self.folder / "m.expose").stat().st_mode), 0o640)


if __name__ == "__main__":
    main()
