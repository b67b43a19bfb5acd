#!/usr/bin/env python3
"""The examples of the table of verbs, end to end on real files: drift, tune, evaluate, inspect, report.

usage: findings_test.py EXPOSE
"""

from html.parser import HTMLParser

from command import Table, main


def slow_auc(similarities, labels):
    """The share of pairs in which the anomaly is less similar, ties counting half."""
    anomalies = [s for s, label in zip(similarities, labels) if label == "1"]
    normals = [s for s, label in zip(similarities, labels) if label == "0"]
    return sum((a < n) + (a == n) / 2 for a in anomalies for n in normals) / (len(anomalies) * len(normals))


def slow_average_precision(similarities, labels):
    """At each similarity of an anomaly: the precision of all rows up to there, for its share of the anomalies."""
    pairs = sorted(zip(similarities, labels))
    anomalies = sum(label == "1" for _, label in pairs)
    total = 0.0
    for at in {s for s, _ in pairs}:
        up_to = [label for s, label in pairs if s <= at]
        here = sum(label == "1" for s, label in pairs if s == at)
        total += here / anomalies * (sum(label == "1" for label in up_to) / len(up_to))
    return total


class Drift(Table):
    def test_a_model_and_a_table(self):
        self.fit("first.csv", "lastweek.expose")
        done = self.does("drift", "lastweek.expose", "last.csv")
        self.assertIn("p-value", done.out)
        found = self.does("drift", "lastweek.expose", "last.csv", "--json").json()
        self.assertEqual((found["rows_a"], found["rows_b"]), (400, 283))
        self.assertEqual(found["moved"], found["p_value"] <= 0.01)
        back = self.does("drift", "last.csv", "lastweek.expose", "--json").json()
        self.assertAlmostEqual(found["mmd"], back["mmd"], places=12)

    def test_two_tables_either_way(self):
        there = self.does("drift", "first.csv", "last.csv", "--label", "fraud", "--json").json()
        back = self.does("drift", "last.csv", "first.csv", "--label", "fraud", "--json").json()
        self.assertAlmostEqual(there["p_value"], back["p_value"], places=12)
        self.assertTrue(there["moved"])
        self.assertAlmostEqual(sum(c["share"] for c in there["columns"]), 1.0, places=9)

    def test_the_column_that_moved_is_named_and_rows_of_one_kind_have_not_moved(self):
        even, odd = self.rows[::2], self.rows[1::2]
        self.write_rows("even.csv", self.header, even)
        self.write_rows("odd.csv", self.header, odd)
        found = self.does("drift", "even.csv", "odd.csv", "--label", "fraud", "--json").json()
        self.assertFalse(found["moved"])
        self.assertIn("No sign of drift", self.does("drift", "even.csv", "odd.csv", "--label", "fraud").out)
        moved = [[*row[:2], str(int(row[2]) + 4), *row[3:]] for row in odd]
        self.write_rows("moved.csv", self.header, moved)
        found = self.does("drift", "even.csv", "moved.csv", "--label", "fraud", "--json").json()
        self.assertTrue(found["moved"])
        self.assertEqual(found["columns"][0]["column"], self.header[2])
        text = self.does("drift", "even.csv", "moved.csv", "--label", "fraud").out
        self.assertIn("Something has moved", text)
        self.assertRegex(text, self.header[2] + r" +\d+ %  █")

    def test_two_models(self):
        self.fit()
        for part in ("first", "last"):
            self.does("fit", f"{part}.csv", "--plan", "normal.expose", "-o", f"{part}.expose")
        models = self.does("drift", "first.expose", "last.expose", "--json").json()
        table_beside = self.does("drift", "first.expose", "last.csv", "--json").json()
        self.assertEqual(models["p_value"], table_beside["p_value"])

    def test_standard_input_can_be_a_side(self):
        data = (self.folder / "last.csv").read_bytes()
        piped = self.does("drift", "first.csv", "-", "--label", "fraud", "--json", stdin=data).json()
        self.assertEqual(piped["p_value"],
                         self.does("drift", "first.csv", "last.csv", "--label", "fraud", "--json").json()["p_value"])


    def test_the_table_without_rows_is_named(self):
        self.write_rows("none.csv", self.header, [])
        for sides in (("none.csv", "last.csv"), ("last.csv", "none.csv")):
            self.fails("drift", *sides, "--label", "fraud", says="none.csv has no rows to compare")

    def test_the_smallest_p_values(self):
        far = [[str(1000 + int(value)) for value in row[:-1]] + [row[-1]] for row in self.rows]
        self.write_rows("far.csv", self.header, far * 20)
        self.write_rows("near.csv", self.header, self.rows * 20)
        self.assertIn("p-value < 1e-300,", self.does("drift", "near.csv", "far.csv", "--label", "fraud").out)


class Labels(Table):
    def test_tune_says_what_was_looked_at_and_what_to_type(self):
        text = self.does("tune", "data.csv", "--label", "fraud", "--map", "isolation", "-r", "64", "--seed", "3").out
        tuned = self.does("tune", "data.csv", "--label", "fraud", "--map", "isolation", "-r", "64", "--seed", "3",
                          "--json").json()
        kept = tuned["options"]["scale"] == "robust"
        line = next(line for line in text.splitlines() if "--scale" in line)
        self.assertEqual(line.startswith("The labels give no reason"), kept)
        self.assertTrue(line.endswith(f"--scale {tuned['options']['scale']} --map isolation -r 64 --seed 3"), line)
        self.assertEqual(sum("chosen" in line for line in text.splitlines()), 1)
        self.write_rows("many.csv", self.header, [[str(i % 89), *row[1:]] for i, row in enumerate(self.rows * 10)])
        text = self.does("tune", "many.csv", "--label", "fraud", "--kernel", "gaussian", "--scale", "robust",
                         "--bandwidth", "1", "-r", "32").out
        self.assertIn("labelled are 2,390 anomalies (2,000 of them were looked at) and 4,440 normal rows (2,000",
                      text)

    def test_labels_that_do_not_occur(self):
        for verb in ("evaluate", "tune"):
            self.fails(verb, "data.csv", "--label", "fraud", "--anomaly", "attack",
                       says="no row has the label 'attack' that --anomaly names; there are '0', '1'")

    def test_evaluate_says_which_columns_it_uses(self):
        self.assertIn("9 numbers: clump_thickness, ", self.does("evaluate", "data.csv", "--label", "fraud").out)

    def test_tune_then_evaluate(self):
        done = self.does("tune", "data.csv", "--label", "fraud", "-o", "tuned.expose")
        self.assertIn("--bandwidth", done.out)
        tuned = self.does("tune", "data.csv", "--label", "fraud", "--json").json()
        self.assertEqual((tuned["anomalies"], tuned["normals"]), (239, 444))
        self.assertEqual(tuned["trials"][0]["auc"], tuned["auc_of_start"])
        self.assertGreater(tuned["auc"], tuned["auc_of_start"])
        plan = self.does("inspect", "tuned.expose", "--json").json()["plan"]
        for what in ("kernel", "scale", "bandwidth"):
            self.assertEqual(plan[what], tuned["options"][what])
        found = self.does("evaluate", "-m", "tuned.expose", "data.csv", "--label", "fraud", "--json").json()
        self.assertGreater(found["auc"], 0.99)

    def test_tune_leaves_what_was_said(self):
        tuned = self.does("tune", "data.csv", "--label", "fraud", "--kernel", "gaussian", "--scale", "zscore",
                          "--json").json()
        self.assertEqual({t["kernel"] for t in tuned["trials"]}, {"gaussian"})
        self.assertEqual({t["scale"] for t in tuned["trials"]}, {"zscore"})

    def test_a_few_labels_are_enough(self):
        rows = [[*row[:-1], row[-1] if i % 20 == 0 else ""] for i, row in enumerate(self.rows)]
        self.write_rows("few.csv", self.header, rows)
        tuned = self.does("tune", "few.csv", "--label", "fraud", "--json").json()
        labelled = self.rows[::20]
        self.assertEqual(tuned["anomalies"], sum(row[-1] == "1" for row in labelled))
        self.assertEqual(tuned["normals"], sum(row[-1] == "0" for row in labelled))

    def test_evaluate_says_what_a_slow_computation_says(self):
        self.fit("first.csv", "m.expose", "--alpha", "0.1")
        found = self.does("evaluate", "-m", "m.expose", "last.csv", "--label", "fraud", "--json").json()
        verdicts = self.does("judge", "-m", "m.expose", "last.csv").rows()
        self.compare(found, verdicts, [row[-1] for row in self.rows[400:]])

    def test_evaluate_without_a_model_leaves_each_row_out(self):
        found = self.does("evaluate", "data.csv", "--label", "fraud", "--contamination", "0.3", "--json").json()
        verdicts = self.does("detect", "data.csv", "--label", "fraud", "--contamination", "0.3").rows()
        self.compare(found, verdicts, [row[-1] for row in self.rows])

    def compare(self, found, verdicts, labels):
        similarities = [float(v["similarity"]) for v in verdicts]
        self.assertAlmostEqual(found["auc"], slow_auc(similarities, labels), places=12)
        self.assertAlmostEqual(found["average_precision"], slow_average_precision(similarities, labels), places=12)
        counts = {(flag, label): 0 for flag in "01" for label in "01"}
        for verdict, label in zip(verdicts, labels):
            counts[verdict["anomalous"], label] += 1
        self.assertEqual(found["true_positives"], counts["1", "1"])
        self.assertEqual(found["false_positives"], counts["1", "0"])
        self.assertEqual(found["true_negatives"], counts["0", "0"])
        self.assertEqual(found["false_negatives"], counts["0", "1"])
        self.assertGreater(counts["1", "1"] + counts["1", "0"], 0)
        sensitivity = counts["1", "1"] / (counts["1", "1"] + counts["0", "1"])
        specificity = counts["0", "0"] / (counts["0", "0"] + counts["1", "0"])
        self.assertAlmostEqual(found["balanced_accuracy"], (sensitivity + specificity) / 2, places=12)

    def test_evaluate_for_people(self):
        text = self.does("evaluate", "data.csv", "--label", "fraud").out
        for word in ("AUC", "average precision", "balanced accuracy", "239 anomalies and 444 normal rows"):
            self.assertIn(word, text)

    def test_words_for_labels(self):
        found = self.does("evaluate", "data.csv", "--label", "fraud", "--json").json()["auc"]
        for normal, anomaly in (("false", "TRUE"), ("no", "Yes"), ("n", "y"), ("normal", "anomaly"),
                                ("inlier", "outlier"), ("0.0", "1.0")):
            words = {"0": normal, "1": anomaly}
            self.write_rows("words.csv", self.header, [[*row[:-1], words[row[-1]]] for row in self.rows])
            self.assertEqual(self.does("evaluate", "words.csv", "--label", "fraud", "--json").json()["auc"], found)
        words = {"0": "benign", "1": "malignant"}
        self.write_rows("words.csv", self.header, [[*row[:-1], words[row[-1]]] for row in self.rows])
        self.fails("evaluate", "words.csv", "--label", "fraud",
                   says=["words.csv, row 1, column 'fraud'", "'benign'", "--anomaly"])
        named = self.does("evaluate", "words.csv", "--label", "fraud", "--anomaly", "malignant", "--json").json()
        self.assertEqual(named["auc"], found)
        signs = {"0": "1", "1": "-1"}  # as scikit-learn writes them
        self.write_rows("signs.csv", self.header, [[*row[:-1], signs[row[-1]]] for row in self.rows])
        self.fails("evaluate", "signs.csv", "--label", "fraud", says=["'-1'", "--anomaly"])
        named = self.does("evaluate", "signs.csv", "--label", "fraud", "--anomaly=-1", "--json").json()
        self.assertEqual(named["auc"], found)

    def test_labels_of_one_kind_alone_say_nothing(self):
        self.write_rows("one.csv", self.header, [[*row[:-1], "0"] for row in self.rows])
        self.fails("evaluate", "one.csv", "--label", "fraud", says="0 are labelled as anomalies and 683 as normal")
        self.fails("tune", "one.csv", "--label", "fraud")


class Inspect(Table):
    def test_what_a_model_holds(self):
        model = self.fit()
        found = self.does("inspect", "normal.expose", "--json").json()
        self.assertEqual((found["kind"], found["rows"], found["bytes"]), ("detector", 683, len(model)))
        self.assertEqual(found["threshold"], "p <= 0.01")
        self.assertRegex(found["fingerprint"], "^[0-9a-f]{16}$")
        self.assertEqual(found["plan"]["columns"], 9)
        self.assertEqual([(c["name"], c["role"]) for c in found["columns"]],
                         [*((name, "number") for name in self.header[:-1]), ("fraud", "label")])
        text = self.does("inspect", "normal.expose").out
        for word in ("plan", "fingerprint", "rows", "bytes", "threshold", *self.header[:3]):
            self.assertIn(word, text)

    def test_a_watcher_has_its_columns_too(self):
        for name, rows in (("few", self.rows[:20]), ("many", self.rows)):
            self.write_rows(f"{name}.csv", self.header, rows)
            self.does("watch", f"{name}.csv", "--label", "fraud", "--checkpoint", f"{name}.expose")
            found = self.does("inspect", f"{name}.expose", "--json").json()
            self.assertEqual([c["name"] for c in found["columns"]], self.header)


class Page(HTMLParser):
    """Whether every element is closed, what is loaded, and which pictures there are."""

    VOID = {"meta", "br", "link", "img", "input", "hr"}

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.drawings, self.text = [], set(), 0, ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.drawings += tag == "svg"
        self.ids |= {value for name, value in attrs if name == "id"}
        for name, value in attrs:
            if name in ("src", "href") and not value.startswith("#"):
                raise AssertionError(f"the page loads {value}")

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"{tag} is closed, but was not open")

    def handle_data(self, data):
        self.text += data


class Report(Table):
    def test_a_page_in_one_file(self):
        done = self.does("report", "data.csv", "-o", "report.html", "--label", "fraud", "--top", "12")
        self.assertIn("report.html", done.err)
        page = Page((self.folder / "report.html").read_text(encoding="utf-8"))
        self.assertEqual(page.open, [])
        self.assertGreaterEqual(page.drawings, 2)
        for section in ("similarities", "rows", "picture", "drift", "plan", "columns", "command"):
            self.assertIn(section, page.ids)
        self.assertNotIn("time", page.ids)
        self.assertIn("expose report data.csv -o report.html --label fraud --top 12", page.text)
        self.assertIn("AUC against fraud", page.text)

    def test_with_a_time_an_id_and_hostile_names(self):
        header = ["when", "<b>who</b>", *self.header]
        rows = [[f"2026-03-{1 + i // 24:02d}T{i % 24:02d}:00:00", f"<script>{i}</script>", *row]
                for i, row in enumerate(self.rows)]
        self.write_rows("timed.csv", header, rows)
        self.does("report", "timed.csv", "--time", "when", "--id", "<b>who</b>")
        html = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertNotIn("<script", html)
        self.assertNotIn("<b>who", html)
        self.assertIn("time", Page(html).ids)

    def test_bad_rows_and_few_rows(self):
        self.write_rows("few.csv", self.header, [*self.rows[:30], ["broken", *self.rows[0][1:]]])
        self.does("report", "few.csv", "--label", "fraud", "-o", "few.html")
        page = Page((self.folder / "few.html").read_text(encoding="utf-8"))
        self.assertIn("bad", page.ids)
        self.write_rows("five.csv", self.header, self.rows[:5])
        self.does("report", "five.csv", "--label", "fraud", "-o", "five.html")
        self.assertEqual(Page((self.folder / "five.html").read_text(encoding="utf-8")).open, [])

    def test_to_standard_output(self):
        self.assertTrue(self.does("report", "data.csv", "-o", "-").out.startswith("<!DOCTYPE html>"))


if __name__ == "__main__":
    main()
