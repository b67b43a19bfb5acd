"""The pictures of docs/performance.md, from one run of side_by_side.py."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Ours in blue, peers in warm and grey colours: the same colour for the same side in all pictures.
STYLE = {
    "fourier": ("EXPoSE, dense", "#1f4e9c", "-"),
    "sorf": ("EXPoSE, SORF", "#3a9ad9", "-"),
    "ours": ("EXPoSE", "#1f4e9c", "-"),
    "np32": ("NumPy float32, blocked, in place", "#d9822b", "--"),
    "skl64": ("scikit-learn RBFSampler, float64", "#a33c2e", "--"),
    "IsolationForest": ("IsolationForest", "#4a9a4a", "--"),
    "LocalOutlierFactor": ("LocalOutlierFactor", "#8a63b5", "--"),
    "OneClassSVM": ("OneClassSVM", "#777777", "--"),
}


def line(axes, side, x, y):
    label, color, style = STYLE[side]
    axes.plot(x, y, style, color=color, label=label, marker="o", markersize=4, linewidth=1.8)


def dress(axes, title, x, y, legend="best"):
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(title, fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False, loc=legend)


def by_size(result):
    """Rows a second to judge, against d and against r."""
    figure, both = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True)
    for axes, key, name in ((both[0], "by_d", "d"), (both[1], "by_r", "r")):
        for side in ("sorf", "fourier", "np32", "skl64"):
            line(axes, side, [point[name] for point in result[key]], [1e9 / point[side] for point in result[key]])
        axes.set_xscale("log", base=2)
    dress(both[0], f"r = {result['by_d'][0]['r']} frequencies", "columns d", "rows judged a second, one core")
    dress(both[1], f"d = {result['by_r'][0]['d']} columns", "frequencies r", "")
    for axes, key, name in ((both[0], "by_d", "d"), (both[1], "by_r", "r")):
        values = [point[name] for point in result[key]]
        axes.set_xticks(values, [str(value) for value in values], fontsize=8)
        axes.minorticks_off()
    return figure


def by_rows(result):
    """Against n: learning O(n), judging O(1), memory O(1)."""
    figure, (learn, judge, memory) = plt.subplots(1, 3, figsize=(13, 4.2))
    for axes, key, scale in ((learn, "learn", 1e-9), (judge, "judge", 1e-3)):
        for side in ("ours", "IsolationForest", "LocalOutlierFactor", "OneClassSVM"):
            points = [(point["n"], point[key][side] * scale) for point in result["by_n"] if side in point[key]]
            line(axes, side, *zip(*points, strict=True))
    for side in ("ours", "IsolationForest", "LocalOutlierFactor", "OneClassSVM"):
        points = [(point["n"], point["megabytes"]) for point in result["memory"] if point["detector"] == side]
        if side == "ours":
            points += [(fit["rows"], fit["megabytes"]) for fit in result["large"] if fit["rows"] > points[-1][0]]
        line(memory, side, *zip(*points, strict=True))
    dress(learn, "learn n rows: O(n)", "rows n", "seconds, one core")
    dress(judge, "judge a row after n rows: O(1)", "rows n learned before", "microseconds, one core")
    dress(memory, "memory: O(1)", "rows n", "peak of the process, MB")
    memory.set_ylim(5, 2000)
    return figure


def by_stream_length(result):
    """Rows a second against n, in one pass over a stream."""
    figure, axes = plt.subplots(figsize=(5.2, 3.8))
    line(axes, "ours", [fit["rows"] for fit in result["large"]], [fit["rows_a_second"] for fit in result["large"]])
    dress(axes, "one pass over generated rows, two threads", "rows n", "rows learned a second")
    axes.set_ylim(min(fit["rows_a_second"] for fit in result["large"]) / 5,
                  max(fit["rows_a_second"] for fit in result["large"]) * 5)
    return figure


def draw(result, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in (("size", by_size), ("rows", by_rows), ("stream", by_stream_length)):
        figure = make(result)
        figure.tight_layout()
        figure.savefig(folder / f"performance-{name}.png", dpi=110)
        plt.close(figure)
