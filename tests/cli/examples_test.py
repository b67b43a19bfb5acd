#!/usr/bin/env python3
"""The examples of the table of verbs, end to end on real files, and what verdicts promise: detect, fit, judge, learn,
forget, merge, watch. The other verbs: findings_test.py.

usage: examples_test.py EXPOSE
"""

import csv
import gzip
import json
import re
import subprocess

from command import EXPOSE, Table, main

COLUMNS = ["row", "similarity", "p_value", "anomalous", "status"]


class Detect(Table):
    def test_the_twenty_most_anomalous_rows_with_three_reasons(self):
        done = self.does("detect", "data.csv", "--top", "20", "--reasons", "3", "--label", "fraud")
        rows = done.rows()
        self.assertEqual(list(rows[0]), [*COLUMNS, "reason_1", "reason_2", "reason_3"])
        self.assertEqual(len(rows), 20)
        self.assertEqual([r["anomalous"] for r in rows], ["1"] * 20)
        p_values = [float(r["p_value"]) for r in rows]
        self.assertEqual(p_values, sorted(p_values))
        for row in rows:
            shares = []
            for reason in (row["reason_1"], row["reason_2"], row["reason_3"]):
                if not reason:
                    continue
                column, value, share = re.fullmatch(r"(\w+)=(\S+) \((\d+) %\)", reason).groups()
                cell = self.rows[int(row["row"]) - 1][self.header.index(column)]
                self.assertEqual(float(value), float(cell))
                shares.append(int(share))
            self.assertEqual(shares, sorted(shares, reverse=True))
            self.assertLessEqual(sum(shares), 102)
        self.assertIn("20 of 683 rows are flagged", done.err)

    def test_as_the_example_says_without_a_label(self):
        self.assertEqual(len(self.does("detect", "data.csv", "--top", "20", "--reasons", "3").rows()), 20)

    def test_a_verdict_for_each_row_in_its_order(self):
        rows = self.does("detect", "data.csv", "--label", "fraud").rows()
        self.assertEqual([r["row"] for r in rows], [str(i + 1) for i in range(683)])
        self.assertEqual({r["status"] for r in rows}, {"ok"})
        for row in rows:
            self.assertEqual(row["anomalous"], "1" if float(row["p_value"]) <= 0.01 else "0")

    def test_the_label_changes_nothing_but_is_not_learned(self):
        with_label = self.does("detect", "data.csv", "--label", "fraud").out
        self.write_rows("bare.csv", self.header[:-1], [row[:-1] for row in self.rows])
        self.assertEqual(with_label, self.does("detect", "bare.csv").out)
        self.assertEqual(with_label, self.does("detect", "data.csv", "--ignore", "fraud").out)
        self.assertNotEqual(with_label, self.does("detect", "data.csv").out)

    def test_several_files_are_one_table(self):
        whole = self.does("detect", "data.csv", "--label", "fraud").out
        self.assertEqual(self.does("detect", "first.csv", "last.csv", "--label", "fraud").out, whole)

    def test_columns_alone(self):
        some = self.header[:3]
        self.write_rows("some.csv", some, [row[:3] for row in self.rows])
        alone = self.does("detect", "data.csv", "--columns", ",".join(some)).out
        self.assertEqual(alone, self.does("detect", "some.csv").out)

    def test_pipes_and_packed_files_and_other_formats_say_the_same(self):
        said = self.does("detect", "data.csv", "--label", "fraud").out
        data = (self.folder / "data.csv").read_bytes()
        self.assertEqual(self.does("detect", "--label", "fraud", stdin=data).out, said)
        self.assertEqual(self.does("detect", "-", "--label", "fraud", stdin=data).out, said)
        self.write("data.csv.gz", gzip.compress(data))
        self.assertEqual(self.does("detect", "data.csv.gz", "--label", "fraud").out, said)
        objects = [dict(zip(self.header, map(int, row))) for row in self.rows]
        self.write("data.jsonl", "".join(json.dumps(o) + "\n" for o in objects))
        self.assertEqual(self.does("detect", "data.jsonl", "--label", "fraud").out, said)
        self.write("data.tsv", data.replace(b",", b"\t"))
        self.assertEqual(self.does("detect", "data.tsv", "--label", "fraud").out, said)
        self.write("data.ssv", data.replace(b",", b";").replace(b"\n", b"\r\n"))
        self.assertEqual(self.does("detect", "data.ssv", "--label", "fraud").out, said)

    def test_the_number_of_threads_changes_no_bit(self):
        one = self.does("detect", "data.csv", "--threads", "1", "--reasons", "2").out
        self.assertEqual(self.does("detect", "data.csv", "--threads", "3", "--reasons", "2").out, one)

    def test_formats(self):
        rows = self.does("detect", "data.csv", "--label", "fraud", "--reasons", "1").rows()
        for words in (["--format", "jsonl"], ["--json"]):
            objects = self.does("detect", "data.csv", "--label", "fraud", "--reasons", "1", *words).objects()
            self.assertEqual(len(objects), 683)
            for row, found in zip(rows, objects):
                self.assertEqual(int(row["row"]), found["row"])
                self.assertEqual(float(row["similarity"]), found["similarity"])
                self.assertEqual(float(row["p_value"]), found["p_value"])
                self.assertEqual(int(row["anomalous"]), found["anomalous"])
                self.assertEqual(row["status"], found["status"])
                self.assertEqual(row["reason_1"], found.get("reason_1", ""))
        lines = self.does("detect", "data.csv", "--label", "fraud", "--format", "table").out.splitlines()
        self.assertEqual(len(lines), 684)
        self.assertEqual(lines[0].split(), COLUMNS)

    def test_the_name_of_the_output_says_its_format(self):
        for name in ("verdicts.csv", "verdicts.jsonl", "verdicts.ndjson"):
            done = self.does("detect", "data.csv", "--label", "fraud", "-o", name)
            self.assertEqual(done.out, "")
        text = (self.folder / "verdicts.csv").read_text(encoding="utf-8")
        self.assertEqual(text, self.does("detect", "data.csv", "--label", "fraud").out)
        lines = (self.folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertEqual([json.loads(line)["row"] for line in lines], list(range(1, 684)))
        self.assertEqual((self.folder / "verdicts.ndjson").read_text(encoding="utf-8").splitlines(), lines)

    def test_only_anomalies_and_the_other_thresholds(self):
        every = {r["row"]: r for r in self.does("detect", "data.csv", "--contamination", "0.1").rows()}
        flagged = [r["row"] for r in every.values() if r["anomalous"] == "1"]
        self.assertEqual(len(flagged), 68)
        some = self.does("detect", "data.csv", "--contamination", "0.1", "--only-anomalies").rows()
        self.assertEqual([r["row"] for r in some], flagged)
        by_alpha = self.does("detect", "data.csv", "--alpha", "0.2", "--only-anomalies").rows()
        self.assertTrue(by_alpha)
        self.assertTrue(all(float(r["p_value"]) <= 0.2 for r in by_alpha))
        by_fdr = self.does("detect", "data.csv", "--fdr", "0.9", "--only-anomalies").rows()
        p_values = sorted(float(r["p_value"]) for r in every.values())
        expected = max([i + 1 for i, p in enumerate(p_values) if p <= 0.9 * (i + 1) / 683], default=0)
        self.assertEqual(len(by_fdr), expected)

    def test_the_time_can_be_the_id_too(self):
        lines = [f"2026-01-{day:02} {hour:02}:00,{hour}" for day in range(1, 29) for hour in range(24)]
        (self.folder / "timed.csv").write_text("\n".join(["when,value", *lines]) + "\n", encoding="ascii")
        without = self.does("detect", "timed.csv", "--time", "when").rows()
        named = self.does("detect", "timed.csv", "--time", "when", "--id", "when").rows()
        self.assertEqual([row.pop("id") for row in named], [line.split(",")[0] for line in lines])
        self.assertEqual(named, without)
        watched = self.does("watch", "timed.csv", "--time", "when", "--id", "when").rows()
        self.assertEqual(watched[5]["id"], "2026-01-01 05:00")
        self.does("fit", "timed.csv", "--time", "when", "-o", "timed.expose")
        judged = self.does("judge", "-m", "timed.expose", "timed.csv", "--id", "when").rows()
        self.assertEqual(judged[5]["id"], "2026-01-01 05:00")

    def test_an_id_is_copied(self):
        names = [f'patient "{i}", ward {i % 7}' for i in range(683)]
        self.write_rows("named.csv", ["who", *self.header], [[n, *row] for n, row in zip(names, self.rows)])
        rows = self.does("detect", "named.csv", "--id", "who", "--label", "fraud").rows()
        self.assertEqual(list(rows[0]), ["row", "id", *COLUMNS[1:]])
        self.assertEqual([r["id"] for r in rows], names)
        top = self.does("detect", "named.csv", "--id", "who", "--label", "fraud", "--top", "9", "--json").objects()
        self.assertEqual([o["id"] for o in top], [names[o["row"] - 1] for o in top])

    def test_missing_values_are_no_bad_rows(self):
        rows = [list(row) for row in self.rows]
        for i, text in enumerate(["", "NA", "NaN", "null", "?"]):
            rows[i][3] = text
        rows[5] = [""] * 9 + ["0"]
        self.write_rows("gaps.csv", self.header, rows)
        done = self.does("detect", "gaps.csv", "--label", "fraud")
        statuses = [r["status"] for r in done.rows()]
        self.assertEqual(statuses[:7], ["ok"] * 5 + ["unknown", "ok"])
        unknown = done.rows()[5]
        self.assertEqual((unknown["p_value"], unknown["anomalous"]), ("1", "0"))
        self.assertNotIn("bad", done.err)

    def test_few_rows_are_still_learning(self):
        self.write_rows("few.csv", self.header, self.rows[:5])
        rows = self.does("detect", "few.csv", "--label", "fraud").rows()
        self.assertEqual([(r["status"], r["p_value"], r["anomalous"]) for r in rows], [("learning", "1", "0")] * 5)

    def test_save_keeps_the_model(self):
        self.does("detect", "data.csv", "--label", "fraud", "--save", "detected.expose")
        self.assertEqual((self.folder / "detected.expose").read_bytes(), self.fit())


class FitAndJudge(Table):
    def test_fit_then_judge(self):
        self.does("fit", "data.csv", "-o", "normal.expose")
        done = self.does("judge", "-m", "normal.expose", "data.csv", "-o", "verdicts.csv")
        self.assertEqual(done.out, "")
        with (self.folder / "verdicts.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), COLUMNS)
        self.assertEqual([r["row"] for r in rows], [str(i + 1) for i in range(683)])

    def test_a_row_that_was_not_learned_is_judged_as_detect_judges_it(self):
        """detect leaves a row out of its own judgement; for rows outside the gate that is what judge does anyway."""
        self.fit()
        detected = self.does("detect", "data.csv", "--label", "fraud").rows()
        judged = self.does("judge", "-m", "normal.expose", "data.csv").rows()
        same = sum(a["similarity"] == b["similarity"] for a, b in zip(detected, judged))
        turned_away = self.does("inspect", "normal.expose", "--json").json()["turned_away"]
        self.assertGreaterEqual(same, turned_away)
        self.assertGreater(turned_away, 100)
        self.assertLess(same, 683)
        for a, b in zip(detected, judged):  # a row in the mean is more similar to it than to the mean without it
            self.assertLessEqual(float(a["similarity"]), float(b["similarity"]) + 1e-12)

    def test_the_order_of_columns_does_not_matter(self):
        self.fit()
        said = self.does("judge", "-m", "normal.expose", "data.csv", "--reasons", "2").out
        back = [row[::-1] for row in self.rows]
        self.write_rows("back.csv", self.header[::-1], back)
        self.assertEqual(self.does("judge", "-m", "normal.expose", "back.csv", "--reasons", "2").out, said)
        self.write_rows("bare.csv", self.header[:-1], [row[:-1] for row in self.rows])
        self.assertEqual(self.does("judge", "-m", "normal.expose", "bare.csv", "--reasons", "2").out, said)
        more = [["x", *row] for row in self.rows]
        self.write_rows("more.csv", ["unheard_of", *self.header], more)
        self.assertEqual(self.does("judge", "-m", "normal.expose", "more.csv", "--reasons", "2").out, said)

    def test_a_missing_column_is_named(self):
        self.fit()
        self.write_rows("less.csv", [*self.header[:4], "single_cell_size", *self.header[5:]], self.rows)
        self.fails("judge", "-m", "normal.expose", "less.csv",
                   says=["single_epithelial_cell_size", "less.csv", "did you mean 'single_cell_size'?"])

    def test_an_unseen_category_is_unlike_all_others(self):
        colours = ["red", "green", "blue"]
        rows = [[colours[i % 3], *row[:3]] for i, row in enumerate(self.rows)]
        header = ["colour", *self.header[:3]]
        self.write_rows("colours.csv", header, rows)
        self.does("fit", "colours.csv", "-o", "c.expose")
        self.write_rows("new.csv", header, [[c, *rows[0][1:]] for c in ("red", "green", "ultraviolet", "")])
        red, green, unseen, missing = self.does("judge", "-m", "c.expose", "new.csv", "--reasons", "1").rows()
        similarities = [float(r["similarity"]) for r in (red, green, unseen, missing)]
        self.assertLess(similarities[2], min(similarities[0], similarities[1], similarities[3]))
        self.assertTrue(unseen["reason_1"].startswith("colour=ultraviolet ("), unseen["reason_1"])
        self.assertEqual({r["status"] for r in (red, green, unseen, missing)}, {"ok"})

    def test_judge_by_another_threshold(self):
        self.fit()
        top = self.does("judge", "-m", "normal.expose", "data.csv", "--top", "7").rows()
        every = self.does("judge", "-m", "normal.expose", "data.csv").rows()
        order = sorted(every, key=lambda r: (float(r["p_value"]), float(r["similarity"]), int(r["row"])))
        self.assertEqual([r["row"] for r in top], [r["row"] for r in order[:7]])
        few = self.does("judge", "-m", "normal.expose", "data.csv", "--only-anomalies", "--contamination", "0.05")
        self.assertEqual(len(few.rows()), 34)

    def test_a_model_keeps_its_threshold(self):
        self.fit("data.csv", "strict.expose", "--alpha", "0.2")
        rows = self.does("judge", "-m", "strict.expose", "data.csv").rows()
        self.assertTrue(any(r["anomalous"] == "1" for r in rows))
        for row in rows:
            self.assertEqual(row["anomalous"], "1" if float(row["p_value"]) <= 0.2 else "0")

    def test_judge_never_learns(self):
        model = self.fit()
        self.does("judge", "-m", "normal.expose", "data.csv")
        self.assertEqual((self.folder / "normal.expose").read_bytes(), model)

    def test_row_numbers_go_on_across_files(self):
        self.fit()
        said = self.does("judge", "-m", "normal.expose", "data.csv").out
        self.assertEqual(self.does("judge", "-m", "normal.expose", "first.csv", "last.csv").out, said)


    def test_a_model_that_can_flag_nothing_says_so(self):
        self.write_rows("mixed.csv", self.header, [row for row in self.rows if row[-1] == "0"] + [["99"] * 9 + ["1"]])
        warning = "warning: no row can get a p-value below "
        told = self.does("detect", "mixed.csv", "--label", "fraud", "--save", "m.expose").err
        for words in (["judge", "-m", "m.expose", "mixed.csv"],
                      ["evaluate", "-m", "m.expose", "mixed.csv", "--label", "fraud"],
                      ["fit", "mixed.csv", "--label", "fraud", "-o", "n.expose"]):
            self.assertEqual(warning in self.does(*words).err, warning in told)
        self.assertIn(warning, told)
        self.assertEqual({v["anomalous"] for v in self.does("judge", "-m", "m.expose", "mixed.csv").rows()}, {"0"})
        self.assertNotIn(warning, self.does("judge", "-m", "m.expose", "mixed.csv", "--alpha", "0.6").err)
        self.assertNotIn(warning, self.does("judge", "-m", "m.expose", "mixed.csv", "--top", "3").err)

    def test_a_column_that_looks_like_a_label_is_named(self):
        note = "note: 'fraud' is used like any other column; --label fraud sets it aside"
        self.assertIn(note, self.does("detect", "data.csv").err)
        self.assertNotIn(note, self.does("detect", "data.csv", "--label", "fraud").err)
        self.assertNotIn(note, self.does("detect", "data.csv", "--ignore", "fraud").err)

    def test_columns_without_a_name_are_counted(self):
        self.write("bare.csv", "\n".join(",".join(row) for row in self.rows) + "\n")
        self.fails("detect", "bare.csv", "--label", "10", says="did you mean 'column_10'?")
        self.does("detect", "bare.csv", "--label", "column_10")

    def test_the_version_and_the_end_of_the_options(self):
        self.assertEqual(self.does("version").out, self.does("--version").out)
        self.write_rows("-dash.csv", self.header, self.rows)
        whole = self.does("detect", "data.csv", "--label", "fraud").out
        self.assertEqual(self.does("detect", "--label", "fraud", "--", "-dash.csv").out, whole)

    def test_a_reason_of_nothing_is_none(self):
        rows = self.does("detect", "data.csv", "--label", "fraud", "--reasons", "9").rows()
        self.assertNotIn("(0 %)", "".join(row[f"reason_{k}"] for row in rows for k in range(1, 10)))


class Algebra(Table):
    def test_learn_forget_and_merge_are_exact(self):
        whole = self.fit()
        for part in ("first", "last"):
            self.does("fit", f"{part}.csv", "--label", "fraud", "--plan", "normal.expose", "-o", f"{part}.expose")
        self.does("merge", "first.expose", "last.expose", "-o", "all.expose")
        self.assertEqual((self.folder / "all.expose").read_bytes(), whole)
        self.does("merge", "last.expose", "first.expose", "-o", "all.expose")
        self.assertEqual((self.folder / "all.expose").read_bytes(), whole)
        first = (self.folder / "first.expose").read_bytes()
        done = self.does("learn", "-m", "first.expose", "last.csv")
        self.assertIn("283 rows learned", done.err)
        self.assertEqual((self.folder / "first.expose").read_bytes(), whole)
        done = self.does("forget", "-m", "first.expose", "last.csv")
        self.assertIn("283 rows forgotten", done.err)
        self.assertEqual(self.does("inspect", "first.expose", "--json").json()["rows"], 400)
        self.assertEqual(self.does("judge", "-m", "first.expose", "last.csv").rows()[0]["status"], "ok")
        self.assertEqual((self.folder / "first.expose").read_bytes(), first)

    def test_learn_to_another_file_leaves_the_model(self):
        whole = self.fit()
        self.does("learn", "-m", "normal.expose", "first.csv", "-o", "more.expose")
        self.assertEqual((self.folder / "normal.expose").read_bytes(), whole)
        self.assertEqual(self.does("inspect", "more.expose", "--json").json()["rows"], 1083)

    def test_models_of_different_plans_do_not_merge(self):
        self.fit("first.csv", "a.expose")
        self.fit("last.csv", "b.expose")
        self.fails("merge", "a.expose", "b.expose", "-o", "all.expose",
                   says=["b.expose has another plan than a.expose", "expose fit DATA --plan a.expose -o b.expose"])
        self.assertFalse((self.folder / "all.expose").exists())

    def test_forget_says_when_rows_live_on_as_landmarks(self):
        self.fit()
        self.assertIn("landmark", self.does("forget", "-m", "normal.expose", "last.csv").err)


class Watch(Table):
    def test_a_stream_through_a_pipe(self):
        data = (self.folder / "data.csv").read_bytes()
        rows = self.does("watch", "--memory", "fading:0.01", "--label", "fraud", stdin=data).rows()
        self.assertEqual([r["row"] for r in rows], [str(i + 1) for i in range(683)])
        self.assertEqual(list(rows[0]), COLUMNS)
        self.assertEqual(rows[0]["status"], "learning")
        self.assertEqual(rows[-1]["status"], "ok")

    def test_behind_tail(self):
        line = f"tail -n +1 data.csv | '{EXPOSE}' watch --memory fading:0.01"
        done = subprocess.run(line, shell=True, cwd=self.folder, capture_output=True, timeout=600, check=True)
        self.assertEqual(len(done.stdout.splitlines()), 684)


class Times(Table):
    def test_a_time_of_day_counts(self):
        rows = [[f"2026-03-{1 + i % 28:02d} 09:{i % 60:02d}:00", row[0]] for i, row in enumerate(self.rows)]
        rows[100][0] = "2026-03-05 03:10:00"
        self.write_rows("timed.csv", ["when", "clump"], rows)
        found = self.does("detect", "timed.csv", "--time", "when", "--top", "1", "--reasons", "1").rows()
        self.assertEqual(found[0]["row"], "101")
        self.assertTrue(found[0]["reason_1"].startswith("when=2026-03-05 03:10:00 ("))


if __name__ == "__main__":
    main()
