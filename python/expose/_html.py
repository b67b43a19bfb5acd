"""Pages for notebooks: what a thing is in a line, a small picture, and a table of what is worth knowing.

No style sheet and no script, so that they look right wherever notebooks are shown, on light and on dark pages.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._detector import Detector
    from ._plan import Plan
    from ._verdicts import Verdicts
    from ._watcher import Watcher

NORMAL = "#0072B2"
ANOMALOUS = "#D55E00"
WIDTH, HEIGHT, BINS = 420, 90, 42
WORST = 5


def _head(name: str, text: str) -> str:
    return f"<div><b>expose.{name}</b>: {html.escape(text)}</div>"


def _table(pairs: list[tuple[str, str]]) -> str:
    left = "style='text-align:left'"
    rows = "".join(f"<tr><th {left}>{html.escape(name)}</th><td {left}>{html.escape(value)}</td></tr>"
                   for name, value in pairs)
    return f"<table>{rows}</table>"


def _pairs(text: str) -> list[tuple[str, str]]:
    """Lines of a description: a name, blanks, what it is. Four digits of a number are enough for reading."""
    pairs = []
    for line in text.splitlines():
        name, _, value = line.partition("  ")
        if line.strip():
            pairs.append((name.strip(), re.sub(r"\d+\.\d{5,}", lambda found: f"{float(found[0]):.4g}", value.strip())))
    return pairs


def _folded(title: str, page: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary>{page}</details>"


def plan_page(plan: Plan) -> str:
    return f"{_head('Plan', plan._core.summary())}{_table(_pairs(str(plan)))}"


def detector_page(detector: Detector) -> str:
    name, value = detector.threshold
    kept_out = f", {detector.turned_away:,.0f} of them kept out by the gate" if detector.turned_away else ""
    head = _head("Detector", f"{detector.weight:,.0f} rows{kept_out}; flags by {name} {value:g}")
    similarities = detector._core.calibration_similarities()
    cut = None
    if len(similarities) and detector.alpha is not None:
        cut = float(np.quantile(similarities, detector.alpha))
    picture = _histogram(similarities, similarities[:0], cut, "similarity of the rows that p-values are ranks among")
    return head + picture + _folded(f"plan {detector.fingerprint}", _table(_pairs(str(detector.plan))))


def verdicts_page(verdicts: Verdicts) -> str:
    from ._verdicts import OK, STATUS

    good = verdicts.status_code == OK
    odd = verdicts.anomalous & good
    counts = np.bincount(verdicts.status_code, minlength=4)
    others = [f"{int(n):,} {name}" for name, n in zip(STATUS[1:], counts[1:]) if n]
    head = _head("Verdicts", ", ".join([f"{len(verdicts):,} rows", f"{int(odd.sum()):,} anomalous", *others]))
    picture = _histogram(verdicts.similarity[good & ~odd], verdicts.similarity[odd], verdicts._cut(), "similarity")
    return head + picture + _worst(verdicts)


def _worst(verdicts: Verdicts) -> str:
    """The flagged rows with the smallest p-values."""
    rows = [row for row in verdicts.most_anomalous(WORST).tolist() if verdicts.anomalous[row]]
    if not rows:
        return ""
    numbers = [(str(row), f"{verdicts.similarity[row]:.4g}", f"{verdicts.p_value[row]:.2g}") for row in rows]
    cells = "".join(f"<tr>{''.join(f'<td>{number}</td>' for number in row)}</tr>" for row in numbers)
    return f"<table><tr><th>row</th><th>similarity</th><th>p-value</th></tr>{cells}</table>"


def watcher_page(watcher: Watcher) -> str:
    bad = f", {watcher.rejected:,} bad rows" if watcher.rejected else ""
    known = f", remembers {watcher.weight:,.0f}" if watcher.planned else ", no plan yet"
    head = _head("Watcher", f"{watcher.rows:,} rows watched{bad}{known}; flags by alpha {watcher.alpha:g}")
    return head + (_folded(f"plan {watcher.fingerprint}", _table(_pairs(str(watcher.plan)))) if watcher.planned else "")


def _histogram(normal: NDArray[np.float64], flagged: NDArray[np.float64], cut: float | None, label: str) -> str:
    """Bars of two colours, flagged on top, and a dashed line at the cut."""
    both = np.concatenate([normal, flagged])
    if len(both) == 0:
        return ""
    edges = np.histogram_bin_edges(both, bins=BINS)
    low, high = float(edges[0]), float(edges[-1])
    below, above = (np.histogram(part, bins=edges)[0] for part in (normal, flagged))
    tallest = int((below + above).max())
    step = WIDTH / BINS
    bars = "".join(_bar(step * k, 0, n, tallest, NORMAL) + _bar(step * k, n, m, tallest, ANOMALOUS)
                   for k, (n, m) in enumerate(zip(below.tolist(), above.tolist())))
    line = ""
    if cut is not None:
        at = WIDTH * (cut - low) / (high - low)
        line = (f"<line x1='{at:.1f}' x2='{at:.1f}' y1='0' y2='{HEIGHT}' stroke='currentColor' stroke-width='1.5' "
                "stroke-dasharray='4 3'/>")
    text = html.escape(label)
    return (f"<svg width='{WIDTH}' height='{HEIGHT + 18}' role='img' aria-label='histogram: {text}' "
            f"style='display:block'>{bars}{line}<g font-size='11' fill='currentColor'>"
            f"<text x='0' y='{HEIGHT + 14}'>{low:.3g}</text>"
            f"<text x='{WIDTH / 2}' y='{HEIGHT + 14}' text-anchor='middle'>{text}</text>"
            f"<text x='{WIDTH}' y='{HEIGHT + 14}' text-anchor='end'>{high:.3g}</text></g></svg>")


def _bar(x: float, under: int, count: int, tallest: int, colour: str) -> str:
    """A count that is there has at least 2 pixels: a few anomalies must be seen beside thousands of rows."""
    if count == 0:
        return ""
    height = max(2.0, HEIGHT * count / tallest)
    y = max(0.0, HEIGHT - HEIGHT * under / tallest - height)
    return f"<rect x='{x:.1f}' y='{y:.1f}' width='{WIDTH / BINS - 1:.1f}' height='{height:.1f}' fill='{colour}'/>"
