"""Own kernels: anomalies among strings, graphs, images, or whatever two of which can be compared.

A kernel is a function k(A, B) of two sequences of things that gives a matrix, len(A) x len(B), of how alike they are: 1
for a thing with itself, symmetric, positive semi-definite. The rows of the model are then what k says to `r` landmarks,
things drawn from the data (the map is nystrom), so learning, forgetting and merging stay exact.

>>> import expose, random
>>> def letters(A, B):                                  # how many letters two words share
...     return [[len(set(a) & set(b)) for b in B] for a in A]
>>> words = ["".join(random.Random(i).sample("abcdefgh", 4)) for i in range(400)]
>>> d = expose.fit(words, kernel=expose.kernels.normalized(letters), r=64)
>>> d.judge(["abcd", "wxyz"]).anomalous
array([False,  True])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._error import Error
from ._input import Data
from ._options import checked

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kernel = Callable[[Any, Any], Any]

# Things that a kernel is asked about at a time, and things that a plan is made from.
BLOCK = 1024
SAMPLE = 2000
LANDMARKS = 256


class normalized:
    """k(a, b) / sqrt(k(a, a) k(b, b)): 1 for a thing with itself, whatever its size. 0 for a thing that is like nothing,
    not even like itself.

    >>> import expose, numpy as np
    >>> k = expose.kernels.normalized(lambda A, B: np.outer(A, B))
    >>> k([2.0, 3.0], [5.0])
    array([[1.],
           [1.]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __call__(self, A: Any, B: Any) -> NDArray[np.float64]:
        lengths = np.outer(self._lengths(A), self._lengths(B))
        matrix = np.asarray(self.kernel(A, B), dtype=np.float64)
        return np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)

    def _lengths(self, A: Any) -> NDArray[np.float64]:
        ones = (part(A, i, i + 1) for i in range(len(A)))
        own = [np.asarray(self.kernel(one, one), dtype=np.float64).item() for one in ones]
        return np.sqrt(np.maximum(own, 0.0))


def picked(things: Any, places: list[int]) -> Any:
    """Some of a sequence, as one of its kind."""
    if hasattr(things, "iloc"):  # pandas, whose [] goes by label
        return things.iloc[places]
    return things[places] if isinstance(things, np.ndarray) else [things[place] for place in places]


def part(things: Any, begin: int, end: int) -> Any:
    return things.iloc[begin:end] if hasattr(things, "iloc") else things[begin:end]


def require_things(things: Any) -> None:
    if isinstance(things, (str, bytes)):
        raise Error(f"things come as a sequence, and this is a single {type(things).__name__}; write [x] for one thing")


class OwnKernel:
    """A kernel and its landmarks: what makes rows of things."""

    __slots__ = ("kernel", "landmarks")

    def __init__(self, kernel: Kernel, landmarks: Any) -> None:
        self.kernel = kernel
        self.landmarks = landmarks

    def rows(self, things: Any) -> NDArray[np.float64]:
        """k(x, landmark) for each thing."""
        matrix = np.ascontiguousarray(self.kernel(things, self.landmarks), dtype=np.float64)
        wanted = (len(things), len(self.landmarks))
        if matrix.shape != wanted:
            raise Error(f"the kernel gave a matrix of shape {matrix.shape} for {wanted[0]} and {wanted[1]} things",
                        "shape_mismatch")
        return matrix

    def data(self, X: Any) -> Data:
        return OwnData(self, X)

    def __getstate__(self) -> Any:
        return self.kernel, self.landmarks

    def __setstate__(self, state: Any) -> None:
        self.kernel, self.landmarks = state


class OwnData(Data):
    """Things as rows, some at a time. An iterator gives sequences of things."""

    def __init__(self, own: OwnKernel, X: Any) -> None:
        require_things(X)
        self._own = own
        self._X = X
        self.again = not hasattr(X, "__next__")
        self.n = len(X) if hasattr(X, "__len__") else None

    def blocks(self) -> Iterator[Any]:
        for things in self._X if self.n is None else [self._X]:
            require_things(things)
            for begin in range(0, len(things), BLOCK):
                yield self._own.rows(part(things, begin, begin + BLOCK))


def plan_own(X: Any, kernel: Kernel, r: int | None, options: _core.Options) -> tuple[_core.Plan, OwnKernel]:
    """Landmarks and sample are drawn with the seed: unlike with numbers, the plan depends on the order of the things."""
    require_things(X)
    if not hasattr(X, "__len__"):
        raise Error("to draw landmarks from them, things must come as a sequence: a list or an array")
    if len(X) == 0:
        raise Error("a plan needs at least 1 thing, there is none")
    most = LANDMARKS if r is None else checked("r", r)
    if most < 1:
        raise Error(f"r must be 1 or more, it is {most}: things are seen from their landmarks")
    drawn = np.random.default_rng(options.seed).permutation(len(X))[:SAMPLE].tolist()
    own = OwnKernel(kernel, picked(X, drawn[:most]))
    matrix = own.rows(own.landmarks)
    sample = np.concatenate(list(OwnData(own, picked(X, drawn)).blocks()))
    return _core.plan_given(matrix, sample, options, len(X)), own


def attached(core: _core.Plan, kernel: Kernel, landmarks: Any) -> OwnKernel:
    """The kernel of a plan that was loaded from a file, which holds neither code nor things."""
    if core.feature_map.kind != "given":
        raise Error("this model was not made with an own kernel", "incompatible")
    if landmarks is None:
        raise Error("give landmarks= too: a model file does not hold the things, plan.landmarks had them", "incompatible")
    own = OwnKernel(kernel, landmarks)
    if len(landmarks) != core.feature_map.r or not np.allclose(own.rows(landmarks), core.feature_map.landmarks, atol=1e-5):
        raise Error("this model was made with another kernel or other landmarks", "incompatible")
    return own
