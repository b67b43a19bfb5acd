"""The one exception of the package."""

from __future__ import annotations


class Error(ValueError):
    """What was wrong, where, and what to do: a sentence for people and a code for programs.

    ``code`` is one of ``invalid_argument``, ``shape_mismatch``, ``not_finite``, ``incompatible``, ``overflow``,
    ``not_found``, ``corrupt``, ``cancelled`` and ``io``. After an error every object is as it was before the call,
    but a `Watcher`, which keeps the rows of a block that it has watched until then.

    >>> import numpy as np, expose
    >>> d = expose.fit(np.zeros((30, 3)))
    >>> try:
    ...     d.judge(np.zeros((5, 2)))
    ... except expose.Error as error:
    ...     print(error.code, "-", error)
    shape_mismatch - rows have 2 columns, the plan takes 3
    """

    code: str

    def __init__(self, sentence: str, code: str = "invalid_argument") -> None:
        super().__init__(sentence)
        self.code = code

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (str(self), self.code)
