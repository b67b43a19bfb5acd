"""A sensor that never stops and whose normal moves: watch it with a memory that fades, and see what has moved.

    python examples/python/sensor.py [--plot DIR]

The sensor is the number of taxi rides in New York, each half hour for seven months (examples/taxi.csv). Five days are
known to be odd: a marathon, three holidays and a snow storm. Without the file a stream of that kind is made up.
"""

import argparse
import pathlib

import numpy as np

import expose

parser = argparse.ArgumentParser()
parser.add_argument("--plot", type=pathlib.Path, metavar="DIR", help="save pictures there")
arguments = parser.parse_args()
DAY, WEEK = 48, 7 * 48  # half hours


def taxi(file):
    stamps, values = np.loadtxt(file, delimiter=",", skiprows=1, dtype=str, unpack=True)
    odd = np.array(["2014-11-02", "2014-11-27", "2014-12-25", "2015-01-01", "2015-01-27"], dtype="datetime64[D]")
    return stamps.astype("datetime64[m]"), values.astype(float), odd


def made_up(days=215):
    """A rhythm of days and weeks that slowly grows, and five days that break it."""
    random = np.random.default_rng(3)
    times = np.datetime64("2014-07-01T00:00") + np.arange(days * DAY) * np.timedelta64(30, "m")
    t = np.arange(days * DAY) / DAY
    rhythm = 15000 - 6000 * np.cos(2 * np.pi * t) - 2500 * (t % 7 > 5)
    values = rhythm * (1 + 0.0015 * t) * random.lognormal(0, 0.05, len(t))
    odd = np.array([124, 149, 177, 184, 210])
    for day, factor in zip(odd, (1.5, 0.6, 0.5, 1.6, 0.4)):
        values[day * DAY : (day + 1) * DAY] *= factor
    return times, values, times[odd * DAY].astype("datetime64[D]")


file = pathlib.Path(__file__).resolve().parents[1] / "taxi.csv"
times, values, odd = taxi(file) if file.exists() else made_up()

# Neighbours in time are alike, so we watch what a person would compare: with the same half hour of the last four weeks
# (their median, so that an odd day does not come back a week later), and with half an hour ago.
logs = np.log(values + 100)
ago = np.median([logs[k * WEEK : len(logs) - (4 - k) * WEEK] for k in range(4)], axis=0)
rows = np.column_stack([logs[4 * WEEK :] - ago, np.diff(logs)[4 * WEEK - 1 :]])
days = times[4 * WEEK :].astype("datetime64[D]")
is_odd = np.isin(np.unique(days), odd)
print(f"{len(rows)} half hours, {is_odd.sum()} odd days of {len(is_odd)}")

for memory in ("fading:0.001", f"window:{4 * WEEK}"):
    verdicts = expose.Watcher(memory=memory).watch(rows)  # each judged by the rows before it, then learned
    surprise = np.array([-np.log(verdicts.p_value[days == day]).mean() for day in np.unique(days)])
    worst = np.unique(days)[np.argsort(-surprise)[:5]]
    print(f"{memory}: {verdicts.anomalous.mean():.1%} alarms; the oddest days: {', '.join(worst.astype(str))}")
    print(f"  AUC of the days {(surprise[is_odd][:, None] > surprise[~is_odd]).mean():.3f}")

# Have whole days moved since July? A row is a day in eight parts; one plan, and a model for each month.
parts = values.reshape(-1, 8, DAY // 8).mean(axis=2) / 1000
month = times[::DAY].astype("datetime64[M]")
plan = expose.plan(parts)
models = {str(m): expose.Detector(plan) for m in np.unique(month)}
for m, model in models.items():
    model.learn(parts[month == np.datetime64(m)])
for m, model in list(models.items())[1:]:
    moved = expose.drift(models["2014-07"], model)
    print(f"  {m} against July: mmd {moved.mmd:.2f}, p-value {moved.p_value:.1g}")

if arguments.plot:
    import expose.plot

    arguments.plot.mkdir(parents=True, exist_ok=True)
    two = np.column_stack([parts[:, :2].mean(axis=1), parts[:, 2:].mean(axis=1)])
    ax = expose.plot.contour(expose.fit(two, trim=0, alpha=0.03), two, names=["rides by night", "rides by day"])
    ax.figure.savefig(arguments.plot / "sensor-contour.png", dpi=90)
    ax = expose.plot.drift(models, names=[f"{h}-{h + 3} h" for h in range(0, 24, 3)])
    ax.figure.savefig(arguments.plot / "sensor-drift.png", dpi=90)
