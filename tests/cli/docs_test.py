"""What the documents show of the command is true: verbs and options are there, and what they show comes out again."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import command_docs  # noqa: E402

EXPOSE = "expose"
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?|-?\d+e[-+]\d+")
RATE = re.compile(r"in \d+ \w+ \([\d,.]+ a second\)")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def alike(shown, seen):
    """Equal texts, but numbers with a point may differ in their last digit, and what is nearly 0 altogether: compilers and
    processors round differently. How long it took is no question."""
    shown, seen = RATE.sub("", shown), RATE.sub("", seen)
    if NUMBER.sub("#", shown) != NUMBER.sub("#", seen):
        return False
    pairs = zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(seen)))
    return all(abs(a - b) <= max(0.006 * max(abs(a), abs(b)), 1e-9) for a, b in pairs)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.verbs = command_docs.read_verbs(EXPOSE)

    def test_what_they_type_exists(self):
        flags = {verb.name: verb.flags() for verb in self.verbs}
        for page in [*command_docs.REPLAYED, command_docs.REFERENCE, "docs/data.md", "examples/README.md"]:
            for call in command_docs.calls(read(page)):
                if not call or call[0] in command_docs.ALSO:
                    continue
                with self.subTest(page=page, call=call):
                    self.assertIn(call[0], flags)
                    for word in call[1:]:
                        if re.match(r"--?[a-zA-Z]", word):
                            self.assertIn(word.split("=")[0], flags[call[0]])

    def test_the_reference_is_what_help_says(self):
        page = read(command_docs.REFERENCE)
        self.assertEqual(page, command_docs.with_reference(page, self.verbs))

    def test_what_they_show_comes_out_again(self):
        for name in command_docs.REPLAYED:
            with tempfile.TemporaryDirectory() as folder:
                terminal = command_docs.Terminal(EXPOSE, folder)
                for typed, shown, seen in command_docs.replayed(read(name), terminal)[1]:
                    with self.subTest(page=name, typed=typed):
                        self.assertTrue(alike(shown, seen), f"{name} shows\n{shown}\nbut there came\n{seen}")

    def test_the_tutorial_meets_every_verb(self):
        typed = {call[0] for call in command_docs.calls(read("docs/tutorial.md")) if call}
        self.assertEqual({verb.name for verb in self.verbs} - typed, set())


class Alike(unittest.TestCase):
    def test_only_last_digits_may_differ(self):
        self.assertTrue(alike("p 0.0123, 5 rows\n", "p 0.0123, 5 rows\n"))
        self.assertTrue(alike("1.234e-05", "1.235e-05"))
        self.assertFalse(alike("p 0.0123, 5 rows", "p 0.0123, 6 rows"))
        self.assertFalse(alike("p 0.0123", "p 0.0133"))
        self.assertTrue(alike("-7.2e-16", "3.1e-16"))
        self.assertTrue(alike("5 rows in 0 s (1,234 a second)", "5 rows in 2 s (99 a second)"))
        self.assertFalse(alike("row 1", "row 1\nrow 2"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: docs_test.py EXPOSE")
    EXPOSE = sys.argv.pop(1)
    unittest.main()
