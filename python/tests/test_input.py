"""Rows come in many shapes; the model is the same."""

import array
import pathlib
import threading

import numpy as np
import pytest
import scipy.sparse

import expose
from expose import _input


@pytest.fixture
def whole(rows):
    return np.round(4 * rows) + 0.0  # without -0, which integers do not have


@pytest.mark.parametrize("make", [
    lambda x: x.astype(np.float32),
    lambda x: np.asfortranarray(x),
    lambda x: x.astype(np.int64),
    lambda x: x.astype(np.int16),
    lambda x: x.astype(np.float16),
    lambda x: x.astype(">f8"),
    lambda x: x.astype(np.longdouble),
    lambda x: x.tolist(),
    lambda x: [tuple(row) for row in x],
    lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    lambda x: np.repeat(x, 2, axis=0)[::2],
    lambda x: np.hstack([x, x])[:, :3],
    lambda x: x[::-1][::-1],
    lambda x: memoryview(np.ascontiguousarray(x)),
    lambda x: np.ma.array(x),
    scipy.sparse.csr_matrix, scipy.sparse.coo_array, scipy.sparse.csc_matrix,
])
def test_layouts_and_types(whole, make):
    expected = expose.fit(whole)
    x = make(whole)
    d = expose.fit(x)
    assert d == expected
    assert d.judge(x) == expected.judge(whole)
    assert expose.detect(x) == expose.detect(whole)


def test_read_only_and_memory_mapped(whole, tmp_path):
    np.save(tmp_path / "x.npy", whole)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert expose.fit(mapped) == expose.fit(whole)
    frozen = whole.copy()
    frozen.flags.writeable = False
    assert expose.fit(frozen).judge(frozen) == expose.fit(whole).judge(whole)


def test_what_is_read_where_it_lies(rows):
    for direct in (rows, rows.astype(np.float32), rows[::2], rows[10:20], np.hstack([rows, rows])[:, 1:4], rows[:1]):
        assert _input.is_direct(direct)
        assert _input.read(direct).whole() is direct
    for other in (rows[::-1], rows.T, rows[:, ::2], rows.astype(">f8"), rows.astype(int)):
        assert not _input.is_direct(other)


def test_large_conversions_go_block_by_block(monkeypatch, whole):
    monkeypatch.setattr(_input, "SMALL_BYTES", 100)
    monkeypatch.setattr(_input, "BLOCK_BYTES", 256 * 24)
    integers = whole.astype(np.int64)
    assert _input.read(integers).whole() is None
    assert [len(block) for block in _input.read(integers).blocks()] == [256, 256, 256, 256, 176]
    expected = expose.fit(whole)
    d = expose.fit(integers)
    assert d == expected
    for name, value in (("top", 9), ("fdr", 0.3), ("contamination", 0.02), ("alpha", 0.1)):
        setattr(d, name, value)
        setattr(expected, name, value)
        assert d.judge(integers) == expected.judge(whole)
    assert np.array_equal(d.explain(integers), expected.explain(whole))
    assert np.array_equal(d.error_bars(integers).total, expected.error_bars(whole).total)
    assert expose.detect(integers, top=5) == expose.detect(whole, top=5)
    bad = whole.copy()
    bad[700] = np.inf
    learned = expose.Detector(d.plan).learn(np.asfortranarray(bad))
    assert learned.rejected.tolist() == [700]


def test_blocks(whole):
    expected = expose.fit(whole)
    assert expose.fit(iter(np.array_split(whole, 7))) == expected
    assert expose.fit(lambda: iter(np.array_split(whole, 7))) == expected
    assert expose.fit(lambda: (block.tolist() for block in np.array_split(whole, 7))) == expected
    assert expected.judge(iter(np.array_split(whole, 5))) == expected.judge(whole)
    assert expose.detect(iter(np.array_split(whole, 5))) == expose.detect(whole)
    assert expose.detect(lambda: iter(np.array_split(whole, 5))) == expose.detect(whole)
    d = expose.Detector(expected.plan)
    learned = d.learn(iter(np.array_split(whole, 4)))
    assert learned.learned + learned.turned_away == len(whole)
    assert d == expected


def test_blocks_that_can_be_read_once_are_planned_on_the_first_rows():
    x = np.random.default_rng(0).normal(size=(30000, 2))
    once = expose.fit(iter(np.array_split(x, 10)))
    assert once.plan.first_rows_only and once.weight == 30000
    assert not expose.fit(lambda: iter(np.array_split(x, 10))).plan.first_rows_only


def test_an_error_half_way_changes_nothing(whole):
    d = expose.fit(whole)
    before = d.copy()

    def blocks():
        yield whole[:100]
        raise RuntimeError("the database is gone")

    with pytest.raises(RuntimeError, match="the database is gone"):
        d.learn(blocks())
    assert d == before
    with pytest.raises(RuntimeError, match="the database is gone"):
        expose.fit(blocks())
    with pytest.raises(RuntimeError, match="the database is gone"):
        expose.fit(blocks)
    with pytest.raises(expose.Error) as caught:
        d.learn(iter([whole[:10], whole[:10, :2]]))
    assert caught.value.code == "shape_mismatch" and d == before


def test_missing_values(rows):
    rows[3, 1] = np.nan
    rows[4] = np.nan
    d = expose.fit(rows)
    v = d.judge(rows)
    assert v.status[3] == "ok" and v.status[4] == "unknown" and v.p_value[4] == 1
    v = expose.fit(rows, missing="reject").judge(rows)
    assert v.status[3] == v.status[4] == "rejected"


@pytest.mark.parametrize("x, code, says", [
    (np.zeros((5, 2)), "shape_mismatch", "2 columns.*3"),
    (np.zeros(3), "shape_mismatch", r"x\[None, :\]"),
    (np.zeros((2, 3, 4)), "shape_mismatch", "reshape"),
    ([], "invalid_argument", "no rows"),
    (np.array([["a", "b", "c"]]), "invalid_argument", "text"),
    (np.array([[1, "b", None]], dtype=object), "invalid_argument", "objects"),
    (np.array([[1j, 2, 3]]), "invalid_argument", "complex"),
    (np.zeros((2, 3), dtype="M8[s]"), "invalid_argument", "times"),
    ([[1, 2, 3], [1, 2]], "shape_mismatch", "equally many"),
    (7, "shape_mismatch", "2 dimensions"),
    ("abc", "shape_mismatch", "2 dimensions"),
])
def test_what_is_refused(rows, x, code, says):
    d = expose.fit(rows)
    with pytest.raises(expose.Error, match=says) as caught:
        d.judge(x)
    assert caught.value.code == code
    assert isinstance(caught.value, ValueError)


def test_no_rows(rows):
    d = expose.fit(rows)
    assert len(d.judge(np.empty((0, 3)))) == 0
    assert d.learn(np.empty((0, 3))).learned == 0
    for none in (np.empty((0, 3)), iter([]), lambda: iter([]), np.empty((3, 0))):
        with pytest.raises(expose.Error):
            expose.fit(none)


def test_infinite_rows_are_rejected_and_kept_in_place(rows):
    rows[7, 0] = np.inf
    d = expose.fit(rows)
    assert d.weight == len(rows) - 1
    v = d.judge(rows)
    assert np.flatnonzero(v.status == "rejected").tolist() == [7] and not v.anomalous[7]
    assert d.learn(rows).rejected.tolist() == [7]


def test_wrong_weights(rows):
    for weights in ([1, 2], np.ones((1200, 1)), -np.ones(1200)):
        with pytest.raises(expose.Error):
            expose.fit(rows, weights=weights)


def test_files_that_are_no_models(tmp_path, rows):
    (tmp_path / "x").write_bytes(b"nothing of ours")
    with pytest.raises(expose.Error) as caught:
        expose.load(tmp_path / "x")
    assert caught.value.code == "corrupt" and "x" in str(caught.value)
    with pytest.raises(expose.Error) as caught:
        expose.load(tmp_path / "absent")
    assert caught.value.code == "io"
    with pytest.raises(expose.Error) as caught:
        expose.fit(rows).save(tmp_path / "no" / "folder")
    assert caught.value.code == "io"
    damaged = bytearray(expose.fit(rows).to_bytes())
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(expose.Error) as caught:
        expose.Detector.from_bytes(bytes(damaged))
    assert caught.value.code == "corrupt"


def test_weights_that_would_be_none(rows):
    d = expose.fit(rows)
    before = d.copy()
    weights = np.ones(1200)
    weights[7] = 0.0004
    for call in (d.learn, lambda x, weights: expose.fit(x, weights=weights), d.vouch):
        with pytest.raises(expose.Error, match="row 7, 0.0004"):
            call(rows, weights=weights)
    with pytest.raises(expose.Error, match="weights are numbers"):
        d.learn(rows, weights=["heavy"] * 1200)
    assert d == before
    weights[7] = 0
    assert expose.fit(rows, weights=weights).weight == 1199


def test_masked_values_are_missing(whole):
    masked = np.ma.array(whole, mask=False)
    masked[3, 1] = masked[700, 2] = np.ma.masked
    holes = whole.copy()
    holes[3, 1] = holes[700, 2] = np.nan
    d = expose.fit(holes)
    assert expose.fit(masked) == expose.fit(iter([masked[:500], masked[500:]])) == d
    assert d.judge(masked) == d.judge(holes)
    w = expose.Watcher(expose.plan(whole, memory="fading:0.01"))
    assert w.copy().watch(masked[3]) == w.copy().watch(holes[3])
    assert d.judge(np.ma.array(whole.astype(int), mask=holes != holes)) == d.judge(holes)


def test_a_function_that_gives_less_each_time(whole):
    blocks = iter(np.array_split(whole, 7))
    with pytest.raises(expose.Error, match="same iterator twice"):
        expose.fit(lambda: blocks)
    shared = iter(np.array_split(whole, 7))
    with pytest.raises(expose.Error, match="there were 1200, and 0"):
        expose.detect(lambda: (block for block in shared))
    d = expose.fit(whole)
    once = iter(np.array_split(whole, 7))
    assert d.judge(lambda: once) == d.judge(whole)


def test_threads_that_learn_blocks_lose_none(whole):
    d = expose.Detector(expose.plan(whole), threads=1)
    parts = np.array_split(whole, 6)
    started = threading.Barrier(6)

    def learn(part):
        def slow():
            started.wait()
            yield from np.array_split(part, 4)
            started.wait()  # all have begun before any has finished
        d.learn(slow())

    threads = [threading.Thread(target=learn, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert d == expose.fit(whole)
    before = d.copy()
    learned = d.forget(iter(parts[:2]), progress=lambda done: True)
    other = before.copy()
    at_once = other.forget(np.concatenate(parts[:2]))
    assert d == other and learned.landmarks.tolist() == at_once.landmarks.tolist() and len(at_once.landmarks)
    assert learned[:2] == at_once[:2]
    with pytest.raises(expose.Error):
        d.forget(iter([100 + whole, 200 + whole]), np.full(2400, 9.0))
    assert d == other
