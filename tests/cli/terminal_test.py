#!/usr/bin/env python3
"""What a person sees at a terminal, and what the shell and man get.

usage: terminal_test.py EXPOSE
"""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios

from command import EXPOSE, Case, breastw, main

ESCAPE = re.compile("\x1b\\[[0-9;]*[A-Za-z]")
VERBS = ["detect", "fit", "judge", "learn", "forget", "merge", "watch", "drift", "tune", "evaluate", "inspect",
         "report"]


def plain(text):
    return ESCAPE.sub("", text)


class Terminal(Case):
    def setUp(self):
        super().setUp()
        header, rows = breastw()
        self.header = header
        far = ["99"] * 9 + ["1"]
        self.rows = [row for row in rows if row[-1] == "0"] + [far]  # one row that nothing is like
        self.write_rows("data.csv", header, self.rows)

    def at_terminal(self, *words, width=120, env=None, both=True, stdin=None):
        """Runs the command with a terminal for standard output and error (or error alone); what appears there."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | (env or {})
        command = subprocess.Popen([EXPOSE, *map(str, words)], stdin=slave if stdin is None else stdin,
                                   stdout=slave if both else subprocess.DEVNULL, stderr=slave, cwd=self.folder,
                                   env=environment)
        os.close(slave)
        seen = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:  # nobody holds the other end any more
                break
            if not more:
                break
            seen += more
        os.close(master)
        self.code = command.wait(600)
        return seen.decode().replace("\r\n", "\n")


class Detect(Terminal):
    def test_the_view(self):
        seen = plain(self.at_terminal("detect", "data.csv", "--label", "label"))
        self.assertEqual(self.code, 0)
        lines = seen.splitlines()
        self.assertTrue(lines[0].startswith("data.csv: 445 rows; 9 numbers: clump_thickness, "), lines[0])
        self.assertIn("1 label, which is set aside: label", " ".join(lines[:4]))
        plan = next(line for line in lines if line.startswith("plan: "))
        self.assertIn("9 numbers", plan)
        at = lines.index("The most anomalous rows")
        self.assertEqual(lines[at + 1].split(), ["row", "similarity", "p-value", "flagged", "because", "of"])
        top = lines[at + 2:lines.index("", at)]
        self.assertEqual(len(top), 10)
        far = next(line for line in top if line.split()[0] == "445")
        self.assertEqual(far.split()[3], "yes")
        self.assertRegex(far, r"\w+=99 \(\d+ %\), \w+=99 \(\d+ %\)")
        bars = [line for line in lines if re.match(r"  \d\.\d{3}  [█▏▎▍▌▋▊▉]* ?[\d,]+", line)]
        self.assertEqual(len(bars), 12)
        counts = [int(re.search(r" ([\d,]+)(, [\d,]+ flagged)?$", bar).group(1).replace(",", "")) for bar in bars]
        self.assertEqual(sum(counts), 445)
        flagged = re.search(r"(\d+) of 445 rows (is|are) flagged \(p <= 0.01\)", seen)
        self.assertGreaterEqual(int(flagged.group(1)), 1)
        after = lines[lines.index("Next:") + 1:]
        commands = [line.strip() for line in after if line.startswith("  expose ")]
        self.assertEqual(commands[:2], ["expose detect data.csv --label label --reasons 3 -o verdicts.csv",
                                        "expose report data.csv --label label -o report.html"])
        for command in commands:  # and they work
            self.does(*command.split()[1:])

    def next_commands(self, *words, **more):
        lines = plain(self.at_terminal("detect", *words, **more)).splitlines()
        return [line.strip() for line in lines if line.startswith("  expose ")]

    def test_what_comes_next_can_be_typed(self):
        self.write_rows("my data's.csv", ["who am I", *self.header], [[f"w{i}", *row] for i, row in
                                                                      enumerate(self.rows)])
        self.write_rows("more.csv", ["who am I", *self.header], [[f"m{i}", *row] for i, row in enumerate(self.rows)])
        self.write_rows("-dash.csv", self.header, self.rows)
        for words in (["my data's.csv", "more.csv", "--id", "who am I", "--label=label", "--ignore", "mitoses", "--map",
                       "fourier", "-r", "64", "-o", "v.csv", "--save", "m.expose", "--only-anomalies"],
                      ["--label", "label", "--", "-dash.csv"]):
            commands = self.next_commands(*words)
            self.assertEqual([c.split()[1] for c in commands], ["detect", "report", "evaluate"])
            for command in commands:
                for word in words[:-6] if "--id" in words else words:
                    self.assertIn(word.replace("'", "'\\''"), command)
                done = subprocess.run(["sh", "-c", command.replace("expose", EXPOSE, 1)], cwd=self.folder,
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 0, (command, done.stderr))
            self.assertTrue((self.folder / "verdicts.csv").exists())
        with (self.folder / "data.csv").open("rb") as file:
            self.assertEqual(self.next_commands("--label", "label", stdin=file), [])

    def test_it_fits_the_terminal(self):
        for width in (80, 120):
            for line in plain(self.at_terminal("detect", "data.csv", "--label", "label", width=width)).splitlines():
                self.assertLessEqual(len(line), width, line)

    def test_colours_and_none(self):
        coloured = self.at_terminal("detect", "data.csv", "--label", "label")
        self.assertIn("\x1b[1m", coloured)
        self.assertIn("\x1b[31myes\x1b[0m", coloured)
        for words, env in (([], {"NO_COLOR": "1"}), (["--no-color"], {}), ([], {"TERM": "dumb"})):
            seen = self.at_terminal("detect", "data.csv", "--label", "label", *words, env=env)
            self.assertNotIn("\x1b[1m", seen)
            self.assertNotIn("\x1b[3", seen)
            self.assertEqual(plain(seen), plain(coloured))

    def test_verdicts_in_another_format_are_just_those(self):
        seen = self.at_terminal("detect", "data.csv", "--label", "label", "--format", "csv")
        piped = self.does("detect", "data.csv", "--label", "label")
        self.assertEqual(plain(seen), piped.out + piped.err)

    def test_verdicts_to_a_file_and_the_view_to_the_eye(self):
        seen = self.at_terminal("detect", "data.csv", "--label", "label", "-o", "verdicts.csv")
        self.assertIn("The most anomalous rows", seen)
        text = (self.folder / "verdicts.csv").read_text(encoding="utf-8")
        self.assertEqual(text, self.does("detect", "data.csv", "--label", "label").out)

    def test_what_stands_in_the_data_does_not_command_the_terminal(self):
        evil = "\x1b]0;owned\x07\x1b[2J\u202e"
        self.write_rows("evil.csv", [*self.header[:-1], "who"], [[*row[:-1], f"{evil}{i}"] for i, row in
                                                                 enumerate(self.rows)])
        name = "a\u009b2Jb"
        self.write_rows("named.csv", [name, *self.header[1:]], self.rows)
        self.does("fit", "named.csv", "--label", "label", "-o", "named.expose")
        for words in (["detect", "evil.csv", "--id", "who"], ["detect", "evil.csv", "--id", "who", "--format", "table"],
                      ["detect", "named.csv", "--label", "label"], ["inspect", "named.expose"],
                      ["detect", "evil.csv", "--id", "who", "--time", name],
                      ["drift", "named.expose", "named.csv"]):
            seen = self.at_terminal(*words, "--no-color")
            for bad in ("\x1b]", "\x07", "\x1b[2J", "\u202e", "\u009b"):
                self.assertNotIn(bad, seen, words)
        self.assertIn("\ufffd]0;owned", self.at_terminal("detect", "evil.csv", "--id", "who"))

    def test_nobody_waits_for_a_table_to_be_typed(self):
        seen = self.at_terminal("detect")
        self.assertEqual(self.code, 2)
        self.assertIn("name a file, or send a table to standard input", seen)

    def test_judge_is_a_table_too(self):
        self.does("fit", "data.csv", "--label", "label", "-o", "m.expose")
        seen = plain(self.at_terminal("judge", "-m", "m.expose", "data.csv", "--reasons", "2"))
        lines = seen.splitlines()
        self.assertEqual(lines[0].split()[:5], ["row", "similarity", "p_value", "anomalous", "status"])
        self.assertEqual([line.split()[0] for line in lines[1:446]], [str(i + 1) for i in range(445)])


class Progress(Terminal):
    """A moving line where it is waited for: on a terminal, when the rows are not there at once."""

    def slow_rows(self):
        """A pipe whose second half comes a second later."""
        read, write = os.pipe()
        if os.fork() == 0:
            os.close(read)
            half = len(self.rows) // 2
            text = (self.folder / "data.csv").read_text(encoding="utf-8").splitlines(keepends=True)
            os.write(write, "".join(text[:half]).encode())
            import time
            time.sleep(1)
            os.write(write, "".join(text[half:]).encode())
            os._exit(0)
        os.close(write)
        return read

    def test_it_says_how_far_it_is(self):
        self.does("fit", "data.csv", "--label", "label", "-o", "m.expose")
        read = self.slow_rows()
        seen = self.at_terminal("judge", "-m", "m.expose", both=False, stdin=read)
        os.close(read)
        self.assertRegex(seen, "\rjudge: 445 rows, [0-9,.]+ a second")
        self.assertIn("\r\x1b[K", seen)  # and is gone afterwards
        self.assertRegex(plain(seen), r"\d of 445 rows (is|are) flagged \(p <= 0.01\)\n")

    def test_not_for_what_is_done_at_once_nor_when_quiet_nor_elsewhere(self):
        self.does("fit", "data.csv", "--label", "label", "-o", "m.expose")
        self.assertNotIn("a second", self.at_terminal("judge", "-m", "m.expose", "data.csv", both=False))
        read = self.slow_rows()
        self.assertEqual(self.at_terminal("judge", "-m", "m.expose", "-q", both=False, stdin=read), "")
        os.close(read)
        read = self.slow_rows()
        done = subprocess.run([EXPOSE, "judge", "-m", "m.expose"], stdin=read, capture_output=True, cwd=self.folder,
                              timeout=600, check=True)
        os.close(read)
        self.assertNotIn(b"\x1b", done.stderr)
        self.assertNotIn(b"a second", done.stderr)


class Help(Terminal):
    def test_expose_alone_says_what_to_type(self):
        lines = self.does().out.splitlines()
        self.assertLessEqual(len(lines), 11)
        self.assertGreaterEqual(sum("expose " in line for line in lines), 6)
        self.assertTrue(all(len(line) <= 80 for line in lines))

    def test_help_lists_every_verb(self):
        for words in (["help"], ["--help"], ["-h"]):
            text = self.does(*words).out
            for verb in VERBS:
                self.assertRegex(text, rf"(?m)^  {verb} +\w")

    def test_help_of_a_verb_has_its_examples_first(self):
        for verb in VERBS:
            text = self.does(verb, "--help").out
            self.assertEqual(text, self.does("help", verb).out)
            self.assertLess(text.index("\nExamples\n"), text.index("\nUsage\n"))
            self.assertRegex(text.split("\nExamples\n")[1].splitlines()[0], rf"^  .*expose {verb}\b")
            self.assertTrue(all(len(line) <= 110 for line in text.splitlines()), verb)

    def test_options_of_the_examples_exist(self):
        """Whatever is typed in an example is an option of its verb."""
        for verb in VERBS:
            text = self.does(verb, "--help").out
            examples, options = text.split("\nUsage\n")
            for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", examples):
                self.assertIn(option, options, verb)

    def test_the_version(self):
        self.assertRegex(self.does("--version").out, r"^expose \d+\.\d+\.\d+\n$")


class ManAndShell(Terminal):
    def test_the_man_page(self):
        page = self.does("man").out
        self.assertTrue(page.startswith(".TH EXPOSE 1 "))
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "VERBS", "EXIT STATUS", "ENVIRONMENT"):
            self.assertIn(f".SH {section}\n", page)
        for verb in VERBS:
            self.assertIn(f".SS expose {verb}\n", page)
        requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
        self.assertLessEqual(requests, {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".RS", ".RE", ".nf", ".fi"})
        self.assertEqual(page.count(".nf"), page.count(".fi"))
        self.assertEqual(page.count(".RS"), page.count(".RE"))

    def test_the_man_page_as_it_is_shown(self):
        """By groff or mandoc, where one is; the structure is tested above in any case."""
        renderers = {"groff": ["-man", "-Tutf8", "-ww", "-P-c"], "mandoc": ["-Tutf8"]}
        found = [[name, *options] for name, options in renderers.items() if shutil.which(name)]
        for renderer in found:
            done = subprocess.run(renderer, input=self.does("man").out.encode(), capture_output=True, check=True)
            self.assertEqual(done.stderr, b"")
            shown = re.sub(".\b", "", done.stdout.decode())
            self.assertIn("expose - finds the rows that are unlike the rest", shown)
            self.assertIn("--contamination SHARE", shown)
            self.assertIn("expose drift lastweek.expose today.csv", shown)
        if not found:
            print("neither groff nor mandoc is here: the man page is tested by its structure alone")

    def complete(self, *words):
        """What bash would offer for the last word."""
        script = ('eval "$("$1" completion bash)"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _expose; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", EXPOSE, "expose", *words], capture_output=True,
                              cwd=self.folder, check=True)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().splitlines()

    def test_completion_in_bash(self):
        script = self.does("completion", "bash").out
        subprocess.run(["bash", "-n"], input=script.encode(), check=True)
        self.assertEqual(self.complete("de"), ["detect"])
        self.assertLessEqual(set(VERBS), set(self.complete("")))
        self.assertEqual(self.complete("detect", "--rea"), ["--reasons"])
        self.assertEqual(set(self.complete("detect", "--kernel", "")),
                         {"gaussian", "laplacian", "matern32", "matern52"})
        self.assertEqual(self.complete("detect", "data"), ["data.csv"])
        self.assertEqual(self.complete("help", "insp"), ["inspect"])
        for name in ("two words.csv", "normal.expose"):
            self.write(name, "")
        self.assertEqual(self.complete("detect", "two"), ["two words.csv"])
        self.assertEqual(self.complete("judge", "-m", ""), ["normal.expose"])
        self.assertEqual(self.complete("completion", "z"), ["zsh"])

    def test_completion_knows_every_option(self):
        for verb in VERBS:
            offered = set(self.complete(verb, "-"))
            options = self.does(verb, "--help").out.split("\nUsage\n")[1]
            for option in re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", options):
                self.assertIn(option, offered, verb)

    def test_completion_of_the_other_shells(self):
        for shell in ("zsh", "fish"):
            script = self.does("completion", shell).out
            for verb in VERBS:
                self.assertIn(verb, script)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n"], input=script.encode(), capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
        for line in self.does("completion", "fish").out.splitlines():
            self.assertTrue(line.startswith("complete -c expose "), line)


if __name__ == "__main__":
    main()
