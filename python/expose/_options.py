"""Options as keyword arguments: the names and the words are those of the command line and of C++."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from . import _core
from ._error import Error


if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    try:
        from typing import Unpack
    except ImportError:  # before Python 3.11
        from typing import Optional as Unpack


class Options(TypedDict, total=False):
    """Everything one may choose; what is left out is decided from the data."""

    kernel: str | Callable[[Any, Any], Any] | None
    bandwidth: float | str | None
    map: str | None
    r: int | None
    scale: str | None
    memory: str | None
    trim: float | None
    missing: str | None
    alpha: float | None
    fdr: float | None
    contamination: float | None
    top: int | None
    seed: int | None
    threads: int | None
    preset: str | None
    # What columns are for, by name, where rows have names.
    label: str | None
    id: str | None
    ignore: str | Sequence[str] | None
    time: str | None
    columns: str | Sequence[str] | None
    category: str | Sequence[str] | None


NAMES = ("kernel", "bandwidth", "map", "r", "scale", "memory", "trim", "missing", "alpha", "fdr", "contamination", "top",
         "seed", "threads", "preset")
OPEN = {"bandwidth", "map", "r", "scale", "trim", "fdr", "contamination", "top"}
WHOLE = {"r", "top", "seed", "threads", "d"}
MOST = {"seed": 2**64 - 1, "threads": 2**16}
WORDS = {"kernel", "map", "scale", "memory", "missing", "preset"}


def checked(name: str, value: Any) -> Any:
    if name in WORDS:
        if isinstance(value, str):
            return value
        raise Error(f"{name} must be a word, it is {value!r}")
    if isinstance(value, (str, bytes, bool)):
        raise Error(f"{name} must be a number, it is {value!r}")
    try:
        number = operator.index(value) if name in WHOLE else float(value)
    except TypeError:
        kind = "a whole number" if name in WHOLE else "a number"
        raise Error(f"{name} must be {kind}, it is {value!r}") from None
    if name in WHOLE and number < 0:
        raise Error(f"{name} must be 0 or more, it is {number}")
    if name in WHOLE and number > MOST.get(name, 2**40):
        raise Error(f"{name} must be at most {MOST.get(name, 2**40)}, it is {number}")
    return number


def core_options(given: Mapping[str, Any]) -> _core.Options:
    """The options of the library; None and "auto" leave open what may be left open."""
    options = _core.Options()
    for name, value in given.items():
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, 1)
            hint = f"; did you mean {near[0]}?" if near else "; there are " + ", ".join(NAMES)
            raise TypeError(f"there is no option {name!r}{hint}")
        if value is None or (name in OPEN and isinstance(value, str) and value == "auto"):
            continue
        setattr(options, name, checked(name, value))
    if given.get("alpha") is not None:
        for name in ("fdr", "contamination", "top"):
            if getattr(options, name) is not None:
                raise Error(f"rows are flagged by one rule: alpha or {name}, not both")
    options.require_valid()
    return options


def as_keywords(options: _core.Options) -> Options:
    """The same as keyword arguments for fit, without those that were left open."""
    found = {name: getattr(options, name) for name in NAMES}
    if options.alpha == _core.Options().alpha:  # nobody's choice, and in the way of another rule
        found["alpha"] = None
    return {name: value for name, value in found.items() if value is not None}  # type: ignore[return-value]
