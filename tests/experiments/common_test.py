"""The measures of the experiments against their slow, obvious versions; the scripts on tables made here.

usage: common_test.py DETECT_ROWS
"""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))
sys.dont_write_bytecode = True

try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy for this Python (Debian: python3-numpy)")
    sys.exit(77)

import calibration  # noqa: E402
import common  # noqa: E402
import quality  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else str(common.PROGRAM)


def labels_and_scores(seed, n=60, values=8):
    """Many ties, at least one of each label."""
    draw = np.random.default_rng(seed)
    y = draw.random(n) < 0.3
    y[:2] = [True, False]
    return y, draw.integers(0, values, n).astype(float)


def table(seed=0, n=400):
    draw = np.random.default_rng(seed)
    x = np.concatenate([draw.standard_normal((n, 3)), draw.uniform(6, 9, (n // 20, 3))])
    return common.Table("made", x, np.arange(len(x)) >= n)


class Measures(unittest.TestCase):
    def test_auc_is_the_share_of_pairs_in_order(self):
        for seed in range(20):
            y, s = labels_and_scores(seed)
            pairs = [(a > b) + 0.5 * (a == b) for a in s[y] for b in s[~y]]
            self.assertAlmostEqual(common.auc(y, s), np.mean(pairs), places=12)

    def test_average_precision_adds_up_thresholds(self):
        for seed in range(20):
            y, s = labels_and_scores(seed)
            total, before = 0.0, 0.0
            for threshold in sorted(set(s), reverse=True):
                found = s >= threshold
                recall = (found & y).sum() / y.sum()
                total += (recall - before) * (found & y).sum() / found.sum()
                before = recall
            self.assertAlmostEqual(common.average_precision(y, s), total, places=12)

    def test_average_ranks_share_places(self):
        self.assertEqual(common.average_ranks([3, 1, 3, 2]).tolist(), [3.5, 1, 3.5, 2])
        self.assertEqual(quality.mean_ranks(np.array([[0.9, 0.8, 0.9], [0.1, 0.3, 0.2]])).tolist(), [2.25, 2, 1.75])

    def test_benjamini_hochberg_takes_the_largest_step(self):
        for seed in range(20):
            p = np.random.default_rng(seed).random(40) ** 3
            steps = [k for k in range(1, 41) if (p <= 0.1 * k / 40).sum() >= k]
            expected = p <= 0.1 * max(steps) / 40 if steps else np.zeros(40, dtype=bool)
            self.assertEqual(common.benjamini_hochberg(p, 0.1).tolist(), expected.tolist())
        self.assertFalse(common.benjamini_hochberg(np.ones(5), 0.1).any())

    def test_planted_rows_are_a_share_of_all_and_marked(self):
        rows, y = calibration.plant(np.zeros((100, 2)) + [[0, 1]], 1 / 6, np.random.default_rng(0))
        self.assertEqual((len(rows), int(y.sum())), (120, 20))
        self.assertEqual(calibration.recall_and_f1(y, y), (1.0, 1.0))


class Tables(unittest.TestCase):
    def test_draws_depend_on_the_seed_alone(self):
        whole = table()
        self.assertIs(common.capped(whole, 0, 1000), whole)
        first, again, other = (common.capped(whole, seed, 100) for seed in (0, 0, 1))
        self.assertEqual(len(first.y), 100)
        self.assertTrue(np.array_equal(first.x, again.x))
        self.assertFalse(np.array_equal(first.x, other.x))

    def test_novelty_fits_no_anomaly_and_judges_no_fitted_row(self):
        whole = table()
        fitted, judged = common.halved(whole, 0)
        self.assertFalse(fitted.y.any())
        self.assertEqual(int(judged.y.sum()), int(whole.y.sum()))
        together = np.concatenate([fitted.x, judged.x])
        self.assertTrue(np.array_equal(np.sort(together, axis=0), np.sort(whole.x, axis=0)))


class Jobs(unittest.TestCase):
    def test_a_failure_and_a_delay_are_told(self):
        def fail():
            raise ValueError("no good")

        self.assertEqual(common.run_job(lambda: 7, 60)[:2], (7, None))
        self.assertEqual(common.run_job(fail, 60)[:2], (None, "ValueError: no good"))
        self.assertEqual(common.run_job(lambda: time.sleep(60), 0.2)[:2], (None, "not done after 0.2 s"))
        self.assertEqual(common.run_job(lambda: sys.exit(3), 60)[:2], (None, "its process ended with 3"))


class Scripts(unittest.TestCase):
    def run_script(self, name, *arguments):
        command = [sys.executable, "-B", EXPERIMENTS / name, "--program", PROGRAM, *arguments]
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)

    def test_quality_takes_any_folder_and_names_what_it_cannot_use(self):
        with tempfile.TemporaryDirectory() as folder:
            made = table()
            np.savez(Path(folder) / "2_made.npz", X=made.x, y=made.y.astype(int))
            np.savez(Path(folder) / "1_no_anomaly.npz", X=made.x, y=np.zeros(len(made.y)))
            Path(folder, "3_broken.npz").write_bytes(b"not a table")
            result = Path(folder) / "figures.json"
            run = self.run_script("quality.py", "--data", folder, "--quick", "--peers", "none", "--json", result)
            self.assertEqual(run.returncode, 0, run.stderr)
            figures = json.loads(result.read_text(encoding="utf-8"))
            self.assertEqual([r["protocol"] for r in figures["records"]], ["detection", "novelty"])
            self.assertTrue(all(r["auc"] > 0.99 and "failed" not in r for r in figures["records"]))
            self.assertEqual([file for file, why in figures["left_out"]], ["1_no_anomaly.npz", "3_broken.npz"])
            self.assertIn("1_no_anomaly.npz", run.stdout)

    def test_an_empty_folder_is_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_script("quality.py", "--data", folder, "--peers", "none")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("holds no .npz file", run.stderr)


if __name__ == "__main__":
    unittest.main()
