"""What bench/side_by_side.py makes of its timings, and the lines it exchanges with its program. Nothing is timed.

usage: side_by_side_test.py SIDE_BY_SIDE
"""

import array
import math
import random
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True

import report  # noqa: E402
import side_by_side  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else None


class Ratios(unittest.TestCase):
    def test_best_against_best_and_the_spread_of_single_rounds(self):
        found = report.ratio(peer=[20.0, 12.0, 30.0], ours=[4.0, 6.0, 5.0])
        self.assertEqual(found, {"best": 3.0, "low": 2.0, "high": 6.0})

    def test_rounds_must_come_in_pairs(self):
        with self.assertRaises(ValueError):
            report.ratio([1.0, 2.0], [1.0])

    def test_each_side_has_its_turn_in_each_round_and_is_first_in_some(self):
        calls = []
        sides = {name: lambda name=name: calls.append(name) or len(calls) for name in "abc"}
        seen = report.interleave(sides, 3)
        self.assertEqual("".join(calls), "abcbcacab")
        self.assertEqual(seen, {"a": [1, 6, 8], "b": [2, 4, 9], "c": [3, 5, 7]})

    def test_a_missed_goal_stands_out(self):
        self.assertEqual(report.times({"best": 2.996, "low": 2.5, "high": 12.34}, 3), "**3.00** (2.50 to 12.3), goal 3")
        self.assertEqual(report.times({"best": 123.4, "low": 3, "high": 200}, 120), "123 (3.00 to 200), goal 120")
        self.assertEqual(report.times({"best": 1, "low": 1, "high": 1}), "1.00 (1.00 to 1.00)")


class Words(unittest.TestCase):
    def test_counts_have_three_digits(self):
        for value, text in ((0.5, "0.50"), (99.94, "99.9"), (99.96, "100"), (999.4, "999"), (999.6, "1.00 k"),
                            (104_321, "104 k"), (3_214_000, "3.21 M"), (2e9, "2.00 G")):
            self.assertEqual(report.count(value), text)

    def test_durations_have_their_unit(self):
        for value, text in ((550, "550 ns"), (2610, "2.61 us"), (44e6, "44.0 ms"), (1.2e9, "1.20 s")):
            self.assertEqual(report.duration(value), text)


class Blocks(unittest.TestCase):
    def test_update_replaces_a_block_and_nothing_else(self):
        document = f"before\n{report.block('maps', 'old')}\nbetween\n{report.block('pool', 'stays')}\nafter\n"
        updated = report.update(document, {"maps": "new\n\n"})
        self.assertEqual(updated, document.replace("old", "new"))
        self.assertEqual(report.update(updated, {"maps": "new"}), updated)

    def test_a_block_that_is_not_there_or_there_twice_is_refused(self):
        twice = 2 * report.block("maps", "x")
        for document in ("", twice):
            with self.assertRaises(report.Problem):
                report.update(document, {"maps": "new"})

    def test_the_document_has_a_place_for_each_block(self):
        document = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
        updated = report.update(document, {name: f"the block {name}" for name in side_by_side.BLOCKS})
        for name in side_by_side.BLOCKS:
            self.assertIn(f"the block {name}\n", updated)


class Goals(unittest.TestCase):
    RESULT = {
        "maps": [{"case": "A", "goals": {"judge": [20, None, 3]}, "agree": {}, "sizes": {},
                  "judge": {"ours": [2.0, 1.0], "skl64": [25.0, 30.0], "skl32": [4.0, 4.0], "np32": [2.7, 9.0]}}],
        "stream": [{"case": "A", "goal": 550.0, "stream": {"ours": [600.0, 500.0]}}],
    }

    def test_what_is_missed_is_named_with_its_distance(self):
        self.assertEqual(side_by_side.goals_block(self.RESULT).splitlines(), [
            "2 of 3 goals are reached.", "",
            "| missed | goal | seen | short by |", "| --- | ---: | ---: | ---: |",
            "| judge, A, times np32 | 3 | 2.70 | 10 % |"])

    def test_a_column_without_a_goal_is_no_goal(self):
        self.assertIn("| judge, A | 1.00 G | 25.0 (12.5 to 30.0), goal 20 | 4.00 (2.00 to 4.00) | **2.70** ",
                      side_by_side.maps_block(self.RESULT))


@unittest.skipIf(PROGRAM is None, "no program was named")
class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.ours = report.Ours(PROGRAM)
        self.ours.__enter__()
        self.addCleanup(self.ours.__exit__)
        draw = random.Random(1)
        self.rows = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(1100)]
        (self.folder / "rows").write_bytes(array.array("f", [x for row in self.rows for x in row]).tobytes())

    def numbers(self, *words):
        answer = self.ours.ask(*words, self.folder / "out")
        values = array.array("d")
        values.frombytes((self.folder / "out").read_bytes())
        return answer, list(values)

    def test_a_row_is_as_similar_as_its_frequencies_say(self):
        self.ours.ask("map", "fourier", 3, 16, 1.5)
        self.assertEqual(self.ours.ask("rows", self.folder / "rows", 20), {"rows": 20})
        _, frequencies = self.numbers("frequencies")
        _, similarities = self.numbers("judge", 1)
        rows = self.rows[:20]
        phases = [[sum(w * x for w, x in zip(frequencies[3 * j : 3 * j + 3], row, strict=True)) for j in range(16)]
                  for row in rows]
        for i, similarity in enumerate(similarities):  # eta(x) = 1/n sum_i 1/r sum_j cos(p_j(x) - p_j(x_i))
            slow = sum(math.cos(a - b) for other in phases for a, b in zip(phases[i], other, strict=True)) / (20 * 16)
            self.assertAlmostEqual(similarity, slow, delta=1e-5)

    def test_two_threads_learn_and_judge_the_same(self):
        self.ours.ask("map", "sorf", 3, 64, 1.5)
        self.ours.ask("rows", self.folder / "rows")
        for verb in ("learn", "judge"):
            one, two = self.numbers(verb, 1), self.numbers(verb, 2)
            self.assertEqual(one[1], two[1])
            self.assertEqual(one[0]["rows"], 1100)
            self.assertGreater(one[0]["wall_ns"], 0)

    def test_what_cannot_be_done_is_said_and_the_program_goes_on(self):
        for words in (("sing",), ("map", "fourier", 3), ("rows", self.folder / "nothing"), ("map", "cubic", 3, 4, 1)):
            with self.assertRaises(report.Problem):
                self.ours.ask(*words)
        self.assertIn("target", self.ours.ask("map", "fourier", 3, 4, 1))


if __name__ == "__main__":
    unittest.main()
