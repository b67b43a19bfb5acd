"""Bare feature maps and means: the algebra for people who want it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core as _lib
from ._error import Error
from ._input import as_array, weights_of
from ._options import checked

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _floats(x: Any) -> NDArray[np.float32]:
    a = as_array(x)
    return np.ascontiguousarray(a, dtype=np.float32)


class FeatureMap:
    """phi, with k(x, z) = <phi(x), phi(z)> approximately. Made by `expose.map`."""

    __slots__ = ("_core",)

    _core: _lib.FeatureMap

    def __init__(self) -> None:
        raise TypeError("a FeatureMap is made by expose.map(kind, d=, r=, bandwidth=, seed=)")

    @classmethod
    def _of(cls, core: _lib.FeatureMap) -> FeatureMap:
        self = object.__new__(cls)
        self._core = core
        return self

    @property
    def kind(self) -> str:
        return self._core.kind

    @property
    def d(self) -> int:
        """Columns that come in."""
        return self._core.d

    @property
    def r(self) -> int:
        """Frequencies or landmarks."""
        return self._core.r

    @property
    def size(self) -> int:
        """Features of a row: 2 r for random maps, r for those with landmarks."""
        return self._core.size

    @property
    def bandwidth(self) -> float:
        return self._core.bandwidth

    @property
    def seed(self) -> int:
        return self._core.seed

    @property
    def landmarks(self) -> NDArray[np.float32]:
        """r rows; none for random maps."""
        return self._core.landmarks

    @property
    def fingerprint(self) -> str:
        return f"{self._core.fingerprint:016x}"

    def project(self, X: Any) -> NDArray[np.float32]:
        """phi of each row: n x size float32, multiples of 2^-22."""
        return self._core.project(_floats(X))

    def kernel(self, A: Any, B: Any) -> NDArray[np.float64]:
        """k(a_i, b_j) as the map sees it."""
        return self._core.kernel(_floats(A), _floats(B))

    def mean(self, X: Any = None, weights: Any = None) -> MeanMap:
        """The mean map of some rows; the empty one without rows."""
        mean = MeanMap(self)
        if X is not None:
            mean.add(X, weights)
        return mean

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeatureMap) and self._core.fingerprint == other._core.fingerprint

    def __hash__(self) -> int:
        return hash(self._core.fingerprint)

    def __reduce__(self) -> Any:
        landmarks = self.landmarks if len(self.landmarks) else None
        return _map_of, (self.kind, self.d, self.r, self._core.kernel_name, self.bandwidth, self.seed, landmarks)

    def __repr__(self) -> str:
        return (f"<expose.FeatureMap {self.kind}: d={self.d}, r={self.r}, {self._core.kernel_name} kernel of bandwidth "
                f"{self.bandwidth:.6g}>")


def _map_of(kind: str, d: int, r: int, kernel: str, bandwidth: float, seed: int, landmarks: Any) -> FeatureMap:
    return FeatureMap._of(_lib.make_map(kind, d, r, kernel, bandwidth, seed, landmarks))


def map(kind: str, *, d: int | None = None, r: int | None = None, bandwidth: float = 1.0, kernel: str = "gaussian",
        seed: int = 0, landmarks: Any = None) -> FeatureMap:
    """A bare feature map: `project(X)` gives features, `kernel(A, B)` the kernel as the map sees it.

    kind: fourier, sorf or fastfood, drawn from the seed (r: frequencies, 2048 if not given), or nystrom, which sees the
    kernel from landmarks (rows, then d and r are theirs). kernel: gaussian, laplacian, matern32 or matern52.

    >>> import numpy as np, expose
    >>> phi = expose.map("sorf", d=127, r=4096, bandwidth=3.0, seed=1)
    >>> x = np.zeros((2, 127)); x[1, 0] = 3
    >>> phi.project(x).shape
    (2, 8192)
    >>> bool(abs(phi.kernel(x, x)[0, 1] - np.exp(-0.5)) < 0.03)
    True
    """
    if landmarks is not None:
        landmarks = _floats(landmarks)
        d = landmarks.shape[1] if d is None else d
        r = landmarks.shape[0] if r is None else r
    if d is None:
        raise Error("a map needs to know its number of columns: give d=")
    r = 2048 if r is None else checked("r", r)
    return _map_of(kind, checked("d", d), r, kernel, checked("bandwidth", bandwidth), checked("seed", seed), landmarks)


class MeanMap:
    """The mean of a feature map over rows, kept as a sum and a weight. Exact: `+`, `-` and `==` are to the bit.

    >>> import numpy as np, expose
    >>> x = np.random.default_rng(0).normal(size=(100, 3))
    >>> phi = expose.map("fourier", d=3, r=128, bandwidth=2.0)
    >>> a, b = phi.mean(x[:60]), phi.mean(x[60:])
    >>> a + b == phi.mean(x), (a + b) - b == a
    (True, True)
    >>> a.weight, a.sum.shape, a.mmd(a)
    (60.0, (256,), 0.0)
    >>> 0 < a.inner(b) < 1
    True
    """

    __slots__ = ("_core",)

    _core: _lib.MeanMap

    def __init__(self, map: FeatureMap) -> None:
        self._core = _lib.MeanMap(map._core)

    @classmethod
    def _of(cls, core: _lib.MeanMap) -> MeanMap:
        self = object.__new__(cls)
        self._core = core
        return self

    @property
    def map(self) -> FeatureMap:
        return FeatureMap._of(self._core.map)

    @property
    def sum(self) -> NDArray[np.float64]:
        """The sum of the features."""
        return self._core.sum

    @property
    def weight(self) -> float:
        """How many rows, where each weighs 1."""
        return self._core.weight

    @property
    def mean(self) -> NDArray[np.float64]:
        """sum / weight; zeros without rows."""
        return self._core.mean

    def add(self, X: Any, weights: Any = None) -> MeanMap:
        """Learn rows, which are scaled already; weights are whole or rounded to 1/1024."""
        self._core.add(_floats(X), weights_of(weights))
        return self

    def subtract(self, X: Any, weights: Any = None) -> MeanMap:
        """Forget rows that were learned, exactly."""
        self._core.subtract(_floats(X), weights_of(weights))
        return self

    def inner(self, other: MeanMap) -> float:
        """<mu_a, mu_b>"""
        return self._core.inner(other._core)

    def mmd(self, other: MeanMap) -> float:
        """|mu_a - mu_b|, the maximum mean discrepancy."""
        return self._core.mmd(other._core)

    def copy(self) -> MeanMap:
        return MeanMap._of(self._core.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> MeanMap:
        return self.copy()

    def __add__(self, other: MeanMap) -> MeanMap:
        if not isinstance(other, MeanMap):
            return NotImplemented
        return MeanMap._of(self._core + other._core)

    def __radd__(self, other: object) -> MeanMap:
        """For sum(means), which begins with 0."""
        return self.copy() if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: MeanMap) -> MeanMap:
        if not isinstance(other, MeanMap):
            return NotImplemented
        return MeanMap._of(self._core - other._core)

    def __mul__(self, factor: float) -> MeanMap:
        return MeanMap._of(self._core * float(factor))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return _mean_of, (self.map, *self._core.state())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeanMap) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<expose.MeanMap: weight {self.weight:g}, {len(self.sum)} features>"


def _mean_of(map: FeatureMap, weight: int, units: int, sums: Any) -> MeanMap:
    return MeanMap._of(_lib.MeanMap.from_state(map._core, weight, units, sums))
