"""Tables with named columns: what they become, and that all kinds of them become the same."""

import datetime
import decimal
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import expose


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    n = 2000
    table = pd.DataFrame({
        "amount": random.normal(size=n),
        "count": random.integers(0, 9, n),
        "land": random.choice(["de", "at", "ch"], n),
        "paid": random.random(n) < 0.5,
    })
    table.loc[5, "amount"] = np.nan
    table.loc[6, "land"] = None
    return table


@pytest.fixture
def kinds(table):
    arrow = pa.Table.from_pandas(table)
    return {
        "categories": table.astype({"land": "category"}),
        "objects": table.astype({"land": object}),
        "nullable": table.convert_dtypes(),
        "arrow": arrow,
        "dictionary": arrow.set_column(2, "land", arrow["land"].dictionary_encode()),
        "large": arrow.set_column(2, "land", arrow["land"].cast(pa.large_string())),
        "chunks": pa.concat_tables([arrow.slice(0, 700), arrow.slice(700)]),
        "sliced batch": pa.concat_tables([arrow.slice(0, 5), arrow]).combine_chunks().to_batches()[0].slice(5),
        "polars": pl.from_arrow(arrow),
        "polars, lazy": pl.from_arrow(arrow).lazy(),
        "list of tables": [table.iloc[:900], table.iloc[900:]],
    }


def test_all_kinds_are_one(table, kinds):
    d = expose.fit(table)
    assert d.plan.feature_names == ["amount", "count", "land", "paid"]
    assert d.plan.number_names == ["amount", "count", "land=at", "land=ch", "land=de", "paid"]
    v = d.judge(table)
    found = expose.detect(table)
    for name, same in kinds.items():
        assert expose.fit(same) == d, name
        assert d.judge(same) == v, name
        assert expose.detect(same) == found, name


def test_readers(table, tmp_path):
    d = expose.fit(table)
    arrow = pa.Table.from_pandas(table)
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(arrow, path, row_group_size=300)
    assert expose.fit(pa.parquet.ParquetFile(path)) == d
    assert expose.fit(pa.dataset.dataset(path)) == d
    assert expose.fit(pa.dataset.dataset(path).scanner(batch_size=100)) == d
    assert expose.fit(arrow.to_reader(max_chunksize=100)) == d
    assert expose.fit(pl.scan_parquet(path)) == d
    table.to_csv(tmp_path / "t.csv", index=False)
    assert expose.fit(pd.read_csv(tmp_path / "t.csv", chunksize=150)) == d
    assert d.judge(pd.read_csv(tmp_path / "t.csv", chunksize=150)) == d.judge(table)
    blocks = [table.iloc[i : i + 500] for i in range(0, 2000, 500)]
    assert expose.fit(iter(blocks)) == expose.fit(lambda: iter(blocks)) == d


def test_columns_are_matched_by_name(table):
    d = expose.fit(table)
    v = d.judge(table)
    shuffled = table[["paid", "land", "amount", "count"]].assign(more=1)
    assert d.judge(shuffled) == v
    assert d.judge(pa.Table.from_pandas(shuffled)) == v
    with pytest.raises(expose.Error, match="'land'") as caught:
        d.judge(table.drop(columns="land"))
    assert caught.value.code == "not_found"
    with pytest.raises(expose.Error, match="did you mean|amuont|amount"):
        d.judge(table.rename(columns={"amount": "amuont"}))
    with pytest.raises(expose.Error, match="named columns"):
        d.judge(np.zeros((3, 6)))


def test_names_of_numbers_alone(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    d = expose.fit(frame)
    plain = expose.fit(rows)
    assert d.judge(rows) == plain.judge(rows) == plain.judge(frame) == d.judge(frame[["c", "a", "b"]])
    assert d.fingerprint != plain.fingerprint
    with pytest.raises(expose.Error, match="without names"):
        plain.judge(frame.assign(b="x"))


def test_an_unseen_value_is_odd_and_the_reason(table):
    d = expose.fit(table)
    odd = table.iloc[:1].assign(land="xx")
    assert d.judge(odd).anomalous[0]
    shares = d.explain(odd)
    assert shares.shape == (1, 4) and shares[0].argmax() == 2
    assert np.allclose(shares.sum(), 1)


def test_drift_by_column(table):
    d = expose.fit(table)
    later = expose.Detector(d.plan)
    later.learn(table.assign(land="de"))
    moved = expose.drift(d, later)
    assert moved.features.shape == (4,) and moved.features.argmax() == 2 and moved.p_value < 1e-6


def test_roles(table):
    table["fraud"] = (np.arange(len(table)) % 20 == 0).astype(int)
    table["who"] = [f"customer {i}" for i in range(len(table))]
    table["zip"] = np.random.default_rng(0).choice([10115, 80331], len(table))
    d = expose.fit(table, label="fraud", id="who", ignore="count", category=["zip"])
    assert d.plan.feature_names == ["amount", "land", "paid", "zip"]
    assert "zip=10115" in d.plan.number_names
    assert d.judge(table.drop(columns=["fraud", "who", "count"])) == d.judge(table)
    assert expose.plan(table, columns=["amount", "paid"]).feature_names == ["amount", "paid"]
    tuned = expose.tune(table, "fraud", ignore="who")
    assert tuned.anomalies == 100
    assert "fraud" not in expose.fit(table, **tuned.options).plan.feature_names
    with pytest.raises(expose.Error, match="fruad"):
        expose.fit(table, label="fruad")
    with pytest.raises(expose.Error, match="no names"):
        expose.fit(np.zeros((30, 2)), label="fraud")


def test_times_are_used_if_asked_for(table):
    table["when"] = pd.date_range("2026-03-20", periods=len(table), freq="37min", tz="Europe/Berlin")
    with pytest.warns(UserWarning, match="'when' is ignored: it is a time"):
        assert "when" not in expose.fit(table).plan.feature_names
    d = expose.fit(table, time="when")
    assert d.plan.number_names[-4:] == ["when (hour, cos)", "when (hour, sin)", "when (weekday, cos)", "when (weekday, sin)"]
    v = d.judge(table)
    assert d.judge(pa.Table.from_pandas(table)) == v  # in UTC, with the zone beside it
    assert d.judge(table.assign(when=table["when"].dt.tz_localize(None))) == v
    assert d.judge(table.assign(when=table["when"].dt.tz_localize(None).astype(str))) == v


def test_free_text_is_ignored_with_a_warning(table):
    table["note"] = [f"text {i}" for i in range(len(table))]
    with pytest.warns(UserWarning, match="'note' is ignored"):
        d = expose.fit(table)
    assert "note" not in d.plan.feature_names


def test_odd_tables():
    with pytest.raises(expose.Error, match="two columns"):
        expose.fit(pd.DataFrame(np.zeros((30, 2)), columns=["a", "a"]))
    with pytest.raises(expose.Error, match="no column"), pytest.warns(UserWarning):
        expose.fit(pd.DataFrame({"a": pd.date_range("2026", periods=30)}))
    numbers = pd.DataFrame({0: range(30), 1: [True, False] * 15, 2: pd.array([1, None] * 15, dtype="Int64")})
    assert expose.fit(numbers).plan.feature_names == ["0", "1", "2"]
    lists = pa.table({"a": [[1], [2]] * 20, "b": np.arange(40.0)})
    with pytest.warns(UserWarning, match="'a' is ignored"):
        assert expose.fit(lists).plan.feature_names == ["b"]


def test_arrow_types():
    types = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64(),
             pa.float16(), pa.float32(), pa.float64()]
    values = [0, 1, 2, None, 4, 5] * 10
    expected = np.array([np.nan if value is None else value for value in values])
    for kind in types:
        column = pa.array([None if v is None else np.float16(v) if kind == pa.float16() else v for v in values], kind)
        batch = expose._core.ArrowStream(pa.table({"x": column}).__arrow_c_stream__()).next()
        assert np.array_equal(batch.column(0, 0, 60), expected, equal_nan=True), kind
    flags = pa.array([True, None, False] * 20)
    batch = expose._core.ArrowStream(pa.table({"x": flags}).slice(3).__arrow_c_stream__()).next()
    assert np.array_equal(batch.column(0, 0, 3), [1, np.nan, 0], equal_nan=True)
    words = ["short", None, "a text that is longer than twelve bytes", ""]
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        batch = expose._core.ArrowStream(pa.table({"x": pa.array(words, kind)}).__arrow_c_stream__()).next()
        codes, texts = batch.column(0, 1, 4)
        assert [None if code < 0 else texts[code] for code in codes] == words[1:]


def test_verdicts_go_out(table):
    v = expose.fit(table).judge(table)
    for out in (pa.table(v), pa.record_batch(v)):
        assert out.column_names == ["similarity", "p_value", "anomalous", "status"]
        assert np.array_equal(out["p_value"].to_numpy(), v.p_value)
        assert out["anomalous"].to_pylist() == v.anomalous.tolist()
        assert out["status"].to_pylist() == v.status.tolist()
    assert pl.DataFrame(v)["similarity"].to_list() == v.similarity.tolist()
    frame = v.to_pandas()
    assert np.array_equal(frame["similarity"], v.similarity) and (frame["status"] == "ok").sum() == (v.status == "ok").sum()
    assert len(pa.table(v[:0])) == 0


def test_watch_tables(table):
    p = expose.plan(table, memory="fading:0.01")
    w, rowwise = expose.Watcher(p), expose.Watcher(p)
    v = w.watch(table)
    for i, row in enumerate(table.to_dict("records")):
        row = {name: value for name, value in row.items() if value == value and value is not None}
        assert rowwise.watch({**row, "other": 1}) == v[i]
    assert rowwise == w
    free = expose.Watcher(memory="window:400")
    free.watch(table)
    assert free.plan.feature_names == p.feature_names
    assert free.explain(table.iloc[:3]).shape == (3, 4)
    assert pickle.loads(pickle.dumps(free)).judge(table) == free.judge(table)


def test_saved_models_know_their_columns(table, tmp_path):
    d = expose.fit(table)
    d.save(tmp_path / "m.expose")
    again = expose.load(tmp_path / "m.expose")
    assert again.plan.feature_names == d.plan.feature_names and again.judge(table) == d.judge(table)
    assert pickle.loads(pickle.dumps(d.plan)).feature_names == d.plan.feature_names


def test_a_value_is_the_same_category_however_it_comes():
    paid = np.arange(600) % 3 == 0
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=600), "paid": paid})
    p = expose.plan(frame, category="paid", memory="fading:0.01")
    assert p.number_names == ["x", "paid=0", "paid=1"]
    kinds = [frame, frame.astype({"paid": "category"}), frame.astype({"paid": object}), frame.astype({"paid": "boolean"}),
             frame.astype({"paid": float}), pa.Table.from_pandas(frame), pl.from_pandas(frame)]
    watchers = [expose.Watcher(p) for _ in kinds]
    for watcher, kind in zip(watchers, kinds):
        watcher.watch(kind)
        assert watcher == watchers[0], type(kind)
    for kind in (bool, np.bool_, int, np.float32, float):
        rowwise = expose.Watcher(p)
        for x, one in zip(frame["x"], paid):
            rowwise.watch({"x": x, "paid": kind(one)})
        assert rowwise == watchers[0], kind
    for kind in kinds[:4]:
        assert expose.plan(kind, category="paid", memory="fading:0.01") == p


def test_what_is_missing_in_a_dict(table):
    w = expose.Watcher(expose.plan(table, memory="fading:0.01"))
    w.watch(table)
    row = {"amount": 0.1, "count": 3, "land": "de", "paid": True}
    for name in row:
        without = w.copy().watch({other: value for other, value in row.items() if other != name})
        assert without.status == "ok"
        for none in (None, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")):
            assert w.copy().watch({**row, name: none}) == without, (name, none)


def test_names_are_not_taken_by_place(rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    d = expose.fit(frame)
    with pytest.raises(expose.Error, match="has no names, a later one"):
        d.judge(iter([rows[:10], frame[["c", "b", "a"]]]))
    with pytest.raises(expose.Error, match="a later one is not"):
        d.judge(iter([frame, rows[:10]]))
    land = frame.assign(land=["de", "at"] * 600)
    w = expose.Watcher(expose.plan(land, memory="fading:0.01"))
    for row in (np.zeros(5), [0.0] * 5, np.zeros(5, ">f8")):
        with pytest.raises(expose.Error, match="named columns"):
            w.watch(row)
    assert w.rows == 0


def test_rows_by_name(table):
    p = expose.plan(table, memory="fading:0.01")
    w, by_series = expose.Watcher(p), expose.Watcher(p)
    v = w.watch(table)
    for i in range(400):
        assert by_series.watch(table.iloc[i]) == v[i]
    dicts = table.iloc[:50].to_dict("records")
    assert w.judge(dicts) == w.judge(table.iloc[:50])
    d = expose.fit(table)
    assert d.judge(dicts) == d.judge(table.iloc[:50])
    assert d.judge([{"amount": 0.5}]).status[0] == "ok"
    assert expose.fit(table.to_dict("records")).plan.feature_names == ["amount", "count", "land", "paid"]
    for one in (table.iloc[0], table["amount"]):
        for call in (d.judge, w.judge, expose.fit):
            with pytest.raises(expose.Error, match="to_frame"):
                call(one)
    for call in (d.judge, w.judge, expose.fit):
        with pytest.raises(expose.Error, match=r"write \[x\] for one row"):
            call(dicts[0])
    numbers = expose.Watcher(expose.plan(table[["amount", "count"]].to_numpy(), memory="fading:0.01"))
    assert numbers.watch(pd.Series([0.1, 2.0])).status == "learning"
    assert numbers.watch(np.array([0.1, 2.0], dtype=">f8")) == numbers.copy().watch([0.1, 2.0])


def test_a_watcher_decides_about_columns_on_its_first_rows(table):
    whole, blocks = expose.Watcher(memory="window:400"), expose.Watcher(memory="window:400")
    v = whole.watch(table)
    parts = [blocks.watch(part) for part in (table[:256], table[256:300], table[300:])]
    assert [one for part in parts for one in part] == list(v) and blocks == whole
    by_chunks = expose.Watcher(memory="window:400")
    by_chunks.watch(iter([table[:100], table[100:]]))
    assert by_chunks == whole
    few = expose.Watcher(memory="window:400")
    with pytest.raises(expose.Error, match="first 256 rows.*has 255"):
        few.watch(table[:255])
    few.alpha = 0.2
    assert (few.judge(table[:3]).status == "learning").all()
    for other in (few.copy(), pickle.loads(pickle.dumps(few)), few):
        assert other.judge(table[:3]) == few.judge(table[:3])
        other.watch(table)
        assert other.plan.feature_names == whole.plan.feature_names and other.alpha == 0.2


def test_a_watcher_knows_what_columns_are_for(table):
    w = expose.Watcher(label="paid", ignore=["count"])
    with pytest.raises(expose.Error, match="label names a column"):
        w.watch(np.zeros(2))
    assert pickle.loads(pickle.dumps(w))._roles == w._roles
    w.watch(table)
    assert w.plan.feature_names == ["amount", "land"]
    with pytest.raises(TypeError, match="decided about label"):
        expose.Watcher(w.plan, label="paid")


def test_odd_columns(table):
    numbered = pd.DataFrame({0: [0, 1] * 50, 1: np.arange(100.0), 2: np.random.default_rng(0).normal(size=100)})
    assert expose.fit(numbered, label=0, ignore=[1]).plan.feature_names == ["2"]
    lists = table.assign(items=[[1, 2]] * len(table))
    with pytest.warns(UserWarning, match="'items' is ignored"):
        assert expose.fit(lists).plan.feature_names == expose.fit(table).plan.feature_names
    days = pd.Series(pd.date_range("2024-01-01", periods=len(table)))
    d = expose.fit(table.assign(day=days), time="day")
    by_arrow = table.assign(day=days.dt.date.astype(pd.ArrowDtype(pa.date32())))
    assert d.judge(by_arrow) == d.judge(table.assign(day=days))
    seconds = [-(10**15), *range(0, 3_900_000, 100_000)]  # the first before all calendars
    past = pa.table({"x": np.arange(40.0), "when": pa.array(seconds, pa.timestamp("s", "Europe/Berlin"))})
    v = expose.fit(past, time="when").judge(past)
    assert np.flatnonzero(v.status == "rejected").tolist() == [0]


def test_notes_speak_python():
    assert expose._columns._in_python(
        "'k' counts the rows; if it says nothing about them, make it the id (--id) or ignore it"
    ) == "'k' counts the rows; if it says nothing about them, make it the id (id='k') or ignore it"


def test_durations_are_seconds_wherever_they_stand():
    n = 300
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=n), "took": pd.to_timedelta(np.arange(n) % 60, "s")})
    p = expose.plan(frame, memory="fading:0.01")
    assert p.number_names == ["x", "took"]
    w = expose.Watcher(p)
    v = w.watch(frame)
    for make in (lambda s: pd.Timedelta(seconds=s), lambda s: datetime.timedelta(seconds=s), float,
                 lambda s: np.timedelta64(1000 * s, "ms")):
        dicts = [{"x": x, "took": make(i % 60)} for i, x in enumerate(frame["x"])]
        rowwise = expose.Watcher(p)
        assert [rowwise.watch(row) for row in dicts] == list(v)
        assert expose.fit(dicts).judge(frame) == expose.fit(frame[["took", "x"]]).judge(frame)


def test_arrow_decimals_durations_and_categories_of_numbers():
    n = 300
    cents = np.random.default_rng(1).integers(-10**7, 10**7, n)
    codes = np.arange(n) % 3
    plain = pa.table({"price": cents / 100, "took": (np.arange(n) % 60) * 1.5, "shop": [str(c) for c in codes]})
    for digits in (pa.decimal128(12, 2), pa.decimal128(38, 2)):
        exotic = pa.table({
            "price": pa.array([decimal.Decimal(int(c)).scaleb(-2) for c in cents], digits),
            "took": pa.array((np.arange(n) % 60) * 1500, pa.duration("ms")),
            "shop": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array([0, 1, 2])),
        })
        assert expose.fit(exotic) == expose.fit(plain, category="shop")
    far = pa.table({"x": pa.array([decimal.Decimal(2) ** 70, -decimal.Decimal(2) ** 70, 0], pa.decimal128(30, 0))})
    assert expose.plan(far, scale="none").columns == 1


def test_what_detect_gives(table):
    v = expose.detect(table)
    again = pickle.loads(pickle.dumps(v))
    assert again == v and again.detector == v.detector and type(v[:3]) is expose.Verdicts
