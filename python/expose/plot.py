"""Pictures, drawn with matplotlib: `pip install 'expose[plot]'`. `import expose` does not import this module.

Every function draws into `ax`, or into a new figure, and gives the Axes back, so that titles, limits and colours can be
changed. Colours are those of Okabe and Ito and the map cividis, which colour-blind people can tell apart.

>>> import numpy as np, expose, expose.plot
>>> rows = np.random.default_rng(0).normal(size=(500, 2))
>>> d = expose.fit(rows)
>>> ax = expose.plot.contour(d, rows)
>>> ax.get_xlabel(), ax.get_ylabel()
('column 1', 'column 2')
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._columns import encoded_row
from ._detector import Detector
from ._detector import drift as drift_of
from ._error import Error
from ._html import ANOMALOUS, NORMAL
from ._plan import Plan
from ._verdicts import OK, Verdicts
from ._watcher import Watcher

try:
    import matplotlib  # noqa: F401
except ImportError as problem:
    raise ImportError("expose.plot draws with matplotlib, which is not there: pip install 'expose[plot]'") from problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

Model = Union[Detector, Watcher]

QUIET = "#8A8F98"
SHADES = "cividis"

# How far from the middle a contour looks if nobody says where.
SPREADS = 6.0


def _axes(ax: Any, figsize: tuple[float, float]) -> Any:
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=figsize, layout="constrained")[1]
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _legend(ax: Any) -> None:
    """Above the picture, where it hides nothing."""
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0, handletextpad=0.5)


def _names(plan: Plan, names: Any, count: int) -> list[str]:
    if names is None:
        return plan.feature_names or [f"column {k + 1}" for k in range(count)]
    if len(names) != count:
        raise Error(f"{len(names)} names come with {count} columns", "shape_mismatch")
    return [str(name) for name in names]


# Contour


def contour(model: Model, X: Any = None, *, ax: Any = None, limits: Any = None, names: Sequence[str] | None = None,
            levels: int = 12, points: int = 140, bar: bool = True) -> Any:
    """How similar each place of the plane is to what the model has learned, for rows of two numbers: the lighter, the
    more normal. The orange line is the threshold: what lies outside would be flagged.

    X: rows to draw into it; flagged ones become triangles. limits: ((left, right), (bottom, top)), else where X lies.
    levels: how many shades; points: places judged a side; bar: whether to draw a bar of colours. A threshold over a
    batch (fdr, contamination, top) is that of the rows X.

    >>> import numpy as np, expose, expose.plot
    >>> d = expose.fit(np.random.default_rng(0).normal(size=(500, 2)))
    >>> ax = expose.plot.contour(d, limits=((-4, 4), (-4, 4)), names=["width", "height"])
    >>> ax.get_xlabel()
    'width'
    """
    plan = model.plan
    if plan._own is not None:
        raise Error("a contour is drawn in a plane of numbers, and this model has an own kernel")
    if plan.columns != 2 or len(plan.feature_names or "ab") != 2:
        raise Error("a contour is drawn in a plane: it wants a model of 2 columns that are numbers, not of "
                    f"{plan.columns}", "shape_mismatch")
    rows = None if X is None else np.asarray(model._rows(X).gathered(), dtype=np.float64)
    (left, right), (bottom, top) = _limits(plan, rows) if limits is None else limits
    across, up = np.linspace(left, right, points), np.linspace(bottom, top, points)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    verdicts = model.judge(grid)
    similarity = verdicts.similarity.reshape(points, points)

    ax = _axes(ax, (6.4, 5.0))
    shades = ax.contourf(across, up, similarity, levels=levels, cmap=SHADES)
    ax.contour(across, up, similarity, levels=shades.levels, colors="white", linewidths=0.4, alpha=0.5)
    seen = None if X is None else model.judge(X)
    cut = verdicts._cut() if model.alpha is not None else None if seen is None else seen._cut()
    if cut is not None and similarity.min() < cut < similarity.max():
        ax.contour(across, up, similarity, levels=[cut], colors=ANOMALOUS, linewidths=1.8)
    if rows is not None and seen is not None:
        _dots(ax, rows, seen)
    if bar:
        ax.figure.colorbar(shades, ax=ax, label="similarity", format="%.2g")
    ax.set(xlim=(left, right), ylim=(bottom, top))
    labels = _names(plan, names, 2)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    return ax


def _limits(plan: Plan, rows: NDArray[np.float64] | None) -> list[tuple[float, float]]:
    if rows is None:
        if plan.scale == "none":
            raise Error("where should the contour look? Give rows, X, or limits=((left, right), (bottom, top))")
        return [(float(m - SPREADS * s), float(m + SPREADS * s)) for m, s in zip(plan._core.centre, plan._core.spread)]
    finite = rows[np.isfinite(rows).all(axis=1)]
    if len(finite) == 0:
        raise Error("no row of X has both values, so the contour knows no place to look; give limits")
    low, high = finite.min(axis=0), finite.max(axis=0)
    margin = np.where(high > low, 0.12 * (high - low), 1.0)
    return [(float(a), float(b)) for a, b in zip(low - margin, high + margin)]


def _dots(ax: Any, rows: NDArray[np.float64], seen: Verdicts) -> None:
    odd = seen.anomalous
    size = float(np.clip(3000 / max(1, len(rows)), 3, 16))
    ax.scatter(*rows[~odd].T, s=size, color="black", alpha=0.7, linewidths=0, label="normal")
    if odd.any():
        ax.scatter(*rows[odd].T, s=34, marker="^", color=ANOMALOUS, edgecolors="white", linewidths=0.7, zorder=3,
                   label="anomalous")


# Histogram


def histogram(verdicts: Verdicts, *, ax: Any = None, bins: int = 50) -> Any:
    """How many rows have which similarity, the flagged ones in orange, and the threshold between them. Rows without a
    verdict (status other than ok) are left out.

    >>> import numpy as np, expose, expose.plot
    >>> ax = expose.plot.histogram(expose.detect(np.random.default_rng(0).normal(size=(500, 2))))
    >>> ax.get_xlabel()
    'similarity'
    """
    if not isinstance(verdicts, Verdicts):
        raise TypeError("a histogram is drawn of Verdicts, which judge, detect and watch give, not of "
                        f"{type(verdicts).__name__}")
    good = verdicts.status_code == OK
    if not good.any():
        raise Error("no row has a verdict (status ok), so there is nothing to draw")
    odd = verdicts.anomalous & good
    normal, flagged = verdicts.similarity[good & ~odd], verdicts.similarity[odd]
    ax = _axes(ax, (6.4, 3.6))
    (lower, upper), _, _ = ax.hist(
        [normal, flagged], bins=bins, stacked=True, color=[NORMAL, ANOMALOUS], edgecolor="white", linewidth=0.3,
        label=[f"{len(normal):,} normal", f"{len(flagged):,} anomalous"])
    cut = verdicts._cut()
    if cut is not None:
        ax.axvline(cut, color="black", linestyle="--", linewidth=1.2, label=f"threshold {cut:.3g}")
    # A handful of anomalies among thousands of rows is seen on a logarithmic axis only.
    if len(flagged) and upper.max() > 40 * (upper - lower).max():
        ax.set_yscale("symlog", linthresh=10, subs=range(2, 10))
        ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set_xlabel("similarity")
    ax.set_ylabel("rows")
    _legend(ax)
    return ax


# Reasons


def reasons(model: Model, row: Any, *, names: Sequence[str] | None = None, top: int = 10, ax: Any = None) -> Any:
    """Why a row is unlike the rest: the share of each feature, largest first, with the row's value beside its name.

    row: one row as numbers, a dict by name, a row of a DataFrame (`Z.iloc[i]` or `Z.iloc[[i]]`).

    >>> import numpy as np, expose, expose.plot
    >>> d = expose.fit(np.random.default_rng(0).normal(size=(500, 3)))
    >>> ax = expose.plot.reasons(d, [0.0, 6.0, 0.0], names=["a", "b", "c"])
    >>> ax.get_yticklabels()[0].get_text()
    'b = 6'
    """
    asked, values = _one_row(model, row)
    shares = model.explain(asked)
    if len(shares) != 1:
        raise Error(f"reasons are drawn for one row, there are {len(shares)}", "shape_mismatch")
    shares = shares[0]
    labels = _names(model.plan, names, len(shares))
    if values is not None:
        labels = [f"{label} = {_short(value)}" for label, value in zip(labels, values)]
    order = np.argsort(-shares, kind="stable")[:top]
    verdict = model.judge(asked)[0]

    ax = _axes(ax, (6.4, 1.2 + 0.32 * len(order)))
    colours = [ANOMALOUS if shares[k] >= 1 / len(shares) else QUIET for k in order]
    bars = ax.barh(np.arange(len(order)), shares[order], color=colours, height=0.7)
    ax.bar_label(bars, [f"{100 * shares[k]:.0f} %" for k in order], padding=3, fontsize=9)
    ax.set_yticks(np.arange(len(order)), [labels[k] for k in order])
    ax.set_xlim(0, max(0.05, 1.15 * float(shares.max())))
    ax.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("share of what makes the row unlike the rest")
    ax.set_ylabel("feature")
    ax.set_title(f"similarity {verdict.similarity:.3g}, p-value {verdict.p_value:.2g}", fontsize=10, loc="left")
    return ax


def _one_row(model: Model, row: Any) -> tuple[Any, list[Any] | None]:
    """What the model is asked about, and the values of its features where they can be told."""
    features = model.plan.feature_names
    if isinstance(row, Mapping):
        table = model.plan._table
        if table is None or features is None:
            raise Error("the row has names and the model has none; give the row as numbers")
        if any(column.role in ("category", "time") for column in table.all):
            row = _frame_of(row)
        else:
            return encoded_row(row, table)[None, :], [row.get(name) for name in features]
    if hasattr(row, "to_frame"):  # a row of pandas
        row = row.to_frame().T.infer_objects()
    if hasattr(row, "iloc"):
        if len(row) != 1:
            return row, None
        return row, row.iloc[0].tolist() if features is None else [row.iloc[0].get(name) for name in features]
    if hasattr(row, "__arrow_c_stream__") or hasattr(row, "__arrow_c_array__"):
        return row, None
    numbers_of = np.atleast_2d(np.asarray(row))
    return numbers_of, numbers_of[0].tolist() if len(numbers_of) == 1 else None


def _frame_of(row: Mapping[str, Any]) -> Any:
    import pandas

    return pandas.DataFrame([dict(row)])


def _short(value: Any) -> str:
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)):
        return "missing" if np.isnan(float(value)) else f"{float(value):.4g}"
    text = "missing" if value is None else str(value)
    return text if len(text) <= 24 else text[:23] + "\u2026"


# Drift


def drift(models: Any, *, ax: Any = None, alpha: float = 0.01, names: Sequence[str] | None = None) -> Any:
    """How far each model is from the first: drift over time. Triangles have moved (p-value <= alpha); what moved most is
    written beside the first of them and wherever that changes.

    models: detectors of one plan, (label, detector) pairs, or a dict by label; labels may be words, numbers or times.

    >>> import numpy as np, expose, expose.plot
    >>> random = np.random.default_rng(0)
    >>> plan = expose.plan(random.normal(size=(500, 3)))
    >>> days = {day: expose.Detector(plan) for day in ("Mon", "Tue", "Wed", "Thu")}
    >>> for k, model in enumerate(days.values()):
    ...     _ = model.learn(random.normal(size=(500, 3)) + [0, 0, 0.4 * k])
    >>> ax = expose.plot.drift(days)
    >>> ax.get_ylabel()
    'distance from Mon (mmd)'
    """
    labels, parts = _labelled(models)
    found = [drift_of(parts[0], part) for part in parts[1:]]
    mmd = np.array([one.mmd for one in found])
    moved = np.array([one.p_value <= alpha for one in found])
    features = _names(parts[0].plan, names, len(found[0].features))

    ax = _axes(ax, (6.4, 3.6))
    words = isinstance(labels[0], str)
    places = np.arange(1, len(parts)) if words else labels[1:]
    ax.plot(places, mmd, color=QUIET, linewidth=1.2, zorder=1)
    kinds = ((~moved, NORMAL, "o", f"p > {alpha:g}"), (moved, ANOMALOUS, "^", f"moved: p \u2264 {alpha:g}"))
    for which, colour, marker, label in kinds:
        if which.any():
            at = [place for place, one in zip(places, which) if one]
            ax.scatter(at, mmd[which], color=colour, marker=marker, s=42, zorder=2, label=label)
    last = None
    for place, one, y, is_moved in zip(places, found, mmd, moved):
        name = features[int(one.features.argmax())] if is_moved and one.features.any() else None
        if name is not None and name != last:
            ax.annotate(name, (place, y), xytext=(0, 8), textcoords="offset points", ha="center", fontsize=9)
        last = name
    if words:
        ax.set_xticks(places, labels[1:])
    if len(labels) > 8:
        ax.tick_params(axis="x", rotation=45)
    ax.set_ylim(0, 1.2 * float(mmd.max()) or 1.0)
    ax.margins(x=0.06)
    ax.set_xlabel("model")
    ax.set_ylabel(f"distance from {labels[0]} (mmd)")
    _legend(ax)
    return ax


def _labelled(models: Any) -> tuple[list[Any], list[Detector]]:
    if isinstance(models, Mapping):
        models = list(models.items())
    pairs = [one if isinstance(one, tuple) else (f"model {k + 1}", one) for k, one in enumerate(models)]
    for _, model in pairs:
        if not isinstance(model, Detector):
            raise TypeError(f"drift is drawn of detectors or (label, detector) pairs, not of {type(model).__name__}")
    if len(pairs) < 2:
        raise Error(f"drift needs a model to begin with and one to compare with it, there are {len(pairs)}")
    return [label for label, _ in pairs], [model for _, model in pairs]
