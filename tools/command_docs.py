#!/usr/bin/env python3
"""What the documents show of the command is what the command does.

In a ```console block a line that begins with `$ ` is typed, and what follows is the answer, as a terminal of 100
columns shows it. This script types them, page by page, in a new folder with the csv and awk files of examples/, and writes the
answers into the pages; docs/command-line.md it writes from `expose help`. tests/cli/docs_test.py compares.

usage: tools/command_docs.py EXPOSE [PAGE ...]
"""

import errno
import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPLAYED = ["README.md", "docs/tutorial.md", "docs/guide.md", "docs/limits.md"]
REFERENCE = "docs/command-line.md"
COLUMNS = 100
ALSO = {"help", "man", "completion", "--version"}  # what is no verb


# The help


@dataclass
class Option:
    flags: list  # ["-o", "--output"]
    shown: str  # "-o, --output FILE"
    does: str


@dataclass
class Verb:
    name: str
    summary: str
    usage: str = ""
    examples: list = field(default_factory=list)  # (line, what it does)
    groups: dict = field(default_factory=dict)  # heading -> options
    notes: list = field(default_factory=list)

    def flags(self):
        return {flag for options in self.groups.values() for option in options for flag in option.flags}


def say(expose, *words):
    return subprocess.run([expose, *words], capture_output=True, text=True, check=True).stdout


def read_options(lines):
    """Options of a group: their help may begin on the next line, and is broken into several."""
    options = []
    for line in lines:
        if line.startswith("  ") and line[2] != " ":
            shown, _, does = line.strip().partition("  ")
            options.append(Option([word for word in re.split(r"[ ,]+", shown) if word.startswith("-")], shown, does.strip()))
        else:
            options[-1].does = (options[-1].does + " " + line.strip()).strip()
    return options


def read_verb(expose, name, summary):
    verb = Verb(name, summary)
    heading = None
    for paragraph in say(expose, "help", name).rstrip().split("\n\n")[1:]:
        heading, *lines = paragraph.split("\n")
        if not lines or not lines[0].startswith("  "):
            verb.notes.append(" ".join(paragraph.split()))
        elif heading == "Examples":
            for line in lines:
                if line.startswith("      "):
                    verb.examples[-1] = (verb.examples[-1][0], line.strip())
                else:
                    verb.examples.append((line.strip(), ""))
        elif heading == "Usage":
            verb.usage = lines[0].strip()
        else:
            verb.groups[heading] = read_options(lines)
    return verb


def read_verbs(expose):
    listed = say(expose, "help").split("Verbs\n")[1].split("\n\n")[0]
    return [read_verb(expose, *line.strip().split(None, 1)) for line in listed.split("\n")]


# The reference


def table(options):
    lines = ["| option | |", "| --- | --- |"]
    for option in options:
        shown, does = option.shown.replace("|", "\\|"), option.does.replace("|", "\\|")
        lines.append(f"| `{shown}` | {does} |")
    return "\n".join(lines)


def shared_options(verbs):
    """By heading: what the first verb that has it takes, and at least two others in the same words."""
    shared = {}
    for verb in verbs:
        for heading, options in verb.groups.items():
            shared.setdefault(heading, [o for o in options if sum(o in v.groups.get(heading, []) for v in verbs) > 2])
    return {heading: options for heading, options in shared.items() if options}


def section(verb, shared):
    """What is its own, and the headings of what it shares with others."""
    text = f"## {verb.name}\n\n{verb.summary[0].upper()}{verb.summary[1:]}.\n\n```sh\n"
    for line, does in verb.examples:
        text += (f"# {does}\n" if does else "") + line + "\n"
    text += "```\n\n"
    common, own = [], []
    for heading, options in verb.groups.items():
        known = shared.get(heading, [])
        takes = known and all(option in options for option in known)
        if takes:
            common.append(f"[{heading.lower()}](#{heading.lower()})")
        own += [option for option in options if not takes or option not in known]
    text += table(own) + "\n\n" if own else ""
    text += f"And: {', '.join(common)}.\n\n"
    return text + "".join(note + "\n\n" for note in verb.notes)


def reference(verbs):
    """A section a verb, then once what verbs share."""
    shared = shared_options(verbs)
    text = "".join(section(verb, shared) for verb in verbs) + "# What verbs share\n\n"
    text += "".join(f"## {heading}\n\n{table(options)}\n\n" for heading, options in shared.items())
    return text.rstrip() + "\n"


def with_reference(page, verbs):
    head, begin, rest = page.partition("<!-- verbs -->\n")
    _, end, tail = rest.partition("<!-- end verbs -->")
    if not begin or not end:
        raise ValueError(f"{REFERENCE} has no place for the verbs")
    return head + begin + reference(verbs) + end + tail


# What is typed


def code_blocks(page):
    return re.findall(r"^```(\w*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def calls(page):
    """The words of every call of expose in the code blocks of a page."""
    for language, block in code_blocks(page):
        if language not in ("sh", "console", ""):
            continue
        for line in block.replace("\\\n", " ").split("\n"):
            if language == "console":
                if not line.startswith("$ "):
                    continue
                line = line[2:]
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            call = None
            for word in [*lexer, ";"]:
                if call is None:
                    call = [] if word == "expose" else None
                elif set(word) <= set("|;&<>()"):
                    yield call
                    call = None
                else:
                    call.append(word)


class Terminal:
    """A folder, and a terminal in it."""

    def __init__(self, expose, folder):
        self.folder = folder
        self.status = 0
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LC_", "EXPOSE_"))},
            "PATH": f"{Path(expose).resolve().parent}:{os.environ['PATH']}",
            "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        }
        for file in [*(ROOT / "examples").glob("*.csv"), *(ROOT / "examples").glob("*.awk")]:
            shutil.copy(file, folder)

    def type(self, command):
        """What the terminal shows afterwards."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        process = subprocess.Popen(
            ["bash", "-c", f"(exit {self.status}); {command}"], cwd=self.folder, env=self.environment,
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        answer = b""
        while True:
            try:
                portion = os.read(master, 65536)
            except OSError as error:
                if error.errno != errno.EIO:  # the last one that wrote has gone
                    raise
                break
            if not portion:
                break
            answer += portion
        os.close(master)
        self.status = process.wait()
        return "".join(as_seen(line) + "\n" for line in answer.decode().replace("\r\n", "\n").split("\n")[:-1])


def as_seen(line):
    """A line after what was written over: \\r goes to its beginning, ESC [ K clears what is right of here."""
    seen, at = "", 0
    for part in re.findall(r"\r|\x1b\[K|[^\r\x1b]+|\x1b", line):
        if part == "\r":
            at = 0
        elif part == "\x1b[K":
            seen = seen[:at]
        else:
            seen = seen[:at] + part + seen[at + len(part):]
            at += len(part)
    return seen.rstrip()


def replayed(page, terminal):
    """The page with the answers of this command, and for each what was typed, what it shows and what came."""
    answers = []

    def replay(block):
        text = ""
        for exchange in re.split(r"^(?=\$ )", block.group(1), flags=re.MULTILINE):
            typed = re.match(r"\$ ((?:.*\\\n)*.*\n)", exchange)
            if not typed:
                if exchange:
                    raise ValueError(f"a console block begins with `$ `, not with {exchange!r}")
                continue
            answer = terminal.type(typed.group(1))
            answers.append((typed.group(1).strip(), exchange[typed.end():], answer))
            text += typed.group(0) + answer
        return f"```console\n{text}```"

    return re.sub(r"^```console\n(.*?)^```", replay, page, flags=re.MULTILINE | re.DOTALL), answers


def main(expose, *pages):
    for name in pages or [*REPLAYED, REFERENCE]:
        page = (ROOT / name).read_text(encoding="utf-8")
        if name == REFERENCE:
            page = with_reference(page, read_verbs(expose))
        else:
            with tempfile.TemporaryDirectory() as folder:
                page, _ = replayed(page, Terminal(expose, folder))
        (ROOT / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
