"""Threads, processes, signals and memory."""

import _thread
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import expose


def test_threads_judge_with_one_detector(rows, others):
    d = expose.fit(rows, threads=2)
    expected = d.judge(others)
    d = expose.Detector.from_bytes(d.to_bytes(), threads=2)  # nothing is made ready yet
    found = []

    def judge():
        found.extend(d.judge(others) == expected for _ in range(20))

    threads = [threading.Thread(target=judge) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 120 and all(found)


def test_threads_may_learn_while_others_judge(rows, others):
    d = expose.fit(rows, threads=2)
    expected = d.copy()
    expected.learn(np.tile(others, (20, 1)))

    def learn():
        for _ in range(10):
            d.learn(others)

    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert len(d.judge(others)) == len(others)
    assert d == expected


def test_threads_watch_one_stream(rows):
    w = expose.Watcher(expose.plan(rows, memory="window:500"))
    threads = [threading.Thread(target=lambda: [w.watch(row) for row in rows[:200]]) for _ in range(3)]
    threads.append(threading.Thread(target=lambda: w.watch(rows)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert w.rows == 600 + len(rows)


def judged(model, others):
    model.judge(others)
    return expose.fit(others, threads=2).fingerprint, model.judge(others)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes(rows, others, method):
    d = expose.fit(rows, threads=3)
    expected = expose.fit(others).fingerprint, d.judge(others)  # its threads have worked before the fork
    with multiprocessing.get_context(method).Pool(2) as pool:
        for answer in pool.starmap(judged, [(d, others)] * 4):
            assert answer == expected


def test_a_fork_inherits_a_detector_and_ends(rows, others):
    d = expose.fit(rows, threads=3)
    expected = d.judge(others)
    pid = os.fork()
    if pid == 0:
        same = d.judge(others) == expected
        del d  # its threads stayed behind
        os._exit(0 if same else 1)
    deadline = time.monotonic() + 60
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        assert time.monotonic() < deadline, "the child hangs"
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(status) == 0
    assert d.judge(others) == expected


def interrupted(call):
    """Whether a call, in the main thread, ends with KeyboardInterrupt after a signal; how long it took after it."""
    sent = []

    def send():
        sent.append(time.monotonic())
        _thread.interrupt_main()

    timer = threading.Timer(0.3, send)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]
    finally:
        timer.cancel()
    raise AssertionError("it was done before it could be interrupted")


def test_interrupt_leaves_everything_usable(rows):
    wide = np.random.default_rng(0).normal(size=(400_000, 40)).astype(np.float32)
    d = expose.fit(wide[:2000], threads=1, r=1024)
    before = d.copy()
    v = d.judge(wide[:10])
    for call in (lambda: d.learn(wide), lambda: d.judge(wide), lambda: d.explain(wide),
                 lambda: expose.fit(wide, r=1024, threads=1), lambda: expose.detect(wide, r=1024, threads=1)):
        interrupted(call)
        assert d == before and d.judge(wide[:10]) == v
    w = expose.Watcher(expose.plan(wide[:1000], memory="fading:0.01"))
    interrupted(lambda: w.watch(wide))
    assert 0 < w.rows < len(wide)
    assert w.watch(wide[0]).status in ("ok", "learning")


def test_a_signal_handler_that_raises_comes_out_as_it_went_in(rows):
    wide = np.random.default_rng(0).normal(size=(400_000, 40))

    class Enough(Exception):
        pass

    def handler(*_):
        raise Enough("after a while")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Enough, match="after a while"):
            expose.fit(wide, r=1024, threads=1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_progress(rows, capsys):
    many = np.tile(rows, (300, 1))
    told = []
    d = expose.fit(many, progress=told.append)
    assert told == sorted(told) and told[-1] == 2 * len(many)
    told.clear()
    assert d.judge(many, progress=told.append) == d.judge(many)
    assert told[-1] == len(many)
    with pytest.raises(expose.Error) as caught:
        expose.fit(many, progress=lambda done: False)
    assert caught.value.code == "cancelled"

    def fails(done):
        raise LookupError("mine")

    for call in (lambda: expose.fit(many, progress=fails), lambda: d.judge(many, progress=fails),
                 lambda: d.learn(many, progress=fails), lambda: expose.detect(many, progress=fails)):
        before = d.copy()
        with pytest.raises(LookupError, match="mine"):
            call()
        assert d == before
    d.learn(many, progress=True)
    assert "\r" in (err := capsys.readouterr().err) or err == ""


def test_bar(capsys, monkeypatch):
    from expose._progress import shown

    clock = iter(range(100))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with shown(True, total=100) as told:
        told(50)
    assert " 50 %" in capsys.readouterr().err
    with shown(True) as told:
        told(1234)
    assert "1,234 rows" in capsys.readouterr().err


def test_import_needs_numpy_alone():
    program = ("import sys, expose; "
               "print([m for m in ('pandas', 'polars', 'pyarrow', 'scipy', 'sklearn', 'pyod', 'river', 'matplotlib') "
               "if m in sys.modules])")
    out = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert out.strip() == "[]"


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(expose.Error("a sentence", "io")))
    assert (str(error), error.code) == ("a sentence", "io")


ZERO_COPY = """
import resource, numpy as np, expose
rows = np.empty((8_000_000, 67), dtype=np.float32)        # 2.1 GB
for begin in range(0, len(rows), 100_000):
    rows[begin : begin + 100_000] = np.random.default_rng(begin).normal(size=(100_000, 67))
expose.fit(rows[:100_000], r=64)                          # what a first fit loads and makes
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
d = expose.fit(rows, r=64)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert d.weight == len(rows)
print((after - before) / 1024)
"""


@pytest.mark.slow
def test_a_fit_of_two_gigabytes_takes_less_than_100_megabytes():
    out = subprocess.run([sys.executable, "-c", ZERO_COPY], check=True, capture_output=True, text=True).stdout
    assert float(out) < 100
