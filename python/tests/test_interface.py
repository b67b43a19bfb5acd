"""Every line of the interface page, section 3, but for the series."""

import copy
import pickle
import subprocess
import sys
import typing

import numpy as np
import pytest

import expose


def test_fit_and_judge(rows, others):
    d = expose.fit(rows)
    v = d.judge(others)
    assert len(v) == len(others)
    assert v.similarity.dtype == v.p_value.dtype == np.float64
    assert v.anomalous.dtype == np.bool_
    assert np.array_equal(v.anomalous, v.p_value <= 0.01)
    assert (v.status == "ok").all()
    assert v.anomalous[::50].all()
    assert 0 < v.anomalous.sum() < 30


def test_verdicts_are_a_sequence(rows, others):
    v = expose.fit(rows).judge(others)
    assert v[3].p_value == v.p_value[3] and v[-1].similarity == v.similarity[-1]
    assert [one.p_value for one in v] == v.p_value.tolist()
    assert v[10:20] == v[np.arange(10, 20)]
    assert len(v[v.anomalous]) == v.anomalous.sum()
    assert v[0].status == "ok" and v[0].anomalous is bool(v.anomalous[0])
    assert pickle.loads(pickle.dumps(v)) == v and pickle.loads(pickle.dumps(v[0])) == v[0]
    assert f"{v.anomalous.sum()} anomalous" in repr(v) and "p_value=" in repr(v[0])
    with pytest.raises(IndexError):
        v[len(v)]


def test_detect_leaves_each_row_out(rows):
    v = expose.detect(rows)
    assert isinstance(v.detector, expose.Detector)
    assert v.detector == expose.fit(rows)
    assert v == v.detector.judge_fitted(rows)
    assert not v.much_looks_anomalous
    inside = expose.fit(rows).judge(rows)
    assert (v.similarity <= inside.similarity).all() and (v.similarity < inside.similarity).any()


def test_explain(rows):
    d = expose.fit(rows)
    odd = np.zeros((4, 3))
    odd[[0, 1, 2], [0, 1, 2]] = 7
    shares = d.explain(odd)
    assert shares.shape == (4, 3)
    assert (shares >= 0).all()
    assert np.allclose(shares[:3].sum(axis=1), 1)
    assert shares[:3].argmax(axis=1).tolist() == [0, 1, 2]


def test_learn_and_forget_are_exact(rows, others):
    d = expose.fit(rows)
    before = d.copy()
    learned = d.learn(others)
    assert learned.learned + learned.turned_away == len(others)
    assert d != before
    forgotten = d.forget(others)
    assert (forgotten.learned, forgotten.turned_away) == (learned.learned, learned.turned_away)
    assert d == before


def test_plan_and_empty_detector(rows, others):
    p = expose.plan(rows, map="sorf", r=64)
    assert (p.map, p.r) == ("sorf", 64)
    assert p.fingerprint in str(p) and len(p.fingerprint) == 16
    d = expose.Detector(p, threads=2)
    assert d.weight == 0 and (d.judge(others).status == "learning").all()
    d.learn(rows)
    assert d == expose.fit(rows, map="sorf", r=64)
    assert d.fingerprint == p.fingerprint


def test_merge(rows):
    p = expose.plan(rows)
    a, b, c = (expose.Detector(p) for _ in range(3))
    for part, some in zip((a, b, c), np.split(rows, 3)):
        part.learn(some)
    whole = expose.fit(rows)
    assert a + b + c == expose.merge([c, a, b]) == whole
    assert whole - b == a + c
    assert a.copy().merge(b) == a + b
    with pytest.raises(expose.Error) as caught:
        expose.merge([a, expose.fit(rows, seed=1)])
    assert caught.value.code == "incompatible"
    assert a.fingerprint in str(caught.value)


def test_drift(rows):
    a = expose.fit(rows)
    same, moved = expose.Detector(a.plan), expose.Detector(a.plan)
    same.learn(np.random.default_rng(3).normal(size=(1000, 3)))
    moved.learn(np.random.default_rng(4).normal(size=(1000, 3)) + [0, 0.7, 0])
    d = expose.drift(a, moved)
    assert d.mmd > 0 and d.p_value < 1e-3 and d.features.argmax() == 1
    assert expose.drift(a, same).p_value > 0.01


def test_mean_map(rows):
    d = expose.fit(rows)
    mean = d.mean
    assert mean.weight == d.weight - d.turned_away
    assert mean.sum.shape == (256,)
    assert np.allclose(mean.mean * mean.weight, mean.sum)
    other = expose.Detector(d.plan)
    other.learn(rows[:500])
    assert (mean + other.mean) - other.mean == mean
    assert mean.inner(other.mean) > 0
    assert mean.mmd(mean) == 0 < mean.mmd(other.mean)
    again = pickle.loads(pickle.dumps(mean))
    assert again == mean and copy.deepcopy(mean) == mean
    with pytest.raises(expose.Error, match="map"):
        mean + expose.fit(rows, seed=9, bandwidth=2).mean


def test_save_load_pickle_copy(rows, others, tmp_path):
    d = expose.fit(rows, fdr=0.1)
    path = tmp_path / "m.expose"
    d.save(path)
    for again in (expose.load(path), expose.load(str(path)), expose.Detector.load(path, threads=1),
                  pickle.loads(pickle.dumps(d)), copy.copy(d), copy.deepcopy(d),
                  expose.Detector.from_bytes(d.to_bytes())):
        assert again == d and again.judge(others) == d.judge(others)
        assert again.threshold == ("fdr", 0.1)
    p = pickle.loads(pickle.dumps(d.plan))
    assert p == d.plan and hash(p) == hash(d.plan)


def test_watcher_row_by_row_and_in_blocks(rows):
    p = expose.plan(rows[:500], memory="fading:0.01")
    one, block = expose.Watcher(p), expose.Watcher(p)
    singly = [one.watch(row) for row in rows]
    together = block.watch(rows)
    assert list(together) == singly
    assert one == block and one.rows == len(rows)
    assert isinstance(singly[0], expose.Verdict)
    assert singly[0].status == "learning" and singly[-1].status == "ok"
    assert one.watch([9.0, 9, 9]).anomalous
    assert block.watch(np.float32([9, 9, 9])).anomalous
    assert one == block


def test_watcher_without_a_plan(rows, tmp_path):
    w = expose.Watcher(memory="window:300", alpha=0.05)
    assert not w.planned
    with pytest.raises(expose.Error) as caught:
        w.plan
    assert caught.value.code == "not_found"
    w.watch(rows[:100])
    w = pickle.loads(pickle.dumps(w))
    w.watch(rows[100:600])
    assert w.planned and w.plan.memory == "window:300" and w.weight == 300
    assert w.alpha == 0.05
    w.save(tmp_path / "w.expose")
    for again in (expose.load(tmp_path / "w.expose"), pickle.loads(pickle.dumps(w)), copy.deepcopy(w)):
        assert isinstance(again, expose.Watcher) and again == w
        assert again.judge(rows[600:]) == w.judge(rows[600:])
        assert again.watch(rows[600:]) == w.copy().watch(rows[600:])
    before = w.copy()
    w.watch(rows[:10])
    w.forget(rows[:10])
    assert w.weight == before.weight - 10


def test_watcher_alpha_changes_flags_only(rows):
    w = expose.Watcher(expose.plan(rows, memory="fading:0.01"))
    w.watch(rows)
    v = w.judge(rows)
    w.alpha = 0.2
    more = w.judge(rows)
    assert np.array_equal(v.p_value, more.p_value) and more.anomalous.sum() > v.anomalous.sum()


def test_bare_map():
    phi = expose.map("sorf", d=127, r=4096, bandwidth=3.0, seed=1)
    x = np.random.default_rng(0).normal(size=(5, 127))
    features = phi.project(x)
    assert features.shape == (5, 8192) and features.dtype == np.float32
    K = phi.kernel(x, x[:3])
    assert K.shape == (5, 3)
    exact = np.exp(-((x[:, None] - x[None, :3]) ** 2).sum(axis=2) / 18)
    assert abs(K - exact).max() < 0.05
    assert np.allclose(features.astype(float) @ features[:3].T / 4096, K, atol=1e-6)
    assert pickle.loads(pickle.dumps(phi)) == phi
    nystrom = expose.map("nystrom", landmarks=x, bandwidth=3.0, kernel="laplacian")
    assert (nystrom.d, nystrom.r, nystrom.size) == (127, 5, 5)
    assert np.allclose(np.diag(nystrom.kernel(x, x)), 1, atol=1e-4)


def test_thresholds_change_without_a_refit(rows, others):
    d = expose.fit(rows)
    p = d.judge(others).p_value
    for name, value in (("alpha", 0.2), ("fdr", 0.2), ("contamination", 0.1), ("top", 7)):
        setattr(d, name, value)
        v = d.judge(others)
        assert np.array_equal(v.p_value, p)
        assert getattr(d, name) == value and d.threshold == (name, value)
        assert expose.fit(rows, **{name: value}).judge(others) == v
    assert v.anomalous.sum() == 7 and d.alpha is None
    with pytest.raises(expose.Error):
        d.alpha = 2
    assert d.top == 7


def test_vouch_and_withdraw(rows):
    d = expose.fit(rows)
    before = d.copy()
    odd = [[3.2, 3.2, 3.2]]
    assert d.judge(odd).anomalous[0]
    weights = d.vouch(odd)
    assert weights[0] > 0 and not d.judge(odd).anomalous[0]
    d.withdraw(odd, weights)
    assert d == before


def test_groups_error_bars_trust(rows, others):
    d = expose.fit(rows)
    g = d.judge_groups(np.vstack([others, others + 1]), ["today"] * 300 + ["tomorrow"] * 300)
    assert g.group.tolist() == ["today", "tomorrow"] and g.rows.tolist() == [300, 300]
    assert g.p_value[1] < 1e-6 and (g.status == "ok").all()
    bars = d.error_bars(others)
    assert bars.total.shape == (300,) and (bars.monte_carlo == 0).all() and (bars.sampling >= 0).all() and bars.sampling.max() > 0
    assert d.trust().enough
    assert not expose.fit(rows, map="fourier", r=8).trust().enough


def test_judge_with_errors(rows, others):
    d = expose.fit(rows)
    assert d.judge(others, errors=np.zeros_like(others)) == d.judge(others)
    assert d.judge(others, errors=np.ones_like(others)) != d.judge(others)


def test_tune(rows):
    labels = np.full(len(rows), -1)
    labels[:20], labels[20:80] = 1, 0
    rows[:20] *= 5
    tuned = expose.tune(rows, labels)
    assert (tuned.anomalies, tuned.normals) == (20, 60)
    assert tuned.auc > 0.8 and tuned.trials[0].gain == 0
    assert expose.fit(rows, **tuned.options).plan.bandwidth == pytest.approx(tuned.options.get("bandwidth", None) or
                                                                             expose.fit(rows).plan.bandwidth)


def test_options(rows):
    d = expose.fit(rows, kernel="matern32", bandwidth=1.5, map="fourier", r=100, scale="zscore", trim=0, missing="reject",
                   alpha=0.05, seed=3, threads=1)
    p = d.plan
    assert (p.kernel, p.bandwidth, p.map, p.r, p.scale, p.trim, p.missing, p.seed) == (
        "matern32", 1.5, "fourier", 100, "zscore", 0, "reject", 3)
    assert expose.fit(rows, bandwidth="auto", map="auto", r=None) == expose.fit(rows)
    paper = expose.plan(rows, preset="paper")
    assert (paper.scale, paper.r, paper.trim) == ("none", 1000, 0)
    with pytest.raises(TypeError, match="did you mean bandwidth"):
        expose.fit(rows, bandwith=2)
    for bad in ({"kernel": "x"}, {"r": 0}, {"r": 2.5}, {"alpha": "1"}, {"memory": "window:0"}, {"threads": -1},
                {"fdr": 0.1, "top": 3}):
        with pytest.raises(expose.Error):
            expose.fit(rows, **bad)


def test_weights_are_repetitions(rows):
    weights = np.arange(len(rows)) % 3
    assert expose.fit(rows, weights=weights) == expose.fit(np.repeat(rows, weights, axis=0))


def test_repr_and_html(rows):
    d = expose.fit(rows)
    assert "1200 rows" in repr(d)
    for thing in (d, d.plan, expose.Watcher(d.plan), expose.Watcher()):
        page = thing._repr_html_()
        assert f"expose.{type(thing).__name__}" in page
    assert "<svg" in d._repr_html_() and d.plan.fingerprint in d._repr_html_()
    assert "no plan yet" in expose.Watcher()._repr_html_()


def test_html_of_verdicts(rows):
    rows[[3, 5]] = [[9, 9, 9], [np.nan] * 3]
    page = expose.detect(rows, top=1)._repr_html_()
    assert "1,200 rows, 1 anomalous, 1 unknown" in page and "<svg" in page and "<td>3</td>" in page
    assert "<svg" not in expose.fit(rows).judge(np.empty((0, 3)))._repr_html_()


def test_everything_public_is_documented():
    for name in expose.__all__:
        assert getattr(expose, name).__doc__, name


def test_modules_that_need_other_packages_come_when_asked_for():
    code = ("import sys, expose; assert 'sklearn' not in sys.modules; assert 'sklearn' in dir(expose); "
            "expose.sklearn.Expose, expose.kernels; assert 'sklearn' in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="'nothing'"):
        expose.nothing
    assert "map" not in expose.__all__ and expose.map("fourier", d=2, r=8).d == 2


def test_one_rule_flags_rows(rows):
    for name, value in (("top", 5), ("fdr", 0.1), ("contamination", 0.1)):
        with pytest.raises(expose.Error, match=f"{name} to fit"):
            expose.plan(rows, **{name: value})
        with pytest.raises(expose.Error, match=f"alpha or {name}"):
            expose.fit(rows, alpha=0.1, **{name: value})
    d = expose.fit(rows)
    for name, value in (("top", 2.7), ("alpha", None), ("fdr", "low"), ("contamination", None)):
        with pytest.raises(expose.Error, match=f"{name} must be"):
            setattr(d, name, value)
    assert d.threshold == ("alpha", 0.01)
    labels = np.full(1200, -1)
    labels[:40], labels[40:200] = 1, 0
    found = expose.tune(rows, labels).options
    assert expose.fit(rows, top=3, **found).threshold == ("top", 3.0)
    assert expose.tune(rows, labels, alpha=0.2).options["alpha"] == 0.2


def test_sentences_about_wrong_arguments(rows, tmp_path):
    d = expose.fit(rows)
    p = expose.plan(rows, memory="fading:0.01")
    w = expose.Watcher(p, alpha=None)
    w.watch(rows)
    assert w.alpha == 0.01 and w.explain(np.empty((0, 3))).shape == (0, 3)
    refused = [
        (lambda: expose.fit(rows, seed=2**64), expose.Error, "seed must be at most"),
        (lambda: expose.Detector(d.plan, threads=-1), expose.Error, "threads must be 0 or more"),
        (lambda: expose.map("fourier", d=-1), expose.Error, "d must be 0 or more"),
        (lambda: expose.drift(d, w), TypeError, "not with Watcher"),
        (lambda: d.merge(3), TypeError, "not with int"),
        (lambda: expose.merge([d, 3]), TypeError, "one of the models is int"),
        (lambda: d.merge(expose.fit(rows[:500])), expose.Error, r"expose.Detector\(first.plan\)"),
        (lambda: d - expose.fit(rows[:500]), expose.Error, "same plan"),
        (lambda: expose.Detector.from_bytes("text"), TypeError, "made from bytes"),
        (lambda: d.withdraw(rows, None), expose.Error, "that vouch gave"),
        (lambda: d.judge_groups(rows, ["a", None] * 600), expose.Error, "can be sorted"),
        (lambda: d.judge(np.empty((0, 2))), expose.Error, "2 columns, the plan takes 3"),
        (lambda: d.judge(iter([])), expose.Error, "used up or empty"),
        (lambda: d.judge(rows, progress="yes"), TypeError, "'yes'"),
    ]
    for call, kind, says in refused:
        with pytest.raises(kind, match=says):
            call()
    assert expose.Detector.from_bytes(bytearray(d.to_bytes())) == d
    path = bytes(tmp_path / "m.expose")
    d.save(path)
    assert expose.load(path) == d


def test_sums(rows):
    p = expose.plan(rows)
    parts = [expose.Detector(p) for _ in range(3)]
    for part, some in zip(parts, np.array_split(rows, 3)):
        part.learn(some)
    assert sum(parts) == expose.merge(parts)
    phi = expose.map("fourier", d=3, r=64)
    assert sum([phi.mean(rows[:100]), phi.mean(rows[100:])]) == phi.mean(rows)
    with pytest.raises(TypeError):
        1 + parts[0]


def test_progress_of_what_goes_block_by_block(rows, monkeypatch):
    monkeypatch.setattr("expose._detector.STRIDE", 500)
    d = expose.fit(rows)
    w = expose.Watcher(expose.plan(rows, memory="fading:0.01"))
    again = w.copy()
    for call, expected in ((d.explain, d.explain(rows)), (w.watch, again.watch(rows))):
        told = []
        assert np.all(call(rows, progress=told.append) == expected) and told == [500, 1000, 1200]
    assert np.array_equal(d.error_bars(rows, progress=lambda done: None).total, d.error_bars(rows).total)
    for stop in (False, np.False_):
        for call in (d.judge, d.learn, d.explain, expose.fit):
            with pytest.raises(expose.Error) as caught:
                call(rows, progress=lambda done: stop)
            assert caught.value.code == "cancelled"


def test_hints_can_be_read():
    for function in (expose.fit, expose.detect, expose.plan, expose.tune, expose.Detector.judge, expose.Watcher.__init__):
        assert typing.get_type_hints(function)
