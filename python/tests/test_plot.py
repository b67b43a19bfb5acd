"""expose.plot: what is drawn is what the model says."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("matplotlib").use("Agg")

from matplotlib import pyplot
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

import expose
import expose.plot


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    pyplot.close("all")


@pytest.fixture
def plane():
    rows = np.random.default_rng(1).normal(size=(600, 2)) * [1, 10]
    rows[:3] = [[5, 50], [-6, 0], [0, 60]]
    return rows


def dots(ax):
    return {one.get_label(): one for one in ax.collections if isinstance(one, PathCollection)}


def test_contour(plane):
    d = expose.fit(plane)
    ax = expose.plot.contour(d, plane, points=40)
    shades, _, line = [one for one in ax.collections if hasattr(one, "levels")]
    assert (np.diff(shades.levels) > 0).all()
    # The bands hold all similarities of the grid, and the line is a place where verdicts change.
    across, up = np.linspace(*ax.get_xlim(), 40), np.linspace(*ax.get_ylim(), 40)
    grid = d.judge(np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2))
    assert shades.levels[0] <= grid.similarity.min() and grid.similarity.max() <= shades.levels[-1]
    assert grid.similarity[grid.anomalous].max() < line.levels[0] < grid.similarity[~grid.anomalous].min()
    # Every row is there, as what it is.
    odd = d.judge(plane).anomalous
    np.testing.assert_array_equal(dots(ax)["anomalous"].get_offsets(), plane[odd])
    np.testing.assert_array_equal(dots(ax)["normal"].get_offsets(), plane[~odd])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("column 1", "column 2")
    assert len(ax.figure.axes) == 2  # with a bar of colours


def test_contour_takes_axes_names_and_limits(plane):
    _, ax = pyplot.subplots()
    got = expose.plot.contour(expose.fit(plane), ax=ax, limits=((-3, 3), (-20, 20)), names=["w", "h"], bar=False,
                              points=20)
    assert got is ax and ax.get_xlim() == (-3, 3) and ax.get_ylim() == (-20, 20)
    assert ax.get_xlabel() == "w" and len(ax.figure.axes) == 1


def test_contour_without_rows_looks_where_the_plan_was_made(plane):
    ax = expose.plot.contour(expose.fit(plane), points=20)
    assert ax.get_xlim()[0] < -3 < 3 < ax.get_xlim()[1] and ax.get_ylim()[0] < -30 < 30 < ax.get_ylim()[1]
    with pytest.raises(expose.Error, match="limits"):
        expose.plot.contour(expose.fit(plane, scale="none"))


def test_contour_of_a_threshold_over_a_batch(plane):
    d = expose.fit(plane, top=3)
    ax = expose.plot.contour(d, plane, points=40)
    line = [one for one in ax.collections if hasattr(one, "levels")][-1]
    similarity = np.sort(d.judge(plane).similarity)
    assert similarity[2] < line.levels[0] < similarity[3]


def test_contour_of_a_watcher_and_of_a_table(plane):
    pandas = pytest.importorskip("pandas")
    w = expose.Watcher(memory="fading:0.01")
    w.watch(plane)
    expose.plot.contour(w, plane, points=20)
    table = pandas.DataFrame(plane, columns=["width", "height"])
    assert expose.plot.contour(expose.fit(table), table, points=20).get_ylabel() == "height"


def test_contour_wants_a_plane(rows):
    with pytest.raises(expose.Error, match="2 columns that are numbers, not of 3"):
        expose.plot.contour(expose.fit(rows), rows)
    with pytest.raises(expose.Error, match="own kernel"):
        expose.plot.contour(expose.fit(rows[:, :2], kernel=lambda A, B: np.ones((len(A), len(B))), r=8))
    with pytest.raises(expose.Error, match="no row of X has both values"):
        expose.plot.contour(expose.fit(rows[:, :2]), [[np.nan, 1.0]])


def test_histogram(rows):
    rows[:4] = [[7, 7, 7], [8, -8, 8], [-7, 0, 7], [np.nan] * 3]
    v = expose.detect(rows, top=3)
    ax = expose.plot.histogram(v, bins=20)
    normal, flagged = (sum(bar.get_height() for bar in bars) for bars in ax.containers)
    assert (normal, flagged) == (len(rows) - 4, 3)
    assert to_hex(ax.containers[1][0].get_facecolor()) == expose.plot.ANOMALOUS.lower()
    at = ax.lines[0].get_xdata()[0]
    good = v.status_code == 0
    assert v.similarity[v.anomalous].max() < at < v.similarity[good & ~v.anomalous].min()
    assert ax.get_xlabel() == "similarity" and ax.get_ylabel() == "rows"
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any(word == "3 anomalous" for word in words) and any(word == "1,196 normal" for word in words)


def test_histogram_without_a_flagged_row_has_no_threshold(rows):
    v = expose.detect(rows, alpha=1e-12)
    assert not v.anomalous.any() and len(expose.plot.histogram(v).lines) == 0
    with pytest.raises(expose.Error, match="no row has a verdict"):
        expose.plot.histogram(expose.fit(rows).judge([[np.nan] * 3]))
    with pytest.raises(TypeError, match="Verdicts"):
        expose.plot.histogram(rows)


def test_few_anomalies_are_seen_among_many_rows():
    v = expose.detect(np.random.default_rng(0).normal(size=(20000, 2)), top=1)
    assert expose.plot.histogram(v).get_yscale() == "symlog"


def test_reasons(rows):
    d = expose.fit(rows)
    row = [0.5, 6.0, -4.0]
    ax = expose.plot.reasons(d, row, names=["a", "b", "c"])
    shares = d.explain([row])[0]
    assert [bar.get_width() for bar in ax.containers[0]] == sorted(shares.tolist(), reverse=True)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b = 6", "c = -4", "a = 0.5"]
    assert f"p-value {d.judge([row])[0].p_value:.2g}" in ax.get_title("left")
    assert "share" in ax.get_xlabel()


def test_reasons_are_the_largest(rows):
    wide = np.random.default_rng(0).normal(size=(300, 30))
    wide[0, 17] = 9
    ax = expose.plot.reasons(expose.fit(wide), wide[0], top=4)
    assert len(ax.containers[0]) == 4 and ax.get_yticklabels()[0].get_text() == "column 18 = 9"


def test_reasons_of_a_table_row():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    when = pandas.Timestamp("2024-01-01 12:00") + pandas.to_timedelta(random.integers(0, 90, 400), "D")
    land = random.choice(["de", "at"], 400)
    table = pandas.DataFrame({"amount": random.normal(20, 3, 400), "land": land, "when": when})
    d = expose.fit(table, time="when")
    table.loc[0, "amount"] = 90.0
    shares = np.sort(d.explain(table.iloc[[0]])[0])[::-1]
    for row in (table.iloc[0], table.iloc[[0]], table.iloc[0].to_dict()):
        ax = expose.plot.reasons(d, row)
        assert ax.get_yticklabels()[0].get_text() == "amount = 90"
        np.testing.assert_allclose([bar.get_width() for bar in ax.containers[0]], shares)


def test_reasons_of_a_row_by_name_and_of_a_watcher(rows):
    pandas = pytest.importorskip("pandas")
    w = expose.Watcher(expose.plan(pandas.DataFrame(rows, columns=list("abc")), memory="window:200"))
    w.watch(pandas.DataFrame(rows, columns=list("abc")))
    assert expose.plot.reasons(w, {"a": 0, "c": 7.5}).get_yticklabels()[0].get_text() == "c = 7.5"


def test_reasons_want_one_row(rows):
    d = expose.fit(rows)
    with pytest.raises(expose.Error, match="one row, there are 2"):
        expose.plot.reasons(d, rows[:2])
    with pytest.raises(expose.Error, match="2 names come with 3 columns"):
        expose.plot.reasons(d, rows[0], names=["a", "b"])
    with pytest.raises(expose.Error, match="the model has none"):
        expose.plot.reasons(d, {"a": 1.0})


def weeks(shifts):
    random = np.random.default_rng(0)
    plan = expose.plan(random.normal(size=(500, 3)))
    models = [expose.Detector(plan) for _ in shifts]
    for model, shift in zip(models, shifts):
        model.learn(random.normal(size=(400, 3)) + [0, shift, 0])
    return models


def test_drift():
    models = weeks([0, 0, 0.8, 1.5])
    ax = expose.plot.drift(zip(["one", "two", "three", "four"], models), names=["a", "b", "c"])
    found = [expose.drift(models[0], model) for model in models[1:]]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [one.mmd for one in found])
    assert [one.p_value <= 0.01 for one in found] == [False, True, True]
    assert [len(one.get_offsets()) for one in ax.collections] == [1, 2]
    assert [text.get_text() for text in ax.texts] == ["b"]  # said once
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["two", "three", "four"]
    assert ax.get_ylabel() == "distance from one (mmd)"


def test_drift_over_time():
    days = np.datetime64("2024-03-01") + np.arange(3)
    ax = expose.plot.drift(list(zip(days, weeks([0, 0, 1]))))
    assert len(ax.lines[0].get_xdata()) == 2 and ax.get_ylabel().startswith("distance from 2024-03-01")
    assert expose.plot.drift(weeks([0, 1])).get_xticklabels()[0].get_text() == "model 2"


def test_drift_wants_two_detectors_of_one_plan(rows):
    d = expose.fit(rows)
    with pytest.raises(expose.Error, match="there are 1"):
        expose.plot.drift([d])
    with pytest.raises(TypeError, match="not of ndarray"):
        expose.plot.drift([d, rows])
    with pytest.raises(expose.Error):
        expose.plot.drift([d, expose.fit(rows * 2)])


def test_the_package_does_not_import_matplotlib():
    code = "import expose, sys; assert 'matplotlib' not in sys.modules and 'expose.plot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_it_says_what_to_install():
    code = "import sys; sys.modules['matplotlib'] = None\nimport expose.plot"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert told.returncode != 0 and "pip install 'expose[plot]'" in told.stderr


def test_examples():
    import doctest

    found = doctest.testmod(expose.plot)
    assert found.failed == 0 and found.attempted > 10
