"""Where Python and the library meet: signal handlers that use what is at work, Ctrl-C, the GIL, equality, missing rows."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import expose

# A handler that runs while `call` does, and what it may do then. In a process of its own: what hangs is killed.
HANDLER = """
import signal, numpy as np, expose
X = np.random.default_rng(0).normal(size=(150_000, 20))
few = X[:50]
d = e = expose.fit(X[:3000], r=256, threads=THREADS)
other = expose.fit(X[:3000], r=256, threads=THREADS, seed=1)
w = expose.Watcher(expose.plan(X[:3000], memory="window:500", r=256))
w.watch(X[:600])
m = d.plan.feature_map.mean(X[:10])
calls = []

def handler(*_):
    HANDLED
    calls.append(1)

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.06, 0.06)
while not calls:
    CALL
signal.setitimer(signal.ITIMER_REAL, 0)
CHECK
print("done", len(calls))
"""


def handled(call, action, check="", threads=1):
    program = (HANDLER.replace("THREADS", str(threads)).replace("HANDLED", action).replace("CALL", call)
               .replace("CHECK", check))
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert out.returncode == 0 and out.stdout.startswith("done"), out.stderr


LOOKS = "d.weight; d.mean; d.threshold; d.judge(few); d.copy() == d; d.to_bytes()"


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("call", ["d.judge(X)", "d.explain(X[:20_000])", "d.learn(X)", "d.error_bars(X)"])
def test_a_handler_looks_at_the_detector_that_works(call, threads):
    handled(call, LOOKS, threads=threads)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_handler_changes_the_detector_that_judges(threads):
    handled("before = d.copy(); calls.clear(); v = d.judge(X)", "d.learn(few); d.top = 3",
            "assert v == before.judge(X)\n"
            "for _ in calls: before.learn(few)\n"
            "before.top = 3\n"
            "assert d == before", threads)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_handler_learns_and_forgets_while_rows_are_learned(threads):
    handled("before = d.copy(); calls.clear(); d.learn(X)", "d.learn(few); d.learn(few); d.forget(few)",
            "before.learn(X)\n"
            "for _ in calls: before.learn(few)\n"
            "assert d == before and d.judge(few) == before.judge(few)", threads)


def test_handlers_within_handlers():
    handled("d.judge(X)", "other.judge(X[:60_000]) if len(calls) % 2 else d.judge(X[:60_000])")


@pytest.mark.parametrize("threads", [1, 3])
def test_a_handler_judges_while_the_first_judgement_is_made_ready(threads):
    handled("e = expose.Detector.from_bytes(d.to_bytes(), threads=d._threads); e.judge(few)",
            "e.judge(few).p_value; e.judge_groups(few, [0] * 50)",
            "assert e.judge(few) == d.judge(few)", threads)


@pytest.mark.parametrize("call", ["w.watch(X)", "w.judge(X)", "w.explain(X[:20_000])"])
def test_a_handler_uses_the_watcher_that_works(call):
    handled("seen = w.rows; calls.clear(); " + call,
            "w.rows; w.weight; w.alpha; w.judge(few); w.watch(few[0]); w.watch(few); w.copy() == w",
            "assert w.rows == seen + 51 * len(calls)" + (" + len(X)" if "watch" in call else ""))


def test_a_handler_uses_the_mean_that_grows():
    handled("before = m.copy(); calls.clear(); m.add(X)", "m.weight; m.add(few); m.mean",
            "before.add(X)\n"
            "for _ in calls: before.add(few)\n"
            "assert m == before")


def test_a_copy_keeps_what_it_was(rows, others):
    d = expose.fit(rows)
    w = expose.Watcher(expose.plan(rows, memory="window:500"))
    w.watch(rows)
    m = d.mean
    for original, change in ((d, lambda x: x.learn(others)), (w, lambda x: x.watch(others)),
                             (d, lambda x: x.vouch(rows[:1], [2])),
                             (m, lambda x: x.add(others[:, : m.map.d].astype(np.float32)))):
        copy, expected = original.copy(), original.copy()
        change(original)
        assert copy == expected and original != copy
        change(copy)
        assert copy == original and copy != expected


def test_vouch_and_withdraw_are_as_before(rows):
    d = expose.fit(rows)
    before = d.copy()
    weights = d.vouch(rows[:3] + 1, [1, 0.5, 0])
    assert weights.tolist() == [1, 0.5, 0] and d.weight == before.weight + 1.5
    d.withdraw(rows[:3] + 1, weights)
    assert d == before
    assert len(d.vouch(rows[:0])) == 0 and d == before
    for weights in ([], [1, 2]):
        with pytest.raises(expose.Error) as caught:
            d.withdraw(rows[:3], np.array(weights, dtype=float))
        assert caught.value.code == "shape_mismatch" and d == before


@pytest.fixture
def ended():
    """Asserts that a call is ended by a signal that comes after a while."""
    class Enough(Exception):
        pass

    def handler(*_):
        raise Enough

    def end(call):
        signal.setitimer(signal.ITIMER_REAL, 0.06)
        with pytest.raises(Enough):
            call()

    before = signal.signal(signal.SIGALRM, handler)
    yield end
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_signal_ends_whatever_takes_long(ended):
    wide = np.random.default_rng(0).normal(size=(600_000, 16)).astype(np.float32)
    d = expose.fit(wide[:2000], threads=1, r=1024)
    w = expose.Watcher(expose.plan(wide[:1000], r=1024))
    w.watch(wide[:1000])
    before = w.copy()
    phi = expose.map("sorf", d=16, r=64)
    m = expose.map("sorf", d=16, r=1024).mean(wide[:10])
    mean_before = m.copy()
    for call in (lambda: w.judge(wide), lambda: d.error_bars(wide), lambda: phi.project(wide),
                 lambda: m.add(wide), lambda: m.add(wide, np.ones(len(wide)))):
        ended(call)
        assert w == before and m == mean_before


def test_error_bars_in_strides_are_those_of_each_row(rows):
    d = expose.fit(rows)
    many = np.tile(rows, (40_000 // len(rows) + 1, 1))
    many[5] = np.inf
    whole, part = d.error_bars(many), d.error_bars(many[-100:])
    assert np.array_equal(whole.total[-100:], part.total) and np.isinf(whole.total[5])
    assert np.isfinite(np.delete(whole.total, 5)).all()


def test_means_grow_without_the_gil():
    x = np.random.default_rng(0).normal(size=(300_000, 16)).astype(np.float32)
    phi = expose.map("sorf", d=16, r=512)
    m, expected = phi.mean(x[:1]), phi.mean(x[:1])
    expected.add(np.tile(x, (2, 1)))
    threads = [threading.Thread(target=m.add, args=(x,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    turns = 0
    while any(thread.is_alive() for thread in threads):
        assert m.weight in (1, 1 + len(x), 1 + 2 * len(x))
        turns += 1
    assert m == expected and turns > 10


def test_core_objects_compare_with_anything(rows):
    d = expose.fit(rows)
    w = expose.Watcher(d.plan)
    verdict = d.judge(rows[:1])[0]
    for thing in (verdict, d, d._core, w, w._core, d.mean, d.mean._core):
        assert thing != None and not thing == "x" and thing != 3 and thing in [None, thing]  # noqa: E711
    for thing in (d._core, w._core, d.mean._core):
        with pytest.raises(TypeError, match="unhashable"):
            hash(thing)


def test_equal_verdicts_have_equal_hashes(rows):
    d = expose.fit(rows)
    one, same, other = d.judge(rows[:1])[0], d.judge(rows[:1])[0], d.judge(rows[:1] + 9)[0]
    assert one == same and hash(one) == hash(same) and len({one, same, other}) == 2


def test_a_table_compares_with_anything():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": np.arange(300.0), "b": ["x", "y", "z"] * 100})
    table = expose.fit(frame).plan._core.table
    assert table != None and table == expose.fit(frame).plan._core.table  # noqa: E711


@pytest.mark.parametrize("begin", [0, 3])
def test_rows_that_an_arrow_batch_calls_missing_have_no_values(begin):
    arrow = pytest.importorskip("pyarrow")
    n = 400
    a = np.random.default_rng(0).normal(size=n)
    t = np.arange(n) * 3_600_000_000
    missing = np.arange(n) % 50 == 7
    columns = {"a": arrow.array(a), "t": arrow.array(t, arrow.timestamp("us")),
               "c": arrow.array(["u", "v"] * (n // 2)), "k": arrow.array(["u", "v"] * (n // 2)).dictionary_encode()}
    batch = arrow.StructArray.from_arrays(list(columns.values()), list(columns), mask=arrow.array(missing)).slice(begin)
    stream = expose._core.ArrowStream(arrow.chunked_array([batch]).__arrow_c_stream__())
    found = stream.next()
    assert found.rows == n - begin
    gone = missing[begin:]
    assert np.array_equal(np.isnan(found.column(0, 0, found.rows)), gone)
    assert np.array_equal(found.column(1, 0, found.rows)[0] == np.iinfo(np.int64).min, gone)
    for c in (2, 3):
        assert np.array_equal(found.column(c, 0, found.rows)[0] == -1, gone)
    assert np.array_equal(np.isnan(found.column(0, 100, 200)), gone[100:200])
    verdicts = expose.detect(arrow.chunked_array([batch]), time="t")
    assert np.array_equal(verdicts.status == "unknown", gone)
