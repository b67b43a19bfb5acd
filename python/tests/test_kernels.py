"""Own kernels: things that are no numbers, with the whole algebra."""

import pickle

import numpy as np
import pytest

import expose


def grams(word):
    return {word[i : i + 2] for i in range(len(word) - 1)}


def shared(A, B):
    return [[len(grams(a) & grams(b)) for b in B] for a in A]


string_kernel = expose.kernels.normalized(shared)


@pytest.fixture
def words():
    random = np.random.default_rng(0)
    return ["".join(random.choice(list("ab"), 3)) + "-" + "".join(random.choice(list("cd"), 3)) for _ in range(500)]


def test_strings(words):
    d = expose.fit(words, kernel=string_kernel, r=50)
    assert d.plan.r == 50 and len(d.plan.landmarks) == 50 and d.weight == 500
    v = d.judge(["aba-cdc", "zzzzzz"])
    assert not v.anomalous[0] and v.anomalous[1]
    assert v.similarity[1] == 0


def test_the_algebra_is_exact(words):
    p = expose.plan(words, kernel=string_kernel, r=40)
    a, b, both = (expose.Detector(p) for _ in range(3))
    a.learn(words[:200])
    b.learn(words[200:])
    both.learn(words)
    assert a + b == both == expose.fit(words, kernel=string_kernel, r=40)
    both.forget(words[200:])
    assert both == a
    assert expose.drift(a, b).p_value > 0.01
    c = expose.Detector(p)
    c.learn(["aaa-ccc"] * 300)
    assert expose.drift(a, c).p_value < 1e-3


def test_detect_and_flags(words):
    words[7] = "qqqqqqq"
    v = expose.detect(words, kernel=string_kernel, r=50, top=1)
    assert v.anomalous.nonzero()[0].tolist() == [7] and v.detector.threshold == ("top", 1)
    assert not v.much_looks_anomalous


def test_a_gaussian_of_ones_own_is_the_gaussian(rows, others):
    def gaussian(A, B):
        return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2) / 2)

    own = expose.fit(rows, kernel=gaussian, r=200, trim=0).judge(others)
    exact = gaussian(others, rows).mean(axis=1)
    assert abs(own.similarity - exact).max() < 0.01


def test_images_keep_their_shape():
    images = np.random.default_rng(0).random((300, 5, 5))

    def kernel(A, B):
        assert A.shape[1:] == B.shape[1:] == (5, 5)
        return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=(2, 3)))

    d = expose.fit(images, kernel=kernel, r=64)
    assert d.judge(images[:10] + 3).anomalous.all()


def test_saved_and_pickled(words, tmp_path):
    d = expose.fit(words, kernel=string_kernel, r=30)
    again = pickle.loads(pickle.dumps(d))
    assert again == d and again.judge(words) == d.judge(words)
    d.save(tmp_path / "m")
    loaded = expose.load(tmp_path / "m", kernel=string_kernel, landmarks=d.plan.landmarks)
    assert loaded.judge(words) == d.judge(words)
    bare = expose.load(tmp_path / "m")
    assert bare.judge(string_kernel(words, d.plan.landmarks)) == d.judge(words)
    with pytest.raises(expose.Error) as caught:
        expose.load(tmp_path / "m", kernel=string_kernel, landmarks=words[:30][::-1])
    assert caught.value.code == "incompatible"


def test_watch(words):
    w = expose.Watcher(expose.plan(words[:200], kernel=string_kernel, r=30, memory="window:200"))
    singly = expose.Watcher(w.plan)
    v = w.watch(words)
    assert [singly.watch([word])[0] for word in words] == list(v)
    assert w.watch(["????"]).anomalous[0]
    assert pickle.loads(pickle.dumps(w)).judge(words) == w.judge(words)


def test_what_is_refused(words):
    for kernel, says in ((shared, "k\\(x, x\\) = 1"), (lambda A, B: np.zeros((2, 2)), "shape"),
                         (lambda A, B: np.eye(len(A), len(B)) + np.triu(np.full((len(A), len(B)), 0.5), 1), "symmetric")):
        with pytest.raises(expose.Error, match=says):
            expose.fit(words, kernel=kernel, r=20)
    with pytest.raises(expose.Error, match="bandwidth"):
        expose.fit(words, kernel=string_kernel, bandwidth=2)
    with pytest.raises(expose.Error, match="sequence"):
        expose.fit(iter(words), kernel=string_kernel)
    with pytest.raises(expose.Error, match="columns"):
        expose.fit(words, kernel=string_kernel, r=20).explain(words[:2])

    def raises(A, B):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        expose.fit(words, kernel=raises)


def test_a_text_is_no_sequence_of_things(words):
    d = expose.fit(words, kernel=string_kernel, r=20)
    for one in ("aba-cdc", b"aba", iter(["aba-cdc", "aaa"])):
        with pytest.raises(expose.Error, match=r"write \[x\]"):
            d.judge(one)
    for r in (0, 2.5, -1, "many"):
        with pytest.raises(expose.Error, match="r must be"):
            expose.fit(words, kernel=string_kernel, r=r)


def test_a_series_of_things(words):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(words, index=np.arange(500)[::-1] + 7)
    d = expose.fit(series, kernel=string_kernel, r=20)
    assert d == expose.fit(words, kernel=string_kernel, r=20)
    assert d.judge(series) == d.judge(words)


def test_what_is_wrong_with_a_loaded_kernel(words, tmp_path):
    d = expose.fit(words, kernel=string_kernel, r=20)
    d.save(tmp_path / "m.expose")
    with pytest.raises(expose.Error, match="landmarks="):
        expose.load(tmp_path / "m.expose", kernel=string_kernel)
    with pytest.raises(expose.Error, match="another kernel"):
        expose.load(tmp_path / "m.expose", kernel=lambda A, B: np.ones((len(A), len(B))), landmarks=d.plan.landmarks)
    expose.fit(np.zeros((30, 2))).save(tmp_path / "n.expose")
    with pytest.raises(expose.Error, match="not made with an own kernel"):
        expose.load(tmp_path / "n.expose", kernel=string_kernel, landmarks=words)
