"""Tables with named columns: what they become, and that all kinds of them become the same."""

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
